"""What an audit says of a space's memories, and when it speaks up.

All audits of a space are one stream. An event of it holds numbers, ids and the names of what
failed; the words that a report shows besides are read from the log again.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import ClassVar, Final, Literal, TypeAlias
from uuid import UUID, uuid5

Status: TypeAlias = Literal["healthy", "warning", "alert"]
Occasion: TypeAlias = Literal["alert", "changed", "repeated"]

_NAMESPACE: Final = UUID("6d756e69-6d65-4e74-8061-756469740000")


def stream(space: str) -> str:
    """The stream that the audits of a space are in."""
    return str(uuid5(_NAMESPACE, space))


def _none() -> Mapping[str, int]:
    return {}


@dataclass(frozen=True, slots=True, kw_only=True)
class Violation:
    """An invariant that did not hold.

    ``count`` is how often, ``ids`` names up to 20 memories; ``measured`` is the figure that went
    past ``limit``, where it is about one.
    """

    name: str
    count: int
    ids: tuple[str, ...] = ()
    measured: float | None = None
    limit: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PurgeOutlook:
    """How many archived memories are past their retention within so many days.

    ``high_value_count`` of them are kept all the same, for their worth, their count, a pin or hold.
    """

    due_within_days: float
    count: int
    high_value_count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class EvalSummary:
    """What the last evaluation of samples came to: how many were judged, and how.

    ``sound`` are those in which the system made the right call; ``carried`` of all were judged
    before and have not changed.
    """

    evaluated_at: datetime
    judged: int
    sound: int
    unsound: int
    carried: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """That a run is told to people, why, and what is new or gone since they were last told."""

    occasion: Occasion
    new: tuple[str, ...] = ()
    cleared: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Completed:
    """A run: what the log held at ``position``, and what happened since the run before.

    What is None cannot be measured: rates on a first run or over a short window, vectors without a
    model. ``deep_limit`` is the chain depth above which memories counted as deep;
    ``merge_chain_depth`` counts live memories by depth, ``reinforcement`` by how often they were
    said. ``eval`` is what the samples had come to by then.
    """

    NAME: ClassVar[str] = "audit.completed"
    SCHEMA: ClassVar[int] = 1

    snapshot_id: str
    taken_at: datetime
    previous_taken_at: datetime | None = None
    position: int
    previous_position: int | None = None
    live: int
    archived: int
    superseded: int
    quarantined: int
    malformed_files: int
    empty_category_dirs: int
    created_since_last: int
    archived_since_last: int
    restored_since_last: int
    hard_deleted_since_last: int
    purged_since_last: int
    erased_since_last: int
    hard_deleted_outside_purge: int
    net_growth_per_day: float | None = None
    merge_chain_depth: Mapping[str, int] = field(default_factory=_none)
    max_chain_depth: int
    deep_limit: int
    near_dup_pairs: int
    near_dup_entries: int
    embedding_dup_clusters: int | None = None
    reinforcement: Mapping[str, int] = field(default_factory=_none)
    reinforced_without_merge_since_last: int
    rejected_merge_sources_since_last: int
    rejected_merges_since_last: int
    rejected_merge_clusters_repeated: int
    dream_passes_run_since_last: int
    consolidation_last_run_at: datetime | None = None
    restarts_since_last: int
    purge: PurgeOutlook
    vocabulary_stoplist_size: int
    invariants: tuple[Violation, ...] = ()
    status: Status = "healthy"
    eval: EvalSummary | None = None
    told: Told | None = None

    @property
    def failing(self) -> tuple[str, ...]:
        """The names of the invariants that did not hold."""
        return tuple(violation.name for violation in self.invariants)

    @property
    def deep(self) -> int:
        """How many live memories are deeper than the limit."""
        return sum(
            count for depth, count in self.merge_chain_depth.items() if int(depth) > self.deep_limit
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Digested:
    """The report of a run was told to people because it was time to, whatever it says."""

    NAME: ClassVar[str] = "audit.digested"
    SCHEMA: ClassVar[int] = 1

    snapshot_id: str


@dataclass(frozen=True, slots=True)
class Spoken:
    """What people were last told is failing, and when."""

    names: tuple[str, ...]
    at: datetime


def after(spoken: Spoken | None, run: Completed) -> Spoken | None:
    """What people know after a run: a healthy one is forgotten, so that what returns is news."""
    if run.status == "healthy":
        return None
    return spoken if run.told is None else Spoken(run.failing, run.taken_at)


def known(runs: Iterable[Completed]) -> Spoken | None:
    """What people know after all of some runs, oldest first."""
    spoken: Spoken | None = None
    for run in runs:
        spoken = after(spoken, run)
    return spoken


def tell(run: Completed, spoken: Spoken | None, *, repeat_after: timedelta) -> Told | None:
    """Whether a run is worth a message, given what was said last.

    An alert is told every time. A warning is told when the names that fail are others than before,
    and again after ``repeat_after`` (0: never again).
    """
    if run.status == "healthy":
        return None
    before = () if spoken is None else spoken.names
    new = tuple(name for name in run.failing if name not in before)
    cleared = tuple(name for name in before if name not in run.failing)
    if run.status == "alert":
        return Told(occasion="alert", new=new, cleared=cleared)
    if spoken is None or new or cleared:
        return Told(occasion="changed", new=new, cleared=cleared)
    if repeat_after and run.taken_at - spoken.at >= repeat_after:
        return Told(occasion="repeated")
    return None


def complete(
    run: Completed, spoken: Spoken | None, *, speaks: bool, repeat_after: timedelta
) -> list[Completed]:
    """Record a run, with what is told of it where anything is to be."""
    told = tell(run, spoken, repeat_after=repeat_after) if speaks else None
    return [replace(run, told=told)]
