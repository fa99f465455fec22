"""Stores with kept states, for tests: made, looked at, and opened to see what is used."""

from pathlib import Path
from typing import Any

import structlog
from projection_answers import differing, store_of

import muniment
from muniment import Muniment
from muniment.engine import Engine
from muniment.log.kept import KeptStates

TEXTS = ("The build runs on Friday", "The server zebra is in Lisbon", "Alpha-7 is the old server")
NAMES = ("catalog", "search-index", "similarity")
CANARY = "quetzalcoatlus"


def opened(directory: Path, *, after: int = 1, read_only: bool = False, **log: Any) -> Muniment:
    settings = {"log": {"keep_state_after": after, **log}}
    return muniment.open(directory, settings=settings, read_only=read_only)


def engine_of(m: Muniment) -> Engine:
    return m._engine  # pyright: ignore[reportPrivateUsage]


def filled(directory: Path, texts: tuple[str, ...] = TEXTS, **log: Any) -> None:
    """A store with a kept state of each projection."""
    with opened(directory, **log) as m:
        for text in texts:
            m.save(text, category="ci/linux", tags=["ops"])
        m.archive(m.search("zebra").hits[0].memory.id, "old")
        m.search("server")


def states(directory: Path) -> dict[str, Path]:
    """The first file of each kept state, by the name of the projection."""
    found = sorted((directory / "cache").glob("*"))
    return {path.name.split(".")[1]: path for path in found if path.name.count(".") == 1}


def every_file(directory: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted((directory / "cache").glob("*"))}


def kept_of(m: Muniment, directory: Path, release: str = muniment.__version__) -> KeptStates:
    return KeptStates(store_of(m), directory, release=release)


def touched(m: Muniment) -> None:
    """Every projection of the space is loaded."""
    models = engine_of(m).models
    with models.lock:
        models.catch_up()
        models.catalog(m.space)
        models.search_index(m.space)
        models.similarity(m.space)


def reasons_when_opened(directory: Path) -> list[str]:
    """Why states were left out; what is answered then is what the log says."""
    with structlog.testing.capture_logs() as logs, opened(directory, read_only=True) as m:
        touched(m)
        assert differing(m, TEXTS) == []
    assert {entry["event"] for entry in logs} <= {"kept_state_left_out"}
    return [entry["reason"] for entry in logs]
