"""What a proposal is, how each event changes it, and what callers see of it."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Literal, TypeAlias, assert_never

from ..memory.events import SourceType, Store
from ..recorded import Fault, Recorded
from .events import Committed, Confidence, Contradicted, Deferred, Event, Made, Rejected

Standing: TypeAlias = Literal["pending", "conflict", "deferred", "committed", "rejected", "expired"]
"""Where a proposal stands: ``conflict`` is pending while one that contradicts it is open."""

_Verdict: TypeAlias = Literal["pending", "deferred", "committed", "rejected"]


@dataclass(frozen=True, slots=True, kw_only=True)
class State:
    """A proposal as its events say it is."""

    id: str
    version: int
    space: str
    number: int
    proposer: str
    source_type: SourceType
    made_at: datetime
    expires_at: datetime
    content: str
    category: str | None
    tags: tuple[str, ...]
    store: Store
    confidence: Confidence
    trigger: str | None
    core_worthy: bool
    contradicts: tuple[str, ...]
    verdict: _Verdict = "pending"
    decided_by: str | None = None
    decided_at: datetime | None = None
    reason: str | None = None
    memory: str | None = None
    fault: Fault | None = None

    def is_open(self, now: datetime) -> bool:
        """Whether it can still be decided on."""
        return self.verdict in ("pending", "deferred") and now < self.expires_at


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """A proposal as callers see it; ``contradicts`` has the numbers of those that say otherwise."""

    id: str
    number: int
    space: str
    state: Standing
    content: str
    category: str | None
    tags: tuple[str, ...]
    store: Store
    confidence: Confidence
    trigger: str | None
    core_worthy: bool
    proposer: str
    made_at: datetime
    expires_at: datetime
    contradicts: tuple[int, ...]
    decided_by: str | None
    decided_at: datetime | None
    reason: str | None
    memory: str | None


def evolve(state: State | None, recorded: Recorded) -> State | None:
    """The proposal after one more event; it never raises, and takes in all that was written."""
    event: Event | None = recorded.event
    if state is None:
        return _made(event, recorded) if isinstance(event, Made) else None
    state = replace(state, version=recorded.version, fault=state.fault or recorded.fault)
    match event:
        case None | Made():
            return state
        case Contradicted():
            return replace(state, contradicts=(*state.contradicts, event.by))
        case Committed():
            return replace(_decided(state, "committed", recorded), memory=event.memory)
        case Rejected():
            return replace(_decided(state, "rejected", recorded), reason=event.reason or None)
        case Deferred():
            return replace(_decided(state, "deferred", recorded), reason=event.reason or None)
        case _:
            assert_never(event)


def _made(event: Made, recorded: Recorded) -> State:
    return State(
        id=recorded.stream,
        version=recorded.version,
        space=recorded.space,
        number=event.number,
        proposer=recorded.actor,
        source_type=event.source_type,
        made_at=recorded.recorded_at,
        expires_at=event.expires_at,
        content=event.content,
        category=event.category,
        tags=event.tags,
        store=event.store,
        confidence=event.confidence,
        trigger=event.trigger,
        core_worthy=event.core_worthy,
        contradicts=event.contradicts,
        fault=recorded.fault,
    )


def _decided(state: State, verdict: _Verdict, recorded: Recorded) -> State:
    return replace(
        state, verdict=verdict, decided_by=recorded.actor, decided_at=recorded.recorded_at
    )


def view(state: State, known: Mapping[str, State], now: datetime) -> Proposal:
    """The proposal at ``now``; ``known`` has the proposals that contradict it."""
    return Proposal(
        id=state.id,
        number=state.number,
        space=state.space,
        state=_standing(state, known, now),
        content=state.content,
        category=state.category,
        tags=state.tags,
        store=state.store,
        confidence=state.confidence,
        trigger=state.trigger,
        core_worthy=state.core_worthy,
        proposer=state.proposer,
        made_at=state.made_at,
        expires_at=state.expires_at,
        contradicts=tuple(known[id_].number for id_ in state.contradicts if id_ in known),
        decided_by=state.decided_by,
        decided_at=state.decided_at,
        reason=state.reason,
        memory=state.memory,
    )


def _standing(state: State, known: Mapping[str, State], now: datetime) -> Standing:
    if state.verdict in ("committed", "rejected"):
        return state.verdict
    if not state.is_open(now):
        return "expired"
    rivals = (known[id_] for id_ in state.contradicts if id_ in known)
    return "conflict" if any(rival.is_open(now) for rival in rivals) else state.verdict
