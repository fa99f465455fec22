"""The end of the log while a unit of work is open: where it stands, and rows not yet in the table.

Rows are written together, at the end or before the unit of work reads: a statement for each event
would give up the interpreter's lock, and win it back from every thread that waits to save. A turn
that is undone leaves nothing; only one that was written in part needs a savepoint.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from eventsourcing.sqlite import SQLiteCursor

Values: TypeAlias = tuple[object, ...]
"""What a row is inserted with."""

Insert: TypeAlias = Callable[[SQLiteCursor, Sequence[Values]], None]


@dataclass(frozen=True, slots=True)
class Head:
    """Where the log ends: the position (0: empty), the chain there, the newest recorded time."""

    position: int
    chain: bytes
    recorded_at: str | None


class Tail:
    """What one unit of work has appended.

    Args:
        head: Where the log ended when it began.
        insert: Inserts rows.
    """

    def __init__(self, head: Head, insert: Insert) -> None:
        self.head = head
        """Where the log ends, all that was appended included."""
        self._insert = insert
        self._waiting: list[Values] = []
        self._turn_began: Head | None = None
        self._waited_before_turn = 0
        self._has_savepoint = False

    def append(self, values: Sequence[Values], head: Head) -> None:
        """Takes rows; ``head`` is where the log ends after them."""
        self._waiting += values
        self.head = head

    def begin_turn(self) -> None:
        """What is appended from here on can be undone by itself."""
        self._turn_began = self.head
        self._waited_before_turn = len(self._waiting)

    def undo_turn(self, cursor: SQLiteCursor) -> None:
        """Forgets what was appended since the turn began, and ends it."""
        if self._has_savepoint:
            cursor.execute("ROLLBACK TO turn")
            self._waiting.clear()
        else:
            del self._waiting[self._waited_before_turn :]
        if self._turn_began is not None:
            self.head = self._turn_began
        self.end_turn(cursor)

    def end_turn(self, cursor: SQLiteCursor) -> None:
        """Lets what was appended since the turn began stand."""
        if self._has_savepoint:
            cursor.execute("RELEASE turn")
            self._has_savepoint = False
        self._turn_began = None

    def write(self, cursor: SQLiteCursor) -> None:
        """Writes what waits; within a turn, so that its own part can still be undone.

        Raises:
            Conflict: ``version_conflict``.
        """
        if self._turn_began is not None:
            self._insert_first(self._waited_before_turn, cursor)
            if self._waiting and not self._has_savepoint:
                cursor.execute("SAVEPOINT turn")
                self._has_savepoint = True
            self._waited_before_turn = 0
        self._insert_first(len(self._waiting), cursor)

    def _insert_first(self, count: int, cursor: SQLiteCursor) -> None:
        if count:
            self._insert(cursor, self._waiting[:count])
            del self._waiting[:count]
