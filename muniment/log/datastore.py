"""Connections to the log: pragmas set and read back, readers that cannot write, one unit of work.

``transaction()`` of the library joins the unit of work that its thread has open, so everything that
the library does inside one is one transaction.
"""

import os
import sqlite3
import threading
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from eventsourcing.persistence import ConnectionPoolClosedError, ConnectionUnavailableError
from eventsourcing.sqlite import (
    SQLiteConnection,
    SQLiteConnectionPool,
    SQLiteCursor,
    SQLiteDatastore,
)

from muniment.domain.errors import StorageFailed

from . import schema
from .lock import LogLock

_PRAGMAS: tuple[tuple[str, str | int, str | int], ...] = (
    # name, what to set, what it then reads as
    ("synchronous", "FULL", 2),
    ("foreign_keys", "ON", 1),
    ("recursive_triggers", "ON", 1),
    ("secure_delete", "ON", 1),
    ("mmap_size", 0, 0),
    ("trusted_schema", "OFF", 0),
    ("cell_size_check", "ON", 1),
    ("journal_size_limit", 67_108_864, 67_108_864),
    ("wal_autocheckpoint", 0, 0),
)
_MEMORY_HAS_NONE = ("mmap_size",)


class _Pool(SQLiteConnectionPool):
    """Connections to one database, read-only ones where ``mode`` is ``ro``."""

    def __init__(self, name: str, *, mode: str, busy_timeout: float, size: int) -> None:
        self._mode = mode
        self._busy_timeout = busy_timeout
        super().__init__(
            db_name=f"{name}{'&' if '?' in name else '?'}mode={mode}",
            pool_size=size,
            max_overflow=size * 4,
            pool_timeout=busy_timeout,
        )

    def _create_connection(self) -> SQLiteConnection:
        raw = sqlite3.connect(
            self.db_name,
            uri=True,
            check_same_thread=False,
            isolation_level=None,
            timeout=self._busy_timeout,
        )
        try:
            schema.check(raw)  # another program's database is left as it is, its journal mode too
            prepare(raw, in_memory=self.is_sqlite_memory_mode, read_only=self._mode == "ro")
        except BaseException:
            raw.close()
            raise
        return SQLiteConnection(raw, max_age=self.max_age)


def prepare(raw: sqlite3.Connection, *, in_memory: bool, read_only: bool) -> None:
    """Sets every pragma that durability rests on, and reads each back.

    Raises:
        StorageFailed: ``wal_unavailable`` or ``pragma_refused``.
    """
    if not in_memory and not read_only:
        (mode,) = raw.execute("PRAGMA journal_mode = WAL").fetchone()
        if mode != "wal":
            raise StorageFailed(
                "This file system cannot hold a write-ahead log (network file systems cannot):"
                " choose a local directory.",
                code="wal_unavailable",
            )
    for name, value, expected in _PRAGMAS:
        raw.execute(f"PRAGMA {name} = {value}").fetchall()
        found = raw.execute(f"PRAGMA {name}").fetchone()
        if (found is None or found[0] != expected) and not (in_memory and name in _MEMORY_HAS_NONE):
            raise StorageFailed(
                f"SQLite refused PRAGMA {name} = {value}: this build cannot keep a log safe.",
                code="pragma_refused",
            )


