"""Is the log whole and unaltered? Asked of the stored rows alone: no key is needed.

Checked are the shape of every row, positions without a gap, each stream contiguous from version 1,
each leaf, the chain, times that never fall, and that the triggers which make the log append-only
are there. A cut-off tail shows only against a checkpoint kept elsewhere.
"""

import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from . import chain, schema
from .datastore import fetch_all, typed
from .merkle import Frontier
from .rows import COLUMNS
from .store import Store

FindingKind: TypeAlias = Literal[
    "row_shape", "position_gap", "stream_gap", "leaf", "chain", "time_fell", "unguarded", "damaged"
]

_SECTION = 5_000
_ENVELOPE = 12  # the columns before facts
_TYPES: tuple[tuple[type, ...], ...] = (
    (int,),
    (str,),
    (int,),
    (str,),
    (int,),
    (str,),
    (str,),
    (str,),
    (str,),
    (str, type(None)),
    (str, type(None)),
    (int, type(None)),
    (bytes,),
    (bytes, type(None)),
    (bytes,),
    (bytes,),
)


@dataclass(frozen=True, slots=True)
class Finding:
    """What is wrong, the first position that shows it, and at how many positions it shows."""

    kind: FindingKind
    position: int
    message: str
    count: int = 1


@dataclass(frozen=True, slots=True)
class Verification:
    """The result: ``events`` rows were read, up to position ``head``.

    ``root`` is the RFC 6962 root over the leaves and ``chain`` the end of the chain, both in hex.
    """

    intact: bool
    events: int
    root: str
    head: int
    chain: str
    findings: tuple[Finding, ...]


_MESSAGES: dict[FindingKind, str] = {
    "row_shape": "a column holds a value of another type",
    "position_gap": "a position is missing or out of order",
    "stream_gap": "a stream is not contiguous from version 1",
    "leaf": "a row is not what was hashed when it was written",
    "chain": "a row is not the one that followed its predecessor",
    "time_fell": "a recorded time lies before its predecessor's",
    "unguarded": "a trigger that makes the log append-only is missing or altered",
    "damaged": "the database file cannot be read on from here",
}


def verify(store: Store) -> Verification:
    """Reads the whole log, in memory that does not grow with it.

    Raises:
        StorageFailed: The disk fails, or another program holds the database. What is damaged is a
            finding, not an error.
    """
    found: dict[FindingKind, Finding] = {}

    def find(kind: FindingKind, position: int) -> None:
        known = found.get(kind)
        found[kind] = (
            Finding(kind, position, _MESSAGES[kind])
            if known is None
            else Finding(kind, known.position, known.message, known.count + 1)
        )

    tree = Frontier()
    link = chain.genesis(store.id)
    position, recorded_at, events = 0, "", 0
    try:
        for values in _rows(store):
            events += 1
            if values[0] != position + 1:
                find("position_gap", position + 1)
            position = values[0] if isinstance(values[0], int) else position + 1
            if not all(
                isinstance(value, kinds) for value, kinds in zip(values, _TYPES, strict=True)
            ):
                find("row_shape", position)
                find("leaf", position)
                continue
            facts, payload, stored_leaf, stored_chain = values[_ENVELOPE:]
            leaf = chain.leaf(list(values[:_ENVELOPE]), facts, payload)
            if leaf != stored_leaf:
                find("leaf", position)
            link = chain.link(link, stored_leaf)
            if link != stored_chain:
                find("chain", position)
                link = stored_chain
            if values[5] < recorded_at:
                find("time_fell", position)
            recorded_at = values[5]
            tree.append(stored_leaf)
        for gap in _stream_gaps(store):
            find("stream_gap", gap)
        if not _is_guarded(store):
            find("unguarded", position)
    except sqlite3.DatabaseError as error:
        if error.sqlite_errorcode & 0xFF not in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB):
            raise typed(error) from error
        find("damaged", position + 1)
    findings = tuple(sorted(found.values(), key=lambda one: (one.position, one.kind)))
    return Verification(not findings, events, tree.root().hex(), position, link.hex(), findings)


def _rows(store: Store) -> Iterator[tuple[Any, ...]]:
    statement = (
        f"SELECT {', '.join(COLUMNS)}, leaf, chain FROM events"  # noqa: S608
        " WHERE position > ? ORDER BY position LIMIT ?"
    )
    after = -(2**63)
    while True:
        with store.datastore.transaction(commit=False) as cursor:
            try:
                found = fetch_all(cursor, statement, (after, _SECTION), damaged=bytes)
            except sqlite3.DatabaseError:
                cursor.execute(statement, (after, _SECTION))
                yield from cursor.sqlite_cursor  # up to the one that cannot be read
                raise
        yield from found
        if len(found) < _SECTION:
            return
        after = found[-1][0]


def _stream_gaps(store: Store) -> list[int]:
    with store.datastore.transaction(commit=False) as cursor:
        cursor.execute(
            "SELECT stream FROM events GROUP BY stream"
            " HAVING count(*) <> max(version) OR min(version) <> 1"
        )
        streams = [stream for (stream,) in cursor.fetchall()]
        positions: list[int] = []
        for stream in streams:
            cursor.execute(
                "SELECT position, version FROM events WHERE stream = ? ORDER BY version", (stream,)
            )
            positions.append(
                next(
                    position
                    for number, (position, version) in enumerate(cursor.fetchall(), 1)
                    if version != number
                )
            )
        return sorted(positions)


def _is_guarded(store: Store) -> bool:
    with store.datastore.transaction(commit=False) as cursor:
        cursor.execute(
            "SELECT sql FROM sqlite_schema WHERE type = 'trigger' AND tbl_name = 'events'"
        )
        present = {" ".join(sql.split()) for (sql,) in cursor.fetchall()}
    return present >= schema.TRIGGERS
