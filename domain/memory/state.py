"""What a memory is, and how each event changes it.

``evolve`` accepts everything that was ever written: it never raises, validates, reads a clock or
makes an id.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, NamedTuple, TypeAlias, assert_never

from ..recorded import Fault, Recorded
from .events import (
    Archived,
    Described,
    Event,
    Extended,
    Folded,
    Held,
    HoldReleased,
    Imported,
    Merged,
    MergeRejected,
    MergeRetracted,
    Pinned,
    Purged,
    PurgeRequested,
    Quarantined,
    Recategorized,
    Reinforced,
    Released,
    Rescored,
    Restored,
    Retagged,
    Revised,
    Saved,
    Source,
    Store,
    Superseded,
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


class State(NamedTuple):
    """A memory as its events say it is; a named tuple, because each event makes a new one.

    ``statements`` are the texts that its content is made of: the first, and each that extended it.
    ``base`` was set at ``scored_at`` and fades from there (see ``importance``). ``archived_base``
    is what the memory was worth when it was archived. ``heard`` names the sources, by type and
    reference, that already said it, of those whose repetition counts only once. ``held`` says that
    a legal hold is on it, ``purge_pending`` that its key is about to be destroyed. ``fault`` is the
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
    superseded_by: str | None = None
    held: bool = False
    purge_pending: bool = False
    fault: Fault | None = None

    @property
    def content(self) -> str:
        """The whole text: its statements, a blank line between each two."""
        return "\n\n".join(statement.text for statement in self.statements)


def evolve(state: State | None, recorded: Recorded) -> State | None:
    """The memory after one more event; None as long as nothing that was read began it."""
    if state is None:
        return _begin(recorded)
    return _apply(
        state._replace(
            version=recorded.version,
            position=recorded.position,
            fault=_worse(state.fault, recorded.fault),
        ),
        recorded,
    )


def _begin(recorded: Recorded) -> State | None:
    event = recorded.event
    if isinstance(event, Merged):
        return _merged(recorded, event)
    if not isinstance(event, Saved | Imported):
        return None
    at = recorded.recorded_at
    imported = event if isinstance(event, Imported) else None
    first = imported.created_at if imported else at
    return State(
        id=recorded.stream,
        space=recorded.space,
        version=recorded.version,
        position=recorded.position,
        statements=(_statement(event.content, first, recorded),),
        text_version=1,
        category=event.category,
        tags=event.tags,
        metadata=event.metadata,
        store=event.store,
        source=event.source,
        trust=event.trust,
        base=event.importance,
        scored_at=imported.scored_at if imported else at,
        created_at=first,
        last_seen_at=imported.last_seen_at if imported else at,
        updated_at=imported.updated_at if imported else at,
        reinforcement_count=imported.reinforcement_count if imported else 1,
        access_count=imported.access_count if imported else 1,
        last_accessed_at=imported.last_accessed_at if imported else at,
        condition="archived" if imported and imported.archived_at else "live",
        pinned=imported.pinned if imported else False,
        archived_at=imported.archived_at if imported else None,
        archive_reason=imported.archive_reason if imported else None,
        archived_base=imported.archive_importance if imported else None,
        resembles=event.resembles if isinstance(event, Saved) else (),
        conflicts_with=event.conflicts_with if isinstance(event, Saved) else (),
        heard=frozenset([(event.source_type, event.source_ref)]),
        fault=recorded.fault,
    )


def _merged(recorded: Recorded, event: Merged) -> State:
    at = recorded.recorded_at
    return State(
        id=recorded.stream,
        space=recorded.space,
        version=recorded.version,
        position=recorded.position,
        statements=(_statement(event.content, at, recorded),),
        text_version=1,
        category=event.category,
        tags=event.tags,
        metadata=event.metadata,
        store=event.store,
        source=event.source,
        trust=event.trust,
        base=event.importance,
        scored_at=at,
        created_at=event.created_at,
        last_seen_at=event.last_seen_at,
        updated_at=at,
        reinforcement_count=event.reinforcement_count,
        access_count=event.access_count,
        last_accessed_at=event.last_accessed_at,
        merged_from=event.merged_from,
        fault=recorded.fault,
    )


