"""A run as figures, and as the row that callers read."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from datetime import datetime, timedelta
from typing import Any, Final, TypeAlias, cast

from muniment.domain.audit import Completed, EvalSummary, PurgeOutlook
from muniment.domain.moments import rfc3339
from muniment.domain.rules import Retention
from muniment.proofs.fold import Subject

from .evidence import Evidence
from .fold import Known, depths
from .glossary import message
from .invariants import status, violations
from .options import AuditOptions

Row: TypeAlias = dict[str, Any]
"""A run by the names that callers know it by; what cannot be measured is left out."""

DOMAIN: Final = "memory"
_BANDS: Final = ((1, "1"), (4, "2-4"), (9, "5-9"), (19, "10-19"))
_MOST_SEEN: Final = "20+"
_DAY: Final = timedelta(days=1)
_NOT_SHOWN: Final = frozenset(["deep_limit", "told"])


@dataclass(frozen=True, slots=True)
class Growth:
    """How a category moved since the run before."""

    category: str
    created: int
    archived: int

    @property
    def net(self) -> int:
        """What it gained."""
        return self.created - self.archived


@dataclass(frozen=True, slots=True)
class Figures:
    """What figures are reckoned by.

    ``stoplist_size`` is how many words the check of merges takes for common.
    """

    options: AuditOptions
    retention: Retention
    stoplist_size: int


def measured(evidence: Evidence, snapshot_id: str, by: Figures) -> Completed:
    """The run that the evidence comes to, with what does not hold."""
    run = _counted(evidence, snapshot_id, by)
    failed = violations(run, evidence, by.options)
    return replace(run, invariants=failed, status=status(failed))


def _counted(evidence: Evidence, snapshot_id: str, by: Figures) -> Completed:
    fold, now, before = evidence.fold, evidence.conditions, evidence.known_before
    is_first = evidence.before is None
    previous = None if evidence.before is None else evidence.before.said
    counts = Counter(now.values())
    live = [id_ for id_, condition in now.items() if condition == "live"]
    near = evidence.corpus.index(live)
    deep = Counter(depths(fold, now).values())
    vanished = len(evidence.vanished())
    removed = Counter(
        known.basis
        for id_, subject, known in evidence.memories
        if subject.condition == "purged" and before.get(id_) != "purged"
    )
    purged, erased = (0, 0) if is_first else (removed["retention"], removed["erasure"])
    since = fold.since
    return Completed(
        snapshot_id=snapshot_id,
        taken_at=evidence.taken_at,
        previous_taken_at=None if previous is None else previous.taken_at,
        position=fold.position,
        previous_position=None if previous is None else previous.position,
        live=counts["live"],
        archived=counts["archived"],
        superseded=counts["superseded"],
        quarantined=counts["quarantined"],
        malformed_files=len(evidence.unreadable()),
        empty_category_dirs=len(evidence.corpus.left_behind()),
        created_since_last=0 if is_first else sum(id_ not in before for id_ in now),
        archived_since_last=_moved(evidence, {"live"}, {"archived"}),
        restored_since_last=_moved(evidence, {"archived", "superseded"}, {"live"}),
        hard_deleted_since_last=0 if is_first else purged + erased + vanished,
        purged_since_last=purged,
        erased_since_last=erased,
        hard_deleted_outside_purge=vanished,
        net_growth_per_day=_growth(evidence, counts["live"], by.options),
        merge_chain_depth={str(depth): deep[depth] for depth in sorted(deep)},
        max_chain_depth=max(deep, default=0),
        deep_limit=by.options.max_merge_chain_depth,
        near_dup_pairs=near.pairs,
        near_dup_entries=near.entries,
        embedding_dup_clusters=evidence.embedding_dup_clusters,
        reinforcement=_reinforcement([fold.log.subjects[id_].count for id_ in live]),
        reinforced_without_merge_since_last=0 if is_first else len(since.reinforced),
        rejected_merge_sources_since_last=0 if is_first else len(since.rejected),
        rejected_merges_since_last=0 if is_first else len(since.rejections),
        rejected_merge_clusters_repeated=0
        if is_first
        else sum(
            runs >= by.options.repeated_rejection_runs for runs in fold.runs_refused().values()
        ),
        dream_passes_run_since_last=0 if is_first else since.dreams,
        consolidation_last_run_at=fold.dreamt_at,
        restarts_since_last=0 if is_first else since.restarts,
        purge=_outlook(evidence, by),
        vocabulary_stoplist_size=by.stoplist_size,
    )


def _moved(evidence: Evidence, out_of: set[str], into: set[str]) -> int:
    now = evidence.conditions
    return sum(
        condition in out_of and now.get(id_) in into
        for id_, condition in evidence.known_before.items()
    )


def _growth(evidence: Evidence, live: int, options: AuditOptions) -> float | None:
    if evidence.before is None:
        return None
    previous = evidence.before.said
    window = evidence.taken_at - previous.taken_at
    if window < options.min_rate_window or not window:
        return None
    return round((live - previous.live) / (window / _DAY), 2)


def _reinforcement(counts: Sequence[int]) -> dict[str, int]:
    bands = Counter(
        next((band for most, band in _BANDS if count <= most), _MOST_SEEN) for count in counts
    )
    return {band: bands[band] for _, band in (*_BANDS, (0, _MOST_SEEN))}


def _outlook(evidence: Evidence, by: Figures) -> PurgeOutlook:
    """What the retention purge will find due within the days that are looked ahead."""
    ahead = by.options.purge_warning_days
    horizon = evidence.taken_at + timedelta(days=ahead)
    due = [
        _is_protected(subject, known, horizon, by.retention)
        for _, subject, known in evidence.memories
        if _is_due(subject, horizon, by.retention)
    ]
    return PurgeOutlook(due_within_days=ahead, count=len(due), high_value_count=sum(due))


def _is_due(subject: Subject, at: datetime, retention: Retention) -> bool:
    return (
        retention.archive_days > 0
        and subject.condition in ("archived", "superseded")
        and subject.archived_at is not None
        and at - subject.archived_at > timedelta(days=retention.archive_days)
    )


def _is_protected(subject: Subject, known: Known, at: datetime, retention: Retention) -> bool:
    if subject.pinned or subject.held or not subject.is_read:
        return True
    if known.worth < retention.protection_importance and subject.count < retention.protection_count:
        return False
    if retention.protected_days is None or subject.archived_at is None:
        return True
    return at - subject.archived_at <= timedelta(days=retention.protected_days)


def as_row(run: Completed, growth: Sequence[Growth], *, is_replayed: bool = False) -> Row:
    """The row of a run: camelCase, times as RFC 3339 texts, nothing that is None.

    ``is_replayed`` marks a run that nobody recorded: what would have been said then.
    """
    row: Row = {"snapshotId": run.snapshot_id, "domain": DOMAIN}
    for field in fields(run):
        value = getattr(run, field.name)
        if value is not None and field.name not in _NOT_SHOWN:
            row[_camel(field.name)] = _plain(value)
    row["topCategoriesByGrowth"] = [
        {"category": one.category, "created": one.created, "archived": one.archived, "net": one.net}
        for one in growth
    ]
    row["invariants"] = [
        {"name": one.name, "message": message(one), "ids": list(one.ids)} for one in run.invariants
    ]
    if is_replayed:
        row["replayed"] = True
    return row


def _camel(name: str) -> str:
    first, *others = name.split("_")
    return first + "".join(other.capitalize() for other in others)


def _plain(value: Any) -> Any:
    if isinstance(value, datetime):
        return rfc3339(value)
    if isinstance(value, PurgeOutlook | EvalSummary):
        return {_camel(field.name): _plain(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, Mapping):
        return dict(cast("Mapping[str, int]", value))
    return value
