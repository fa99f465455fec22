"""Erasure from ``work.db``: of a space, or of what names somebody.

Deleted words are overwritten (``secure_delete``), the write-ahead log is emptied, and the key that
they were sealed under is destroyed, so that no copy of the file that was made before can be read.
What stays of the space is sealed anew, under another key.
"""

import sqlite3
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from typing import Final, TypeAlias

from muniment.domain import subjects
from muniment.domain.errors import Invalid

from . import entries, reports, turns
from .database import Database
from .sealing import Seal, Seals

_Texts: TypeAlias = Callable[[sqlite3.Connection, Seal, str], Iterable[tuple[int, str]]]

_WITH_WORDS: Final[dict[str, _Texts]] = {
    "entries": entries.texts,
    "turns": turns.texts,
    "reports": reports.texts,
}
_TABLES: Final = (*_WITH_WORDS, "cursors", "sessions", "shown", "spaces")


@dataclass(frozen=True, slots=True)
class Forgotten:
    """How many entries of working memory, turns and reports of tool calls were erased."""

    entries: int
    turns: int
    reports: int


class Forgetting:
    """What erases. Killed at any moment it is finished by ``finish``, when the file is opened."""

    def __init__(self, database: Database, seals: Seals) -> None:
        self._database = database
        self._seals = seals

    def of_space(self, space: str) -> Forgotten:
        """What ``forget_space`` would erase.

        Raises:
            StorageFailed: As for ``forget_space``.
        """
        with self._database.reading() as connection:
            return _counted(connection, space)

    def forget_space(self, space: str) -> Forgotten:
        """Erases everything of a space, and destroys its key.

        Raises:
            StorageFailed: ``read_only``, ``busy`` …; called again it goes on.
        """
        with self._database.writing() as connection:
            found = _counted(connection, space)
            _doom(connection, space)
            for table in _TABLES:
                connection.execute(
                    f"DELETE FROM {table} WHERE space = ?",  # noqa: S608 (our own names)
                    (space,),
                )
            _count_erasure(connection)
        self.finish()
        return found

    def of_subject(
        self, space: str, names: Collection[str], memory_ids: Collection[str] = ()
    ) -> Forgotten:
        """What ``forget_subject`` would erase.

        Raises:
            Invalid: As for ``forget_subject``.
            StorageFailed: As for ``forget_space``.
        """
        _require_somebody(names, memory_ids)
        with self._database.reading() as connection:
            seal = self._seals.of(connection, space)
            if seal is None:
                return Forgotten(0, 0, 0)
            found = _naming(connection, seal, space, names, memory_ids)
        return Forgotten(*map(len, found.values()))

    def forget_subject(
        self, space: str, names: Collection[str], memory_ids: Collection[str] = ()
    ) -> Forgotten:
        """Erases what names somebody: every entry, turn and report in which a name stands.

        Args:
            space: Where to look.
            names: What the person goes by, as ``subjects`` compares names: words of their own.
            memory_ids: Memories that are about the person: what mentions them goes too.

        Raises:
            Invalid: ``subject_invalid`` where no name and no id was given, or a blank one.
            StorageFailed: As for ``forget_space``.
        """
        _require_somebody(names, memory_ids)
        with self._database.writing() as connection:
            seal = self._seals.of(connection, space)
            if seal is None:
                return Forgotten(0, 0, 0)
            found = _naming(connection, seal, space, names, memory_ids)
            for table, numbers in found.items():
                connection.executemany(
                    f"DELETE FROM {table} WHERE number = ?",  # noqa: S608 (our own names)
                    [(number,) for number in numbers],
                )
            connection.executemany(
                "DELETE FROM shown WHERE space = ? AND memory_id = ?",
                [(space, id_) for id_ in memory_ids],
            )
            self._reseal(connection, space, seal)
            _count_erasure(connection)
        self.finish()
        return Forgotten(*map(len, found.values()))

    def finish(self) -> None:
        """Destroys the keys that were given up, and leaves no trace in the write-ahead log."""
        with self._database.reading() as connection:
            doomed = [key for (key,) in connection.execute("SELECT key_id FROM doomed")]
        if not doomed:
            return
        self._seals.destroy(doomed)
        self._database.scrub()
        with self._database.writing() as connection:
            connection.executemany("DELETE FROM doomed WHERE key_id = ?", [(k,) for k in doomed])

    def _reseal(self, connection: sqlite3.Connection, space: str, old: Seal) -> None:
        """Puts what stays of a space under a fresh key."""
        _doom(connection, space)
        connection.execute("DELETE FROM spaces WHERE space = ?", (space,))
        new = self._seals.made(connection, space)
        entries.reseal(connection, space, old, new)
        turns.reseal(connection, space, old, new)
        reports.reseal(connection, space, old, new)


def _counted(connection: sqlite3.Connection, space: str) -> Forgotten:
    return Forgotten(
        *(
            connection.execute(
                f"SELECT count(*) FROM {table} WHERE space = ?",  # noqa: S608 (our own names)
                (space,),
            ).fetchone()[0]
            for table in _WITH_WORDS
        )
    )


def _require_somebody(names: Collection[str], memory_ids: Collection[str]) -> None:
    wanted = [subjects.canonical(name) for name in (*names, *memory_ids)]
    if not wanted or not all(wanted):
        raise Invalid(
            "subject: give the names that somebody goes by.",
            code="subject_invalid",
            field="subject",
        )


def _naming(
    connection: sqlite3.Connection,
    seal: Seal,
    space: str,
    names: Collection[str],
    memory_ids: Collection[str],
) -> dict[str, list[int]]:
    """The numbers of the rows that have a name, or the end of an id, in their words, by table."""
    tails = [subjects.canonical(id_[-12:]) for id_ in memory_ids]

    def is_meant(text: str) -> bool:
        if any(subjects.is_named_in(text, name) for name in names):
            return True
        said = subjects.canonical(text)
        return any(tail in said for tail in tails)

    return {
        table: [number for number, text in texts(connection, seal, space) if is_meant(text)]
        for table, texts in _WITH_WORDS.items()
    }


def _doom(connection: sqlite3.Connection, space: str) -> None:
    connection.execute(
        "INSERT OR IGNORE INTO doomed SELECT key_id FROM spaces WHERE space = ?", (space,)
    )


def _count_erasure(connection: sqlite3.Connection) -> None:
    connection.execute("UPDATE marks SET value = value + 1 WHERE name = 'erasures'")
