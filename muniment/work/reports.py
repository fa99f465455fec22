"""Reports of tool calls in ``work.db``."""

import sqlite3
from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Any

from muniment.domain.conversation.turns import ToolReport

from .database import Database
from .sealing import Seal, Seals
from .times import stored, told

_SAID = "report"


class Reports:
    """How calls of tools went, for the pass that learns from their success."""

    def __init__(self, database: Database, seals: Seals) -> None:
        self._database = database
        self._seals = seals

    def add(
        self,
        space: str,
        session: str,
        tool: str,
        arguments: str,
        error: str | None,
        *,
        ok: bool,
        now: datetime,
    ) -> ToolReport:
        """Keeps a report."""
        with self._database.writing() as connection:
            seal = self._seals.made(connection, space)
            said = seal.sealed(_SAID, [session, tool, arguments, ok, error])
            number = connection.execute(
                "INSERT INTO reports (space, at, said) VALUES (?, ?, ?)",
                (space, stored(now), said),
            ).lastrowid
            if number is None:
                raise AssertionError("a row that was inserted has a number")
        return _told(number, stored(now), [session, tool, arguments, ok, error])

    def since(self, space: str, moment: datetime) -> list[ToolReport]:
        """The reports of a space that came after a moment, oldest first."""
        with self._database.reading() as connection:
            seal = self._seals.of(connection, space)
            if seal is None:
                return []
            rows = connection.execute(
                "SELECT number, at, said FROM reports WHERE space = ? AND at > ? ORDER BY number",
                (space, stored(moment)),
            )
            return [_told(number, at, seal.opened(_SAID, said)) for number, at, said in rows]


def sweep(connection: sqlite3.Connection, now: datetime, *, retention: timedelta) -> None:
    """Deletes reports past their retention."""
    connection.execute("DELETE FROM reports WHERE at <= ?", (stored(now - retention),))


def texts(connection: sqlite3.Connection, seal: Seal, space: str) -> Iterable[tuple[int, str]]:
    """All words of each report of a space, for whoever looks for a name in them."""
    for number, said in connection.execute(
        "SELECT number, said FROM reports WHERE space = ?", (space,)
    ):
        session, tool, arguments, _, error = seal.opened(_SAID, said)
        yield number, "\n".join([session, tool, arguments, error or ""])


def _told(number: int, at: int, said: Any) -> ToolReport:
    session, tool, arguments, ok, error = said
    return ToolReport(
        session=session,
        tool=tool,
        arguments=arguments,
        ok=ok,
        error=error,
        at=told(at),
        number=number,
    )


def reseal(connection: sqlite3.Connection, space: str, old: Seal, new: Seal) -> None:
    """Puts the reports of a space under another seal."""
    for number, said in connection.execute(
        "SELECT number, said FROM reports WHERE space = ?", (space,)
    ).fetchall():
        connection.execute(
            "UPDATE reports SET said = ? WHERE number = ?",
            (new.sealed(_SAID, old.opened(_SAID, said)), number),
        )
