"""What a memory is, and how each event changes it.

``evolve`` accepts everything that was ever written: it never raises, validates, reads a clock or
makes an id.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Literal, TypeAlias, assert_never

from ..recorded import Fault, Recorded
from .events import (
    Archived,
    Described,
    Event,
    Extended,
    Imported,
    Pinned,
    Recategorized,
    Reinforced,
    Rescored,
    Restored,
    Retagged,
    Revised,
    Saved,
    Source,
    Store,
    Unpinned,
    Used,
)

Condition: TypeAlias = Literal["live", "archived", "superseded", "quarantined", "purged"]

UNREADABLE = "[unreadable]"
"""What stands for words that cannot be read."""


@dataclass(frozen=True, slots=True)
class Statement:
    """One text that was said, and when."""

    text: str
    said_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class State:
    """A memory as its events say it is.

    ``statements`` are the texts that its content is made of: the first, and each that extended it.
    ``base`` was set at ``scored_at`` and fades from there (see ``importance``). ``archived_base``
    is what the memory was worth when it was archived. ``heard`` names the sources, by type and
    reference, that already said it, of those whose repetition counts only once. ``fault`` is the
    worst that befell any of its events.
    """

    id: str
    space: str
    version: int
    position: int
    statements: tuple[Statement, ...]
    text_version: int
    category: str | None
    tags: tuple[str, ...]
    metadata: Mapping[str, str]
    store: Store
    source: Source
    trust: int
    base: float
    scored_at: datetime
    created_at: datetime
    last_seen_at: datetime
    updated_at: datetime
    reinforcement_count: int
    access_count: int
    last_accessed_at: datetime
    condition: Condition = "live"
    pinned: bool = False
    archived_at: datetime | None = None
    archive_reason: str | None = None
    archived_base: float | None = None
    merged_into: str | None = None
    merged_from: tuple[str, ...] = ()
    resembles: tuple[str, ...] = ()
    conflicts_with: tuple[str, ...] = ()
    heard: frozenset[tuple[str, str | None]] = frozenset()
    fault: Fault | None = None

    @property
    def content(self) -> str:
        """The whole text: its statements, a blank line between each two."""
        return "\n\n".join(statement.text for statement in self.statements)


def evolve(state: State | None, recorded: Recorded) -> State | None:
    """The memory after one more event; None as long as nothing that was read began it."""
    event: Event | None = recorded.event
    state = _begin(recorded) if state is None else _apply(state, recorded, event)
    if state is None:
        return None
    return replace(
        state,
        version=recorded.version,
        position=recorded.position,
        fault=_worse(state.fault, recorded.fault),
    )


def _begin(recorded: Recorded) -> State | None:
    event = recorded.event
    if not isinstance(event, Saved | Imported):
        return None
    at = recorded.recorded_at
    first = event.created_at if isinstance(event, Imported) else at
    text = event.content if recorded.fault is None else UNREADABLE
    state = State(
        id=recorded.stream,
        space=recorded.space,
        version=recorded.version,
        position=recorded.position,
        statements=(Statement(text, first),),
        text_version=1,
        category=event.category,
        tags=event.tags,
        metadata=event.metadata,
        store=event.store,
        source=event.source,
        trust=event.trust,
        base=event.importance,
        scored_at=at,
        created_at=at,
        last_seen_at=at,
        updated_at=at,
        reinforcement_count=1,
        access_count=1,
        last_accessed_at=at,
        heard=frozenset([(event.source_type, event.source_ref)]),
    )
    match event:
        case Saved():
            return replace(state, resembles=event.resembles, conflicts_with=event.conflicts_with)
        case Imported():
            return replace(
                state,
                scored_at=event.scored_at,
                created_at=event.created_at,
                last_seen_at=event.last_seen_at,
                updated_at=event.updated_at,
                reinforcement_count=event.reinforcement_count,
                access_count=event.access_count,
                last_accessed_at=event.last_accessed_at,
                pinned=event.pinned,
                condition="live" if event.archived_at is None else "archived",
                archived_at=event.archived_at,
                archive_reason=event.archive_reason,
                archived_base=event.archive_importance,
            )


def _apply(state: State, recorded: Recorded, event: Event | None) -> State:  # noqa: PLR0912
    at = recorded.recorded_at
    match event:
        case None | Saved() | Imported():
            return state
        case Reinforced():
            heard = state.heard | {(event.source_type, event.source_ref)}
            if not event.counted:
                return replace(state, heard=heard)
            trust = max(state.trust, event.trust)
            return replace(_observed(state, event, at, heard), trust=trust)
        case Extended():
            text = event.addition if recorded.fault is None else UNREADABLE
            return replace(
                _observed(state, event, at, state.heard | {(event.source_type, event.source_ref)}),
                statements=(*state.statements, Statement(text, at)),
                text_version=state.text_version + 1,
                updated_at=at,
            )
        case Revised():
            text = event.content if recorded.fault is None else UNREADABLE
            return replace(
                state,
                statements=(Statement(text, at),),
                text_version=state.text_version + 1,
                updated_at=at,
            )
        case Recategorized():
            return replace(state, category=event.category)
        case Retagged():
            return replace(state, tags=event.tags)
        case Rescored():
            return replace(state, base=event.importance, scored_at=at)
        case Described():
            return replace(state, metadata=event.metadata)
        case Used():
            return replace(state, access_count=state.access_count + 1, last_accessed_at=at)
        case Pinned():
            return replace(state, pinned=True)
        case Unpinned():
            return replace(state, pinned=False)
        case Archived():
            return replace(
                state,
                condition="archived",
                archived_at=at,
                archive_reason=event.reason,
                archived_base=event.importance,
                merged_into=event.merged_into,
            )
        case Restored():
            return replace(
                state,
                condition="live",
                archived_at=None,
                archive_reason=None,
                archived_base=None,
                merged_into=None,
            )
    assert_never(event)


def _observed(
    state: State,
    event: Reinforced | Extended,
    at: datetime,
    heard: frozenset[tuple[str, str | None]],
) -> State:
    return replace(
        state,
        base=event.importance,
        scored_at=at,
        last_seen_at=at,
        reinforcement_count=state.reinforcement_count + 1,
        tags=(*state.tags, *event.tags_added),
        metadata={**state.metadata, **event.metadata_added}
        if event.metadata_added
        else (state.metadata),
        heard=heard,
    )


_SEVERITY: dict[Fault | None, int] = {
    None: 0,
    "key_missing": 1,
    "unreadable": 2,
    "newer_release": 3,
}


def _worse(one: Fault | None, other: Fault | None) -> Fault | None:
    return one if _SEVERITY[one] >= _SEVERITY[other] else other
