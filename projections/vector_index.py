"""The memories of one space by what they mean: a unit vector for each, compared by cosine.

It is the one read model that is not made from events alone. The text of a memory says which vector
is wanted (``expect``), and the vector arrives later, from a cache or a model (``upsert``).
"""

from collections.abc import Callable, Iterator
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from .columns import Column
from .selection import kth_best

Rows: TypeAlias = NDArray[np.int32]
Keep: TypeAlias = Callable[[Rows], NDArray[np.bool_]]
Vector: TypeAlias = NDArray[np.float32]

_NOWHERE = -1
_UNKNOWN = 0
_STEPS = np.float32(2**20)
_AT_ONCE = 256


class Nearest(NamedTuple):
    """Memories by their rows, nearest first, and the cosine of each."""

    rows: Rows
    cosines: NDArray[np.float32]


class Compared:
    """The memories of an index beside one query; good until the index changes.

    Args:
        cosines: That of each vector, by its slot.
        owners: The row of each, by its slot.
        slots: The slot of each row, -1 where it has no vector.
    """

    def __init__(self, cosines: NDArray[np.float32], owners: Rows, slots: Rows) -> None:
        self._cosines = cosines
        self._owners = owners
        self._slots = slots

    def among(self, keep: Keep) -> "Compared":
        """The same without those that ``keep`` leaves out, as if they had no vector."""
        kept = np.flatnonzero(keep(self._owners))
        owners = self._owners[kept]
        slots = np.full(len(self._slots), _NOWHERE, np.int32)
        slots[owners] = np.arange(len(owners), dtype=np.int32)
        return Compared(self._cosines[kept], owners, slots)

    @property
    def least(self) -> float:
        """The least cosine of all; 0 where there are no vectors."""
        return float(self._cosines.min()) if len(self._cosines) else 0.0

    def nearest(self, *, limit: int, at_least: float = -1.0, keep: Keep | None = None) -> Nearest:
        """The ``limit`` memories of the greatest cosine, ties by row.

        Args:
            limit: How many at most, from 1.
            at_least: The least cosine, -1 to 1.
            keep: Rows → which of them may be answered with; archived ones are among those asked
                about. It is asked about the best first, and about all others if too few pass.
        """
        cosines, owners = self._cosines, self._owners
        count = max(2 * limit, 64)
        least = at_least if len(cosines) <= count else max(at_least, kth_best(cosines, count))
        best = np.flatnonzero(cosines >= least)
        if keep is not None:
            best = best[keep(owners[best])]
            if len(best) < limit and least > at_least:
                rest = np.flatnonzero((cosines >= at_least) & (cosines < least))
                best = np.concatenate([best, rest[keep(owners[rest])]])
        best = best[np.lexsort((owners[best], -cosines[best]))][:limit]
        return Nearest(owners[best], cosines[best])

    def of(self, rows: Rows) -> NDArray[np.float32]:
        """The cosine of each of some rows; NaN where there is no vector."""
        found = np.full(len(rows), np.nan, np.float32)
        here = np.flatnonzero((rows >= 0) & (rows < len(self._slots)))
        slots = self._slots[rows[here]]
        held = slots != _NOWHERE
        found[here[held]] = self._cosines[slots[held]]
        return found


