"""Rows in and out of the table ``events``: positions, leaves and the chain are made here."""

import sqlite3
from collections.abc import Collection, Generator, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from typing import Any
from uuid import UUID

from eventsourcing.persistence import Notification, StoredEvent
from eventsourcing.sqlite import SQLiteApplicationRecorder, SQLiteCursor

from muniment.domain import identifier
from muniment.domain.errors import Conflict, StorageFailed
from muniment.domain.moments import rfc3339

from . import chain
from .datastore import Datastore, fetch_all, typed_errors
from .removal_rows import RemovalRows
from .rows import COLUMNS, Row, StoredRow, row
from .schema import VERSION_TAKEN
from .tail import Head, Tail, Values

_COLUMNS = ", ".join(COLUMNS)
_INSERT = (
    f"INSERT INTO events ({_COLUMNS}, leaf, chain)"  # noqa: S608
    f" VALUES ({', '.join('?' * (len(COLUMNS) + 2))})"
)
_SELECT = f"SELECT {_COLUMNS} FROM events"  # noqa: S608
_STREAMS_AT_ONCE = 200
_HEAD = "SELECT position, chain, recorded_at FROM events ORDER BY position DESC LIMIT 1"
_BEGUN = "SELECT recorded_at FROM events ORDER BY position LIMIT 1"
_BEGUN_WITH = """
    SELECT stream FROM events
    WHERE name IN ('proposal.made', 'token.issued') AND name = ? AND space = ? AND recorded_at >= ?
    ORDER BY position
"""
_AT = "SELECT recorded_at FROM events WHERE position <= ? ORDER BY position DESC LIMIT 1"
_LEAVES = "SELECT leaf FROM events WHERE position > ? AND position <= ? ORDER BY position"
_LEAVES_AT_ONCE = 5_000


