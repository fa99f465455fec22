"""Stores that tests of ``work.db`` work on."""

from collections.abc import Iterator

import pytest
from bdd import Clock

import muniment
from muniment import Muniment


@pytest.fixture
def clock() -> Clock:
    """A clock that stands still until the test moves it."""
    return Clock()


@pytest.fixture
def m(clock: Clock) -> Iterator[Muniment]:
    """An empty store in memory, acting as the owner."""
    with muniment.open(":memory:", clock=clock) as handle:
        yield handle
