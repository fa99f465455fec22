"""Entries of working memory in ``work.db``."""

import sqlite3
from collections.abc import Iterable
from datetime import datetime
from typing import Any

from muniment.domain.errors import Refused
from muniment.domain.working.entries import Heading, WorkingEntry
from muniment.domain.working.keys import namespace_of

from .database import Database
from .sealing import Seal, Seals
from .times import stored, told

_HEADING, _VALUE, _NAME, _NAMESPACE = "heading", "value", "entry", "namespace"


class Entries:
    """What is kept for a while under a key. What has expired is in no answer."""

    def __init__(self, database: Database, seals: Seals) -> None:
        self._database = database
        self._seals = seals

    def put(self, space: str, entry: WorkingEntry, *, limit: int) -> None:
        """Stores an entry in place of what is under its key.

        Raises:
            Refused: ``namespace_full`` where it would be one more than ``limit``.
        """
        with self._database.writing() as connection:
            seal = self._seals.made(connection, space)
            name = seal.name(_NAME, entry.key)
            namespace = seal.name(_NAMESPACE, namespace_of(entry.key))
            (others,) = connection.execute(
                "SELECT count(*) FROM entries"
                " WHERE space = ? AND namespace = ? AND name != ? AND expires_at > ?",
                (space, namespace, name, stored(entry.stored_at)),
            ).fetchone()
            if others >= limit and not _is_there(connection, space, name, entry.stored_at):
                raise Refused(
                    f"{namespace_of(entry.key)} has {others} entries, and may have {limit}:"
                    " overwrite one, or wait until one has expired.",
                    code="namespace_full",
                    field="key",
                )
            # a fresh number: searches know by it that the text is another
            connection.execute("DELETE FROM entries WHERE space = ? AND name = ?", (space, name))
            connection.execute(
                "INSERT INTO entries"
                " (space, name, namespace, stored_at, expires_at, heading, value)"
                " VALUES (?, ?, ?, ?, ?, ?, ?)",
                (
                    space,
                    name,
                    namespace,
                    stored(entry.stored_at),
                    stored(entry.expires_at),
                    seal.sealed(_HEADING, [entry.key, entry.writer, entry.category, entry.tags]),
                    seal.sealed(_VALUE, entry.value),
                ),
            )

    def get(self, space: str, key: str, now: datetime) -> WorkingEntry | None:
        """The entry under a full key; None where there is none, or none any longer."""
        with self._database.reading() as connection:
            seal = self._seals.of(connection, space)
            if seal is None:
                return None
            row = connection.execute(
                "SELECT stored_at, expires_at, heading, value FROM entries"
                " WHERE space = ? AND name = ? AND expires_at > ?",
                (space, seal.name(_NAME, key), stored(now)),
            ).fetchone()
            if row is None:
                return None
            heading = _heading(seal, row[:3])
            return _entry(heading, seal.opened(_VALUE, row[3]))

    def headings(self, space: str, now: datetime) -> dict[int, Heading]:
        """Every entry of a space by its number, without the values, newest first."""
        with self._database.reading() as connection:
            seal = self._seals.of(connection, space)
            if seal is None:
                return {}
            rows = connection.execute(
                "SELECT number, stored_at, expires_at, heading FROM entries"
                " WHERE space = ? AND expires_at > ? ORDER BY stored_at DESC, number DESC",
                (space, stored(now)),
            )
            return {number: _heading(seal, row) for number, *row in rows}

    def values(self, space: str, numbers: Iterable[int]) -> dict[int, str]:
        """The values of entries by their numbers; those that are gone meanwhile are left out."""
        with self._database.reading() as connection:
            seal = self._seals.of(connection, space)
            if seal is None:
                return {}
            found: dict[int, str] = {}
            for number in numbers:
                row = connection.execute(
                    "SELECT value FROM entries WHERE number = ? AND space = ?", (number, space)
                ).fetchone()
                if row is not None:
                    found[number] = seal.opened(_VALUE, row[0])
            return found


def texts(connection: sqlite3.Connection, seal: Seal, space: str) -> Iterable[tuple[int, str]]:
    """All words of each entry of a space, for whoever looks for a name in them."""
    for number, heading, value in connection.execute(
        "SELECT number, heading, value FROM entries WHERE space = ?", (space,)
    ):
        key, writer, category, tags = seal.opened(_HEADING, heading)
        words = [key, writer, category or "", *tags, seal.opened(_VALUE, value)]
        yield number, "\n".join(words)


def _is_there(connection: sqlite3.Connection, space: str, name: bytes, now: datetime) -> bool:
    return (
        connection.execute(
            "SELECT 1 FROM entries WHERE space = ? AND name = ? AND expires_at > ?",
            (space, name, stored(now)),
        ).fetchone()
        is not None
    )


def _heading(seal: Seal, row: Any) -> Heading:
    stored_at, expires_at, sealed = row
    key, writer, category, tags = seal.opened(_HEADING, sealed)
    return Heading(
        key=key,
        writer=writer,
        category=category,
        tags=tuple(tags),
        stored_at=told(stored_at),
        expires_at=told(expires_at),
    )


def _entry(heading: Heading, value: str) -> WorkingEntry:
    return WorkingEntry(
        key=heading.key,
        writer=heading.writer,
        category=heading.category,
        tags=heading.tags,
        stored_at=heading.stored_at,
        expires_at=heading.expires_at,
        value=value,
    )


def reseal(connection: sqlite3.Connection, space: str, old: Seal, new: Seal) -> None:
    """Puts the entries of a space under another seal."""
    for number, sealed, value in connection.execute(
        "SELECT number, heading, value FROM entries WHERE space = ?", (space,)
    ).fetchall():
        words = old.opened(_HEADING, sealed)
        connection.execute(
            "UPDATE entries SET name = ?, namespace = ?, heading = ?, value = ? WHERE number = ?",
            (
                new.name(_NAME, words[0]),
                new.name(_NAMESPACE, namespace_of(words[0])),
                new.sealed(_HEADING, words),
                new.sealed(_VALUE, old.opened(_VALUE, value)),
                number,
            ),
        )


def sweep(connection: sqlite3.Connection, now: datetime) -> None:
    """Deletes what has expired."""
    connection.execute("DELETE FROM entries WHERE expires_at <= ?", (stored(now),))
