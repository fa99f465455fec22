"""What should hold of a space's memories, one small function each: asked of a run and its evidence.

Names are stable. What each means for a reader, and how bad it is, is in ``glossary``.
"""

from collections.abc import Callable, Iterable, Mapping
from datetime import timedelta
from typing import Final, TypeAlias

from muniment.domain.audit import Completed, Status, Violation

from .evidence import Evidence
from .fold import depths
from .glossary import GLOSSARY
from .options import AuditOptions

Check: TypeAlias = Callable[[Completed, Evidence, AuditOptions], Violation | None]

SHOWN_IDS: Final = 20
_WEEK: Final = timedelta(days=7)

PAUSING: Final = frozenset(["no-hard-delete-outside-purge", "loss-percent-threshold"])
"""Those that pause consolidation, where the breaker is on."""


def _found(
    name: str,
    ids: Iterable[str],
    *,
    count: int | None = None,
    measured: float | None = None,
    limit: float | None = None,
) -> Violation:
    named = tuple(ids)
    return Violation(
        name=name,
        count=len(named) if count is None else count,
        ids=named[:SHOWN_IDS],
        measured=measured,
        limit=limit,
    )


def _any(name: str, ids: Iterable[str]) -> Violation | None:
    found = list(dict.fromkeys(ids))
    return _found(name, found) if found else None


def hard_deletes(_: Completed, evidence: Evidence, options: AuditOptions) -> Violation | None:
    """Memories that are gone without a purge."""
    gone, limit = evidence.vanished(), options.max_hard_deletes_outside_purge
    if len(gone) <= limit:
        return None
    return _found("no-hard-delete-outside-purge", gone, limit=limit)


def loss(run: Completed, evidence: Evidence, options: AuditOptions) -> Violation | None:
    """A fall of the live count; the ids are those that were live."""
    if evidence.before is None or not evidence.before.said.live:
        return None
    was = evidence.before.said.live
    percent = 100 * (was - run.live) / was
    if percent <= options.max_loss_percent_between_snapshots:
        return None
    left = [
        id_
        for id_, condition in evidence.known_before.items()
        if condition == "live" and evidence.conditions.get(id_) != "live"
    ]
    return _found(
        "loss-percent-threshold",
        left,
        count=was - run.live,
        measured=round(percent, 1),
        limit=options.max_loss_percent_between_snapshots,
    )


def broken_chains(_: Completed, evidence: Evidence, __: AuditOptions) -> Violation | None:
    """Archived as merged into what is nowhere; an import may name what never was here."""
    fold = evidence.fold

    def leads_nowhere(start: str) -> bool:
        id_, seen = start, set[str]()
        while id_ not in seen:
            seen.add(id_)
            subject, known = fold.log.subjects.get(id_), fold.known.get(id_)
            if subject is None or known is None or not known.is_whole:
                return True
            if known.is_imported or not subject.is_merged_away or subject.merged_into is None:
                return False
            id_ = subject.merged_into
        return False

    return _any(
        "merge-chain-unbroken",
        (
            id_
            for id_, subject, _ in evidence.memories
            if subject.is_merged_away and leads_nowhere(id_)
        ),
    )


def log_intact(_: Completed, evidence: Evidence, __: AuditOptions) -> Violation | None:
    """What ``verify`` found, and that the log is not the one that was."""
    count = len(evidence.faults) + evidence.is_other_log
    return _found("log-intact", (), count=count) if count else None


def read_models(_: Completed, evidence: Evidence, __: AuditOptions) -> Violation | None:
    """The catalog and the search index beside the log."""
    if evidence.is_unsearchable:
        return _found("read-model-agrees", (), count=len(evidence.conditions))
    if evidence.shown is None:
        return None
    shown, told = evidence.shown.conditions, evidence.conditions
    differing = [id_ for id_ in told.keys() | shown.keys() if told.get(id_) != shown.get(id_)]
    live = sum(condition == "live" for condition in told.values())
    count = max(len(differing), abs(evidence.shown.searchable - live))
    return _found("read-model-agrees", sorted(differing), count=count) if count else None


def dangling_sources(_: Completed, evidence: Evidence, __: AuditOptions) -> Violation | None:
    """Merges and folds of what is not there; an import may name what never was."""
    return _any(
        "merged-from-resolves",
        (
            id_
            for id_, subject, known in evidence.memories
            if subject.condition != "purged"
            and not known.is_imported
            and any(one not in evidence.conditions for one in (*known.merged_from, *known.folded))
        ),
    )


def bare_archives(_: Completed, evidence: Evidence, __: AuditOptions) -> Violation | None:
    """Archives without a reason or a time."""
    return _any(
        "archive-fields-present",
        (
            id_
            for id_, subject, known in evidence.memories
            if subject.condition in ("archived", "superseded") and not known.is_archived_in_full
        ),
    )


