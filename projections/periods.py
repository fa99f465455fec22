"""What stood when: numbered entries, each about one memory and good until the next about it.

Entries are appended in the order of the log. So those that had begun by a position are a prefix of
all, and of that prefix the last one about each memory is the one that stood then.
"""

from collections.abc import Iterator
from typing import Final

import numpy as np
from numpy.typing import NDArray

from .columns import Column
from .parts import Part, Parts, Unfit

NONE: Final = -1
"""The number of no entry."""

_EVER: Final = 2**63 - 1


class Periods:
    """Entries by number from 0: ``rows`` has the memory of each, ``since`` the position."""

    def __init__(self) -> None:
        self.rows: Column[np.int32] = Column(np.int32)
        self.since: Column[np.int64] = Column(np.int64)
        self._before: Column[np.int32] = Column(np.int32)
        self._latest: Column[np.int32] = Column(np.int32)

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def before(self) -> NDArray[np.int32]:
        """For each entry the one before it about the same memory, or ``NONE``."""
        return self._before.view

    def add(self, row: int, position: int) -> None:
        """One entry more, which stands from ``position`` on."""
        self._before.append(self.latest(row))
        if row >= len(self._latest):
            self._latest.extend([NONE] * (row + 1 - len(self._latest)))
        self._latest.set(row, len(self))
        self.rows.append(row)
        self.since.append(position)

    def latest(self, row: int) -> int:
        """The entry about a memory that stands now; ``NONE`` where there is none."""
        return self._latest.get(row) if row < len(self._latest) else NONE

    def of(self, row: int) -> Iterator[int]:
        """The entries about a memory, the latest first."""
        number = self.latest(row)
        while number != NONE:
            yield number
            number = self._before.get(number)

    def begun(self, position: int) -> int:
        """How many entries had begun by a position; they are the first so many."""
        return int(np.searchsorted(self.since.view, position, side="right"))

    def at(self, position: int, memories: int) -> NDArray[np.int32]:
        """By row, for the first ``memories``, the entry that stood at a position, or ``NONE``."""
        begun = self.begun(position)
        standing = np.full(memories, NONE, np.int32)
        # of entries about one memory the last is assigned last
        standing[self.rows.view[:begun]] = np.arange(begun, dtype=np.int32)
        return standing

    def drop(self, kept: NDArray[np.bool_]) -> None:
        """Forgets entries; those that are kept move up, in unchanged order."""
        self.rows.replace(self.rows.view[kept])
        self.since.replace(self.since.view[kept])
        self._link()

    def dump(self) -> dict[str, Part]:
        """All that is here."""
        return {
            "periods.rows": self.rows.view.copy(),
            "periods.since": self.since.view.copy(),
        }

    @classmethod
    def load(cls, parts: Parts) -> "Periods":
        """What was put away as ``parts``.

        Raises:
            Unfit: They are not those of periods.
        """
        periods = cls()
        periods.rows.take(parts, "periods.rows")
        periods.since.take(parts, "periods.since")
        if len(periods.rows) != len(periods.since) or (periods.rows.view < 0).any():
            raise Unfit("periods")
        periods._link()
        return periods

    def _link(self) -> None:
        rows = self.rows.view
        order = np.argsort(rows, kind="stable").astype(np.int32)
        before = np.full(len(rows), NONE, np.int32)
        same = rows[order[1:]] == rows[order[:-1]]
        before[order[1:][same]] = order[:-1][same]
        self._before.replace(before)
        self._latest.replace(self.at(_EVER, 1 + int(rows.max(initial=-1))))
