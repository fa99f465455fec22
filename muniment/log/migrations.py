"""How the tables of a database become those that this release knows, a step for each schema number.

Whose a file is and which schema it has stand in the file, as ``application_id`` and
``user_version``.
"""

import sqlite3
from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeVarTuple

from muniment.domain.errors import StorageFailed

Ts = TypeVarTuple("Ts")


class Kind(NamedTuple):
    """A kind of database, called ``file`` in errors.

    Where another program made it, it is refused with the code ``foreign``, and ``remedy`` says what
    to do.
    """

    file: str
    application_id: int
    foreign: str
    remedy: str


def check(connection: sqlite3.Connection, kind: Kind, known: int) -> int:
    """The schema number of a file, at most ``known``; 0 where it is still empty.

    Raises:
        StorageFailed: ``foreign`` of its kind where it is another program's database,
            ``newer_schema`` where a newer release made it.
    """
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    (number,) = connection.execute("PRAGMA user_version").fetchone()
    (tables,) = connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()
    if application != kind.application_id:
        if tables or application or number:
            raise StorageFailed(
                f"{kind.file} is another program's database: {kind.remedy}.", code=kind.foreign
            )
        return 0
    if number > known:
        raise StorageFailed(
            f"{kind.file} has schema {number}, this release knows {known}: a newer release wrote"
            " it; upgrade Muniment.",
            code="newer_schema",
        )
    return int(number)


def migrate(
    connection: sqlite3.Connection,
    kind: Kind,
    steps: Sequence[Callable[[sqlite3.Connection, *Ts], None]],
    *given: *Ts,
) -> None:
    """Brings an empty or older file to the newest schema, whole or not at all.

    Step n takes schema n to n + 1, and is told what is given. The caller holds the file's lock and
    no transaction.

    Raises:
        StorageFailed: As for ``check``.
    """
    newest = len(steps)
    if check(connection, kind, newest) == newest:
        return
    connection.execute("BEGIN IMMEDIATE")
    try:
        for step in steps[check(connection, kind, newest) :]:
            step(connection, *given)
        connection.execute(f"PRAGMA application_id = {kind.application_id}")
        connection.execute(f"PRAGMA user_version = {newest}")
        connection.execute("COMMIT")
    finally:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
