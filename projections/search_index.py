"""Keyword search over the memories of one space: BM25, kept up to date event by event.

The forward index (``documents.py``) is the truth; postings are derived from it, most of them packed
(``postings.py``), the latest beside. A merge of both may be built aside, on another thread.

Scores are Okapi BM25 with ``idf = ln((N + 1) / df)``, which stays above 0 in a space of one or two
memories; they equal ``rank_bm25.BM25Plus(k1, b, delta=0)`` over the same terms. N, df and the
average length are over the documents that are searched: the live ones, or the archived ones too.
"""

import math
from collections import Counter
from collections.abc import Callable, Iterable
from hashlib import sha256
from typing import ClassVar, Final, NamedTuple, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from muniment.domain import category as categories
from muniment.domain.memory.events import (
    Beginning,
    Extended,
    Folded,
    Hiding,
    Imported,
    PurgeRequested,
    Recategorized,
    Reinforced,
    Retagged,
    Revised,
    Showing,
)
from muniment.domain.memory.state import beginning
from muniment.domain.recorded import Recorded
from muniment.domain.words import QueryTerms, query_terms

from .documents import Documents, Said
from .parts import Part, Parts, ids, packed_ids, value
from .postings import (
    BREAK,
    MOST_COUNTED,
    Postings,
    RecentPostings,
    Slots,
    merged,
    no_postings,
)
from .selection import contenders, leaders

Rows: TypeAlias = NDArray[np.int32]
Keep: TypeAlias = Callable[[Rows], NDArray[np.bool_]]

ADJACENT_BONUS: Final = 0.2
"""What each pair of the query that stands side by side in the text adds, as a share of BM25."""

ADJACENCY_CONSIDERED: Final = 64
"""How many of the best by BM25 are looked at for it."""

LEAST_IMPORTANCE_FACTOR: Final = 0.5
"""The least that importance multiplies a score by; the most is 1."""


_NOTHING: Final = Said([], [], [])


class Matches(NamedTuple):
    """Memories that a query matches, in no order: their rows, scores, and whether ``exact``.

    A score is above 0, the bonus for adjacent words included. Exact are those that contain the
    whole query as an identifier: they come before all others.
    """

    rows: Rows
    scores: NDArray[np.float64]
    exact: NDArray[np.bool_]


NO_MATCHES: Final = Matches(np.zeros(0, np.int32), np.zeros(0), np.zeros(0, np.bool_))


class Contribution(NamedTuple):
    """What one term of a query adds to a score.

    ``df`` documents of those searched hold it, this one ``tf`` times.
    """

    term: str
    df: int
    tf: int
    score: float


