"""Logs written by hand, and stores whose days pass when a test says so."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from audited import Bench
from bdd import Clock
from handwritten import Handwritten

import muniment
from muniment import Muniment


@pytest.fixture
def log() -> Iterator[Handwritten]:
    made = Handwritten()
    yield made
    made.close()


@pytest.fixture
def bench(log: Handwritten) -> Bench:
    """Audits of what is written by hand."""
    return Bench(log)


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def m(clock: Clock, tmp_path: Path) -> Iterator[Muniment]:
    """An empty store in a directory, acting as the owner."""
    with muniment.open(tmp_path / "store", clock=clock) as handle:
        yield handle
