"""The entries of a column by their value, found without an object an entry."""

import numpy as np
from numpy.typing import NDArray

from .columns import Column

Places = NDArray[np.int64]


class Grouped:
    """Where values stand in a column of int32; sorted anew at the first question after it grew."""

    def __init__(self, column: Column[np.int32]) -> None:
        self._column = column
        self.outdate()

    def outdate(self) -> None:
        """Says that entries were set, which their number does not show."""
        self._order: Places = np.zeros(0, np.int64)
        self._values: NDArray[np.int32] = np.zeros(0, np.int32)

    def of(self, value: int) -> Places:
        """The places of a value, ascending."""
        return self.of_all(np.array([value], np.int32))

    def of_all(self, values: NDArray[np.int32]) -> Places:
        """The places of several values: those of the first, ascending, then of the next."""
        if len(self._order) != len(self._column):
            self._order = np.argsort(self._column.view, kind="stable")
            self._values = self._column.view[self._order]
        first = np.searchsorted(self._values, values, "left")
        counts = np.searchsorted(self._values, values, "right") - first
        ends = np.cumsum(counts)
        within = np.arange(int(ends[-1]) if len(ends) else 0) - np.repeat(ends - counts, counts)
        places: Places = self._order[np.repeat(first, counts) + within]
        return places
