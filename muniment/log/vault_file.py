"""The file of a vault: how it is opened, which store it is of, and how its failures are told.

A vault says which store it is of from before that store's first key on. So a store whose log names
keys knows its own vault from a fresh one and from that of another store, even when all that it had
keys for was purged.
"""

import os
import sqlite3
from collections.abc import Callable, Generator, Iterable
from contextlib import contextmanager
from pathlib import Path
from typing import Final, NamedTuple

from muniment.domain.errors import StorageFailed

FILE: Final = "keys.db"
TABLE: Final = """
    CREATE TABLE IF NOT EXISTS store (one INTEGER PRIMARY KEY CHECK (one = 1), id TEXT NOT NULL)
    STRICT
"""

_INTERRUPTED = (sqlite3.SQLITE_READONLY_ROLLBACK, sqlite3.SQLITE_READONLY_RECOVERY)
"""What SQLite says where a journal would have to be played back and may not be."""


class Named(NamedTuple):
    """What a log says of its keys: the id of its store, whether it names any, and all of them."""

    store: str
    is_any: Callable[[], bool]
    ids: Callable[[], Iterable[int]]


def connect(path: Path, busy_timeout: float, *, read_only: bool) -> sqlite3.Connection:
    """A connection to a vault's file, made for its owner alone where it is to be written to.

    Raises:
        StorageFailed: ``keys_failed``.
    """
    with typed_errors():
        if not read_only and not path.exists():
            os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))
        mode = "ro" if read_only else "rw"
        return sqlite3.connect(
            f"{path.resolve().as_uri()}?mode={mode}",
            uri=True,
            isolation_level=None,
            check_same_thread=False,
            timeout=busy_timeout,
        )


def is_gone(directory: Path, named: Named) -> bool:
    """Whether a log names keys and there is no vault."""
    path = directory / FILE
    # another process may make both meanwhile, the vault first
    return not path.exists() and named.is_any() and not path.exists()


def is_of(connection: sqlite3.Connection, named: Named) -> bool:
    """Whether a vault is that of a log, or may become it: the log names no key yet.

    One that says otherwise, or nothing, as an earlier release made it, is that of the log where it
    has any of its keys; one that says nothing also where it has destroyed some.
    """
    if owner(connection) == named.store or not named.is_any():
        return True
    said = owner(connection)  # another process may have made it, and used it, meanwhile
    return (
        said == named.store
        or _has_one(connection, named.ids())
        or (said is None and _has_destroyed(connection))
    )


def owner(connection: sqlite3.Connection) -> str | None:
    """The id of the store that a vault is of; None where it does not say."""
    if not _has_table(connection, "store"):
        return None
    found = connection.execute("SELECT id FROM store").fetchone()
    return None if found is None else str(found[0])


def claim(connection: sqlite3.Connection, store: str) -> None:
    """Says which store a vault is of."""
    if owner(connection) != store:
        connection.execute("INSERT OR REPLACE INTO store VALUES (1, ?)", (store,))


def missing(found: str) -> StorageFailed:
    """The error for a store whose words are under keys that are not there."""
    return StorageFailed(
        f"{found} Restore keys/ from its backup (the directory, or 'muniment keys restore'): until"
        " then no words can be read or written, while verify, log and history answer. Words whose"
        " keys are gone for good cannot be had back: begin a new store in another directory then.",
        code="keys_missing",
    )


@contextmanager
def typed_errors() -> Generator[None, None, None]:
    """What SQLite and the disk raise, as errors of ours."""
    try:
        yield
    except (sqlite3.Error, OSError) as error:
        if getattr(error, "sqlite_errorcode", None) in _INTERRUPTED:
            raise StorageFailed(
                "A write to the key vault keys.db was cut off, and a handle that only reads cannot"
                " take it back: open the store for writing once.",
                code="vault_interrupted",
            ) from error
        raise StorageFailed(
            f"The key vault keys.db failed ({error}): check that it is there, writable and not"
            " full.",
            code="keys_failed",
        ) from error


def _has_destroyed(connection: sqlite3.Connection) -> bool:
    return _has_table(connection, "destroyed") and bool(
        connection.execute("SELECT 1 FROM destroyed").fetchone()
    )


def _has_one(connection: sqlite3.Connection, key_ids: Iterable[int]) -> bool:
    return _has_table(connection, "keys") and any(
        connection.execute("SELECT 1 FROM keys WHERE id = ?", (key_id,)).fetchone()
        for key_id in key_ids
    )


def _has_table(connection: sqlite3.Connection, name: str) -> bool:
    return bool(
        connection.execute(
            "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?", (name,)
        ).fetchone()
    )
