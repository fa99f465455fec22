"""Vectors that were made once, kept in a SQLite file so that no model is asked for them again.

A cache: it may be deleted at any time, and holds no text and nothing that can be compared with a
text without the key. Each vector is encrypted; its row is named by a keyed hash of model and text.
Which memory and version of its text it belongs to stands beside it, so that erasing the memory
erases the vector.
"""

import hmac
import os
import secrets
import sqlite3
import threading
from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np
import structlog
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from muniment.domain.embedding import Vectors
from muniment.domain.errors import StorageFailed

_log = structlog.get_logger(__name__)

_VERSION: Final = 2
_KEY_BYTES: Final = 32
_NONCE_BYTES: Final = 12
_AT_ONCE: Final = 500

_PRAGMAS = (
    "journal_mode=TRUNCATE",
    "secure_delete=ON",
    "synchronous=NORMAL",
    "trusted_schema=OFF",
    "cell_size_check=ON",
)
_TABLES = (
    # whose key the rows are under; another key's rows are of no use
    "CREATE TABLE cache (mark BLOB NOT NULL) STRICT",
    """
    CREATE TABLE vectors (
        memory_id TEXT NOT NULL,
        text_version INTEGER NOT NULL,
        model TEXT NOT NULL,
        name BLOB NOT NULL,
        sealed BLOB NOT NULL,
        PRIMARY KEY (memory_id, text_version, model)
    ) STRICT
    """,
    "CREATE INDEX vectors_by_name ON vectors (name)",
)

_BY_NAME = "SELECT name, memory_id, text_version, sealed FROM vectors WHERE name IN"


class Kept(NamedTuple):
    """A unit vector, and the text of a memory that it is of; text versions count from 1."""

    memory_id: str
    text_version: int
    vector: Vectors


