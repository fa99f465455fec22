"""Reports of tool calls in ``work.db``."""

import sqlite3
from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Any

from muniment.domain.conversation.turns import ToolReport

from .database import Database
from .retries import Retries
from .sealing import Seal, Seals
from .times import stored, told

_SAID = "report"
_RETRIES = Retries("reports", _SAID, place=5)


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
        retry: str | None = None,
    ) -> ToolReport:
        """Keeps a report; the same one once under a key in ``retry``.

        Raises:
            Conflict: ``idempotency_key_reused`` where another report came under the key.
        """
        said = [session, tool, arguments, ok, error, retry]
        with self._database.writing() as connection:
            seal = self._seals.made(connection, space)
            earlier = _RETRIES.earlier(connection, seal, space, said)
            if earlier is not None:
                return _told(*earlier, said)
            number = connection.execute(
                "INSERT INTO reports (space, at, said, retry) VALUES (?, ?, ?, ?)",
                (space, stored(now), seal.sealed(_SAID, said), _RETRIES.name(seal, said)),
            ).lastrowid
            if number is None:
                raise AssertionError("a row that was inserted has a number")
        return _told(number, stored(now), said)

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
        session, tool, arguments, _, error, *_ = seal.opened(_SAID, said)
        yield number, "\n".join([session, tool, arguments, error or ""])


def _told(number: int, at: int, said: Any) -> ToolReport:
    session, tool, arguments, ok, error, *_ = said
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
        words = old.opened(_SAID, said)
        connection.execute(
            "UPDATE reports SET said = ?, retry = ? WHERE number = ?",
            (new.sealed(_SAID, words), _RETRIES.name(new, words), number),
        )
