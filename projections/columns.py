"""A numpy column that grows at its end, for millions of entries without an object each."""

from collections.abc import Sequence
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from .parts import Parts, array

S = TypeVar("S", bound=np.generic)


class Column(Generic[S]):
    """Values of one dtype, appended in amortised constant time.

    A view taken of it stays valid and unmoved whatever is appended later, so that a merge may read
    on while the column grows. Entries that are there may be set through the view.
    """

    def __init__(self, dtype: type[S]) -> None:
        self._values: NDArray[S] = np.empty(0, dtype)
        self._size = 0

    def __len__(self) -> int:
        return self._size

    @property
    def view(self) -> NDArray[S]:
        """The entries, not copied."""
        return self._values[: self._size]

    def append(self, value: float) -> None:
        """One entry more."""
        if self._size == len(self._values):
            self._grow(1)
        self._values[self._size] = value
        self._size += 1

    def extend(self, values: Sequence[int] | NDArray[S]) -> None:
        """Some entries more."""
        size = self._size + len(values)
        if size > len(self._values):
            self._grow(len(values))
        self._values[self._size : size] = values
        self._size = size

    def replace(self, values: NDArray[S]) -> None:
        """Other entries in place of all."""
        self._values = np.array(values, self._values.dtype)
        self._size = len(values)

    def take(self, parts: Parts, name: str) -> None:
        """A part in place of all.

        Raises:
            Unfit: There is no such part, or it has another dtype.
        """
        self.replace(array(parts, name, self._values.dtype.type))

    def get(self, at: int) -> int:
        """One entry of an integer column."""
        return int(self._values[at])

    def set(self, at: int, value: float) -> None:
        """One entry anew; views see it."""
        self._values[at] = value

    def _grow(self, more: int) -> None:
        room = max(8, more, len(self._values) // 4)
        grown = np.empty(self._size + room, self._values.dtype)
        grown[: self._size] = self._values[: self._size]
        self._values = grown
