"""``work.db`` behind a handle, for tests that look at what no caller sees."""

from typing import Any

from muniment import Muniment
from muniment.engine import Engine
from muniment.work.store import WorkStore


def engine_of(m: Muniment) -> Engine:
    return m._engine  # pyright: ignore[reportPrivateUsage]


def work_of(m: Muniment) -> WorkStore:
    """What is kept beside the log, swept if that is due."""
    engine = engine_of(m)
    return engine.work(engine.now())


def rows_of(m: Muniment, statement: str) -> list[Any]:
    """What a statement finds in ``work.db``."""
    with work_of(m)._database.reading() as connection:  # pyright: ignore[reportPrivateUsage]
        return connection.execute(statement).fetchall()
