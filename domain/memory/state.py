"""What a memory is, and how each event changes it.

``evolve`` accepts everything that was ever written: it never raises, validates, reads a clock or
makes an id.
"""

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from functools import cache
from itertools import zip_longest
from typing import NamedTuple, TypeAlias, assert_never

from ..recorded import Fault, Recorded
from . import events
from .events import (
    Archived,
    Beginning,
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
    SourceType,
    Store,
    Superseded,
    Unpinned,
    Used,
)

Condition: TypeAlias = events.Condition

UNREADABLE = "[unreadable]"
"""What stands for words that cannot be read."""

_UNREADABLE_BEGINNING = Saved(
    importance=0.0, trust=0, source_type="model", store="semantic", chars=0
)


class Statement(NamedTuple):
    """One text that was said, and when."""

    text: str
    said_at: datetime


class State(NamedTuple):
    """A memory as its events say it is; a named tuple, because each event makes a new one.

    ``statements`` are the texts that its content is made of: the first, and each that extended it.
    ``base`` was set at ``scored_at`` and fades from there (see ``importance``). ``archived_base``
    is what the memory was worth when it was archived. ``heard`` names the sources, by type and
    reference, that already said it, of those whose repetition counts only once. ``held`` says that
    a legal hold is on it. ``removal`` is the evidence of a purge whose key is about to be
    destroyed. ``fault`` is the worst that befell any of its events.
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
    removal: PurgeRequested | None = None
    fault: Fault | None = None

    @property
    def content(self) -> str:
        """The whole text: its statements, a blank line between each two."""
        return "\n\n".join(statement.text for statement in self.statements)

    @property
    def is_wordless(self) -> bool:
        """Whether its words were removed for good, by now or, in a state of the past, since."""
        return self.condition == "purged" or not self.statements


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


def beginning(recorded: Recorded) -> tuple[Beginning, Condition] | None:
    """What a memory begins with at this event, and in which condition; None: it is no beginning.

    A first event that cannot be read begins a memory all the same: one that says nothing and is out
    of recall, so that it is met as unreadable and not as one that never was.
    """
    event: Event | None = recorded.event
    if isinstance(event, Imported):
        if event.condition == "purged":  # what it still says is nobody's to read
            return replace(
                event, content="", additions=(), category=None, tags=(), metadata={}
            ), "purged"
        return event, event.begins
    if isinstance(event, Beginning):
        return event, "live"
    if event is None and recorded.version == 1 and recorded.name.startswith("memory."):
        return _UNREADABLE_BEGINNING, "quarantined"
    return None


def _begin(recorded: Recorded) -> State | None:
    begun = beginning(recorded)
    if begun is None:
        return None
    event, condition = begun
    if isinstance(event, Imported):
        return _imported(recorded, event, condition)
    if isinstance(event, Merged):
        return _first(recorded, event, condition)._replace(
            created_at=event.created_at,
            last_seen_at=event.last_seen_at,
            reinforcement_count=event.reinforcement_count,
            access_count=event.access_count,
            last_accessed_at=event.last_accessed_at,
            merged_from=event.merged_from,
            heard=frozenset(event.heard),
        )
    return _first(
        recorded,
        event,
        condition,
        resembles=event.resembles,
        conflicts_with=event.conflicts_with,
        heard=_from(event),
    )


def _first(
    recorded: Recorded,
    event: Beginning,
    condition: Condition,
    *,
    resembles: tuple[str, ...] = (),
    conflicts_with: tuple[str, ...] = (),
    heard: frozenset[tuple[str, str | None]] = frozenset(),
) -> State:
    """A memory first said when it was recorded; what is given here is not replaced later."""
    at = recorded.recorded_at
    # by place: by name takes three times as long, and a replay makes one of each memory
    return State(
        recorded.stream,
        recorded.space,
        recorded.version,
        recorded.position,
        (_statement(event.content, at, recorded),),
        1,  # text_version
        event.category,
        event.tags,
        event.metadata,
        event.store,
        event.source,
        event.trust,
        event.importance,
        at,  # scored_at
        at,  # created_at
        at,  # last_seen_at
        at,  # updated_at
        1,  # reinforcement_count
        1,  # access_count
        at,  # last_accessed_at
        condition,
        False,  # pinned
        None,  # archived_at
        None,  # archive_reason
        None,  # archived_base
        None,  # merged_into
        (),  # merged_from
        resembles,
        conflicts_with,
        heard,
        None,  # superseded_by
        False,  # held
        None,  # removal
        recorded.fault,
    )


def _imported(recorded: Recorded, event: Imported, condition: Condition) -> State:
    # where the words cannot be read, the times still say how many parts there were
    said = zip_longest(event.parts, event.said_at or (event.created_at,))
    state = _first(recorded, event, condition)._replace(
        statements=tuple(
            _statement(text or "", moment or event.created_at, recorded) for text, moment in said
        ),
        text_version=event.text_version,
        scored_at=event.scored_at,
        created_at=event.created_at,
        last_seen_at=event.last_seen_at,
        updated_at=event.updated_at,
        reinforcement_count=event.reinforcement_count,
        access_count=event.access_count,
        last_accessed_at=event.last_accessed_at,
        pinned=event.pinned,
        archived_at=event.archived_at,
        archive_reason=event.archive_reason,
        archived_base=event.archive_importance,
        merged_into=event.merged_into,
        merged_from=event.merged_from,
        resembles=event.resembles,
        conflicts_with=event.conflicts_with,
        heard=_from(event) if event.heard is None else frozenset(event.heard),
        superseded_by=event.superseded_by,
        held=event.held,
    )
    return without_words(state) if condition == "purged" else state


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
            seen = _observed(state, event, at)
            return seen._replace(trust=event.trust) if event.lifts_trust else seen
        case Extended():
            seen = _observed(state, event, at) if event.counted else _gathered(state, event)
            return seen._replace(
                heard=_heard(state, event),
                statements=(*state.statements, _statement(event.addition, at, recorded)),
                text_version=state.text_version + 1,
                updated_at=at,
            )
        case Revised():
            return state._replace(
                trust=state.trust if event.trust is None else event.trust,
                source=Source(type=event.source_type) if event.source_type else state.source,
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
                trust=event.trust,
                created_at=event.created_at,
                last_seen_at=event.last_seen_at,
                reinforcement_count=state.reinforcement_count + sum(event.counts),
                heard=state.heard | frozenset(event.heard),
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
            return without_words(state)._replace(condition="purged", removal=event)
        case Purged():
            return without_words(state)._replace(condition="purged", removal=None)
    assert_never(event)


def without_words(state: State) -> State:
    """The facts of a memory alone, as they stay when its words are removed for good."""
    return state._replace(
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
        last_seen_at=max(state.last_seen_at, at),
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


def _from(event: Saved | Imported) -> frozenset[tuple[str, str | None]]:
    """The source of an event as all that was heard."""
    if event.source_ref is None:
        return _nameless(event.source_type)
    return frozenset([(event.source_type, event.source_ref)])


@cache
def _nameless(source: SourceType) -> frozenset[tuple[str, str | None]]:
    """One for all whose source has no reference, since most are."""
    return frozenset([(source, None)])


_SEVERITY: dict[Fault | None, int] = {
    None: 0,
    "key_missing": 1,
    "unreadable": 2,
    "newer_release": 3,
}


def _worse(one: Fault | None, other: Fault | None) -> Fault | None:
    return one if _SEVERITY[one] >= _SEVERITY[other] else other
