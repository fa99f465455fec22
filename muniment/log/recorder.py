"""Rows in and out of the table ``events``: positions, leaves and the chain are made here."""

import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from eventsourcing.persistence import Notification, StoredEvent
from eventsourcing.sqlite import SQLiteApplicationRecorder, SQLiteCursor

from muniment.domain.errors import Conflict, StorageFailed

from . import chain
from .datastore import Datastore, fetch_all, typed_errors
from .rows import COLUMNS, Row, row
from .schema import VERSION_TAKEN

_COLUMNS = ", ".join(COLUMNS)
_INSERT = (
    f"INSERT INTO events ({_COLUMNS}, leaf, chain)"  # noqa: S608
    f" VALUES ({', '.join('?' * (len(COLUMNS) + 2))})"
)
_SELECT = f"SELECT {_COLUMNS} FROM events"  # noqa: S608
_STREAMS_AT_ONCE = 200
_HEAD = "SELECT position, chain, recorded_at FROM events ORDER BY position DESC LIMIT 1"
_BEGUN = "SELECT recorded_at FROM events ORDER BY position LIMIT 1"
_AT = "SELECT recorded_at FROM events WHERE position <= ? ORDER BY position DESC LIMIT 1"
_LEAVES = "SELECT leaf FROM events WHERE position > ? AND position <= ? ORDER BY position"
_LEAVES_AT_ONCE = 5_000
_UNFINISHED = """
    SELECT stream, space FROM events AS asked
    WHERE name IN ('memory.purge_requested', 'memory.purged') AND name = 'memory.purge_requested'
    AND NOT EXISTS (
        SELECT 1 FROM events AS done WHERE done.stream = asked.stream
        AND done.name IN ('memory.purge_requested', 'memory.purged')
        AND done.name = 'memory.purged'
    )
"""


