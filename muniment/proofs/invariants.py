"""The table of invariants: the name that each is known by, what it is about, and how it is found.

Names are stable. What each means for a reader is in ``glossary``.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final, TypeAlias

from muniment.domain.erasure import events as erasure
from muniment.domain.memory import events as e
from muniment.domain.proposal import events as p

from .checks import memories, merging, proposals, removals, streams
from .facts import NAMES, Stored
from .fold import OBSERVATIONS, Log

Check: TypeAlias = Callable[[Log, Stored], str | None]

FACTS_READABLE: Final = "facts-readable"
"""The one that is found while an event is read."""

SOURCES_ARCHIVED: Final = "merge-sources-archived"
ERASURE_WHOLE: Final = "erasure-whole"
"""The two that the end of the log can break."""


@dataclass(frozen=True, slots=True)
class Invariant:
    """Something that has to hold at every position.

    ``names`` are the events that can break it by their facts; None: any event, readable or not.
    """

    name: str
    check: Check
    names: frozenset[str] | None = None


def _on(*events: type) -> frozenset[str]:
    return frozenset(event.NAME for event in events)  # type: ignore[attr-defined]  # they have one


_MERGES = _on(e.Merged, e.Folded)
_REMOVALS = _on(e.PurgeRequested, e.Purged)
_PURGED = _on(e.Purged, erasure.WordsPurged)
_WORDS_REMOVALS = _on(erasure.WordsPurgeRequested, erasure.WordsPurged)
_PROPOSALS = _on(p.Made, p.Contradicted, p.Committed, p.Rejected, p.Deferred)
_LIVE_ONLY = _on(
    *(e.Reinforced, e.Extended, e.Revised, e.Recategorized, e.Retagged, e.Rescored, e.Described),
    *(e.Used, e.Archived, e.Folded, e.Superseded, e.Quarantined, e.Released),
)

INVARIANTS: Final[tuple[Invariant, ...]] = (
    Invariant("recorded-times-never-fall", streams.times_never_fall),
    Invariant("streams-contiguous", streams.streams_contiguous),
    Invariant("one-space-per-memory", streams.one_space),
    Invariant("memory-begins-once", streams.begins_once),
    Invariant("no-memory-event-by-subagent", streams.no_subagent),
    Invariant("nothing-after-purge", removals.nothing_after_purge),
    Invariant(SOURCES_ARCHIVED, merging.sources_archived),
    Invariant(ERASURE_WHOLE, removals.erasure_whole),
    Invariant("no-hard-delete-outside-purge", memories.names_memories, _on(e.Saved)),
    Invariant(
        "episodes-final",
        memories.episodes_final,
        _on(e.Saved, e.Imported, e.Merged, e.Revised, e.Extended, e.Folded),
    ),
    Invariant("archive-fields-present", memories.archive_fields, _on(e.Archived)),
    Invariant("archive-fields-present", memories.import_fields, _on(e.Imported)),
    Invariant(
        "pinned-kept-from-policies",
        memories.pinned_kept,
        _on(e.Archived, e.Superseded, e.PurgeRequested),
    ),
    Invariant("held-never-purged", removals.held_kept, _REMOVALS),
    Invariant("purge-requested-first", removals.purge_requested_first, _PURGED),
    Invariant("purged-once", removals.purged_once, _REMOVALS | _WORDS_REMOVALS),
    Invariant("retention-held", removals.retention_held, _on(e.PurgeRequested)),
    Invariant("erasure-fields", removals.erasure_fields, _on(erasure.Requested)),
    Invariant("erasure-done-last", removals.erasure_done, _on(erasure.Completed)),
    Invariant("merged-from-resolves", merging.sources_resolve, _MERGES),
    Invariant("merge-sources-live", merging.sources_live, _MERGES),
    Invariant("merge-source-versions", merging.source_versions, _on(e.Merged)),
    Invariant("merge-figures-follow", merging.merge_figures, _on(e.Merged)),
    Invariant("fold-figures-follow", merging.fold_figures, _on(e.Folded)),
    Invariant("merge-chain-unbroken", merging.chain_unbroken, _on(e.Archived)),
    Invariant("live-not-merge-source", merging.not_merge_source, _LIVE_ONLY),
    Invariant(
        "seen-never-falls", memories.seen_never_falls, _on(e.Reinforced, e.Extended, e.Folded)
    ),
    Invariant(
        "lost-reinforcement",
        memories.counts_explained,
        _on(e.Imported, e.MergeRetracted, e.PurgeRequested),
    ),
    Invariant("retraction-follows-restore", merging.retraction_restored, _on(e.MergeRetracted)),
    Invariant("superseded-by-another", memories.superseded_by_another, _on(e.Superseded)),
    Invariant("rejection-names-sources", merging.rejection_sources, _on(e.MergeRejected)),
    Invariant("proposal-begins-once", proposals.proposal_begins, _PROPOSALS),
    Invariant(
        "proposal-decided-by-another",
        proposals.proposal_decided,
        _on(p.Committed, p.Rejected, p.Deferred),
    ),
    Invariant("proposal-commits-one-memory", proposals.one_commit, _on(p.Committed) | OBSERVATIONS),
)

EVERYWHERE: Final = tuple(one for one in INVARIANTS if one.names is None)
"""Those that any event can break."""

BY_NAME: Final[Mapping[str, tuple[Invariant, ...]]] = {
    name: tuple(one for one in INVARIANTS if one.names is None or name in one.names)
    for name in NAMES
}
"""Those that a readable event of a name can break."""

ALL: Final = tuple(dict.fromkeys([FACTS_READABLE, *(one.name for one in INVARIANTS)]))
"""The names of all."""
