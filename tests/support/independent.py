"""What the log promises, computed a second time without any of its code."""

import hashlib
import json
import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

ENVELOPE = (
    "position",
    "stream",
    "version",
    "name",
    "schema",
    "recorded_at",
    "actor",
    "space",
    "command_id",
    "correlation_id",
    "causation_id",
    "key_id",
)
COLUMNS = (*ENVELOPE, "facts", "payload", "leaf", "chain")


def digest(data: bytes) -> bytes:
    return hashlib.sha256(data).digest()


def canonical(envelope: Sequence[object]) -> bytes:
    return json.dumps(list(envelope), separators=(",", ":"), ensure_ascii=False).encode()


def leaf(envelope: Sequence[object], facts: bytes, payload: bytes | None) -> bytes:
    return digest(b"\x00" + canonical(envelope) + facts + digest(payload or b""))


def link(previous: bytes, of_leaf: bytes) -> bytes:
    return digest(b"\x02" + previous + of_leaf)


def genesis(store_id: str) -> bytes:
    return digest(b"\x03" + store_id.encode())


def merkle_root(leaves: Sequence[bytes]) -> bytes:
    """RFC 6962 §2.1, word for word, over leaf hashes."""
    if not leaves:
        return digest(b"")
    if len(leaves) == 1:
        return leaves[0]
    k = 1
    while k * 2 < len(leaves):
        k *= 2
    return digest(b"\x01" + merkle_root(leaves[:k]) + merkle_root(leaves[k:]))


@dataclass(frozen=True)
class Stored:
    """One row as the table holds it."""

    envelope: tuple[object, ...]
    facts: bytes
    payload: bytes | None
    leaf: bytes
    chain: bytes

    def __getitem__(self, column: str) -> object:
        return self.envelope[ENVELOPE.index(column)]


def stored(connection: sqlite3.Connection) -> list[Stored]:
    """Every row of the table, by position."""
    found = connection.execute(f"SELECT {', '.join(COLUMNS)} FROM events ORDER BY position")
    return [Stored(row[:12], *row[12:]) for row in found.fetchall()]


def check_chain(rows: Sequence[Stored], store_id: str) -> None:
    """Asserts positions without a gap, every leaf and every link."""
    chain = genesis(store_id)
    for number, row in enumerate(rows, 1):
        assert row["position"] == number
        assert row.leaf == leaf(row.envelope, row.facts, row.payload)
        chain = link(chain, row.leaf)
        assert row.chain == chain


def raw(directory: Path) -> sqlite3.Connection:
    """A connection of nobody's making; each statement is a transaction of its own."""
    connection = sqlite3.connect(directory / "log.db", isolation_level=None)
    connection.execute("PRAGMA busy_timeout = 5000")
    return connection


TRIGGERS = ("events_no_update", "events_no_delete", "events_next")


def unguard(connection: sqlite3.Connection) -> list[str]:
    """Drops the triggers and says how to make them again."""
    made = connection.execute(
        "SELECT sql FROM sqlite_schema WHERE type = 'trigger' AND tbl_name = 'events'"
    ).fetchall()
    for name in TRIGGERS:
        connection.execute(f"DROP TRIGGER IF EXISTS {name}")
    return [sql for (sql,) in made]


def tamper(directory: Path, *statements: tuple[str, Sequence[object]]) -> None:
    """Changes the table behind the log's back and puts the triggers up again."""
    connection = raw(directory)
    try:
        triggers = unguard(connection)
        for statement, values in statements:
            connection.execute(statement, tuple(values))
        for trigger in triggers:
            connection.execute(trigger)
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    finally:
        connection.close()
