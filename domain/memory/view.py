"""A memory as callers see it at a moment."""

from collections.abc import Container, Mapping
from dataclasses import dataclass, replace
from datetime import datetime

from ..importance import Decay
from ..recorded import Fault
from ..relevance import Band, band, relevance
from .decisions import importance_now
from .events import Source, Store
from .state import Condition, State


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    """A memory at a moment. Times are aware and in UTC.

    ``importance`` is what it is worth at that moment, in [0, 1]; ``base_importance`` is what it was
    last scored. ``relevance`` is raw and may exceed 1. ``content`` is None once it was purged.
    ``conflicts_with`` is what it was found to contradict when it came, whatever became of that
    since. ``held`` says that a legal hold is on it. ``fault`` says why its words could not be read,
    where that is so.
    """

    id: str
    space: str
    content: str | None
    category: str | None
    tags: tuple[str, ...]
    metadata: Mapping[str, str]
    store: Store
    importance: float
    base_importance: float
    created_at: datetime
    last_seen_at: datetime
    updated_at: datetime
    reinforcement_count: int
    access_count: int
    last_accessed_at: datetime
    relevance: float
    band: Band
    pinned: bool
    trust: int
    source: Source
    state: Condition
    archived_at: datetime | None
    archive_reason: str | None
    merged_into: str | None
    merged_from: tuple[str, ...]
    resembles: tuple[str, ...]
    conflicts_with: tuple[str, ...]
    version: int
    position: int
    superseded_by: str | None = None
    held: bool = False
    fault: Fault | None = None


def recalled(memory: Memory, findable: Container[str]) -> Memory:
    """The memory as a recall tells it: of its conflicts those with what the recall can find too.

    One that is out of recall (archived, superseded, purged) has been decided on.
    """
    told = tuple(id_ for id_ in memory.conflicts_with if id_ in findable)
    return memory if told == memory.conflicts_with else replace(memory, conflicts_with=told)


def view(state: State, now: datetime, decay: Decay) -> Memory:
    """The memory at ``now``."""
    score = relevance(
        now,
        store=state.store,
        access_count=state.access_count,
        last_accessed_at=state.last_accessed_at,
        pinned=state.pinned,
    )
    return Memory(
        id=state.id,
        space=state.space,
        content=None if state.is_wordless else state.content,
        category=state.category,
        tags=state.tags,
        metadata=state.metadata,
        store=state.store,
        importance=importance_now(state, now, decay),
        base_importance=state.base,
        created_at=state.created_at,
        last_seen_at=state.last_seen_at,
        updated_at=state.updated_at,
        reinforcement_count=state.reinforcement_count,
        access_count=state.access_count,
        last_accessed_at=state.last_accessed_at,
        relevance=score,
        band=band(score),
        pinned=state.pinned,
        trust=state.trust,
        source=state.source,
        state=state.condition,
        archived_at=state.archived_at,
        archive_reason=state.archive_reason,
        merged_into=state.merged_into,
        merged_from=state.merged_from,
        resembles=state.resembles,
        conflicts_with=state.conflicts_with,
        version=state.version,
        position=state.position,
        superseded_by=state.superseded_by,
        held=state.held,
        fault=state.fault,
    )
