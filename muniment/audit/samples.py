"""Which decisions are put before a judge: at most so many of each family.

What is picked comes from the log alone; vectors have no part in it.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from heapq import nsmallest
from itertools import chain, islice
from typing import Final, TypeAlias

from pydantic_core import from_json

from muniment.domain import category as categories
from muniment.domain.coverage import Source, Vocabulary, missing
from muniment.domain.evaluation import Family, Part, Role, Sample, cut

from .corpus import Corpus
from .fold import Fold
from .options import AuditOptions
from .reader import Reader
from .shingles import Shingles
from .wording import Wording, wording

Neighbours: TypeAlias = Callable[[str, int], Sequence[str]]
"""The ids of up to so many live memories that are nearest to a text, the nearest first."""

PRUNED: Final = "prune"
"""The cause under which consolidation archives what it flags as ephemeral."""


Pair: TypeAlias = tuple[str, str]

_PAIRS_KEPT: Final = 256
"""The pairs of a cluster that are looked at: where all of these are exact copies, it is left."""

_OUT_OF_SIGHT: Final = frozenset(["quarantined", "purged"])


@dataclass(frozen=True, slots=True)
class Cluster:
    """Live memories that hang together by near-duplicates.

    ``pairs`` has the most alike of them with the index of each, best first.
    """

    ids: frozenset[str]
    pairs: tuple[tuple[float, Pair], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidates:
    """All that could be judged: ids, and clusters of ids, in the order in which they come up."""

    merges: tuple[str, ...]
    clusters: tuple[Cluster, ...]
    reinforced: Mapping[str, int]
    ephemeral: tuple[str, ...]


def candidates(
    fold: Fold, corpus: Corpus, reader: Reader, options: AuditOptions, now: datetime
) -> Candidates:
    """What could be judged now: the newest merges and drops first, the highest counts first."""
    memories, conditions = fold.memories(), fold.conditions()
    live = {id_: subject for id_, subject, _ in memories if subject.condition == "live"}
    reinforced = {
        id_: subject.count
        for id_, subject in live.items()
        if subject.count >= options.high_reinforcement_floor
    }
    pruned = [
        (subject.archived_at, id_)
        for id_, subject, known in memories
        if subject.condition == "archived" and known.cause == PRUNED and subject.archived_at
    ]
    since = now - timedelta(days=options.eval_window_days)
    return Candidates(
        merges=tuple(
            id_
            for _, id_ in sorted(
                (
                    (known.first, id_)
                    for id_, _, known in memories
                    if known.merged_from
                    and not known.is_imported
                    and _OUT_OF_SIGHT.isdisjoint(
                        conditions.get(one) for one in (id_, *known.merged_from)
                    )
                    and _recorded(reader, known.first) >= since
                ),
                reverse=True,
            )
        ),
        clusters=tuple(clusters(corpus.index(live))),
        reinforced=dict(sorted(reinforced.items(), key=lambda one: (-one[1], one[0]))),
        ephemeral=tuple(id_ for _, id_ in sorted(pruned, reverse=True)),
    )


def _recorded(reader: Reader, position: int) -> datetime:
    return datetime.fromisoformat(str(reader.time_of(position)))


def clusters(index: Shingles) -> list[Cluster]:
    """The clusters of near-duplicates, that of the best pair first."""
    found: list[Cluster] = []
    seen: set[str] = set()
    for id_ in index.duplicated():
        if id_ not in seen:
            found.append(_cluster(index, id_))
            seen |= found[-1].ids
    return sorted(found, key=lambda cluster: _rank(cluster.pairs[0]))


def _cluster(index: Shingles, start: str) -> Cluster:
    reached, waiting = {start}, [start]
    best: list[tuple[float, Pair]] = []
    while waiting:
        one = waiting.pop()
        near = index.neighbours(one)
        new = {other for other, _ in near} - reached
        reached |= new
        waiting += new
        pairs = ((score, (one, other)) for other, score in near if one < other)
        best = nsmallest(_PAIRS_KEPT, chain(best, pairs), key=_rank)
    return Cluster(frozenset(reached), tuple(best))


def _rank(scored: tuple[float, Pair]) -> tuple[float, Pair]:
    score, pair = scored
    return -score, pair


class Sampler:
    """Makes samples of what could be judged.

    Args:
        reader: Where texts are read.
        options: How many samples, and how many neighbours.
        vocabulary: What the check of merges goes by.
        neighbours: Finds what is like a text.
    """

    def __init__(
        self,
        reader: Reader,
        options: AuditOptions,
        vocabulary: Vocabulary,
        neighbours: Neighbours,
    ) -> None:
        self._reader = reader
        self._options = options
        self._vocabulary = vocabulary
        self._neighbours = neighbours

    def samples(
        self, found: Candidates, judged_last: Collection[str]
    ) -> dict[Family, list[Sample]]:
        """At most so many samples of each family; what cannot be read whole is passed over.

        Clusters of which a memory was ``judged_last`` come after all others.
        """
        clusters = sorted(found.clusters, key=lambda one: not one.ids.isdisjoint(judged_last))
        made: dict[Family, Iterator[Sample | None]] = {
            "merge": map(self._merge, found.merges),
            "near-duplicate": map(self._pair, clusters),
            "reinforced": (self._reinforced(*one) for one in found.reinforced.items()),
            "ephemeral": map(self._dropped, found.ephemeral),
        }
        most = self._options.eval_sample_size
        return {
            family: list(islice((sample for sample in some if sample is not None), most))
            for family, some in made.items()
        }

    def _merge(self, id_: str) -> Sample | None:
        facts = from_json(self._reader.of_stream(id_)[0].facts)
        merged = wording(self._reader, id_, version=1)
        sources = [
            (source, wording(self._reader, source, version=version))
            for source, version in zip(facts["merged_from"], facts["source_versions"], strict=False)
        ]
        known = [(source, said) for source, said in sources if said is not None]
        if merged is None or len(known) < len(sources):
            return None
        evidence = [Source(said.text, said.category) for _, said in known]
        lost = missing(evidence, merged.text, self._vocabulary)
        return Sample(
            family="merge",
            parts=(
                _part("merged", id_, merged),
                *(_part("source", source, said) for source, said in known),
            ),
            coverage=f"not found in the merged text: {', '.join(lost)}"
            if lost
            else "every specific of the sources was found in the merged text",
        )

    def _pair(self, cluster: Cluster) -> Sample | None:
        """The most alike of a cluster, but for exact copies: to fold these takes no judgement."""
        texts: dict[str, Wording | None] = {}
        for score, pair in cluster.pairs:
            for id_ in pair:
                if id_ not in texts:
                    texts[id_] = wording(self._reader, id_)
            one, other = (texts[id_] for id_ in pair)
            if one is not None and other is not None and _exact(one) != _exact(other):
                parts = (_part("memory", pair[0], one), _part("memory", pair[1], other))
                figures = {"similarity": round(score, 2)}
                return Sample(family="near-duplicate", parts=parts, figures=figures)
        return None

    def _reinforced(self, id_: str, count: int) -> Sample | None:
        said = wording(self._reader, id_)
        if said is None:
            return None
        parts = (_part("memory", id_, said),)
        return Sample(family="reinforced", parts=parts, figures={"observed": count})

    def _dropped(self, id_: str) -> Sample | None:
        said = wording(self._reader, id_)
        if said is None:
            return None
        count = self._options.eval_ephemeral_context_count
        near = [
            _part("live", other, its)
            for other in (self._neighbours(said.text, count) if count else ())
            if (its := wording(self._reader, other)) is not None
        ]
        return Sample(family="ephemeral", parts=(_part("dropped", id_, said), *near))


def _part(role: Role, id_: str, said: Wording) -> Part:
    return Part(role, id_, cut(said.text))


def _exact(said: Wording) -> tuple[str, str]:
    """What exact copies have in common: what a fold of them goes by."""
    return categories.folded(said.category), " ".join(said.text.split())
