"""The log store behind one interface, so that every backend is held to one contract.

A backend of another kind (PostgreSQL) joins by implementing ``LogUnderTest`` and being listed in
``BACKENDS``. ``Idle`` does nothing at all: every test of the contract has to fail on it.
"""

import os
import sqlite3
import subprocess
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from datetime import datetime
from pathlib import Path
from typing import Protocol

from independent import Stored, stored

from muniment.domain.memory.state import State
from muniment.domain.recorded import Recorded
from muniment.log.rows import Pending
from muniment.log.store import Store


class LogUnderTest(Protocol):
    """What the contract asks of a log."""

    store_id: str

    def append(self, *pending: Pending) -> list[Recorded]:
        """One commit, all or none."""
        ...

    def unit_of_work(self) -> AbstractContextManager[None]:
        """Appends inside are one commit; an exception undoes them."""
        ...

    def savepoint(self) -> AbstractContextManager[None]:
        """Within a unit of work: an exception undoes what was appended inside, and is swallowed."""
        ...

    def history(self, stream: str) -> list[Recorded]: ...
    def memory(self, stream: str) -> State | None: ...
    def recorded(
        self, *, after: int = 0, until: int | None = None, space: str | None = None
    ) -> list[Recorded]: ...
    def command(self, command_id: str) -> list[int]:
        """Positions of what a keyed command appended."""
        ...

    def head(self) -> tuple[int, bytes, str | None]: ...
    def streams(self, tail: str) -> list[str]: ...
    def second(self) -> "LogUnderTest":
        """Another handle on the same log."""
        ...

    def stored(self) -> list[Stored]: ...
    def execute(self, statement: str, values: Sequence[object] = ()) -> None:
        """A statement on a connection that the log knows nothing of."""
        ...

    def at_rest(self) -> bytes:
        """Every byte that the log has put anywhere."""
        ...

    def close(self) -> None: ...


class _UndoneError(Exception):
    pass


def undo() -> None:
    """Makes the enclosing savepoint, or unit of work, come to nothing."""
    raise _UndoneError


class Sqlite:
    """The log on SQLite: in a directory, or in memory where that is None."""

    def __init__(self, directory: Path | None, store: Store | None = None) -> None:
        self._directory = directory
        self.store = store or Store(directory, release="test", busy_timeout=5.0)
        self.store_id = self.store.id
        self._others: list[Sqlite] = []

    def append(self, *pending: Pending) -> list[Recorded]:
        return self.store.append(pending)

    @contextmanager
    def unit_of_work(self) -> Generator[None, None, None]:
        with suppress(_UndoneError), self.store.datastore.unit_of_work():
            yield

    @contextmanager
    def savepoint(self) -> Generator[None, None, None]:
        with self.store.datastore.transaction(commit=True) as cursor:
            cursor.execute("SAVEPOINT one")
            try:
                yield
            except _UndoneError:
                cursor.execute("ROLLBACK TO one")
            cursor.execute("RELEASE one")

    def history(self, stream: str) -> list[Recorded]:
        return self.store.history(stream)

    def memory(self, stream: str) -> State | None:
        return self.store.memory(stream)

    def recorded(
        self, *, after: int = 0, until: int | None = None, space: str | None = None
    ) -> list[Recorded]:
        return list(self.store.recorded(after=after, until=until, space=space))

    def command(self, command_id: str) -> list[int]:
        return [row.position for row in self.store.rows.select_command(command_id)]

    def head(self) -> tuple[int, bytes, str | None]:
        head = self.store.rows.head()
        return head.position, head.chain, head.recorded_at

    def streams(self, tail: str) -> list[str]:
        return self.store.rows.select_streams(tail, 10)

    def second(self) -> LogUnderTest:
        other = Sqlite(self._directory, None if self._directory else self.store)
        self._others.append(other)
        return other

    @contextmanager
    def _connection(self) -> Generator[sqlite3.Connection, None, None]:
        if self._directory is None:
            with self.store.datastore.exclusive() as raw:
                yield raw
        else:
            raw = sqlite3.connect(self._directory / "log.db", isolation_level=None)
            try:
                yield raw
            finally:
                raw.close()

    def stored(self) -> list[Stored]:
        with self._connection() as raw:
            return stored(raw)

    def execute(self, statement: str, values: Sequence[object] = ()) -> None:
        with self._connection() as raw:
            raw.execute(statement, tuple(values))

    def at_rest(self) -> bytes:
        if self._directory is None:
            with self._connection() as raw:
                return raw.serialize()
        # another process reads: closing the files in this one would drop SQLite's locks
        files = [str(path) for path in self._directory.rglob("*") if path.is_file()]
        return subprocess.run(["cat", *files], capture_output=True, check=True).stdout

    def close(self) -> None:
        for other in self._others:
            other.close()
        self.store.close()


class Idle:
    """A log that takes everything and does nothing."""

    store_id = ""

    def __init__(self, *_: object) -> None:
        pass

    def append(self, *pending: Pending) -> list[Recorded]:
        return []

    @contextmanager
    def unit_of_work(self) -> Generator[None, None, None]:
        with suppress(_UndoneError):
            yield

    @contextmanager
    def savepoint(self) -> Generator[None, None, None]:
        with suppress(_UndoneError):
            yield

    def history(self, stream: str) -> list[Recorded]:
        return []

    def memory(self, stream: str) -> State | None:
        return None

    def recorded(
        self, *, after: int = 0, until: int | None = None, space: str | None = None
    ) -> list[Recorded]:
        return []

    def command(self, command_id: str) -> list[int]:
        return []

    def head(self) -> tuple[int, bytes, str | None]:
        return 0, b"", None

    def streams(self, tail: str) -> list[str]:
        return []

    def second(self) -> LogUnderTest:
        return Idle()

    def stored(self) -> list[Stored]:
        return []

    def execute(self, statement: str, values: Sequence[object] = ()) -> None:
        pass

    def at_rest(self) -> bytes:
        return b""

    def close(self) -> None:
        pass


BACKENDS: Mapping[str, Callable[[Path], LogUnderTest]] = {
    "sqlite": lambda path: Sqlite(path / "log"),
    "memory": lambda _: Sqlite(None),
    # PostgreSQL joins here
}

SOAK = int(os.environ.get("MUNIMENT_SOAK", "1"))
"""Multiplies the counts of what is tried at random; 1 in the suite."""


def later(moment: datetime) -> str:
    """A recorded time as the log spells it."""
    return moment.isoformat(timespec="microseconds").replace("+00:00", "Z")
