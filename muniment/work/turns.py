"""Turns of conversations in ``work.db``, and what dreaming has read of them."""

import sqlite3
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from typing import Any

from muniment.domain.conversation.turns import PASSES, Speaker, Turn
from muniment.domain.errors import Invalid

from .database import Database
from .retries import Retries
from .sealing import Seal, Seals
from .sessions import SESSION, rename, touch
from .times import stored, told

_SAID = "turn"
_RETRIES = Retries("turns", _SAID, place=3)


class Turns:
    """What was said, by session, and one cursor for each pass that learns from it."""

    def __init__(self, database: Database, seals: Seals, *, idle: timedelta) -> None:
        self._database = database
        self._seals = seals
        self._idle = idle

    def append(
        self,
        space: str,
        session: str,
        role: Speaker,
        content: str,
        now: datetime,
        *,
        retry: str | None = None,
    ) -> Turn:
        """Keeps a turn; a session that was idle begins anew with it.

        Args:
            space: Where.
            session: The session that it is the newest turn of.
            role: Who said it.
            content: What was said.
            now: When.
            retry: A key under which the same turn is kept once.

        Raises:
            Conflict: ``idempotency_key_reused`` where another turn came under the key.
        """
        said = [session, role, content, retry]
        with self._database.writing() as connection:
            seal = self._seals.made(connection, space)
            earlier = _RETRIES.earlier(connection, seal, space, said)
            if earlier is not None:
                return turn(*earlier, said)
            name = seal.name(SESSION, session)
            touch(connection, space, name, now=now, idle=self._idle)
            sealed, found_by = seal.sealed(_SAID, said), _RETRIES.name(seal, said)
            number = connection.execute(
                "INSERT INTO turns (space, session, at, said, retry) VALUES (?, ?, ?, ?, ?)",
                (space, name, stored(now), sealed, found_by),
            ).lastrowid
            if number is None:
                raise AssertionError("a row that was inserted has a number")
        return turn(number, stored(now), said)

    def numbers(self, space: str, session: str | None) -> Sequence[int]:
        """The numbers of a session's turns, or of all, newest first."""
        with self._database.reading() as connection:
            seal = self._seals.of(connection, space)
            if seal is None:
                return []
            name = None if session is None else seal.name(SESSION, session)
            rows = connection.execute(
                "SELECT number FROM turns WHERE space = ? AND (? IS NULL OR session = ?)"
                " ORDER BY number DESC",
                (space, name, name),
            )
            return [number for (number,) in rows]

    def get_many(self, space: str, numbers: Iterable[int]) -> dict[int, Turn]:
        """Turns by their numbers; those that are gone are left out."""
        found: dict[int, Turn] = {}
        with self._database.reading() as connection:
            seal = self._seals.of(connection, space)
            if seal is None:
                return {}
            for number in numbers:
                row = connection.execute(
                    "SELECT number, at, said FROM turns WHERE number = ? AND space = ?",
                    (number, space),
                ).fetchone()
                if row is not None:
                    found[number] = opened(seal, row)
        return found

    def unread(self, space: str, pass_: str, limit: int) -> list[Turn]:
        """The oldest turns that a pass has not passed yet."""
        with self._database.reading() as connection:
            seal = self._seals.of(connection, space)
            if seal is None:
                return []
            rows = connection.execute(
                "SELECT number, at, said FROM turns WHERE space = ? AND number > coalesce("
                "(SELECT number FROM cursors WHERE space = ? AND pass = ?), 0)"
                " ORDER BY number LIMIT ?",
                (space, space, _known(pass_), limit),
            )
            return [opened(seal, row) for row in rows]

    def passed(self, space: str, pass_: str, number: int) -> None:
        """A pass has succeeded over every turn up to a number; its cursor never moves back."""
        with self._database.writing() as connection:
            connection.execute(
                "INSERT INTO cursors VALUES (?, ?, ?) ON CONFLICT (space, pass)"
                " DO UPDATE SET number = max(number, excluded.number)",
                (space, _known(pass_), number),
            )


def sweep(
    connection: sqlite3.Connection, now: datetime, *, retention: timedelta, idle: timedelta
) -> None:
    """Deletes turns past their retention, and those that every pass has read of idle sessions."""
    connection.execute("DELETE FROM turns WHERE at <= ?", (stored(now - retention),))
    connection.execute(
        "DELETE FROM turns WHERE number <= coalesce("
        "(SELECT min(number) FROM cursors WHERE cursors.space = turns.space"
        " GROUP BY space HAVING count(*) = ?), 0)"
        " AND NOT EXISTS (SELECT 1 FROM sessions WHERE sessions.space = turns.space"
        " AND sessions.session = turns.session AND touched_at > ?)",
        (len(PASSES), stored(now - idle)),
    )


def texts(connection: sqlite3.Connection, seal: Seal, space: str) -> Iterable[tuple[int, str]]:
    """All words of each turn of a space, for whoever looks for a name in them."""
    for number, said in connection.execute(
        "SELECT number, said FROM turns WHERE space = ?", (space,)
    ):
        session, _, content, *_ = seal.opened(_SAID, said)
        yield number, f"{session}\n{content}"


def window(
    connection: sqlite3.Connection, seal: Seal, space: str, session: str, limit: int
) -> tuple[Turn, ...]:
    """The latest turns of a session since it began, oldest first."""
    name = seal.name(SESSION, session)
    rows = connection.execute(
        "SELECT number, at, said FROM turns WHERE space = ? AND session = ? AND number > coalesce("
        "(SELECT begun_after FROM sessions WHERE space = ? AND session = ?), 0)"
        " ORDER BY number DESC LIMIT ?",
        (space, name, space, name, limit),
    ).fetchall()
    return tuple(opened(seal, row) for row in reversed(rows))


def opened(seal: Seal, row: Any) -> Turn:
    """The turn of a row."""
    number, at, said = row
    return turn(number, at, seal.opened(_SAID, said))


def turn(number: int, at: int, said: Any) -> Turn:
    """The turn of what a row holds; the key that it came under, if any, is no part of it."""
    session, role, content, *_ = said
    return Turn(session=session, role=role, content=content, at=told(at), number=number)


def _known(pass_: str) -> str:
    if pass_ not in PASSES:
        raise Invalid(
            f"pass: {pass_!r} is none: use {', '.join(PASSES)}.", code="pass_invalid", field="pass"
        )
    return pass_


def reseal(connection: sqlite3.Connection, space: str, old: Seal, new: Seal) -> None:
    """Puts the turns of a space, and what stands under their sessions, under another seal."""
    sessions: set[str] = set()
    for number, said in connection.execute(
        "SELECT number, said FROM turns WHERE space = ?", (space,)
    ).fetchall():
        words = old.opened(_SAID, said)
        sessions.add(words[0])
        name, found_by = (
            new.name(SESSION, words[0]),
            _RETRIES.name(new, words),
        )
        connection.execute(
            "UPDATE turns SET session = ?, said = ?, retry = ? WHERE number = ?",
            (name, new.sealed(_SAID, words), found_by, number),
        )
    rename(connection, space, {old.name(SESSION, s): new.name(SESSION, s) for s in sessions})
