"""The tables of ``log.db``, how they are made, and how one schema becomes the next.

The log is append-only by force: triggers abort UPDATE, DELETE and any INSERT that is not the next
position of the log and the next version of its stream (``INSERT OR REPLACE`` would walk past the
first two).
"""

import sqlite3
import uuid
from collections.abc import Callable, Sequence

import uuid_utils

from muniment.domain.errors import StorageFailed

from . import migrations

APPLICATION_ID = 0x4D554E49  # "MUNI"
_KIND = migrations.Kind("log.db", APPLICATION_ID, "not_a_log", "choose an empty directory")
MINIMUM_SQLITE = (3, 37, 0)

POSITION_TAKEN = "muniment: not the next position"
VERSION_TAKEN = "muniment: not the next version"
APPEND_ONLY = "muniment: the log is append-only"

_FIRST = (
    "CREATE TABLE store (id TEXT NOT NULL, made_by TEXT NOT NULL) STRICT",
    """
    CREATE TABLE events (
        position INTEGER PRIMARY KEY,
        stream TEXT NOT NULL,
        version INTEGER NOT NULL,
        name TEXT NOT NULL,
        schema INTEGER NOT NULL,
        recorded_at TEXT NOT NULL,
        actor TEXT NOT NULL,
        space TEXT NOT NULL,
        command_id TEXT NOT NULL,
        correlation_id TEXT,
        causation_id TEXT,
        key_id INTEGER,
        facts BLOB NOT NULL,
        payload BLOB,
        leaf BLOB NOT NULL,
        chain BLOB NOT NULL,
        UNIQUE (stream, version)
    ) STRICT
    """,
    # a command that came with an idempotency key is looked up by its id, 32 hex digits
    """
    CREATE INDEX events_by_keyed_command ON events (command_id) WHERE length(command_id) = 32
    """,
    # a removal that was asked for and not recorded is finished by who opens the log next
    """
    CREATE INDEX events_by_removal ON events (stream, name)
    WHERE name IN ('memory.purge_requested', 'memory.purged')
    """,
    # a memory may be named by the tail of its id
    "CREATE INDEX events_by_tail ON events (substr(stream, -8)) WHERE version = 1",
    f"""
    CREATE TRIGGER events_no_update BEFORE UPDATE ON events
    BEGIN SELECT RAISE(ABORT, '{APPEND_ONLY}'); END
    """,
    f"""
    CREATE TRIGGER events_no_delete BEFORE DELETE ON events
    BEGIN SELECT RAISE(ABORT, '{APPEND_ONLY}'); END
    """,
    f"""
    CREATE TRIGGER events_next BEFORE INSERT ON events BEGIN
        SELECT RAISE(ABORT, '{POSITION_TAKEN}')
        WHERE NEW.position IS NOT (SELECT COALESCE(MAX(position), 0) + 1 FROM events);
        SELECT RAISE(ABORT, '{VERSION_TAKEN}')
        WHERE NEW.version IS NOT (
            SELECT COALESCE(MAX(version), 0) + 1 FROM events WHERE stream = NEW.stream
        );
    END
    """,  # noqa: S608 (the texts are constants of this file)
)

TRIGGERS = frozenset(
    " ".join(statement.split()) for statement in _FIRST if "CREATE TRIGGER" in statement
)
"""The triggers that every log has, white space collapsed."""


def _create(connection: sqlite3.Connection, release: str) -> None:
    for statement in _FIRST:
        connection.execute(statement)
    connection.execute("INSERT INTO store VALUES (?, ?)", (str(uuid_utils.uuid7()), release))


def _index_recall_removals(connection: sqlite3.Connection, _: str) -> None:
    # as for memories: a removal that was asked for and not recorded is finished by who opens next
    connection.execute(
        "CREATE INDEX events_by_recall_removal ON events (stream, name)"
        " WHERE name IN ('session.purge_requested', 'session.purged')"
    )


def _index_beginnings(connection: sqlite3.Connection, _: str) -> None:
    # proposals and tokens of a space are listed and counted by their beginnings
    connection.execute(
        "CREATE INDEX events_by_beginning ON events (name, space, position)"
        " WHERE name IN ('proposal.made', 'token.issued')"
    )


def _index_erasures(connection: sqlite3.Connection, _: str) -> None:
    # an erasure is finished as a whole, and may reach no memory at all
    connection.execute(
        "CREATE INDEX events_by_words_removal ON events (stream, name)"
        " WHERE name IN ('words.purge_requested', 'words.purged')"
    )
    connection.execute(
        "CREATE INDEX events_by_erasure ON events (stream, name)"
        " WHERE name IN ('erasure.requested', 'erasure.completed')"
    )


MIGRATIONS: Sequence[Callable[[sqlite3.Connection, str], None]] = (
    _create,
    _index_recall_removals,
    _index_beginnings,
    _index_erasures,
)
"""Step n takes schema n to n + 1, each in one transaction with its number. Add, never change."""

SCHEMA = len(MIGRATIONS)


def require_sqlite() -> None:
    """Refuses a SQLite that cannot keep the tables.

    Raises:
        StorageFailed: ``sqlite_too_old``.
    """
    if sqlite3.sqlite_version_info < MINIMUM_SQLITE:
        least = ".".join(map(str, MINIMUM_SQLITE))
        raise StorageFailed(
            f"This Python has SQLite {sqlite3.sqlite_version}; Muniment needs {least} or newer.",
            code="sqlite_too_old",
        )


def migrate(connection: sqlite3.Connection, release: str) -> None:
    """Brings an empty or older log to this schema, whole or not at all.

    The caller holds the log's lock and no transaction.

    Raises:
        StorageFailed: ``not_a_log`` or ``newer_schema``.
    """
    migrations.migrate(connection, _KIND, MIGRATIONS, release)


def check(connection: sqlite3.Connection) -> int:
    """The schema number of a log; 0 where it is still empty.

    Raises:
        StorageFailed: ``not_a_log`` where it is another program's database, ``newer_schema`` where
            a newer release made it.
    """
    return migrations.check(connection, _KIND, SCHEMA)


def store_id(connection: sqlite3.Connection) -> str:
    """The id that the store was given when it was made.

    Raises:
        StorageFailed: ``not_a_log`` where there is none, or what stands there is no id.
    """
    found = connection.execute("SELECT id FROM store").fetchone()
    if found is None:
        raise StorageFailed("log.db does not say which store it is.", code="not_a_log")
    try:
        return str(uuid.UUID(found[0]))
    except (ValueError, TypeError, AttributeError) as error:
        raise StorageFailed(
            f"log.db says that it is the store {found[0]!r}, which is no id: it was altered or"
            " damaged; restore it from a backup, and keep this as evidence.",
            code="not_a_log",
        ) from error