class Recorder(SQLiteApplicationRecorder):
    """The library's recorder over our table.

    Args:
        datastore: The database.
        store_id: What the chain begins with.
    """

    datastore: Datastore

    def __init__(self, datastore: Datastore, store_id: str) -> None:
        super().__init__(datastore, "events")
        self.select_max_notification_id_statement = "SELECT MAX(position) FROM events"
        self._genesis = chain.genesis(store_id)
        self.removals = RemovalRows(self._reading)
        self.tail: Tail | None = None
        """What the writer's open unit of work has appended; None outside one."""

    def construct_create_table_statements(self) -> list[str]:
        """None: ``schema`` makes the tables."""
        return []

    def head(self) -> Head:
        """The head as this thread's transaction sees it."""
        with typed_errors(), self.datastore.transaction(commit=False) as cursor:
            return self._read_head(cursor)

    def _read_head(self, cursor: SQLiteCursor) -> Head:
        found = fetch_all(cursor, _HEAD, (), damaged=_replaced)
        if not found:
            return Head(0, self._genesis, None)
        head = Head(*found[0])
        if head.position < 1:  # no log ends there: its last page is gone
            raise StorageFailed(
                "log.db is damaged at its end: restore it from a backup.", code="corrupt"
            )
        return head

    def begin(self, head: Head) -> Tail:
        """Says where the open unit of work stands, so that an append need not look.

        Only the holder of the log's lock may say so, inside its unit of work, and ends it by
        ``tail = None``.
        """
        self.tail = Tail(head, _insert)
        return self.tail

    @contextmanager
    def _reading(self) -> Generator[SQLiteCursor, None, None]:
        """A transaction that sees what this thread's unit of work has appended."""
        with typed_errors(), self.datastore.transaction(commit=False) as cursor:
            if self.tail is not None and self.datastore.is_in_unit_of_work:
                self.tail.write(cursor)
            yield cursor

    def _insert_events(
        self,
        c: SQLiteCursor,
        stored_events: Sequence[StoredEvent],
        **_: Any,
    ) -> Sequence[int] | None:
        if not stored_events:
            return []
        head = self.tail.head if self.tail is not None else self._read_head(c)
        position, link, recorded_at = head.position, head.chain, head.recorded_at
        values: list[Values] = []
        for stored in stored_events:
            assert isinstance(stored, StoredRow)  # noqa: S101 (our mapper makes nothing else)
            position += 1
            one = Row(position, *stored.row[1:])
            leaf = chain.leaf(one.envelope, one.facts, one.payload)
            link = chain.link(link, leaf)
            recorded_at = one.recorded_at
            values.append((*one, leaf, link))
        if self.tail is None:
            _insert(c, values)
        else:
            self.tail.append(values, Head(position, link, recorded_at))
        return range(head.position + 1, position + 1)

    def select_events(
        self,
        originator_id: UUID | str,
        *,
        gt: int | None = None,
        lte: int | None = None,
        desc: bool = False,
        limit: int | None = None,
    ) -> Sequence[StoredEvent]:
        """The rows of one stream, by version."""
        where, values = ["stream = ?"], [originator_id]
        if gt is not None:
            where.append("version > ?")
            values.append(gt)  # type: ignore[arg-type]
        if lte is not None:
            where.append("version <= ?")
            values.append(lte)  # type: ignore[arg-type]
        statement = f"{_SELECT} WHERE {' AND '.join(where)} ORDER BY version"
        if desc:
            statement += " DESC"
        if limit is not None:
            statement += f" LIMIT {int(limit)}"
        return [StoredRow.of(found) for found in self._rows(statement, values)]

    def select_streams_events(self, streams: Sequence[str]) -> list[Row]:
        """The rows of several streams, each stream's together and by version."""
        found: list[Row] = []
        for start in range(0, len(streams), _STREAMS_AT_ONCE):
            some = streams[start : start + _STREAMS_AT_ONCE]
            marks = ", ".join("?" * len(some))
            found += self._rows(
                f"{_SELECT} WHERE stream IN ({marks}) ORDER BY stream, version", some
            )
        return found

    def select_command(self, command_id: str) -> Sequence[Row]:
        """The rows that a command with an idempotency key appended, by position."""
        return self._rows(
            f"{_SELECT} WHERE length(command_id) = 32 AND command_id = ? ORDER BY position",
            [command_id],
        )

    def select_streams(self, digits: str, limit: int) -> list[str]:
        """Streams whose ids end in at least 8 hex digits, the last 8 of which are looked up."""
        with self._reading() as cursor:
            cursor.execute(
                "SELECT stream FROM events WHERE version = 1 AND substr(stream, -8) = ?",
                [digits[-8:]],
            )
            return identifier.ending((stream for (stream,) in cursor.fetchall()), digits)[:limit]

    def select_memories(self, space: str, until: int) -> list[tuple[str, int]]:
        """The memories that began in a space up to a position, each with that of its beginning."""
        with self._reading() as cursor:
            cursor.execute(
                "SELECT stream, position FROM events WHERE version = 1 AND space = ?"
                " AND position <= ? AND name GLOB 'memory.*' ORDER BY position",
                [space, until],
            )
            return [(stream, position) for stream, position in cursor.fetchall()]

    def select_begun(self, space: str, name: str, since: datetime | None) -> list[str]:
        """The streams of a space that begin with an event of a name, by position."""
        with self._reading() as cursor:
            cursor.execute(_BEGUN_WITH, [name, space, "" if since is None else rfc3339(since)])
            return [stream for (stream,) in cursor.fetchall()]

    def spaces(self) -> list[str]:
        """The spaces of all events, by name."""
        with self._reading() as cursor:
            cursor.execute("SELECT DISTINCT space FROM events WHERE version = 1 ORDER BY space")
            return [space for (space,) in cursor.fetchall()]

    def select_actors(self, space: str, until: int) -> list[tuple[str, str, str, int]]:
        """Who did a space's events up to a position: since when, until when, how many.

        Who was first comes first.
        """
        with self._reading() as cursor:
            cursor.execute(
                "SELECT actor, MIN(recorded_at), MAX(recorded_at), COUNT(*) FROM events"
                " WHERE space = ? AND position <= ? GROUP BY actor ORDER BY MIN(position)",
                [space, until],
            )
            return [tuple(found) for found in cursor.fetchall()]

    def select_touched(
        self, space: str, *, after: int, until: int, begun_after: int, limit: int
    ) -> list[tuple[str, int]]:
        """The memories of a space with events past a position and up to another.

        Each comes with the position of its first event among those, by which they are in order;
        only such past ``begun_after`` are told, ``limit`` at most.
        """
        with self._reading() as cursor:
            cursor.execute(
                "SELECT stream, MIN(position) AS first FROM events"
                " WHERE position > ? AND position <= ? AND space = ? AND name GLOB 'memory.*'"
                " GROUP BY stream HAVING first > ? ORDER BY first LIMIT ?",
                [after, until, space, begun_after, limit],
            )
            return [(stream, first) for stream, first in cursor.fetchall()]

    def spaces_of(self, streams: Collection[str]) -> list[tuple[str, str]]:
        """Some streams with the spaces that they began in."""
        with self._reading() as cursor:
            found: list[tuple[str, str]] = []
            for stream in streams:
                cursor.execute(
                    "SELECT stream, space FROM events WHERE stream = ? AND version = 1", [stream]
                )
                found += cursor.fetchall()
            return found

    def select_named(self, space: str, names: Sequence[str]) -> list[Row]:
        """The rows of a space that have one of some names, by position."""
        marks = ", ".join("?" * len(names))
        return self._rows(
            f"{_SELECT} WHERE space = ? AND name IN ({marks}) ORDER BY position", [space, *names]
        )

    def names_keys(self) -> bool:
        """Whether any words in the log are under a key."""
        with self._reading() as cursor:
            cursor.execute("SELECT 1 FROM events WHERE key_id IS NOT NULL LIMIT 1")
            return cursor.fetchone() is not None

    def select_key_ids(self) -> set[int]:
        """The ids of all keys that words in the log are under."""
        with self._reading() as cursor:
            cursor.execute("SELECT DISTINCT key_id FROM events WHERE key_id IS NOT NULL")
            return {key_id for (key_id,) in cursor.fetchall()}

    def key_of(self, stream: str) -> int | None:
        """The id of the key that a stream's words are under; None for one without words."""
        with self._reading() as cursor:
            cursor.execute(
                "SELECT key_id FROM events WHERE stream = ? AND key_id IS NOT NULL"
                " ORDER BY version LIMIT 1",
                [stream],
            )
            found = cursor.fetchone()
            return found[0] if found else None

    def chain_at(self, position: int) -> bytes | None:
        """The chain after a position; None where there is no such row."""
        if position == 0:
            return self._genesis
        with self._reading() as cursor:
            cursor.execute("SELECT chain FROM events WHERE position = ?", [position])
            found = cursor.fetchone()
            return found[0] if found and isinstance(found[0], bytes) else None

    def begun_at(self) -> str | None:
        """The recorded time of the first event; None where there is none."""
        with self._reading() as cursor:
            found = fetch_all(cursor, _BEGUN, (), damaged=_replaced)
            return str(found[0][0]) if found else None

    def recorded_at(self, position: int) -> str | None:
        """The recorded time of the event at a position, or of the last before it; None: none is."""
        with self._reading() as cursor:
            return _recorded_at(cursor, position)

    def position_at(self, moment: datetime) -> int:
        """The last position recorded by a moment; 0 where there is none.

        Recorded times never fall, so it is found by halving.
        """
        wanted = rfc3339(moment)
        with self._reading() as cursor:
            least, most = 0, self._read_head(cursor).position
            while least < most:
                middle = (least + most + 1) // 2
                if (_recorded_at(cursor, middle) or "") <= wanted:
                    least = middle
                else:
                    most = middle - 1
        return least

    def leaves(self, *, after: int, until: int) -> Iterator[list[bytes]]:
        """The leaves past a position and up to another, as stored, a section at a time.

        Raises:
            StorageFailed: ``log_not_intact`` where one is missing.
        """
        while after < until:
            last = min(until, after + _LEAVES_AT_ONCE)
            with self._reading() as cursor:
                cursor.execute(_LEAVES, [after, last])
                found = [leaf for (leaf,) in cursor.fetchall()]
            if len(found) != last - after or not all(isinstance(leaf, bytes) for leaf in found):
                raise StorageFailed(
                    f"Rows are missing after position {after:,}: run verify.", code="log_not_intact"
                )
            yield found
            after = last

    def rows(
        self,
        *,
        after: int = 0,
        until: int | None = None,
        space: str | None = None,
        names: Sequence[str] | None = None,
    ) -> Iterator[Row]:
        """Rows by position, read as they are asked for, a section at a time.

        ``names`` are GLOB patterns, such as ``session.*``, of the events that are wanted.
        """
        section = 1_000
        where = "position > ? AND position <= ?" + (" AND space = ?" if space is not None else "")
        if names is not None:
            where += f" AND ({' OR '.join(['name GLOB ?'] * len(names))})"
        statement = f"{_SELECT} WHERE {where} ORDER BY position LIMIT {section}"
        last = until if until is not None else 2**62
        while True:
            values: list[object] = [after, last]
            if space is not None:
                values.append(space)
            values += names or ()
            found = self._rows(statement, values)
            yield from found
            if len(found) < section:
                return
            after = found[-1].position

    def _rows(self, statement: str, values: Sequence[object]) -> list[Row]:
        with self._reading() as cursor:
            found = fetch_all(cursor, statement, values, damaged=_replaced)
            return [row(values) for values in found]

    def select_notifications(
        self,
        start: int | None,
        limit: int,
        stop: int | None = None,
        topics: Sequence[str] = (),
        *,
        inclusive_of_start: bool = True,
    ) -> Sequence[Notification]:
        """The library's view of the log, for its notification log; it leaves the envelope out."""
        after = (start or 0) - (1 if inclusive_of_start else 0)
        notifications: list[Notification] = []
        for found in self.rows(after=after, until=stop):
            if len(notifications) == limit:
                break
            if not topics or found.name in topics:
                notifications.append(
                    Notification(
                        originator_id=found.stream,
                        originator_version=found.version,
                        topic=found.name,
                        state=found.payload or b"",
                        id=found.position,
                    )
                )
        return notifications

    def size_in_bytes(self) -> int:
        """Bytes of the pages that the database takes."""
        with self._reading() as cursor:
            cursor.execute("SELECT page_count * page_size FROM pragma_page_count, pragma_page_size")
            return int(cursor.fetchone()[0])


def _recorded_at(cursor: SQLiteCursor, position: int) -> str | None:
    found = fetch_all(cursor, _AT, (position,), damaged=_replaced)
    return str(found[0][0]) if found else None


def _replaced(text: bytes) -> str:
    return text.decode(errors="replace")


def _insert(cursor: SQLiteCursor, values: Sequence[Values]) -> None:
    try:
        cursor.executemany(_INSERT, values)
    except sqlite3.IntegrityError as error:
        if VERSION_TAKEN in str(error):
            raise Conflict(
                "The stream moved meanwhile: read it again and decide again.",
                code="version_conflict",
            ) from error
        raise
