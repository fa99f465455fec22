"""What may be sent again: a row keeps the key that it came under, as long as it is there."""

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

from muniment.domain.retries import key_reused

from .sealing import Seal

_RETRY: Final = "retry"


@dataclass(frozen=True, slots=True)
class Retries:
    """The keys of a table: what a row holds under ``kind`` has the key, or None, at ``place``.

    Rows of the first schema hold less, and have none.
    """

    table: Literal["turns", "reports"]
    kind: str
    place: int

    def name(self, seal: Seal, said: Sequence[Any]) -> bytes | None:
        """What a row is found by; None where it came under no key."""
        key = said[self.place] if len(said) > self.place else None
        return None if key is None else seal.name(_RETRY, key)

    def earlier(
        self, connection: sqlite3.Connection, seal: Seal, space: str, said: Sequence[Any]
    ) -> tuple[int, int] | None:
        """The number and the time of the row that the same made under the same key.

        Call it in the transaction that would write another.

        Raises:
            Conflict: ``idempotency_key_reused`` where it was made by something else.
        """
        name = self.name(seal, said)
        if name is None:
            return None
        row = connection.execute(
            f"SELECT number, at, said FROM {self.table} WHERE space = ? AND retry = ?",  # noqa: S608
            (space, name),
        ).fetchone()
        if row is None:
            return None
        number, at, sealed = row
        if seal.opened(self.kind, sealed) != list(said):
            raise key_reused()
        return number, at
