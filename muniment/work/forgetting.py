"""Erasure from ``work.db``: of a space, or of what names somebody.

Deleted words are overwritten (``secure_delete``), the write-ahead log is emptied, and the key that
they were sealed under is destroyed, so that no copy of the file that was made before can be read.
What stays of the space is sealed anew, under another key.
"""

import sqlite3
import unicodedata
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from typing import Final, TypeAlias

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

    def forget_space(self, space: str) -> Forgotten:
        """Erases everything of a space, and destroys its key.

        Raises:
            StorageFailed: ``read_only``, ``busy`` …; called again it goes on.
        """
        with self._database.writing() as connection:
            counts = [
                connection.execute(
                    f"SELECT count(*) FROM {table} WHERE space = ?",  # noqa: S608 (our own names)
                    (space,),
                ).fetchone()[0]
                for table in _WITH_WORDS
            ]
            _doom(connection, space)
            for table in _TABLES:
                connection.execute(
                    f"DELETE FROM {table} WHERE space = ?",  # noqa: S608 (our own names)
                    (space,),
                )
            _count_erasure(connection)
        self.finish()
        return Forgotten(*counts)

    def forget_subject(
        self, space: str, names: Collection[str], memory_ids: Collection[str] = ()
    ) -> Forgotten:
        """Erases what names somebody: every entry, turn and report in which a name stands.

        Args:
            space: Where to look.
            names: What the person goes by; compared without regard to case, anywhere in a text.
            memory_ids: Memories that are about the person: what mentions them goes too.

        Raises:
            Invalid: ``subject_invalid`` where no name and no id was given, or a blank one.
            StorageFailed: As for ``forget_space``.
        """
        wanted = [_folded(name) for name in (*names, *memory_ids)]
        wanted += [_folded(id_[-12:]) for id_ in memory_ids]
        if not wanted or not all(wanted):
            raise Invalid(
                "subject: give the names that somebody goes by.",
                code="subject_invalid",
                field="subject",
            )
        with self._database.writing() as connection:
            seal = self._seals.of(connection, space)
            if seal is None:
                return Forgotten(0, 0, 0)
            counts: list[int] = []
            for table, texts in _WITH_WORDS.items():
                numbers = [
                    (number,)
                    for number, text in texts(connection, seal, space)
                    if any(name in _folded(text) for name in wanted)
                ]
                connection.executemany(
                    f"DELETE FROM {table} WHERE number = ?",  # noqa: S608 (our own names)
                    numbers,
                )
                counts.append(len(numbers))
            connection.executemany(
                "DELETE FROM shown WHERE space = ? AND memory_id = ?",
                [(space, id_) for id_ in memory_ids],
            )
            self._reseal(connection, space, seal)
            _count_erasure(connection)
        self.finish()
        return Forgotten(*counts)

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


def _doom(connection: sqlite3.Connection, space: str) -> None:
    connection.execute(
        "INSERT OR IGNORE INTO doomed SELECT key_id FROM spaces WHERE space = ?", (space,)
    )


def _count_erasure(connection: sqlite3.Connection) -> None:
    connection.execute("UPDATE marks SET value = value + 1 WHERE name = 'erasures'")


def _folded(text: str) -> str:
    return unicodedata.normalize("NFKC", text).casefold().strip()
