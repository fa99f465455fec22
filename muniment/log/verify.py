"""Is the log whole and unaltered? Asked of the stored rows alone: no key of the vault is needed.

Checked are the shape of every row, positions without a gap, each stream contiguous from version 1,
each leaf, the chain, times that never fall, that the triggers which make the log append-only are
there, and every checkpoint beside the log: its signature, and that the log was what it says. What
only a checkpoint kept elsewhere can show, the result says when there was none.
"""

import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from operator import gt
from typing import Any, TypeAlias

from . import chain, schema
from .datastore import fetch_all, typed
from .findings import Finding, Findings
from .merkle import Frontier
from .notes import Checkpoint
from .rows import COLUMNS
from .shelf import Against, given
from .store import Store
from .witnesses import Witnesses

_Row: TypeAlias = tuple[Any, ...]

_SECTION = 1_000
_ENVELOPE = 12  # the columns before facts
_TIME = 5
_ROWS = (
    f"SELECT {', '.join(COLUMNS)}, leaf, chain FROM events"  # noqa: S608
    " WHERE position > ? ORDER BY position LIMIT ?"
)
# the envelope as SQLite writes it: no text of it is made in Python, and the leaf proves its types
_FAST_ROWS = (
    "SELECT position, CAST(recorded_at AS BLOB),"  # noqa: S608
    f" CAST(json_array({', '.join(COLUMNS[:_ENVELOPE])}) AS BLOB), facts, payload, leaf, chain"
    " FROM events WHERE position > ? ORDER BY position LIMIT ?"
)
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
class Verification:
    """The result: ``events`` rows were read, up to position ``head``.

    ``root`` is the RFC 6962 root over the leaves and ``chain`` the end of the chain, both in hex.
    ``checkpoints`` counts those that the log was compared with. ``not_ruled_out`` says, a sentence
    each, what may be wrong for all that could be compared.
    """

    intact: bool
    events: int
    root: str
    head: int
    chain: str
    findings: tuple[Finding, ...]
    checkpoints: int = 0
    not_ruled_out: tuple[str, ...] = ()


def verify(store: Store, against: Against | None = None) -> Verification:
    """Reads the whole log, in memory that does not grow with it.

    Args:
        store: The log; its checkpoints lie beside it.
        against: A checkpoint that was kept elsewhere.

    Raises:
        Invalid: ``checkpoint_malformed`` or ``checkpoint_unreadable``: ``against`` is none.
        StorageFailed: The disk fails, or another program holds the database. What is damaged is a
            finding, not an error.
    """
    reading = _Reading(store, None if against is None else given(against, "against"))
    try:
        while reading.take_in():
            pass
        reading.end()
    except sqlite3.DatabaseError as error:
        if error.sqlite_errorcode & 0xFF not in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB):
            raise typed(error) from error
        reading.findings.add("damaged", reading.position + 1)
    return reading.result()


class _Reading:
    """What was read of a log so far, and what was found."""

    def __init__(self, store: Store, given: Checkpoint | None) -> None:
        self.findings = Findings()
        self.position = 0
        self._store = store
        self._events = 0
        self._after = -(2**63)
        self._recorded_at = b""
        self._link = chain.genesis(store.id)
        self._tree = Frontier()
        self._witnesses = Witnesses(store, given, self.findings)
        self._witnesses.meet(self._tree, self._link)

    def take_in(self) -> bool:
        """Reads a section more; whether there may be another.

        All its rows are proven at once where they are in order, or else one by one.
        """
        found = _fast_rows(self._store, self._after)
        if found is None or not self._prove(found):
            found = list[_Row]()
            for row in _rows(self._store, self._after):
                found.append(row)
                self._read(row)
        self._after = found[-1][0] if found else self._after
        return len(found) == _SECTION

    def _prove(self, rows: Sequence[_Row]) -> bool:
        """Takes in rows with which nothing is wrong; False where something is."""
        if not rows:
            return True
        positions, times, envelopes, facts, payloads, stored_leaves, stored_links = zip(
            *rows, strict=True
        )
        after = self.position + 1
        if (
            positions != tuple(range(after, after + len(rows)))
            or set(map(type, facts)) != {bytes}
            or not {bytes, type(None)}.issuperset(map(type, payloads))
        ):
            return False
        leaves = chain.leaves(zip(envelopes, facts, payloads, strict=True))
        links = chain.links(self._link, leaves)
        if (
            leaves != list(stored_leaves)
            or links != list(stored_links)
            or any(map(gt, (self._recorded_at, *times), times))
        ):
            return False
        self._events += len(rows)
        self.position, self._recorded_at, self._link = positions[-1], times[-1], links[-1]
        self._witnesses.extend(self._tree, leaves, links)
        return True

    def _read(self, values: _Row) -> None:
        """Takes in one row, and tells what is wrong with it."""
        self._events += 1
        if values[0] != self.position + 1:
            self.findings.add("position_gap", self.position + 1)
        self.position = values[0] if isinstance(values[0], int) else self.position + 1
        if not _is_shaped(values):
            self.findings.add("row_shape", self.position)
            self.findings.add("leaf", self.position)
            return
        facts, payload, stored_leaf, stored_link = values[_ENVELOPE:]
        if chain.leaf(list(values[:_ENVELOPE]), facts, payload) != stored_leaf:
            self.findings.add("leaf", self.position)
        if chain.link(self._link, stored_leaf) != stored_link:
            self.findings.add("chain", self.position)
        self._link = stored_link
        recorded_at = values[_TIME].encode(errors="replace")
        if recorded_at < self._recorded_at:
            self.findings.add("time_fell", self.position)
        self._recorded_at = recorded_at
        self._witnesses.extend(self._tree, [stored_leaf], [stored_link])

    def end(self) -> None:
        """All rows were read: what is asked of the log as a whole."""
        for gap in _stream_gaps(self._store):
            self.findings.add("stream_gap", gap)
        if not _is_guarded(self._store):
            self.findings.add("unguarded", self.position)
        self._witnesses.end(self._tree.size)

    def result(self) -> Verification:
        """What was found."""
        findings = self.findings.all()
        return Verification(
            not findings,
            self._events,
            self._tree.root().hex(),
            self.position,
            self._link.hex(),
            findings,
            self._witnesses.checked,
            self._witnesses.not_ruled_out(self._tree.size),
        )


def _fast_rows(store: Store, after: int) -> list[_Row] | None:
    """Position, time, envelope, facts, payload, leaf and chain; None where SQLite cannot."""
    with store.datastore.transaction(commit=False) as cursor:
        try:
            cursor.execute(_FAST_ROWS, (after, _SECTION))
            found: list[_Row] = cursor.fetchall()
        except sqlite3.DatabaseError:
            return None
        return found


def _rows(store: Store, after: int) -> Iterator[_Row]:
    with store.datastore.transaction(commit=False) as cursor:
        try:
            yield from fetch_all(cursor, _ROWS, (after, _SECTION), damaged=bytes)
        except sqlite3.DatabaseError:
            cursor.execute(_ROWS, (after, _SECTION))
            yield from cursor.sqlite_cursor  # up to the one that cannot be read
            raise


def _is_shaped(row: _Row) -> bool:
    return all(isinstance(value, kinds) for value, kinds in zip(row, _TYPES, strict=True))


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
