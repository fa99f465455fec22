"""The tables of ``work.db``, how they are made, and how one schema becomes the next.

In the clear are spaces, times and numbers alone. What is looked up by name (keys, namespaces,
sessions) stands as a keyed hash; every word is sealed under the key of its space.
"""

import sqlite3
from collections.abc import Callable, Sequence
from typing import Final

from muniment.domain.errors import StorageFailed
from muniment.log import migrations

FILE: Final = "work.db"
APPLICATION_ID: Final = 0x4D554E57  # "MUNW"
_KIND: Final = migrations.Kind(FILE, APPLICATION_ID, "not_ours", "move it away")

_FIRST = (
    "CREATE TABLE spaces (space TEXT PRIMARY KEY, key_id INTEGER NOT NULL) STRICT",
    # keys that are to be destroyed: whoever opens the file next ends what was begun
    "CREATE TABLE doomed (key_id INTEGER PRIMARY KEY) STRICT",
    """
    CREATE TABLE entries (
        number INTEGER PRIMARY KEY AUTOINCREMENT,
        space TEXT NOT NULL,
        name BLOB NOT NULL,
        namespace BLOB NOT NULL,
        stored_at INTEGER NOT NULL,
        expires_at INTEGER NOT NULL,
        heading BLOB NOT NULL,
        value BLOB NOT NULL,
        UNIQUE (space, name)
    ) STRICT
    """,
    "CREATE INDEX entries_by_namespace ON entries (space, namespace)",
    "CREATE INDEX entries_by_end ON entries (expires_at)",
    """
    CREATE TABLE turns (
        number INTEGER PRIMARY KEY AUTOINCREMENT,
        space TEXT NOT NULL,
        session BLOB NOT NULL,
        at INTEGER NOT NULL,
        said BLOB NOT NULL
    ) STRICT
    """,
    "CREATE INDEX turns_by_session ON turns (space, session, number)",
    "CREATE INDEX turns_by_time ON turns (at)",
    """
    CREATE TABLE cursors (
        space TEXT NOT NULL,
        pass TEXT NOT NULL,
        number INTEGER NOT NULL,
        PRIMARY KEY (space, pass)
    ) STRICT
    """,
    # a session since it last began anew: after which turn, and how many contexts it was given
    """
    CREATE TABLE sessions (
        space TEXT NOT NULL,
        session BLOB NOT NULL,
        begun_after INTEGER NOT NULL,
        touched_at INTEGER NOT NULL,
        contexts INTEGER NOT NULL,
        PRIMARY KEY (space, session)
    ) STRICT
    """,
    """
    CREATE TABLE shown (
        space TEXT NOT NULL,
        session BLOB NOT NULL,
        memory_id TEXT NOT NULL,
        text_version INTEGER NOT NULL,
        asks_first INTEGER NOT NULL,
        after INTEGER NOT NULL,
        PRIMARY KEY (space, session, memory_id)
    ) STRICT
    """,
    """
    CREATE TABLE reports (
        number INTEGER PRIMARY KEY AUTOINCREMENT,
        space TEXT NOT NULL,
        at INTEGER NOT NULL,
        said BLOB NOT NULL
    ) STRICT
    """,
    "CREATE INDEX reports_by_time ON reports (space, at)",
    # how often words were erased: who holds some in memory drops them when it rises
    "CREATE TABLE marks (name TEXT PRIMARY KEY, value INTEGER NOT NULL) STRICT",
    "INSERT INTO marks VALUES ('erasures', 0)",
)


def _create(connection: sqlite3.Connection) -> None:
    for statement in _FIRST:
        connection.execute(statement)


def _let_retry(connection: sqlite3.Connection) -> None:
    for table in ("turns", "reports"):
        connection.execute(f"ALTER TABLE {table} ADD COLUMN retry BLOB")
        connection.execute(
            f"CREATE UNIQUE INDEX {table}_by_retry ON {table} (space, retry)"
            " WHERE retry IS NOT NULL"
        )


MIGRATIONS: Sequence[Callable[[sqlite3.Connection], None]] = (_create, _let_retry)
"""Step n takes schema n to n + 1, all in one transaction with the number. Add, never change."""

SCHEMA = len(MIGRATIONS)


def check(connection: sqlite3.Connection) -> int:
    """The schema number of a file; 0 where it is still empty.

    Raises:
        StorageFailed: ``not_ours`` where it is another program's database, ``newer_schema`` where a
            newer release made it.
    """
    return migrations.check(connection, _KIND, SCHEMA)


def migrate(connection: sqlite3.Connection) -> None:
    """Brings an empty or older file to this schema, whole or not at all. The lock is held.

    Raises:
        StorageFailed: ``not_ours`` or ``newer_schema``.
    """
    migrations.migrate(connection, _KIND, MIGRATIONS)


def require_current(connection: sqlite3.Connection) -> None:
    """Refuses a file that would have to be migrated, and cannot be.

    Raises:
        StorageFailed: ``older_schema``, or as for ``check``.
    """
    if check(connection) != SCHEMA:
        raise StorageFailed(
            f"{FILE} has an older schema: open the store for writing once.", code="older_schema"
        )
