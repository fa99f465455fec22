"""What the log says of words that are to be removed: asked for, done, or not done yet."""

from collections.abc import Callable
from contextlib import AbstractContextManager

from eventsourcing.sqlite import SQLiteCursor

# the list of names is what the partial index of each subject is found by, word for word
_MEMORY_REMOVALS = "name IN ('memory.purge_requested', 'memory.purged')"
_RECALL_REMOVALS = "name IN ('session.purge_requested', 'session.purged')"
_WORDS_REMOVALS = "name IN ('words.purge_requested', 'words.purged')"
_ERASURES = "name IN ('erasure.requested', 'erasure.completed')"


def _unfinished(names: str, asked: str, done: str) -> str:
    return f"""
        SELECT stream, space FROM events AS asked WHERE {names} AND name = '{asked}'
        AND NOT EXISTS (
            SELECT 1 FROM events AS done WHERE done.stream = asked.stream
            AND done.{names} AND done.name = '{done}'
        )
    """  # noqa: S608 (our own names)


_UNFINISHED_MEMORIES = _unfinished(_MEMORY_REMOVALS, "memory.purge_requested", "memory.purged")
_UNFINISHED_RECALLS = _unfinished(_RECALL_REMOVALS, "session.purge_requested", "session.purged")
_UNFINISHED_WORDS = _unfinished(_WORDS_REMOVALS, "words.purge_requested", "words.purged")
_UNFINISHED_ERASURES = _unfinished(_ERASURES, "erasure.requested", "erasure.completed")
_REMOVED = f"""
    SELECT stream FROM events WHERE {_MEMORY_REMOVALS}
    UNION SELECT stream FROM events WHERE {_WORDS_REMOVALS}
"""  # noqa: S608 (our own names)
_NEWEST_REMOVAL = f"""
    SELECT max(position) FROM (
        SELECT max(position) AS position FROM events
        WHERE {_MEMORY_REMOVALS} AND name = 'memory.purge_requested'
        UNION ALL SELECT max(position) FROM events
        WHERE {_WORDS_REMOVALS} AND name = 'words.purge_requested'
    )
"""  # noqa: S608 (our own names)


class RemovalRows:
    """Looks up, in a transaction of ``reading``, the requests for words to be removed.

    Streams come with the spaces that they are in.
    """

    def __init__(self, reading: Callable[[], AbstractContextManager[SQLiteCursor]]) -> None:
        self._reading = reading

    def unfinished_memories(self) -> list[tuple[str, str]]:
        """Memories whose key was to be destroyed and may not have been."""
        return self._unfinished(_UNFINISHED_MEMORIES)

    def unfinished_recalls(self) -> list[tuple[str, str]]:
        """Streams of recalls of which retention wants the same."""
        return self._unfinished(_UNFINISHED_RECALLS)

    def unfinished_words(self) -> list[tuple[str, str]]:
        """Streams other than memories' of which an erasure wants the same."""
        return self._unfinished(_UNFINISHED_WORDS)

    def unfinished_erasures(self) -> list[tuple[str, str]]:
        """Erasures that were asked for and not recorded as done."""
        return self._unfinished(_UNFINISHED_ERASURES)

    def _unfinished(self, statement: str) -> list[tuple[str, str]]:
        with self._reading() as cursor:
            cursor.execute(statement)
            found: list[tuple[str, str]] = cursor.fetchall()
            return found

    def streams(self) -> set[str]:
        """Streams whose words are removed, or about to be; but for recalls by retention."""
        with self._reading() as cursor:
            cursor.execute(_REMOVED)
            return {stream for (stream,) in cursor.fetchall()}

    def newest(self) -> int:
        """The position of the newest event that asks for words to be removed; 0 without one.

        But for recalls by retention.
        """
        with self._reading() as cursor:
            cursor.execute(_NEWEST_REMOVAL)
            return cursor.fetchone()[0] or 0
