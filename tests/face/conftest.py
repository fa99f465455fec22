"""Stores that tests of the face work on."""

import time
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


@pytest.fixture
def far_from_utc(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The machine's local time lies hours from UTC, so that reading it by mistake shows."""
    with monkeypatch.context() as environment:
        environment.setenv("TZ", "Pacific/Auckland")
        time.tzset()
        yield
    time.tzset()