def _statement(text: str, said_at: datetime, recorded: Recorded) -> Statement:
    return Statement(text if recorded.fault is None else UNREADABLE, said_at)


def _apply(state: State, recorded: Recorded) -> State:  # noqa: PLR0912
    at = recorded.recorded_at
    event: Event | None = recorded.event
    match event:
        case None | Saved() | Imported() | Merged() | MergeRejected():
            return state
        case Reinforced():
            if not event.counted:
                return state._replace(heard=_heard(state, event))
            return _observed(state, event, at)._replace(trust=max(state.trust, event.trust))
        case Extended():
            return _observed(state, event, at)._replace(
                statements=(*state.statements, _statement(event.addition, at, recorded)),
                text_version=state.text_version + 1,
                updated_at=at,
            )
        case Revised():
            return state._replace(
                statements=(_statement(event.content, at, recorded),),
                text_version=state.text_version + 1,
                updated_at=at,
            )
        case Recategorized():
            return state._replace(category=event.category)
        case Retagged():
            return state._replace(tags=event.tags)
        case Rescored():
            return state._replace(base=event.importance, scored_at=at)
        case Described():
            return state._replace(metadata=event.metadata)
        case Used():
            return state._replace(access_count=state.access_count + 1, last_accessed_at=at)
        case Pinned():
            return state._replace(pinned=True)
        case Unpinned():
            return state._replace(pinned=False)
        case Archived():
            return state._replace(
                condition="archived",
                archived_at=at,
                archive_reason=event.reason,
                archived_base=event.importance,
                merged_into=event.merged_into,
            )
        case Restored():
            return state._replace(
                condition="live",
                archived_at=None,
                archive_reason=None,
                archived_base=None,
                merged_into=None,
                superseded_by=None,
            )
        case Folded():
            return _gathered(state, event)._replace(
                base=event.importance,
                scored_at=at,
                last_seen_at=event.last_seen_at,
                reinforcement_count=state.reinforcement_count + sum(event.counts),
            )
        case MergeRetracted():
            return state._replace(
                reinforcement_count=max(1, state.reinforcement_count - event.count)
            )
        case Superseded():
            return state._replace(
                condition="superseded",
                superseded_by=event.by,
                archived_at=at,
                archived_base=event.importance,
            )
        case Quarantined():
            return state._replace(condition="quarantined")
        case Released():
            return state._replace(condition="live")
        case Held():
            return state._replace(held=True)
        case HoldReleased():
            return state._replace(held=False)
        case PurgeRequested():
            return _without_words(state)._replace(purge_pending=True)
        case Purged():
            return _without_words(state)._replace(purge_pending=False)
    assert_never(event)


def _without_words(state: State) -> State:
    return state._replace(
        condition="purged",
        statements=(),
        category=None,
        tags=(),
        metadata={},
        source=Source(type=state.source.type),
        archive_reason=None,
        heard=frozenset(),
        fault=None,
    )


def _observed(state: State, event: Reinforced | Extended, at: datetime) -> State:
    return _gathered(state, event)._replace(
        base=event.importance,
        scored_at=at,
        last_seen_at=at,
        reinforcement_count=state.reinforcement_count + 1,
        heard=_heard(state, event),
    )


def _gathered(state: State, event: Reinforced | Extended | Folded) -> State:
    if not event.tags_added and not event.metadata_added:
        return state
    return state._replace(
        tags=(*state.tags, *event.tags_added),
        metadata={**state.metadata, **event.metadata_added},
    )


def _heard(state: State, event: Reinforced | Extended) -> frozenset[tuple[str, str | None]]:
    return state.heard | {(event.source_type, event.source_ref)}


_SEVERITY: dict[Fault | None, int] = {
    None: 0,
    "key_missing": 1,
    "unreadable": 2,
    "newer_release": 3,
}


def _worse(one: Fault | None, other: Fault | None) -> Fault | None:
    return one if _SEVERITY[one] >= _SEVERITY[other] else other