class Datastore(SQLiteDatastore):
    """The database of a log.

    Args:
        name: A ``file:`` URI without a mode; one of a shared in-memory database is volatile.
        lock: Held by whoever writes.
        busy_timeout: Seconds to wait for a lock or a connection.
        read_only: Whether to open for reading alone.
    """

    def __init__(
        self, name: str, lock: LogLock, *, busy_timeout: float, read_only: bool = False
    ) -> None:
        self.in_memory = SQLiteConnectionPool.detect_memory_mode(name)
        self.read_only = read_only
        self.single_row_tracking = True
        self.originator_id_type = "text"
        self._lock = lock
        self._process = os.getpid()
        self._open = threading.local()
        write_mode = "memory" if self.in_memory else "ro" if read_only else "rw"
        self.pool = _Pool(name, mode=write_mode, busy_timeout=busy_timeout, size=1)
        self._readers = (
            self.pool
            if self.in_memory or read_only
            else _Pool(name, mode="ro", busy_timeout=busy_timeout, size=8)
        )

    @contextmanager
    def get_connection(self, *, commit: bool) -> Generator[SQLiteConnection, None, None]:
        """A connection for writing, or one that can only read.

        Raises:
            StorageFailed: ``forked``, ``closed``, or ``busy`` where all are taken for too long.
        """
        self.require_own_process()
        pool = self.pool if commit else self._readers
        try:
            connection = pool.get_connection(is_writer=commit)
        except ConnectionPoolClosedError as error:
            raise StorageFailed("The store was closed: open it again.", code="closed") from error
        except ConnectionUnavailableError as error:
            raise StorageFailed(
                "All connections to the log are taken: try again.", code="busy", retry_after=1.0
            ) from error
        try:
            yield connection
        finally:
            pool.put_connection(connection)

    @property
    def is_own_process(self) -> bool:
        """Whether this is the process that opened the store, not a child of it."""
        return os.getpid() == self._process

    def require_own_process(self) -> None:
        """Refuses to go on in a child of the process that opened the store.

        Raises:
            StorageFailed: ``forked``.
        """
        if not self.is_own_process:
            raise StorageFailed(
                "The store was opened before this process was forked: open it again here.",
                code="forked",
            )

    @contextmanager
    def transaction(self, *, commit: bool) -> Generator[SQLiteCursor, None, None]:
        """The unit of work that this thread has open, or a transaction of its own."""
        cursor: sqlite3.Cursor | None = getattr(self._open, "cursor", None)
        if cursor is not None:
            yield SQLiteCursor(cursor)
        elif commit:
            with self.unit_of_work() as own:
                yield SQLiteCursor(own)
        else:
            # not the library's transaction, which turns SQLite's errors into its own
            with self.get_connection(commit=False) as connection:
                raw = raw_connection(connection)
                reading = raw.cursor()
                reading.execute("BEGIN")
                try:
                    yield SQLiteCursor(reading)
                finally:
                    if raw.in_transaction:
                        reading.execute("ROLLBACK")
                    reading.close()

    @property
    def is_in_unit_of_work(self) -> bool:
        """Whether this thread has a unit of work open."""
        return getattr(self._open, "cursor", None) is not None

    @contextmanager
    def unit_of_work(
        self, undone: Callable[[], None] | None = None
    ) -> Generator[sqlite3.Cursor, None, None]:
        """One transaction under the log's lock: committed at the end, undone by an exception.

        ``undone`` is called where it was not committed, still under the lock.

        Raises:
            StorageFailed: ``busy``, ``full``, ``read_only``, ``corrupt`` or ``io_error``, with
                nothing written; ``outcome_unknown`` where the commit itself failed.
        """
        if self.read_only:
            raise StorageFailed("The store is open for reading only.", code="read_only")
        self.require_own_process()
        with self._lock.held(), typed_errors(), self.get_connection(commit=True) as connection:
            raw = raw_connection(connection)
            cursor = raw.cursor()
            cursor.execute("BEGIN IMMEDIATE")
            self._open.cursor = cursor
            try:
                yield cursor
                _commit(cursor)
            except BaseException:
                if undone is not None:
                    undone()
                raise
            finally:
                self._open.cursor = None
                if raw.in_transaction:
                    cursor.execute("ROLLBACK")
                cursor.close()

    @contextmanager
    def exclusive(self) -> Generator[sqlite3.Connection, None, None]:
        """The writing connection under the log's lock, outside any transaction."""
        with self._lock.held(), typed_errors(), self.get_connection(commit=True) as connection:
            yield raw_connection(connection)

    def checkpoint(self, *, truncate: bool = False) -> None:
        """Moves the write-ahead log into the database, as far as readers allow."""
        if not self.in_memory and not self.read_only:
            with self.exclusive() as raw:
                raw.execute(f"PRAGMA wal_checkpoint({'TRUNCATE' if truncate else 'PASSIVE'})")

    def close(self, *, patiently: bool = True) -> None:
        """Ends all connections, the writing one under the lock: its end is a checkpoint.

        Where another process keeps the lock, that one has the database open too, so that the end of
        this one's connection is no checkpoint. ``patiently`` says whether to wait for the lock
        first. A child of the process that opened them leaves them alone: they are its parent's.
        """
        if self.pool.closed or not self.is_own_process:
            return
        if self._readers is not self.pool:
            self._readers.close()
        if self.in_memory or self.read_only:
            self.pool.close()
        else:
            with suppress(StorageFailed), self._lock.held(None if patiently else 0.0):
                self.pool.close()
            self.pool.close()
        self._lock.close()

    def __del__(self) -> None:
        """Nothing: who opened a store closes it."""


