"""What the three hashes of every event cost by themselves: the limit of what verifies a log."""

import sqlite3
from hashlib import sha256
from pathlib import Path
from typing import Any

from pydantic_core import to_json

from muniment.log.rows import COLUMNS

from .measuring import timed

_SECTION = 10_000
_ROWS = (
    f"SELECT {', '.join(COLUMNS)}, leaf, chain FROM events"
    " WHERE position > ? ORDER BY position LIMIT ?"
)


def bare(path: Path) -> float:
    """Microseconds of processor time to hash the events of a store, the bytes at hand."""
    connection = sqlite3.connect((path / "log.db").as_uri() + "?mode=ro", uri=True)
    spent, after = 0.0, 0
    while rows := connection.execute(_ROWS, (after, _SECTION)).fetchall():
        spent += _section(rows)
        after = rows[-1][0]
    connection.close()
    return spent


def _section(rows: list[tuple[Any, ...]]) -> float:
    hashed = [
        (
            b"\x00" + to_json(row[:12]) + row[12] + row[14],
            row[13] or b"",
            b"\x02" + row[15] + row[14],
        )
        for row in rows
    ]

    def hash_all() -> None:
        for leaf, payload, link in hashed:
            sha256(payload).digest()
            sha256(leaf).digest()
            sha256(link).digest()

    return timed(hash_all).cpu