class SearchIndex:
    """The memories of one space by their words: content, tags, and category without its marks.

    Not thread-safe: the caller holds one lock around every call, queries included.
    ``merge_at`` is the least number of new documents that a merge is worth.
    """

    NAME: ClassVar[str] = "search-index"
    VERSION: ClassVar[int] = 1
    """Rises when what is put away would be misread, or when the same events come to mean other."""

    def __init__(self, *, k1: float = 0.9, b: float = 0.4, merge_at: int = 4_096) -> None:
        if not (k1 >= 0 and 0 <= b <= 1):
            msg = f"k1 must be at least 0 and b in [0, 1], not {k1} and {b}"
            raise ValueError(msg)
        self._k1 = k1
        self._b = b
        self._merge_at = merge_at
        self._position = 0
        self._rows: dict[str, int] = {}
        self._ids: list[str] = []
        self._documents = Documents()
        self._base: Postings = no_postings()
        self._packed = 0
        self._recent = RecentPostings()
        self._listed = 0
        self._scores = np.zeros(0)
        self._matched = np.zeros(0, np.bool_)
        self._saturation: tuple[Postings, float, NDArray[np.float64]] | None = None

    @property
    def position(self) -> int:
        """The position of the last event that was applied; 0 before the first."""
        return self._position

    @property
    def rows(self) -> dict[str, int]:
        """Memory id → row. Rows count from 0 in the order of the memories' first events."""
        return self._rows

    @property
    def ids(self) -> list[str]:
        """Memory ids by row."""
        return self._ids

    @property
    def vocabulary(self) -> frozenset[str]:
        """Every term that is held, those that only what was replaced has among them."""
        return frozenset(self._documents.vocabulary)

    @property
    def searchable(self) -> int:
        """How many memories are in recall."""
        return self._documents.size(hidden=False)[0]

    def apply(self, recorded: Recorded) -> None:
        """One event more; one at or before ``position`` is left out."""
        if recorded.position <= self._position:
            return
        self._position = recorded.position
        event = recorded.event
        row = self._rows.get(recorded.stream)
        if row is None:
            begun = beginning(recorded)
            if begun is not None:
                event, condition = begun
                self._begin(recorded.stream, event, hidden=condition != "live")
            return
        documents = self._documents
        match event:
            case Extended():
                said = documents.says(row)
                content = said.content + documents.numbered(event.addition)
                tags = said.tags + documents.numbered_list(event.tags_added)
                documents.rewrite(row, said._replace(content=content, tags=tags))
            case Reinforced(counted=True, tags_added=added) | Folded(tags_added=added) if added:
                said = documents.says(row)
                tags = said.tags + documents.numbered_list(added)
                documents.rewrite(row, said._replace(tags=tags))
            case Revised():
                content = documents.numbered(event.content)
                documents.rewrite(row, documents.says(row)._replace(content=content))
            case Retagged():
                tags = documents.numbered_list(event.tags)
                documents.rewrite(row, documents.says(row)._replace(tags=tags))
            case Recategorized():
                category = documents.numbered_list(_category(event.category))
                documents.rewrite(row, documents.says(row)._replace(category=category))
            case PurgeRequested():
                self.drop(recorded.stream)
            case _ if isinstance(event, Hiding):
                documents.hide(row)
            case _ if isinstance(event, Showing):
                documents.show(row)
            case _:  # what doesn't change a memory's words or whether it is found
                return
        self._merge_if_overdue()

    def add(
        self,
        id: str,
        parts: Iterable[str],
        tags: tuple[str, ...] = (),
        category: str | None = None,
        *,
        hidden: bool = False,
    ) -> None:
        """A text more, in the next row, under an id of its own; what is in no log is added so."""
        self._rows[id] = len(self._ids)
        self._ids.append(id)
        documents = self._documents
        said = Said(
            [number for part in parts for number in documents.numbered(part)],
            documents.numbered_list(tags),
            documents.numbered_list(_category(category)),
        )
        documents.begin(said, hidden=hidden)
        self._merge_if_overdue()

    def drop(self, id: str) -> None:
        """A text is found no more, and no word of it is put away."""
        row = self._rows[id]
        self._documents.rewrite(row, _NOTHING)
        self._documents.hide(row)

    def matches(
        self,
        query: str,
        *,
        limit: int,
        keep: Keep | None = None,
        include_archived: bool = False,
        also: Rows | None = None,
    ) -> Matches:
        """The memories that may be among the best ``limit`` once importance has its say.

        These are all that match and that ``keep`` (rows → which of them) lets pass, but for those
        that can't come in whatever factor in [½, 1] each score is multiplied by. Those of the rows
        ``also`` that match are given besides, wherever they stand.
        """
        wanted = query_terms(query)
        slots, scores = self._scored(wanted, hidden=include_archived)
        rows = self._documents.rows.view[slots]
        passes = self._documents.searched(slots, hidden=include_archived)
        if keep is not None:
            kept = keep(rows)
            passes = kept if passes is None else passes & kept
        if passes is not None and not passes.all():
            slots, scores, rows = slots[passes], scores[passes], rows[passes]
        self._add_bonus(wanted, slots, scores, rows)
        exact = self._exact(wanted, slots)
        reach = contenders(scores, exact, limit, LEAST_IMPORTANCE_FACTOR)
        if also is not None:
            reach = np.union1d(reach, self._places(slots, also))
        return Matches(rows[reach], scores[reach], exact[reach])

    def explain(
        self, row: int, query: str, *, include_archived: bool = False
    ) -> tuple[Contribution, ...]:
        """What each term of a query adds to a memory's BM25, in the order of the query."""
        documents = self._documents
        slot = documents.slot(row)
        counts = Counter(documents.terms(slot))
        lengths = documents.lengths.view[slot : slot + 1]
        total, average = self._averages(hidden=include_archived)
        contributions: list[Contribution] = []
        for term in self._terms(query_terms(query)):
            number = documents.vocabulary.get(term, BREAK)
            df = documents.holders(number, hidden=include_archived)
            tf = min(counts[number], MOST_COUNTED)
            if tf and df:
                share = self._saturated(np.array([tf]), lengths, average)
                score = math.log((total + 1) / df) * float(share[0])
                contributions.append(Contribution(term, df, tf, score))
        return tuple(contributions)

    def digest(self) -> bytes:
        """Equal for two indexes exactly if they hold the same, however it lies in them."""
        return sha256(repr(self._ids).encode() + self._documents.digest()).digest()

    def anew(self) -> Self:
        """An empty one that is made alike."""
        return type(self)(k1=self._k1, b=self._b, merge_at=self._merge_at)

    def dump(self) -> dict[str, Part]:
        """All that it holds, and no word that only dead documents have; all is packed first."""
        documents = self._documents
        if self._packed < len(documents) or documents.dead:
            self._merge(renumber=documents.dead > 0)
        used = documents.drop_unused_terms()
        if not used.all():
            self._base = self._base.renumbered(used)
        return {
            "position": self._position,
            "ids": packed_ids(self._ids),
            **documents.dump(),
            **self._base.dump(),
        }

    @classmethod
    def load(cls, parts: Parts, *, k1: float = 0.9, b: float = 0.4, merge_at: int = 4_096) -> Self:
        """The index that was put away as ``parts``, whatever its constants were.

        Raises:
            Unfit: They are not those of an index.
        """
        index = cls(k1=k1, b=b, merge_at=merge_at)
        index._position = value(parts, "position", int)
        index._ids = ids(parts, "ids")
        index._rows = dict(zip(index._ids, range(len(index._ids)), strict=True))
        index._documents = index._documents.load(parts)
        index._base = Postings.load(parts)
        index._packed = index._listed = len(index._documents)
        return index

    def _begin(self, stream: str, event: Beginning, *, hidden: bool) -> None:
        parts = event.parts if isinstance(event, Imported) else (event.content,)
        self.add(stream, parts, event.tags, event.category, hidden=hidden)

    def _merge_due(self) -> int:
        return max(self._merge_at, self._packed // 8)

    def _merge_if_overdue(self) -> None:
        # rarer than a search merges: here a write waits for it
        if len(self._documents) - self._packed >= max(4 * self._merge_at, self._packed // 2):
            self._merge()

    def _merge(self, *, renumber: bool = False) -> None:
        """Packs what is new: about half a µs for each memory here, 5 µs for each new one."""
        documents = self._documents
        latest = documents.since(self._packed)
        renumber = renumber or documents.dead * 4 >= len(documents)
        self._base = merged(self._base, latest, renumber=renumber)
        if renumber:
            documents.drop(latest.kept)
        self._packed = len(documents)
        self._recent = RecentPostings()
        self._listed = self._packed

    def _list_recent(self) -> None:
        documents = self._documents
        if len(documents) - self._listed > self._merge_due():
            self._merge()
        for slot in range(self._listed, len(documents)):
            self._recent.add(slot, documents.terms(slot))
        self._listed = len(documents)

    def _averages(self, *, hidden: bool) -> tuple[int, float]:
        """How many documents are searched, and how many terms they have on average."""
        total, terms = self._documents.size(hidden=hidden)
        return total, terms / total if terms else 1.0

    def _terms(self, wanted: QueryTerms) -> tuple[str, ...]:
        """What is looked for: the terms of a query; of a lone character, each pair with it too."""
        if wanted.character is None:
            return wanted.terms
        return (*wanted.terms, *self._documents.vocabulary.pairs_with(wanted.character))

    def _scored(self, wanted: QueryTerms, *, hidden: bool) -> tuple[Slots, NDArray[np.float64]]:
        """Every document, dead ones too, with a posting for a term that is held; and its BM25."""
        self._list_recent()
        documents = self._documents
        if len(self._matched) < len(documents):
            self._scores = np.zeros(len(documents) * 5 // 4)
            self._matched = np.zeros(len(self._scores), np.bool_)
        total, average = self._averages(hidden=hidden)
        saturation = self._saturations(average)
        for term, times in Counter(self._terms(wanted)).items():
            number = documents.vocabulary.get(term)
            df = 0 if number is None else documents.holders(number, hidden=hidden)
            if number is None or not df:
                continue
            weight = math.log((total + 1) / df) * times
            slots, kinds = self._base.of(number)
            self._add(slots, saturation.take(kinds) * weight)
            recent = self._recent.of(number)
            if recent is not None:
                late, counts = recent
                lengths = documents.lengths.view[late]
                self._add(late, self._saturated(counts, lengths, average) * weight)
        matched = np.flatnonzero(self._matched[: len(documents)])
        scores = self._scores[matched]
        self._scores[matched] = 0.0
        self._matched[matched] = False
        return matched, scores

    def _add(self, slots: Slots, scores: NDArray[np.float64]) -> None:
        self._scores[slots] += scores
        self._matched[slots] = True

    def _saturations(self, average: float) -> NDArray[np.float64]:
        """What the weight of a term is multiplied by, for each kind of posting of the base."""
        known = self._saturation
        if known is not None and known[0] is self._base and known[1] == average:
            return known[2]
        factors = self._saturated(self._base.counts, self._base.lengths, average)
        self._saturation = self._base, average, factors
        return factors

    def _saturated(
        self, counts: NDArray[np.int64], lengths: NDArray[np.integer], average: float
    ) -> NDArray[np.float64]:
        norms = self._k1 * (1 - self._b + self._b * lengths / average)
        factors: NDArray[np.float64] = counts * (self._k1 + 1) / (norms + counts)
        return factors

    def _add_bonus(
        self, wanted: QueryTerms, slots: Slots, scores: NDArray[np.float64], rows: Rows
    ) -> None:
        number_of = self._documents.vocabulary.get
        pairs = [(number_of(one), number_of(other)) for one, other in wanted.pairs]
        known = [(one, other) for one, other in pairs if one is not None and other is not None]
        if not known or not len(slots):
            return
        best = leaders(scores, rows, ADJACENCY_CONSIDERED)
        sequence, owners = self._documents.sequences(slots[best])
        adjacent = np.zeros(len(best), np.int64)
        for one, other in known:
            at = np.flatnonzero((sequence[:-1] == one) & (sequence[1:] == other))
            adjacent[np.unique(owners[at])] += 1
        scores[best] *= 1 + ADJACENT_BONUS * adjacent

    def _places(self, slots: Slots, rows: Rows) -> NDArray[np.intp]:
        """Where those of some rows stand whose documents are among ``slots``, which ascend."""
        wanted = np.array([self._documents.slot(row) for row in rows.tolist()], slots.dtype)
        wanted = wanted[np.isin(wanted, slots)]
        return np.searchsorted(slots, wanted)

    def _exact(self, wanted: QueryTerms, slots: Slots) -> NDArray[np.bool_]:
        if wanted.identifier is None:
            return np.zeros(len(slots), np.bool_)
        number = self._documents.vocabulary.get(wanted.identifier, BREAK)
        marks = self._matched
        packed, recent = self._base.of(number)[0], self._recent.of(number)
        holders = packed if recent is None else np.concatenate([packed, recent[0]])
        marks[holders] = True
        exact = marks[slots]
        marks[holders] = False
        return exact


def _category(category: str | None) -> tuple[str, ...]:
    return () if category is None else (categories.words(category),)