def raw_connection(connection: SQLiteConnection) -> sqlite3.Connection:
    """The connection that the library wraps."""
    return connection._sqlite_conn  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]


def fetch_all(
    cursor: SQLiteCursor,
    statement: str,
    values: Sequence[object],
    *,
    damaged: Callable[[bytes], object],
) -> list[tuple[Any, ...]]:
    """The rows of a query; a text that is no UTF-8 any more comes as ``damaged`` makes it."""
    cursor.execute(statement, values)
    try:
        found: list[tuple[Any, ...]] = cursor.fetchall()
    except sqlite3.OperationalError as error:
        if "decode" not in str(error):
            raise
    else:
        return found

    def decoded(text: bytes) -> object:
        try:
            return text.decode()
        except UnicodeDecodeError:
            return damaged(text)

    connection = cursor.sqlite_cursor.connection
    connection.text_factory = decoded
    try:
        cursor.execute(statement, values)
        rows: list[tuple[Any, ...]] = cursor.fetchall()
        return rows
    finally:
        connection.text_factory = str


def _commit(cursor: sqlite3.Cursor) -> None:
    try:
        cursor.execute("COMMIT")
    except sqlite3.Error as error:
        code = getattr(error, "sqlite_errorcode", 0) & 0xFF
        if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_FULL):
            raise
        raise StorageFailed(
            f"The disk failed while committing ({error}): whether it was kept shows after the next"
            " open.",
            code="outcome_unknown",
        ) from error


_CODES: dict[int, tuple[str, str]] = {
    sqlite3.SQLITE_BUSY: ("busy", "Another program holds the database: try again."),
    sqlite3.SQLITE_LOCKED: ("busy", "Another connection holds the database: try again."),
    sqlite3.SQLITE_FULL: ("full", "The disk is full: free some space; nothing was written."),
    sqlite3.SQLITE_READONLY: ("read_only", "The database cannot be written to: check its rights."),
    sqlite3.SQLITE_PERM: ("read_only", "The database cannot be written to: check its rights."),
    sqlite3.SQLITE_CANTOPEN: ("cannot_open", "The database cannot be opened: check its rights."),
    sqlite3.SQLITE_IOERR: ("io_error", "The disk failed: check it and the space left on it."),
    sqlite3.SQLITE_CORRUPT: ("corrupt", "log.db is damaged: restore it from a backup."),
    sqlite3.SQLITE_NOTADB: ("not_a_log", "log.db is no database: choose another directory."),
}

_LACKING = (
    "corrupt",
    "The database lacks what its schema has: restore it from a backup, and keep this as evidence.",
)


@contextmanager
def typed_errors() -> Generator[None, None, None]:
    """Turns what SQLite and the system raise into the error family of storage."""
    try:
        yield
    except sqlite3.Error as error:
        raise typed(error) from error
    except OSError as error:
        full = error.errno in (28, 122, 27)  # no space, over quota, over the file size limit
        said = f"The storage failed: {error.strerror}"
        if error.filename is not None:
            said += f" ({error.filename})"
        if isinstance(error, PermissionError):
            said += ": files of a store belong to the user that runs Muniment"
        raise StorageFailed(f"{said}.", code="full" if full else "io_error") from error


def typed(error: sqlite3.Error) -> StorageFailed:
    """The storage error that one of SQLite's stands for."""
    number = getattr(error, "sqlite_errorcode", None)
    code, sentence = _CODES.get(
        (number or 0) & 0xFF, ("storage_failed", "The database failed: see the reason.")
    )
    if number == sqlite3.SQLITE_ERROR and str(error).startswith("no such"):
        code, sentence = _LACKING
    return StorageFailed(
        f"{sentence} ({error})", code=code, retry_after=1.0 if code == "busy" else None
    )


def uri(path: Path) -> str:
    """The ``file:`` URI of a database file, whatever characters its path holds."""
    return path.resolve().as_uri()