@dataclass(frozen=True, slots=True)
class Head:
    """Where the log ends: the position (0: empty), the chain there, the newest recorded time."""

    position: int
    chain: bytes
    recorded_at: str | None


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
        self._head: Head | None = None

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

    def expect(self, head: Head | None) -> None:
        """Says where the open unit of work stands, so that an append need not look; None forgets.

        Only the holder of the log's lock may say so, inside its unit of work.
        """
        self._head = head

    @property
    def expected(self) -> Head | None:
        """Where the open unit of work stands after what it appended."""
        return self._head

    def _insert_events(
        self,
        c: SQLiteCursor,
        stored_events: Sequence[StoredEvent],
        **_: Any,
    ) -> Sequence[int] | None:
        if not stored_events:
            return []
        head = self._head or self._read_head(c)
        position, link, recorded_at = head.position, head.chain, head.recorded_at
        values: list[tuple[object, ...]] = []
        for stored in stored_events:
            assert isinstance(stored, Row)  # noqa: S101 (our mapper makes nothing else)
            position += 1
            envelope: list[int | str | None] = [
                position,
                stored.originator_id
                if isinstance(stored.originator_id, str)
                else str(stored.originator_id),
                stored.originator_version,
                stored.topic,
                stored.schema,
                stored.recorded_at,
                stored.actor,
                stored.space,
                stored.command_id,
                stored.correlation_id,
                stored.causation_id,
                stored.key_id,
            ]
            leaf = chain.leaf(envelope, stored.facts, stored.payload)
            link = chain.link(link, leaf)
            recorded_at = stored.recorded_at
            values.append((*envelope, stored.facts, stored.payload, leaf, link))
        try:
            c.executemany(_INSERT, values)
        except sqlite3.IntegrityError as error:
            if VERSION_TAKEN in str(error):
                raise Conflict(
                    "The stream moved meanwhile: read it again and decide again.",
                    code="version_conflict",
                ) from error
            raise
        if self._head is not None:
            self._head = Head(position, link, recorded_at)
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
        return self._rows(statement, values)

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

    def select_streams(self, tail: str, limit: int) -> list[str]:
        """Streams whose names end in ``tail``, whose last 8 characters are looked up."""
        with typed_errors(), self.datastore.transaction(commit=False) as cursor:
            cursor.execute(
                "SELECT stream FROM events WHERE version = 1 AND substr(stream, -8) = ?",
                [tail[-8:]],
            )
            compact = tail.replace("-", "")
            return [
                stream
                for (stream,) in cursor.fetchall()
                if stream.replace("-", "").endswith(compact)
            ][:limit]

    def select_memories(self, space: str, until: int) -> list[tuple[str, int]]:
        """The memories that began in a space up to a position, each with that of its beginning."""
        with typed_errors(), self.datastore.transaction(commit=False) as cursor:
            cursor.execute(
                "SELECT stream, position FROM events WHERE version = 1 AND space = ?"
                " AND position <= ? AND name GLOB 'memory.*' ORDER BY position",
                [space, until],
            )
            return [(stream, position) for stream, position in cursor.fetchall()]

    def select_touched(
        self, space: str, *, after: int, until: int, begun_after: int, limit: int
    ) -> list[tuple[str, int]]:
        """The memories of a space with events past a position and up to another.

        Each comes with the position of its first event among those, by which they are in order;
        only such past ``begun_after`` are told, ``limit`` at most.
        """
        with typed_errors(), self.datastore.transaction(commit=False) as cursor:
            cursor.execute(
                "SELECT stream, MIN(position) AS first FROM events"
                " WHERE position > ? AND position <= ? AND space = ? AND name GLOB 'memory.*'"
                " GROUP BY stream HAVING first > ? ORDER BY first LIMIT ?",
                [after, until, space, begun_after, limit],
            )
            return [(stream, first) for stream, first in cursor.fetchall()]

    def unfinished_removals(self) -> list[tuple[str, str]]:
        """Streams, with their spaces, whose key was to be destroyed and may not have been."""
        with typed_errors(), self.datastore.transaction(commit=False) as cursor:
            cursor.execute(_UNFINISHED)
            found: list[tuple[str, str]] = cursor.fetchall()
            return found

    def select_key_ids(self) -> set[int]:
        """The ids of all keys that words in the log are under."""
        with typed_errors(), self.datastore.transaction(commit=False) as cursor:
            cursor.execute("SELECT DISTINCT key_id FROM events WHERE key_id IS NOT NULL")
            return {key_id for (key_id,) in cursor.fetchall()}

    def key_of(self, stream: str) -> int | None:
        """The id of the key that a stream's words are under; None for one without words."""
        with typed_errors(), self.datastore.transaction(commit=False) as cursor:
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
        with typed_errors(), self.datastore.transaction(commit=False) as cursor:
            cursor.execute("SELECT chain FROM events WHERE position = ?", [position])
            found = cursor.fetchone()
            return found[0] if found and isinstance(found[0], bytes) else None

    def begun_at(self) -> str | None:
        """The recorded time of the first event; None where there is none."""
        with typed_errors(), self.datastore.transaction(commit=False) as cursor:
            found = fetch_all(cursor, _BEGUN, (), damaged=_replaced)
            return str(found[0][0]) if found else None

    def recorded_at(self, position: int) -> str | None:
        """The recorded time of the event at a position, or of the last before it; None: none is."""
        with typed_errors(), self.datastore.transaction(commit=False) as cursor:
            found = fetch_all(cursor, _AT, (position,), damaged=_replaced)
            return str(found[0][0]) if found else None

    def position_at(self, recorded_at: str) -> int:
        """The last position recorded by a time, in the log's spelling; 0 where there is none.

        Recorded times never fall, so it is found by halving.
        """
        least, most = 0, self.head().position
        while least < most:
            middle = (least + most + 1) // 2
            if (self.recorded_at(middle) or "") <= recorded_at:
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
            with typed_errors(), self.datastore.transaction(commit=False) as cursor:
                cursor.execute(_LEAVES, [after, last])
                found = [leaf for (leaf,) in cursor.fetchall()]
            if len(found) != last - after or not all(isinstance(leaf, bytes) for leaf in found):
                raise StorageFailed(
                    f"Rows are missing after position {after:,}: run verify.", code="log_not_intact"
                )
            yield found
            after = last

    def rows(
        self, *, after: int = 0, until: int | None = None, space: str | None = None
    ) -> Iterator[Row]:
        """Rows by position, read as they are asked for, a section at a time."""
        section = 1_000
        where = "position > ? AND position <= ?" + (" AND space = ?" if space is not None else "")
        statement = f"{_SELECT} WHERE {where} ORDER BY position LIMIT {section}"
        last = until if until is not None else 2**62
        while True:
            values: list[object] = [after, last]
            if space is not None:
                values.append(space)
            found = self._rows(statement, values)
            yield from found
            if len(found) < section:
                return
            after = found[-1].position

    def _rows(self, statement: str, values: Sequence[object]) -> list[Row]:
        with typed_errors(), self.datastore.transaction(commit=False) as cursor:
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
            if not topics or found.topic in topics:
                notifications.append(
                    Notification(
                        originator_id=found.originator_id,
                        originator_version=found.originator_version,
                        topic=found.topic,
                        state=found.state,
                        id=found.position,
                    )
                )
        return notifications

    def size_in_bytes(self) -> int:
        """Bytes of the pages that the database takes."""
        with typed_errors(), self.datastore.transaction(commit=False) as cursor:
            cursor.execute("SELECT page_count * page_size FROM pragma_page_count, pragma_page_size")
            return int(cursor.fetchone()[0])


def _replaced(text: bytes) -> str:
    return text.decode(errors="replace")
