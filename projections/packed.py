"""Numbers in order, each with the slot that it belongs to: looked up by halving."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray


class Packed:
    """Numbers in rising order and, beside each, its slot.

    Args:
        numbers: In any order, unless ``is_sorted``.
        slots: Those of the numbers.
        is_sorted: Whether they are in order already.
    """

    def __init__(
        self,
        numbers: NDArray[np.int64],
        slots: NDArray[np.int32],
        *,
        is_sorted: bool = False,
    ) -> None:
        if not is_sorted:
            order = np.argsort(numbers, kind="stable")
            numbers, slots = numbers[order], slots[order]
        self.numbers = numbers
        self.slots = slots

    def equal_to(self, number: int) -> list[int]:
        """The slots of a number."""
        first = self.numbers.searchsorted(number)
        if first == len(self.numbers) or self.numbers[first] != number:
            return []
        equal: list[int] = self.slots[first : self.numbers.searchsorted(number, "right")].tolist()
        return equal

    def between(self, edges: Sequence[int]) -> list[NDArray[np.int32]]:
        """The slots of the numbers from each first edge up to the second one after it."""
        places = self.numbers.searchsorted(edges).tolist()
        return [self.slots[first:end] for first, end in zip(places[::2], places[1::2], strict=True)]

    def with_others(self, others: "Packed") -> "Packed":
        """These and others, those after equal ones of these."""
        places = self.numbers.searchsorted(others.numbers, "right")
        return Packed(
            np.insert(self.numbers, places, others.numbers),
            np.insert(self.slots, places, others.slots),
            is_sorted=True,
        )
