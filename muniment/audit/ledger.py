"""The audit's own ledger: which memories there were at the last run, and what was delivered.

It holds ids, positions and conditions, so that an id that vanished from the log can be named, and
no word. Losing it costs the ids of one run, not its counts.
"""

import os
import sqlite3
import threading
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, Final

from pydantic import TypeAdapter, ValidationError
from pydantic_core import from_json, to_json

from muniment.domain.audit import Completed, Spoken
from muniment.domain.errors import StorageFailed

from .fold import Conditions

FILE: Final = "audit.db"

_COMPLETED: Final = TypeAdapter(Completed)
_TABLES: Final = (
    """
    CREATE TABLE IF NOT EXISTS runs (
        space TEXT PRIMARY KEY, recorded INTEGER NOT NULL, chain BLOB NOT NULL, said TEXT NOT NULL
    ) STRICT
    """,
    """
    CREATE TABLE IF NOT EXISTS memories (
        space TEXT NOT NULL, id TEXT NOT NULL, first INTEGER NOT NULL, condition TEXT NOT NULL,
        PRIMARY KEY (space, id)
    ) STRICT, WITHOUT ROWID
    """,
    """
    CREATE TABLE IF NOT EXISTS delivered (
        space TEXT NOT NULL, channel TEXT NOT NULL, names TEXT NOT NULL, at TEXT NOT NULL,
        PRIMARY KEY (space, channel)
    ) STRICT
    """,
)


@dataclass(frozen=True, slots=True)
class Entry:
    """The last run of a space: the position of its event, the chain there, and what it said."""

    recorded: int
    chain: bytes
    said: Completed


class Ledger:
    """A ledger in ``directory`` (made with mode 0700), or in memory where that is None.

    A file that is none, or that SQLite cannot read, is begun anew.

    Raises:
        StorageFailed: ``ledger_failed``.
    """

    def __init__(self, directory: Path | None) -> None:
        self._lock = threading.RLock()
        self._path = None if directory is None else directory / FILE
        try:
            if directory is not None:
                directory.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._connection = self._opened()
        except (sqlite3.DatabaseError, OSError) as error:
            raise _failed(error) from error

    def _opened(self) -> sqlite3.Connection:
        try:
            return self._connected()
        except sqlite3.DatabaseError as error:
            damaged = (sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT)
            code = getattr(error, "sqlite_errorcode", 0)
            if self._path is None or code & 0xFF not in damaged:
                raise
        self._path.unlink()
        return self._connected()

    def _connected(self) -> sqlite3.Connection:
        if self._path is not None:
            os.close(os.open(self._path, os.O_CREAT | os.O_RDWR, 0o600))
        connection = sqlite3.connect(
            self._path or ":memory:", isolation_level=None, check_same_thread=False, timeout=10.0
        )
        try:
            for table in _TABLES:
                connection.execute(table)
            connection.execute("SELECT count(*) FROM memories").fetchone()
        except BaseException:
            connection.close()
            raise
        return connection

    def last(self, space: str) -> Entry | None:
        """The last run of a space; None where none is kept that can be read."""
        found = self._select("SELECT recorded, chain, said FROM runs WHERE space = ?", [space])
        try:
            recorded, chain, said = found[0]
            return Entry(recorded, chain, _COMPLETED.validate_json(said))
        except (IndexError, ValidationError):
            return None

    def memories(self, space: str) -> dict[str, str]:
        """The condition of every memory at the last run, in the order in which they began."""
        found = self._select(
            "SELECT id, condition FROM memories WHERE space = ? ORDER BY first", [space]
        )
        return dict(found)

    def keep(
        self, space: str, entry: Entry, conditions: Conditions, firsts: Iterable[tuple[str, int]]
    ) -> None:
        """Puts a run in place of the last; ``firsts`` are the positions at which ids began."""
        known = self.memories(space)
        changed = [
            (space, id_, first, conditions[id_])
            for id_, first in firsts
            if id_ in conditions and known.get(id_) != conditions[id_]
        ]
        gone = [(space, id_) for id_ in known if id_ not in conditions]
        said = to_json(entry.said).decode()
        with self._lock:
            try:
                self._connection.execute("BEGIN IMMEDIATE")
                self._connection.executemany(
                    "INSERT OR REPLACE INTO memories VALUES (?, ?, ?, ?)", changed
                )
                self._connection.executemany(
                    "DELETE FROM memories WHERE space = ? AND id = ?", gone
                )
                self._connection.execute(
                    "INSERT OR REPLACE INTO runs VALUES (?, ?, ?, ?)",
                    (space, entry.recorded, entry.chain, said),
                )
                self._connection.execute("COMMIT")
            except sqlite3.Error as error:
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
                raise _failed(error) from error

    def delivered(self, space: str, channel: str) -> Spoken | None:
        """What a channel was last told; None where it was told nothing, or all is well since."""
        found = self._select(
            "SELECT names, at FROM delivered WHERE space = ? AND channel = ?", [space, channel]
        )
        return (
            Spoken(tuple(from_json(found[0][0])), datetime.fromisoformat(found[0][1]))
            if found
            else None
        )

    def deliver(self, space: str, channel: str, spoken: Spoken | None) -> None:
        """Takes note of what a channel was told; None: nothing that is still the case."""
        with self._lock:
            try:
                if spoken is None:
                    self._connection.execute(
                        "DELETE FROM delivered WHERE space = ? AND channel = ?", (space, channel)
                    )
                else:
                    self._connection.execute(
                        "INSERT OR REPLACE INTO delivered VALUES (?, ?, ?, ?)",
                        (space, channel, to_json(spoken.names).decode(), spoken.at.isoformat()),
                    )
            except sqlite3.Error as error:
                raise _failed(error) from error

    def close(self) -> None:
        """Ends the ledger."""
        with self._lock:
            self._connection.close()

    def _select(self, statement: str, values: Sequence[object]) -> list[tuple[Any, ...]]:
        with self._lock:
            try:
                return self._connection.execute(statement, values).fetchall()
            except sqlite3.Error as error:
                raise _failed(error) from error


def _failed(error: Exception) -> StorageFailed:
    return StorageFailed(
        f"The audit's ledger state/{FILE} failed ({error}): check that it is writable, or delete"
        " it; that costs the ids of one run.",
        code="ledger_failed",
    )