def live_sources(_: Completed, evidence: Evidence, __: AuditOptions) -> Violation | None:
    """Live memories that are part of another; those that are being archived just here are not."""
    absorption = evidence.fold.log.absorption
    under_way = absorption.left if absorption is not None else set[str]()
    return _any(
        "live-not-merge-source",
        (
            id_
            for id_, subject, known in evidence.memories
            if subject.condition == "live"
            and known.absorbed_into is not None
            and evidence.conditions.get(known.absorbed_into, "purged") != "purged"
            and id_ not in under_way
        ),
    )


def repeated_rejections(
    run: Completed, evidence: Evidence, options: AuditOptions
) -> Violation | None:
    """Sets of memories that were refused in several runs in a row."""
    if not run.rejected_merge_clusters_repeated:
        return None
    refused = evidence.fold.runs_refused()
    clusters = evidence.fold.since.clusters
    ids = [
        id_
        for name, runs in refused.items()
        if runs >= options.repeated_rejection_runs
        for id_ in clusters[name]
    ]
    return _found(
        "no-repeated-rejection",
        dict.fromkeys(ids),
        count=run.rejected_merge_clusters_repeated,
        limit=options.repeated_rejection_runs,
    )


def net_growth(run: Completed, _: Evidence, options: AuditOptions) -> Violation | None:
    """Growth a day, where it can be measured."""
    growth, limit = run.net_growth_per_day, options.max_net_growth_per_day
    if growth is None or growth <= limit:
        return None
    return _found("net-growth-threshold", (), count=1, measured=growth, limit=limit)


def chain_depth(run: Completed, evidence: Evidence, options: AuditOptions) -> Violation | None:
    """More deep memories than at the run before, under the same limit; the deepest first."""
    before = None if evidence.before is None else evidence.before.said
    if before is None or before.deep_limit != run.deep_limit or run.deep <= before.deep:
        return None
    limit = options.max_merge_chain_depth
    by_depth = sorted(
        ((depth, id_) for id_, depth in depths(evidence.fold, evidence.conditions).items()),
        key=lambda one: (-one[0], one[1]),
    )
    return _found(
        "chain-depth-threshold",
        (id_ for depth, id_ in by_depth if depth > limit),
        measured=run.deep - before.deep,
        limit=limit,
    )


def rejected_merges(run: Completed, evidence: Evidence, options: AuditOptions) -> Violation | None:
    """Sources of refused merges a week, where that can be measured; the newest first."""
    if run.previous_taken_at is None:
        return None
    window = run.taken_at - run.previous_taken_at
    if window < options.min_rate_window:
        return None
    a_week = run.rejected_merge_sources_since_last * (_WEEK / window)
    if a_week <= options.max_rejected_merges_per_week:
        return None
    rejected = evidence.fold.since.rejected
    return _found(
        "rejected-merges-threshold",
        sorted(rejected, key=lambda id_: -rejected[id_]),
        count=run.rejected_merges_since_last,
        measured=round(a_week, 2),
        limit=options.max_rejected_merges_per_week,
    )


def malformed(run: Completed, evidence: Evidence, _: AuditOptions) -> Violation | None:
    """Events that cannot be read; the ids are the memories that they are of."""
    if not run.malformed_files:
        return None
    ids = dict.fromkeys(evidence.unreadable().values())
    return _found("no-malformed-files", ids, count=run.malformed_files)


def uncounted(_: Completed, evidence: Evidence, __: AuditOptions) -> Violation | None:
    """Counts that no events explain."""
    return _any(
        "lost-reinforcement",
        (id_ for id_, _, known in evidence.memories if not known.is_counted),
    )


INVARIANTS: Final[Mapping[str, Check]] = {
    "no-hard-delete-outside-purge": hard_deletes,
    "loss-percent-threshold": loss,
    "merge-chain-unbroken": broken_chains,
    "log-intact": log_intact,
    "read-model-agrees": read_models,
    "merged-from-resolves": dangling_sources,
    "archive-fields-present": bare_archives,
    "live-not-merge-source": live_sources,
    "no-repeated-rejection": repeated_rejections,
    "net-growth-threshold": net_growth,
    "chain-depth-threshold": chain_depth,
    "rejected-merges-threshold": rejected_merges,
    "no-malformed-files": malformed,
    "lost-reinforcement": uncounted,
}
"""Every invariant by its name, the severe ones first."""


def violations(run: Completed, evidence: Evidence, options: AuditOptions) -> tuple[Violation, ...]:
    """The invariants that do not hold."""
    found = (check(run, evidence, options) for check in INVARIANTS.values())
    return tuple(violation for violation in found if violation is not None)


def status(failed: Iterable[Violation]) -> Status:
    """The worst of what was found."""
    severities = {GLOSSARY[violation.name].severity for violation in failed}
    if "alert" in severities:
        return "alert"
    return "warning" if severities else "healthy"