class VectorIndex:
    """Vectors of ``dimension`` components by row; rows are those of the space's catalog.

    Text versions count from 1. Not thread-safe: the caller holds one lock around every call.
    Memory: 4 bytes a component and 12 a row; one question reads all of it once.
    """

    def __init__(self, dimension: int) -> None:
        if dimension < 1:
            msg = f"dimension must be at least 1, not {dimension}"
            raise ValueError(msg)
        self._dimension = dimension
        # a memory a column: one question is then as fast as memory can be read
        self._matrix = np.empty((dimension, 0), np.float32)
        self._owners: Rows = np.empty(0, np.int32)
        self._size = 0
        self._slots = Column(np.int32)
        self._wanted = Column(np.int32)

    @property
    def dimension(self) -> int:
        """How many components each vector has."""
        return self._dimension

    def __len__(self) -> int:
        return self._size

    def __contains__(self, row: int) -> bool:
        return 0 <= row < len(self._slots) and self._slots.get(row) != _NOWHERE

    def expect(self, row: int, text_version: int) -> None:
        """Says which version of its text a memory has: the vector of an older one is dropped."""
        self._make_room(row)
        if text_version > self._wanted.get(row):
            self._remove(row)
            self._wanted.set(row, text_version)

    def upsert(self, row: int, text_version: int, vector: Vector) -> bool:
        """Takes in a unit vector, or another one for the same text; whether it was taken.

        One of an older text than is expected or held is not; one of a newer text is, and from then
        on that text is expected.
        """
        if vector.shape != (self._dimension,):
            msg = f"a vector must have shape ({self._dimension},), not {vector.shape}"
            raise ValueError(msg)
        self._make_room(row)
        if text_version < self._wanted.get(row):
            return False
        self._wanted.set(row, text_version)
        slot = self._slots.get(row)
        if slot == _NOWHERE:
            slot = self._add(row)
        self._matrix[:, slot] = vector
        return True

    def drop(self, row: int) -> None:
        """Forgets a memory, its vector and which text was expected; an unknown one is none."""
        if 0 <= row < len(self._slots):
            self._remove(row)
            self._wanted.set(row, _UNKNOWN)

    def missing(self) -> Rows:
        """The rows whose expected text has no vector yet, ascending."""
        lacking = (self._wanted.view != _UNKNOWN) & (self._slots.view == _NOWHERE)
        return np.flatnonzero(lacking).astype(np.int32)

    def expected(self, row: int) -> int | None:
        """The version of a memory's text that a vector is expected or held for; None: none is."""
        known = 0 <= row < len(self._wanted) and self._wanted.get(row) != _UNKNOWN
        return self._wanted.get(row) if known else None

    def clusters(self, rows: Rows, at_least: float) -> int:
        """How many groups of two or more of ``rows`` hang together by cosines of at least so much.

        Compares each with each: time grows with the square of their number.
        """
        known = rows[rows < len(self._slots)]
        slots = self._slots.view[known]
        vectors = self._matrix[:, slots[slots != _NOWHERE]]
        near = np.flatnonzero([one.sum() > 1 for one in _near(vectors, vectors, at_least)])
        vectors = vectors[:, near]
        left = np.ones(len(near), np.bool_)
        groups = 0
        while left.any():
            groups += 1
            frontier = np.flatnonzero(left)[:1]
            while len(frontier):
                left[frontier] = False
                reached = np.zeros(len(near), np.bool_)
                for one in _near(vectors[:, frontier], vectors, at_least):
                    reached |= one
                frontier = np.flatnonzero(reached & left)
        return groups

    def compared(self, query: Vector) -> "Compared":
        """All that is held beside a unit vector."""
        if query.shape != (self._dimension,):
            msg = f"a query must have shape ({self._dimension},), not {query.shape}"
            raise ValueError(msg)
        cosines = query.astype(np.float32) @ self._matrix[:, : self._size]
        return Compared(_rounded(cosines), self._owners[: self._size], self._slots.view)

    def _make_room(self, row: int) -> None:
        if row < 0:
            msg = f"rows count from 0, not {row}"
            raise ValueError(msg)
        lacking = row + 1 - len(self._slots)
        if lacking > 0:
            self._slots.extend(np.full(lacking, _NOWHERE, np.int32))
            self._wanted.extend(np.full(lacking, _UNKNOWN, np.int32))

    def _add(self, row: int) -> int:
        slot, room = self._size, len(self._owners)
        if slot == room:
            more = max(64, room // 4)
            grown = np.empty((self._dimension, room + more), np.float32)
            grown[:, :room] = self._matrix
            self._matrix = grown
            self._owners = np.concatenate([self._owners, np.empty(more, np.int32)])
        self._owners[slot] = row
        self._slots.set(row, slot)
        self._size += 1
        return slot

    def _remove(self, row: int) -> None:
        """Puts the last vector where this one was, so that no gap is ever read."""
        slot, last = self._slots.get(row), self._size - 1
        if slot == _NOWHERE:
            return
        moved = int(self._owners[last])
        self._matrix[:, slot] = self._matrix[:, last]
        self._matrix[:, last] = 0.0
        self._owners[slot] = moved
        self._slots.set(moved, slot)
        self._slots.set(row, _NOWHERE)
        self._size = last


def _near(
    some: NDArray[np.float32], vectors: NDArray[np.float32], at_least: float
) -> Iterator[NDArray[np.bool_]]:
    """For each of some vectors, which of others are as near as that."""
    for start in range(0, some.shape[1], _AT_ONCE):
        yield from _rounded(some[:, start : start + _AT_ONCE].T @ vectors) >= at_least


def _rounded(cosines: NDArray[np.float32]) -> NDArray[np.float32]:
    """To 20 binary places: what is equal stays so wherever in the matrix it stands."""
    np.multiply(cosines, _STEPS, out=cosines)
    np.rint(cosines, out=cosines)
    return np.divide(cosines, _STEPS, out=cosines)
