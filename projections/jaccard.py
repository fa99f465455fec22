"""Which terms two sets must share to be similar: the arithmetic of the prefix filter.

With t = up / down, sets of n and m terms reach a Jaccard index of t only with up · (n + m) /
(up + down) common terms.
"""

from fractions import Fraction
from functools import lru_cache
from typing import Final, TypeVar

import numpy as np
from numpy.typing import NDArray

Ints = TypeVar("Ints", int, NDArray[np.int64])

SHARED: Final = 3
"""How many early terms two sets are asked to share, where similar ones must have so many."""

LARGEST: Final = 65_535
"""The most terms of a set that is looked up by its early ones."""


@lru_cache(64)
def fraction(at_least: float) -> tuple[int, int]:
    """A threshold as a fraction of small integers, rounded down where it isn't one."""
    exact = Fraction(int(at_least * 1_000_000), 1_000_000)
    return exact.numerator, exact.denominator


@lru_cache(4_096)
def greatest_sizes(size: int, place: int, least: int, up: int, down: int) -> tuple[int, ...]:
    """The most terms of a statement that shares a term, for each place of it from ``place`` on."""
    found: list[int] = []
    while (most := (down * size - (up + down) * max(place, 0)) // up) >= least:
        found.append(min(most, LARGEST))
        place += 1
    return tuple(found)


def early_terms(size: Ints) -> Ints:
    """How many of a statement's terms are looked up by, for any threshold from LOWEST."""
    return size // 2 + SHARED


def group_of(number: Ints, level: Ints) -> Ints:
    """31 bits for a term on a level; two that share them cost time and change no answer."""
    return (number * 0x9E37_79B1 + level * 0x85EB_CA77) & 0x7FFF_FFFF
