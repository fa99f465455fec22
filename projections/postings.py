"""Postings of a search index: term → the documents that hold it, how often, and how long they are.

They are derived from the forward index and never the truth. Most lie in ``Postings``, immutable and
packed; what came since lies in ``RecentPostings``, small and growing; ``merged`` makes one of both.
"""

from array import array
from collections import Counter
from collections.abc import Iterable
from typing import Final, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from .parts import Part, Parts
from .parts import array as array_of

Slots: TypeAlias = NDArray[np.integer]
Kinds: TypeAlias = NDArray[np.integer]

BREAK: Final = 0
"""No term: it stands at the start of each text, so that no two texts have words side by side."""

MOST_COUNTED: Final = 65_535
"""A term that stands more often in one document counts as if it stood this often."""


_NARROW: Final[type[np.integer]] = np.uint16
_WIDE: Final[type[np.integer]] = np.int32


class Postings(NamedTuple):
    """The postings of every term, packed by term and in each term by rising slot.

    Those of term t are ``slots[starts[t]:starts[t + 1]]``. ``kinds`` names for each of them the
    pair (``counts``, ``lengths``) of how often the term stands in the document and how many terms
    the document has: there are few such pairs, so that what depends on them is computed once a
    pair. Terms at or past ``len(starts) - 1`` have none.
    """

    starts: NDArray[np.int64]
    slots: Slots
    kinds: Kinds
    counts: NDArray[np.int64]
    lengths: NDArray[np.int64]

    def of(self, term: int) -> tuple[Slots, Kinds]:
        """Slots and kinds of a term."""
        if term + 1 >= len(self.starts):
            return self.slots[:0], self.kinds[:0]
        first, last = self.starts[term], self.starts[term + 1]
        return self.slots[first:last], self.kinds[first:last]

    def renumbered(self, used: NDArray[np.bool_]) -> "Postings":
        """The same when the terms that are not used, which have no postings, give up theirs."""
        return self._replace(starts=np.append(self.starts[:-1][used], self.starts[-1]))

    def dump(self) -> dict[str, Part]:
        """Its arrays, not copied."""
        return {f"postings.{name}": values for name, values in self._asdict().items()}

    @classmethod
    def load(cls, parts: Parts) -> "Postings":
        """The postings that were put away as ``parts``."""
        kinds = parts.get("postings.kinds")
        wide = isinstance(kinds, np.ndarray) and kinds.itemsize > np.uint16().itemsize
        return cls(
            array_of(parts, "postings.starts", np.int64).copy(),
            array_of(parts, "postings.slots", np.int32).copy(),
            array_of(parts, "postings.kinds", _WIDE if wide else _NARROW).copy(),
            array_of(parts, "postings.counts", np.int64).copy(),
            array_of(parts, "postings.lengths", np.int64).copy(),
        )


def no_postings() -> Postings:
    """The postings of no document."""
    return Postings(
        np.zeros(1, np.int64),
        np.empty(0, np.int32),
        np.empty(0, np.uint16),
        np.empty(0, np.int64),
        np.empty(0, np.int64),
    )


class Latest(NamedTuple):
    """The documents that no postings were packed of, and what a merge must know of all others.

    ``first`` is the first such slot; ``starts`` (where its run begins in ``runs``, and past the
    last slot where that ends), ``lengths`` and ``kept`` are by slot, for all slots; ``vocabulary``
    is past every term.
    """

    first: int
    runs: NDArray[np.int32]
    starts: NDArray[np.int64]
    lengths: NDArray[np.int32]
    kept: NDArray[np.bool_]
    vocabulary: int


class RecentPostings:
    """The postings of the latest documents, added one document at a time."""

    def __init__(self) -> None:
        self._of: dict[int, array[int]] = {}

    def add(self, slot: int, terms: Iterable[int]) -> None:
        """A document with all its terms, repetitions included."""
        entry = slot << 16
        for term, count in Counter(terms).items():
            posting = entry | min(count, MOST_COUNTED)
            entries = self._of.get(term)
            if entries is None:
                self._of[term] = array("q", (posting,))
            else:
                entries.append(posting)

    def of(self, term: int) -> tuple[NDArray[np.int64], NDArray[np.int64]] | None:
        """Slots and counts of a term, or None where there are none."""
        entries = self._of.get(term)
        if entries is None:
            return None
        packed = np.array(entries, np.int64)
        return packed >> 16, packed & MOST_COUNTED


def merged(base: Postings, latest: Latest, *, renumber: bool) -> Postings:
    """The base and the documents after it as one, without those that are not kept.

    Pure, so it may run aside. ``renumber``: the slots that are kept move up.
    """
    kept = latest.kept
    slot_after = np.cumsum(kept, dtype=np.int32) - 1 if renumber else np.arange(len(kept))
    stays = kept[base.slots]
    old_terms = np.repeat(np.arange(len(base.starts) - 1), np.diff(base.starts))[stays]
    old_slots, old_kinds = base.slots[stays], base.kinds[stays]

    run = latest.runs[latest.starts[latest.first] :]
    sizes = np.diff(latest.starts[latest.first :])
    slots = np.repeat(np.arange(latest.first, len(kept)), sizes)
    terms = np.where(run < 0, ~run, run)
    stays = (terms != BREAK) & kept[slots]
    packed, counts = np.unique(
        (terms[stays].astype(np.int64) << 32) | slots[stays], return_counts=True
    )
    new_terms, new_slots = packed >> 32, packed & 0x7FFF_FFFF
    counts = np.minimum(counts, MOST_COUNTED)

    old_pairs = (base.counts << 32) | base.lengths
    new_pairs = (counts << 32) | latest.lengths[new_slots]
    pairs = np.union1d(old_pairs, new_pairs)
    narrowest = _NARROW if len(pairs) <= 1 << 16 else _WIDE
    old_kinds = np.searchsorted(pairs, old_pairs)[old_kinds]
    new_kinds = np.searchsorted(pairs, new_pairs)

    # both are sorted by term, and every new slot is past every old one: each posting moves by the
    # number of postings of the other side that come before it
    old_sizes = np.bincount(old_terms, minlength=latest.vocabulary)
    new_sizes = np.bincount(new_terms, minlength=latest.vocabulary)
    starts = np.zeros(latest.vocabulary + 1, np.int64)
    np.cumsum(old_sizes + new_sizes, out=starts[1:])
    old_at = np.arange(len(old_terms)) + (np.cumsum(new_sizes) - new_sizes)[old_terms]
    new_at = np.arange(len(new_terms)) + np.cumsum(old_sizes)[new_terms]
    all_slots = np.empty(len(old_at) + len(new_at), np.int32)
    all_kinds = np.empty(len(all_slots), narrowest)
    all_slots[old_at], all_slots[new_at] = slot_after[old_slots], slot_after[new_slots]
    all_kinds[old_at], all_kinds[new_at] = old_kinds, new_kinds
    return Postings(starts, all_slots, all_kinds, pairs >> 32, pairs & 0x7FFF_FFFF)
