"""The statements that memories are made of, by canonical key and by their rarest terms.

A statement is a set of terms with a key. Two sets of n and m terms whose Jaccard index is at least
t have at least t · (n + m) / (1 + t) terms in common. So if both are put in one order, the first
common term stands early in both, and it is enough to look up early terms; if the order is by
rarity, few statements have them. (Bayardo, Ma and Srikant 2007, "Scaling up all pairs similarity
search"; Xiao et al. 2008, "Efficient similarity joins for near duplicate detection".)

The order is frozen until the store has grown by half; terms that came since are the rarest.
"""

from array import array
from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .columns import Column

LOWEST: Final = 0.5
"""The least Jaccard index that early terms are kept for; below it every statement is compared."""

UNSEEN: Final = -1
"""The level of a statement that no lookup meets."""

_LARGEST = 65_535
_GONE = -1


class Statement(NamedTuple):
    """What is known of one statement: its key, hashed, and its different terms."""

    key: int
    terms: Sequence[str]


class _Bounds(NamedTuple):
    """Which statements may have a Jaccard index of numerator / denominator with a set of a size.

    All follow from: two sets of n and m terms need at least t · (n + m) / (1 + t) common ones, and
    where the first common one is at place i (from 0) of n terms, at most n - i are common.
    """

    size: int
    numerator: int
    denominator: int

    @property
    def least(self) -> int:
        """How many terms they have at least."""
        return -(-self.numerator * self.size // self.denominator)

    def most(self, place: int) -> int:
        """How many at most, if the first common term is at that place of the set."""
        whole = self.numerator + self.denominator
        most = (whole * (self.size - place) - self.numerator * self.size) // self.numerator
        return min(most, _LARGEST)

    def reached(self, sizes: NDArray[np.int64], places: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Which of them, by size, if they have the first common term at those places."""
        whole = self.numerator + self.denominator
        reached: NDArray[np.bool_] = (
            self.denominator * sizes - whole * places >= self.numerator * self.size
        )
        return reached


class Statements:
    """Statements by slot, in the order in which they came; each belongs to a row and a level.

    ``repack_at`` is the least number of new ones for which the packed part is made anew.
    """

    def __init__(self, *, repack_at: int = 1_024) -> None:
        self._repack_at = repack_at
        self._vocabulary: dict[str, int] = {}
        self._terms: list[str] = []
        self._ranks = array("i")
        self.rows: Column[np.int32] = Column(np.int32)
        self.numbers: Column[np.int32] = Column(np.int32)
        self.levels: Column[np.int32] = Column(np.int32)
        self._keys: Column[np.int64] = Column(np.int64)
        self._previous: Column[np.int32] = Column(np.int32)
        self._ends: Column[np.int64] = Column(np.int64)
        self._runs: Column[np.int32] = Column(np.int32)
        self._last: Column[np.int32] = Column(np.int32)
        self._packed = 0
        self._early = np.zeros(0, np.int64)
        self._early_slots = np.zeros(0, np.int32)
        self._by_key = np.zeros(0, np.int64)
        self._by_key_slots = np.zeros(0, np.int32)
        self._listed = 0
        self._recent_early: dict[int, array[int]] = {}
        self._recent_keys: dict[int, array[int]] = {}
        self._marks = np.zeros(0, np.uint8)

    def add(self, row: int, statement: Statement, level: int) -> None:
        """A statement more of a row: of the next row if the row is new."""
        if row == len(self._last):
            self._last.append(_GONE)
        numbers = [self._number(term) for term in statement.terms]
        numbers.sort(key=self._ranks.__getitem__)
        before = self._last.get(row)
        self._last.set(row, len(self.rows))
        self.rows.append(row)
        self.numbers.append(0 if before == _GONE else self.numbers.get(before) + 1)
        self.levels.append(level)
        self._keys.append(statement.key)
        self._previous.append(before)
        self._runs.extend(numbers)
        self._ends.append(len(self._runs))

    def of(self, row: int) -> list[Statement]:
        """The statements of a row, the first one first."""
        return [
            Statement(
                self._keys.get(slot), [self._terms[number] for number in self._run(slot).tolist()]
            )
            for slot in reversed(self._slots(row))
        ]

    def clear(self, row: int) -> None:
        """A row loses its statements."""
        for slot in self._slots(row):
            self.rows.set(slot, _GONE)
            self.levels.set(slot, UNSEEN)
        self._last.set(row, _GONE)

    def move(self, row: int, level: int) -> None:
        """All statements of a row to another level."""
        for slot in self._slots(row):
            self.levels.set(slot, level)

    def with_key(self, key: int, level: int) -> NDArray[np.integer]:
        """The slots on a level of the statements that have a key."""
        self._list_recent()
        first, last = self._by_key.searchsorted(key), self._by_key.searchsorted(key, "right")
        slots = np.concatenate(
            [self._by_key_slots[first:last], np.array(self._recent_keys.get(key, ()), np.int32)]
        )
        return self._on(level, slots)

    def like(
        self, terms: Sequence[str], level: int, at_least: float
    ) -> tuple[NDArray[np.integer], NDArray[np.float64]]:
        """The slots on a level whose Jaccard index with some different terms is at least so much.

        An index is a quotient of small integers, rounded to the nearest double; so is a threshold
        that is written in a few decimals, and the two compare as the exact ones do.
        """
        self._list_recent()
        known = [self._vocabulary[term] for term in terms if term in self._vocabulary]
        if not known:
            return np.zeros(0, np.int32), np.zeros(0)
        slots = self._on(
            level,
            np.flatnonzero(np.diff(self._ends.view, prepend=0))
            if at_least < LOWEST
            else self._candidates(known, len(terms), at_least),
        )
        if not len(slots):
            return slots, np.zeros(0)
        common, sizes = self._common(known, slots)
        indices = common / (len(terms) + sizes - common)
        reached = indices >= at_least
        return slots[reached], indices[reached]

    def _candidates(self, known: list[int], size: int, at_least: float) -> NDArray[np.integer]:
        """The slots, once each, that may reach a Jaccard index with a set of ``size`` terms."""
        known.sort(key=self._ranks.__getitem__)
        bounds = _Bounds(size, int(at_least * 1_000_000), 1_000_000)
        least = bounds.least
        first: list[int] = []
        past: list[int] = []
        recent: list[array[int]] = []
        for place, number in enumerate(known, size - len(known)):
            most = bounds.most(place)
            if most < least:
                break
            first.append(number << 32 | least << 16)
            past.append(number << 32 | (most + 1) << 16)
            entries = self._recent_early.get(number)
            if entries is not None:
                recent.append(entries)
        edges = self._early.searchsorted(first + past).tolist()
        parts = [
            slice(*edge) for edge in zip(edges[: len(first)], edges[len(first) :], strict=True)
        ]
        early = [self._early[part] for part in parts]
        slots = [self._early_slots[part] for part in parts]
        for entries in recent:
            packed = np.array(entries, np.int64)
            early.append(packed >> 31)
            slots.append((packed & 0x7FFF_FFFF).astype(np.int32))
        if not early:
            return np.zeros(0, np.int32)
        met = np.concatenate(early)
        reached = bounds.reached((met >> 16) & _LARGEST, met & _LARGEST)
        return np.unique(np.concatenate(slots)[reached])

    def _common(
        self, known: list[int], slots: NDArray[np.integer]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """How many of some terms each statement has, and how many terms in all."""
        ends = self._ends.view[slots]
        starts = np.where(slots > 0, self._ends.view[slots - 1], 0)
        sizes = ends - starts
        before = np.cumsum(sizes) - sizes
        places = np.arange(int(sizes.sum())) + np.repeat(starts - before, sizes)
        if len(self._marks) < len(self._terms):
            self._marks = np.zeros(len(self._terms) * 5 // 4, np.uint8)
        self._marks[known] = 1
        met = self._marks[self._runs.view[places]]
        self._marks[known] = 0
        return np.add.reduceat(met, before, dtype=np.int64), sizes

    def _on(self, level: int, slots: NDArray[np.integer]) -> NDArray[np.integer]:
        on: NDArray[np.integer] = slots[self.levels.view[slots] == level]
        return on

    def _number(self, term: str) -> int:
        number = self._vocabulary.get(term)
        if number is None:
            number = self._vocabulary[term] = len(self._terms)
            self._terms.append(term)
            self._ranks.append(-1 - number)
        return number

    def _slots(self, row: int) -> list[int]:
        """The slots of a row, the last one first."""
        slots: list[int] = []
        slot = self._last.get(row) if row < len(self._last) else _GONE
        while slot != _GONE:
            slots.append(slot)
            slot = self._previous.get(slot)
        return slots

    def _run(self, slot: int) -> NDArray[np.int32]:
        return self._runs.view[self._ends.get(slot - 1) if slot else 0 : self._ends.get(slot)]

    def _list_recent(self) -> None:
        size = len(self.rows)
        if size - self._packed >= max(self._repack_at, self._packed // 2):
            self._repack()
            return
        for slot in range(self._listed, size):
            run = self._run(slot).tolist()
            _append(self._recent_keys, self._keys.get(slot), slot)
            if len(run) <= _LARGEST:
                for place in range(len(run) // 2 + 1 if run else 0):
                    _append(self._recent_early, run[place], (len(run) << 16 | place) << 31 | slot)
        self._listed = size

    def _repack(self) -> None:
        """Forgets what is gone, freezes the order of rarity anew, and packs everything."""
        self._drop_gone()
        runs, sizes = self._runs.view, np.diff(self._ends.view, prepend=0)
        holders = np.bincount(runs, minlength=len(self._terms))
        by_rarity = np.argsort(holders, kind="stable")
        ranks = np.empty(len(by_rarity), np.int32)
        ranks[by_rarity] = np.arange(len(by_rarity), dtype=np.int32)
        self._ranks = array("i", ranks.tobytes())

        owners = np.repeat(np.arange(len(sizes)), sizes)
        ordered = np.sort(owners << 32 | ranks[runs])
        runs = by_rarity[ordered & 0xFFFF_FFFF].astype(np.int32)
        self._runs.replace(runs)
        places = np.arange(len(runs)) - (np.cumsum(sizes) - sizes)[owners]
        of_size = sizes[owners]
        early = np.flatnonzero((places <= of_size // 2) & (of_size <= _LARGEST))
        packed = runs[early].astype(np.int64) << 32 | of_size[early] << 16 | places[early]
        order = np.argsort(packed)
        self._early, self._early_slots = packed[order], owners[early][order].astype(np.int32)
        order = np.argsort(self._keys.view, kind="stable")
        self._by_key, self._by_key_slots = self._keys.view[order], order.astype(np.int32)
        self._recent_early, self._recent_keys = {}, {}
        self._packed = self._listed = len(self.rows)

    def _drop_gone(self) -> None:
        kept = self.rows.view != _GONE
        sizes = np.diff(self._ends.view, prepend=0)
        slot_after = np.append(np.cumsum(kept, dtype=np.int32) - 1, np.int32(_GONE))
        self._runs.replace(self._runs.view[np.repeat(kept, sizes)])
        self._ends.replace(np.cumsum(sizes[kept]))
        self._previous.replace(slot_after[self._previous.view[kept]])
        self._last.replace(slot_after[self._last.view])
        self._keys.replace(self._keys.view[kept])
        for column in (self.rows, self.numbers, self.levels):
            column.replace(column.view[kept])


def _append(index: dict[int, array[int]], key: int, entry: int) -> None:
    entries = index.get(key)
    if entries is None:
        index[key] = array("q", (entry,))
    else:
        entries.append(entry)
