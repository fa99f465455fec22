"""What a vault remembers of the keys that it destroyed: how far, and until when copies may live.

An old copy of ``keys.db`` that is put back remembers less than the log has asked for, which is how
whoever opens it next knows to destroy again. A backup of the keys is wrapped by the master key of
then, so that it opens no more once that one is replaced, at the latest at ``backups_until``.
"""

import sqlite3
from datetime import datetime
from typing import Final, NamedTuple

from muniment.domain.errors import StorageFailed
from muniment.domain.moments import rfc3339, told_time

TABLE: Final = """
    CREATE TABLE IF NOT EXISTS destroyed (
        one INTEGER PRIMARY KEY CHECK (one = 1),
        through INTEGER NOT NULL,
        backups_until TEXT
    ) STRICT
"""


class Destroyed(NamedTuple):
    """All that was asked for up to position ``through`` of the log is destroyed.

    ``backups_until``: when the master key is due for replacement; None where no key was destroyed
    under it.
    """

    through: int = 0
    backups_until: datetime | None = None


def read(connection: sqlite3.Connection) -> Destroyed:
    """What the vault remembers.

    Raises:
        StorageFailed: ``keys_damaged``.
    """
    found = connection.execute("SELECT through, backups_until FROM destroyed").fetchone()
    if found is None:
        return Destroyed()
    through, until = found
    moment = told_time(until) if isinstance(until, str) else None
    if not isinstance(through, int) or (moment is None and until is not None):
        raise StorageFailed(
            "The key vault keys.db does not say how far keys were destroyed: it was altered or"
            " damaged; restore it from a backup.",
            code="keys_damaged",
        )
    return Destroyed(through, moment)


def note(connection: sqlite3.Connection, through: int, backups_until: datetime | None) -> None:
    """Keys were destroyed; the first under a master key says when that one ends."""
    known = read(connection)
    until = known.backups_until or backups_until
    connection.execute(
        "INSERT OR REPLACE INTO destroyed VALUES (1, ?, ?)",
        (max(known.through, through), None if until is None else rfc3339(until)),
    )


def renew(connection: sqlite3.Connection) -> None:
    """Another master key is in place."""
    connection.execute("UPDATE destroyed SET backups_until = NULL")
