"""Rows of sessions in ``work.db``: when each last began anew, and when it was last heard of."""

import sqlite3
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Final

from .times import stored

SESSION: Final = "session"


def touch(
    connection: sqlite3.Connection, space: str, name: bytes, *, now: datetime, idle: timedelta
) -> None:
    """Something happens in a session; one that was idle begins anew."""
    row = known(connection, space, name)
    if row is not None and not is_idle(row[1], now, idle):
        connection.execute(
            "UPDATE sessions SET touched_at = ? WHERE space = ? AND session = ?",
            (stored(now), space, name),
        )
        return
    connection.execute(
        "INSERT OR REPLACE INTO sessions VALUES (?, ?, ?, ?, 0)",
        (space, name, newest_turn(connection, space, name), stored(now)),
    )
    forget(connection, space, name)


def forget(connection: sqlite3.Connection, space: str, name: bytes) -> None:
    """Forgets what a session was told."""
    connection.execute("DELETE FROM shown WHERE space = ? AND session = ?", (space, name))
    connection.execute(
        "UPDATE sessions SET contexts = 0 WHERE space = ? AND session = ?", (space, name)
    )


def newest_turn(connection: sqlite3.Connection, space: str, name: bytes) -> int:
    """The number of a session's newest turn; 0 where it has none."""
    (number,) = connection.execute(
        "SELECT coalesce(max(number), 0) FROM turns WHERE space = ? AND session = ?",
        (space, name),
    ).fetchone()
    return int(number)


def sweep(connection: sqlite3.Connection, now: datetime, *, idle: timedelta) -> None:
    """Forgets what idle sessions were shown."""
    connection.execute(
        "DELETE FROM shown WHERE EXISTS (SELECT 1 FROM sessions WHERE"
        " sessions.space = shown.space AND sessions.session = shown.session AND touched_at <= ?)",
        (stored(now - idle),),
    )
    # a session's row goes with its last turn: until then it says after which turn it began
    connection.execute(
        "DELETE FROM sessions WHERE touched_at <= ? AND NOT EXISTS (SELECT 1 FROM turns WHERE"
        " turns.space = sessions.space AND turns.session = sessions.session)",
        (stored(now - idle),),
    )


def known(connection: sqlite3.Connection, space: str, name: bytes) -> tuple[int, int, int] | None:
    """After which turn a session began, when it was last heard of, and its contexts since."""
    row: tuple[int, int, int] | None = connection.execute(
        "SELECT begun_after, touched_at, contexts FROM sessions WHERE space = ? AND session = ?",
        (space, name),
    ).fetchone()
    return row


def is_idle(touched_at: int, now: datetime, idle: timedelta) -> bool:
    """Whether a session that was last heard of then has ended."""
    return touched_at <= stored(now - idle)


def rename(connection: sqlite3.Connection, space: str, names: Mapping[bytes, bytes]) -> None:
    """Gives sessions their names under another seal; one without a turn is forgotten."""
    for table in ("sessions", "shown"):
        for (name,) in connection.execute(
            f"SELECT DISTINCT session FROM {table} WHERE space = ?",  # noqa: S608 (our own names)
            (space,),
        ).fetchall():
            if name in names:
                statement = f"UPDATE {table} SET session = ? WHERE space = ? AND session = ?"  # noqa: S608
                connection.execute(statement, (names[name], space, name))
            else:
                connection.execute(
                    f"DELETE FROM {table} WHERE space = ? AND session = ?",  # noqa: S608
                    (space, name),
                )
