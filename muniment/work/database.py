"""The connection to ``work.db``: one a process, one writer at a time over all of them."""

import os
import sqlite3
import threading
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from muniment.domain.errors import StorageFailed
from muniment.log.datastore import prepare, typed_errors, uri
from muniment.log.lock import LogLock

from . import schema

_LOCK: Final = "work.lock"
_CHECKPOINT_EVERY: Final = 256
_DAMAGED: Final = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)


class Database:
    """The file in ``directory``, made with mode 0600 where it is missing; None: in memory.

    Safe to use from several threads and processes. Transactions do not nest. Opened for reading
    alone, a file that is missing is an empty one.

    Args:
        directory: The data directory, which is there.
        busy_timeout: Seconds to wait for another process.
        read_only: Whether to open for reading alone.

    Raises:
        StorageFailed: ``not_ours``, ``newer_schema``, ``corrupt``, ``busy`` …, from every method
            too; from those also ``closed``, and ``forked`` in a child of the process.
    """

    def __init__(self, directory: Path | None, *, busy_timeout: float, read_only: bool) -> None:
        path = None if directory is None else directory / schema.FILE
        if read_only and (path is None or not path.exists()):
            path = None
        self.read_only = read_only
        self._process = os.getpid()
        self._mutex = threading.Lock()
        self._commits = 0
        self._is_closed = False
        with _typed_errors():
            self._across = LogLock(
                None if path is None or read_only else path.with_name(_LOCK), busy_timeout
            )
            self._connection = self._opened(path, busy_timeout)
        self._in_memory = path is None

    def _opened(self, path: Path | None, busy_timeout: float) -> sqlite3.Connection:
        with self._across.held():
            if path is not None and not self.read_only and not path.exists():
                # SQLite would make it readable by others; one that is there is never opened
                # besides, as closing that would drop the locks of other handles of this process
                os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))
            mode = "memory" if path is None else "ro" if self.read_only else "rw"
            connection = sqlite3.connect(
                f"{'file:' if path is None else uri(path)}?mode={mode}",
                uri=True,
                isolation_level=None,
                check_same_thread=False,
                timeout=busy_timeout,
            )
            try:
                schema.check(connection)  # another program's is left as it is
                is_fixed = self.read_only and path is not None
                prepare(connection, in_memory=path is None, read_only=is_fixed)
                if is_fixed:
                    schema.require_current(connection)
                else:
                    schema.migrate(connection)
            except BaseException:
                connection.close()
                raise
            return connection

    @contextmanager
    def reading(self) -> Generator[sqlite3.Connection, None, None]:
        """Everything that was committed, as of one moment."""
        with self._mine(), _typed_errors():
            self._connection.execute("BEGIN")
            try:
                yield self._connection
            finally:
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")

    @contextmanager
    def writing(self) -> Generator[sqlite3.Connection, None, None]:
        """One transaction: committed at the end, undone by an exception.

        Raises:
            StorageFailed: ``read_only``, ``busy``, ``full`` …, with nothing written.
        """
        if self.read_only:
            raise StorageFailed("The store is open for reading only.", code="read_only")
        with self._exclusive(), _typed_errors():
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield self._connection
                self._connection.execute("COMMIT")
            finally:
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
            self._commits += 1
            if self._commits % _CHECKPOINT_EVERY == 0 and not self._in_memory:
                self._connection.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchall()

    def scrub(self) -> None:
        """Leaves nothing of what was deleted in the write-ahead log.

        Raises:
            StorageFailed: ``busy`` where a reader of another process held it for too long.
        """
        if self._in_memory or self.read_only:
            return
        with self._exclusive(), _typed_errors():
            (is_busy, *_) = self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        if is_busy:
            raise StorageFailed(
                f"Another process reads {schema.FILE}, so that erased words are still in its"
                " write-ahead log: try again.",
                code="busy",
                retry_after=1.0,
            )

    def close(self) -> None:
        """Gives the file back; in a child of the process that opened it, nothing."""
        if self._is_closed or os.getpid() != self._process:
            return
        self._is_closed = True
        # the end of the last connection is a checkpoint, so that the lock is wanted; where another
        # process holds it, that one has a connection too
        with suppress(StorageFailed), self._across.held(), self._mutex:
            self._connection.close()
        self._connection.close()
        self._across.close()

    @contextmanager
    def _exclusive(self) -> Generator[None, None, None]:
        self._require_open()
        with self._across.held(), self._mine():
            yield

    @contextmanager
    def _mine(self) -> Generator[None, None, None]:
        self._require_open()
        with self._mutex:
            self._require_open()
            yield

    def _require_open(self) -> None:
        if os.getpid() != self._process:
            raise StorageFailed(
                "The store was opened before this process was forked: open it again here.",
                code="forked",
            )
        if self._is_closed:
            raise StorageFailed("The store was closed: open it again.", code="closed")


@contextmanager
def _typed_errors() -> Generator[None, None, None]:
    """As for the log, but that no backup holds this file, and nothing in it is beyond replacing."""
    with typed_errors():
        try:
            yield
        except sqlite3.Error as error:
            if getattr(error, "sqlite_errorcode", 0) & 0xFF not in _DAMAGED:
                raise
            raise StorageFailed(
                f"{schema.FILE} is damaged ({error}): move it away; the memories are in the log.",
                code="corrupt",
            ) from error
