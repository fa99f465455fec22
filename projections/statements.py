"""The statements that memories are made of, by canonical key and by their rarest terms.

A statement is a set of terms with a key. Two sets of n and m terms whose Jaccard index is at least
t have at least t · (n + m) / (1 + t) terms in common. So if both are put in one order, the first
common term stands early in both, and it is enough to look up early terms; if the order is by
rarity, few statements have them. (Bayardo, Ma and Srikant 2007, "Scaling up all pairs similarity
search"; Xiao et al. 2008, "Efficient similarity joins for near duplicate detection".)

The order is frozen until the store has grown by half; terms that came since are the rarest. New
statements are looked up in lists of their own until there are enough of them to be packed too.
"""

from array import array
from collections.abc import Iterator, Sequence
from hashlib import sha256
from itertools import compress
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .columns import Column
from .jaccard import LARGEST, SHARED, early_terms, fraction, greatest_sizes, group_of
from .packed import Packed
from .parts import Part, Parts, ranked, texts
from .parts import array as array_of

LOWEST: Final = 0.5
"""The least Jaccard index that early terms are kept for; below it every statement is compared."""

UNSEEN: Final = -1
"""The level of a statement that no lookup meets."""

_FEW = 16
_GONE = -1


class Statement(NamedTuple):
    """What is known of one statement: its key, hashed, and its different terms."""

    key: int
    terms: Sequence[str]


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
        self._starts: Column[np.int64] = Column(np.int64)
        self._starts.append(0)
        self._runs: Column[np.int32] = Column(np.int32)
        self._last: Column[np.int32] = Column(np.int32)
        self._ordered = 0
        self._packed = 0
        self._early = Packed(np.zeros(0, np.int64), np.zeros(0, np.int32))
        self._by_key = Packed(np.zeros(0, np.int64), np.zeros(0, np.int32))
        self._listed = 0
        self._recent_early: dict[int, array[int]] = {}
        self._recent_keys: dict[int, array[int]] = {}
        self._marks = np.zeros(0, np.uint8)

    def add(self, row: int, statement: Statement, level: int) -> None:
        """A statement more of a row: of the next row if the row is new."""
        if row == len(self._last):
            self._last.append(_GONE)
        number_of = self._vocabulary.get
        numbers = [number_of(term) or self._number(term) for term in statement.terms]
        numbers.sort(key=self._ranks.__getitem__)
        before = self._last.get(row)
        self._last.set(row, len(self.rows))
        self.rows.append(row)
        self.numbers.append(0 if before == _GONE else self.numbers.get(before) + 1)
        self.levels.append(level)
        self._keys.append(statement.key)
        self._previous.append(before)
        self._runs.extend(numbers)
        self._starts.append(len(self._runs))

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
        """All statements of a row to another level, where they are looked up anew."""
        slots = self._slots(row)
        if level == UNSEEN:
            for slot in slots:
                self.levels.set(slot, UNSEEN)
        elif slots and self.levels.get(slots[0]) != level:
            statements = self.of(row)
            self.clear(row)
            for statement in statements:
                self.add(row, statement, level)

    def with_key(self, key: int, level: int) -> list[int]:
        """The slots on a level of the statements that have a key."""
        self._list_recent()
        slots = [*self._by_key.equal_to(key), *self._recent_keys.get(key, ())]
        return [slot for slot in slots if self.levels.get(slot) == level]

    def like(self, terms: Sequence[str], level: int, at_least: float) -> list[tuple[int, float]]:
        """The slots on a level whose Jaccard index with some different terms is at least so much.

        An index is a quotient of small integers, rounded to the nearest double; so is a threshold
        that is written in a few decimals, and the two compare as the exact ones do.
        """
        self._list_recent()
        number_of = self._vocabulary.get
        known = [number for number in map(number_of, terms) if number is not None]
        if not known:
            return []
        if at_least < LOWEST:
            slots: NDArray[np.integer] = np.flatnonzero(np.diff(self._starts.view))
        else:
            slots = self._candidates(known, len(terms), level, at_least)
        if not len(slots):
            return []
        slots = self._on(level, slots)
        if len(slots) <= _FEW:
            return list(self._compared(known, len(terms), slots.tolist(), at_least))
        common, sizes = self._common(known, slots)
        indices = common / (len(terms) + sizes - common)
        reached = np.flatnonzero(indices >= at_least)
        return list(zip(slots[reached].tolist(), indices[reached].tolist(), strict=True))

    def digest(self, ranks: NDArray[np.int64]) -> bytes:
        """Equal for two exactly if their rows have the same statements.

        ``ranks`` says what number each level goes by.
        """
        slots = np.lexsort((self.numbers.view, self.rows.view))
        slots = slots[self.rows.view[slots] != _GONE]
        places, sizes, _ = self._places(slots)
        owners = np.repeat(np.arange(len(slots)), sizes)
        numbers, found = np.unique(self._runs.view[places], return_inverse=True)
        used: list[int] = numbers.tolist()
        names, order = ranked([self._terms[number] for number in used])
        held = sha256(repr(names).encode())
        held.update((np.sort(owners << 32 | order[found]) & 0xFFFF_FFFF).tobytes())
        held.update(sizes.tobytes())
        levels = self.levels.view[slots]
        held.update(np.where(levels == UNSEEN, UNSEEN, np.append(ranks, 0)[levels]).tobytes())
        for column in (self.rows, self.numbers):
            held.update(column.view[slots].tobytes())
        held.update(self._keys.view[slots].tobytes())
        return held.digest()

    def dump(self) -> dict[str, Part]:
        """All that is here, and no term that no statement has; all is packed first."""
        if self._packed < len(self.rows) or (self.rows.view == _GONE).any():
            self._repack()
        parts: dict[str, Part] = {
            "terms": list(self._terms),
            "ranks": np.array(self._ranks, np.int32),
            "early": self._early.numbers,
            "early_slots": self._early.slots,
            "by_key": self._by_key.numbers,
            "by_key_slots": self._by_key.slots,
        }
        for name, column in self._columns().items():
            parts[name] = column.view.copy()
        return parts

    @classmethod
    def load(cls, parts: Parts, *, repack_at: int) -> "Statements":
        """The statements that were put away as ``parts``."""
        statements = cls(repack_at=repack_at)
        statements._terms = texts(parts, "terms")
        statements._vocabulary = dict(
            zip(statements._terms, range(len(statements._terms)), strict=True)
        )
        statements._ranks = array("i", array_of(parts, "ranks", np.int32).tobytes())
        statements._early = _packed(parts, "early")
        statements._by_key = _packed(parts, "by_key")
        for name, column in statements._columns().items():
            column.take(parts, name)
        statements._ordered = statements._packed = statements._listed = len(statements.rows)
        return statements

    def _columns(self) -> dict[str, Column[np.int32] | Column[np.int64]]:
        return {
            "statement.rows": self.rows,
            "statement.numbers": self.numbers,
            "statement.levels": self.levels,
            "statement.keys": self._keys,
            "statement.previous": self._previous,
            "statement.starts": self._starts,
            "statement.runs": self._runs,
            "statement.last": self._last,
        }

    def _compared(
        self, known: list[int], size: int, slots: list[int], at_least: float
    ) -> Iterator[tuple[int, float]]:
        """As ``like``, for so few that a dozen array operations would take longer."""
        wanted = set(known)
        for slot in slots:
            run: list[int] = self._run(slot).tolist()
            common = len(wanted.intersection(run))
            index = common / (size + len(run) - common)
            if index >= at_least:
                yield slot, index

    def _candidates(
        self, known: list[int], size: int, level: int, at_least: float
    ) -> NDArray[np.integer]:
        """The slots, once each, that may reach a Jaccard index with a set of ``size`` terms.

        With t = up / down, sets of n and m terms need up · (n + m) / (up + down) common ones. If
        that is always ``shared`` or more, a statement that reaches it has ``shared`` early terms in
        common. The last of them stands at place i of n, from 0, so that at most
        shared - 1 + n - i terms are common: that bounds m. The statement's own place would bound it
        too, but to look at it takes longer than to compare the few that it would leave out.
        """
        up, down = fraction(at_least)
        least = -(-up * size // down)
        shared = min(SHARED, -(-up * (size + least) // (up + down)))
        known.sort(key=self._ranks.__getitem__)
        edges: list[int] = []
        recent = array("i")
        lists = self._recent_early.get
        first = size - len(known) - shared + 1
        for number, most in zip(known, greatest_sizes(size, first, least, up, down), strict=False):
            group = group_of(number, level)
            edges += group << 32 | least << 16, group << 32 | most + 1 << 16
            listed = lists(group)
            if listed is not None:
                recent += listed
        if not edges:
            return np.zeros(0, np.int32)
        met = np.concatenate([*self._early.between(edges), np.array(recent, np.int32)])
        met.sort()
        again = met[shared - 1 :]
        often: NDArray[np.integer] = again[again == met[: len(again)]]
        if len(often) < 2:
            return often
        first_met = np.ones(len(often), np.bool_)
        np.not_equal(often[1:], often[:-1], out=first_met[1:])
        once: NDArray[np.integer] = often[first_met]
        return once

    def _common(
        self, known: list[int], slots: NDArray[np.integer]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """How many of some terms each statement has, and how many terms in all."""
        places, sizes, before = self._places(slots)
        if len(self._marks) < len(self._terms):
            self._marks = np.zeros(len(self._terms) * 5 // 4, np.uint8)
        marked = np.array(known)
        self._marks[marked] = 1
        met = self._marks[self._runs.view[places]]
        self._marks[marked] = 0
        return np.add.reduceat(met, before, dtype=np.int64), sizes

    def _places(
        self, slots: NDArray[np.integer]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        """Where the terms of some slots lie, how many each has, and how many those before it."""
        starts = self._starts.view[slots]
        sizes = self._starts.view[slots + 1] - starts
        before = np.cumsum(sizes) - sizes
        return np.arange(int(sizes.sum())) + np.repeat(starts - before, sizes), sizes, before

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
        return self._runs.view[self._starts.get(slot) : self._starts.get(slot + 1)]

    def _list_recent(self) -> None:
        size = len(self.rows)
        if size - self._ordered >= max(self._repack_at, self._ordered // 2):
            self._repack()
            return
        if size - self._packed >= max(self._repack_at // 4, self._packed // 32):
            self._pack_recent()
        for slot in range(self._listed, size):
            level, run = self.levels.get(slot), self._run(slot).tolist()
            _append(self._recent_keys, self._keys.get(slot), slot)
            if level != UNSEEN and len(run) <= LARGEST:
                for number in run[: early_terms(len(run))]:
                    _append(self._recent_early, group_of(number, level), slot)
        self._listed = size

    def _pack_recent(self) -> None:
        """Packs what came since; the order of rarity stays."""
        self._early = self._early.with_others(self._early_terms(self._packed))
        self._by_key = self._by_key.with_others(self._hashed_keys(self._packed))
        self._all_packed()

    def _repack(self) -> None:
        """Forgets what is gone, freezes the order of rarity anew, and packs everything."""
        self._drop_gone()
        self._drop_unused_terms()
        runs, sizes = self._runs.view, np.diff(self._starts.view)
        holders = np.bincount(runs, minlength=len(self._terms))
        by_rarity = np.argsort(holders, kind="stable")
        ranks = np.empty(len(by_rarity), np.int32)
        ranks[by_rarity] = np.arange(len(by_rarity), dtype=np.int32)
        self._ranks = array("i", ranks.tobytes())

        owners = np.repeat(np.arange(len(sizes)), sizes)
        ordered = np.sort(owners << 32 | ranks[runs])
        runs = by_rarity[ordered & 0xFFFF_FFFF].astype(np.int32)
        self._runs.replace(runs)
        self._early, self._by_key = self._early_terms(0), self._hashed_keys(0)
        self._ordered = len(self.rows)
        self._all_packed()

    def _hashed_keys(self, first: int) -> Packed:
        keys = self._keys.view[first:]
        return Packed(keys, np.arange(first, first + len(keys), dtype=np.int32))

    def _early_terms(self, first: int) -> Packed:
        """The early terms of the statements from a slot on."""
        starts = self._starts.view[first:]
        sizes = np.diff(starts)
        owners = np.repeat(np.arange(first, len(self.rows)), sizes)
        runs, of_size = self._runs.view[starts[0] :], np.repeat(sizes, sizes)
        places = np.arange(len(runs)) - np.repeat(starts[:-1] - starts[0], sizes)
        levels = self.levels.view[owners].astype(np.int64)
        early = np.flatnonzero(
            (places < early_terms(of_size)) & (of_size <= LARGEST) & (levels != UNSEEN)
        )
        groups = group_of(runs[early].astype(np.int64), levels[early])
        entries = groups << 32 | of_size[early] << 16
        return Packed(entries, owners[early].astype(np.int32))

    def _all_packed(self) -> None:
        self._recent_early, self._recent_keys = {}, {}
        self._packed = self._listed = len(self.rows)

    def _drop_gone(self) -> None:
        kept = self.rows.view != _GONE
        sizes = np.diff(self._starts.view)
        slot_after = np.append(np.cumsum(kept, dtype=np.int32) - 1, np.int32(_GONE))
        self._runs.replace(self._runs.view[np.repeat(kept, sizes)])
        self._starts.replace(np.append(0, np.cumsum(sizes[kept])))
        self._previous.replace(slot_after[self._previous.view[kept]])
        self._last.replace(slot_after[self._last.view])
        self._keys.replace(self._keys.view[kept])
        for column in (self.rows, self.numbers, self.levels):
            column.replace(column.view[kept])

    def _drop_unused_terms(self) -> None:
        used = np.bincount(self._runs.view, minlength=len(self._terms)) > 0
        if used.all():
            return
        after = np.cumsum(used, dtype=np.int32) - np.int32(1)
        self._runs.replace(after[self._runs.view])
        self._terms = list(compress(self._terms, used.tolist()))
        self._vocabulary = dict(zip(self._terms, range(len(self._terms)), strict=True))


def _append(index: "dict[int, array[int]]", key: int, slot: int) -> None:
    slots = index.get(key)
    if slots is None:
        index[key] = array("i", (slot,))
    else:
        slots.append(slot)


def _packed(parts: Parts, name: str) -> Packed:
    numbers = array_of(parts, name, np.int64).copy()
    return Packed(numbers, array_of(parts, f"{name}_slots", np.int32).copy(), is_sorted=True)