class VectorCache:
    """The vectors in ``path``, or in memory where that is None.

    Safe to use from several threads and processes. A file of another version, under another key, or
    damaged is emptied when it is opened; a damaged row is as good as none.

    Args:
        path: The file, made with mode 0600 where it is missing, as is its directory with 0700.
        key: 32 bytes, kept where keys are.
        busy_timeout: Seconds to wait for another process.

    Raises:
        StorageFailed: ``vector_cache_failed``, from every method too.
    """

    def __init__(self, path: Path | None, key: bytes, *, busy_timeout: float = 10.0) -> None:
        if len(key) != _KEY_BYTES:
            msg = f"the key must have {_KEY_BYTES} bytes, not {len(key)}"
            raise ValueError(msg)
        self._naming = hmac.digest(key, b"muniment vector names", "sha256")
        self._sealer = AESGCM(hmac.digest(key, b"muniment vector seals", "sha256"))
        self._mark = hmac.digest(key, b"muniment vector cache", "sha256")
        self._busy_timeout = busy_timeout
        self._lock = threading.Lock()
        with _typed_errors():
            try:
                self._connection = self._opened(path)
            except sqlite3.DatabaseError as error:
                if path is None or isinstance(error, sqlite3.OperationalError):
                    raise
                _log.warning("vector_cache_unreadable", reason=str(error))
                path.unlink(missing_ok=True)
                path.with_name(f"{path.name}-journal").unlink(missing_ok=True)
                self._connection = self._opened(path)

    def get_many(self, model: str, texts: Sequence[str]) -> list[Vectors | None]:
        """For each text the vector that a model made of it, whichever memory said it; or None."""
        names = [self._name(model, text) for text in texts]
        sealed: dict[bytes, tuple[str, int, bytes]] = {}
        with self._reading() as connection:
            for some in _portions(names):
                marks = ",".join("?" * len(some))
                query = f"{_BY_NAME} ({marks})"
                for name, *row in connection.execute(query, some):
                    sealed[name] = (row[0], row[1], row[2])
        return [self._unsealed(model, *sealed[name]) if name in sealed else None for name in names]

    def put_many(self, model: str, entries: Iterable[tuple[Kept, str]]) -> None:
        """Keeps vectors, each with the text that it was made of, in place of older texts' ones."""
        rows = [
            (
                kept.memory_id,
                kept.text_version,
                model,
                self._name(model, text),
                self._sealed(model, kept),
            )
            for kept, text in entries
        ]
        with self._writing() as connection:
            connection.executemany(
                "DELETE FROM vectors WHERE memory_id = ? AND text_version < ? AND model = ?",
                [row[:3] for row in rows],
            )
            connection.executemany("INSERT OR REPLACE INTO vectors VALUES (?, ?, ?, ?, ?)", rows)

    def kept(self, model: str) -> Iterator[Kept]:
        """Every vector of a model, by memory id; what is put meanwhile may be left out."""
        after = ("", 0)
        while True:
            with self._reading() as connection:
                rows = connection.execute(
                    "SELECT memory_id, text_version, sealed FROM vectors"
                    " WHERE model = ? AND (memory_id, text_version) > (?, ?)"
                    " ORDER BY memory_id, text_version LIMIT ?",
                    (model, *after, _AT_ONCE),
                ).fetchall()
            if not rows:
                return
            for memory_id, text_version, sealed in rows:
                vector = self._unsealed(model, memory_id, text_version, sealed)
                if vector is not None:
                    yield Kept(memory_id, text_version, vector)
            after = rows[-1][:2]

    def models(self) -> dict[str, int]:
        """How many vectors of each model are kept."""
        with self._reading() as connection:
            return dict(
                connection.execute("SELECT model, count(*) FROM vectors GROUP BY model ORDER BY 1")
            )

    def forget(self, memory_ids: Iterable[str]) -> None:
        """Erases every vector of some memories; their bytes in the file are overwritten."""
        with self._writing() as connection:
            connection.executemany(
                "DELETE FROM vectors WHERE memory_id = ?", [(each,) for each in memory_ids]
            )

    def close(self) -> None:
        """Gives the file back."""
        with self._lock:
            self._connection.close()

    def _opened(self, path: Path | None) -> sqlite3.Connection:
        if path is not None:
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            # SQLite would make it readable by others
            os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))
        connection = sqlite3.connect(
            ":memory:" if path is None else path,
            isolation_level=None,
            check_same_thread=False,
            timeout=self._busy_timeout,
        )
        try:
            for pragma in _PRAGMAS:
                connection.execute(f"PRAGMA {pragma}").fetchall()
            with _transaction(connection):
                if not self._is_ours(connection):
                    self._empty(connection)
        except BaseException:
            connection.close()
            raise
        return connection

    def _is_ours(self, connection: sqlite3.Connection) -> bool:
        if connection.execute("PRAGMA user_version").fetchone() != (_VERSION,):
            return False
        return connection.execute("SELECT mark FROM cache").fetchall() == [(self._mark,)]

    def _empty(self, connection: sqlite3.Connection) -> None:
        tables = connection.execute(
            "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%'"
        ).fetchall()
        for (table,) in tables:
            quoted = table.replace('"', '""')
            connection.execute(f'DROP TABLE "{quoted}"')
        for statement in _TABLES:
            connection.execute(statement)
        connection.execute("INSERT INTO cache VALUES (?)", (self._mark,))
        connection.execute(f"PRAGMA user_version = {_VERSION}")

    @contextmanager
    def _reading(self) -> Generator[sqlite3.Connection, None, None]:
        with self._lock, _typed_errors(), _transaction(self._connection, "BEGIN"):
            self._require_ours()
            yield self._connection

    @contextmanager
    def _writing(self) -> Generator[sqlite3.Connection, None, None]:
        with self._lock, _typed_errors(), _transaction(self._connection):
            self._require_ours()
            yield self._connection

    def _require_ours(self) -> None:
        if not self._is_ours(self._connection):
            raise StorageFailed(
                "Another release or another key has taken over the vector cache vectors.db: open"
                " the store again.",
                code="vector_cache_failed",
            )

    def _name(self, model: str, text: str) -> bytes:
        said = text.encode("utf-8", "surrogatepass")
        named = model.encode()
        return hmac.digest(self._naming, len(named).to_bytes(8) + named + said, "sha256")

    def _sealed(self, model: str, kept: Kept) -> bytes:
        nonce = secrets.token_bytes(_NONCE_BYTES)
        said = np.asarray(kept.vector, "<f4").tobytes()
        place = _place(model, kept.memory_id, kept.text_version)
        return nonce + self._sealer.encrypt(nonce, said, place)

    def _unsealed(
        self, model: str, memory_id: str, text_version: int, sealed: bytes
    ) -> Vectors | None:
        nonce, rest = sealed[:_NONCE_BYTES], sealed[_NONCE_BYTES:]
        try:
            said = self._sealer.decrypt(nonce, rest, _place(model, memory_id, text_version))
        except (InvalidTag, ValueError):
            return None
        return np.frombuffer(said, "<f4")


def _place(model: str, memory_id: str, text_version: int) -> bytes:
    return f"{memory_id}\n{text_version}\n{model}".encode()


def _portions(names: Sequence[bytes]) -> Iterator[Sequence[bytes]]:
    for start in range(0, len(names), _AT_ONCE):
        yield names[start : start + _AT_ONCE]


@contextmanager
def _transaction(
    connection: sqlite3.Connection, begin: str = "BEGIN IMMEDIATE"
) -> Generator[None, None, None]:
    connection.execute(begin)
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


@contextmanager
def _typed_errors() -> Generator[None, None, None]:
    try:
        yield
    except (sqlite3.Error, OSError) as error:
        raise StorageFailed(
            f"The vector cache vectors.db failed ({error}): check that it is writable and not"
            " full; it may be deleted.",
            code="vector_cache_failed",
        ) from error
