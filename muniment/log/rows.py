"""The rows of the table ``events``, and what is about to become one."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

from eventsourcing.persistence import StoredEvent


class Row(NamedTuple):
    """One stored event with its envelope: the columns of the table, in its order.

    ``position`` is 0 until it is written. ``payload`` is the encrypted words; None where the event
    has none. ``leaf`` and ``chain`` stand beside these in the table. A named tuple, because a
    replay makes one of each event.
    """

    position: int
    stream: str
    version: int
    name: str
    schema: int
    recorded_at: str
    actor: str
    space: str
    command_id: str
    correlation_id: str | None
    causation_id: str | None
    key_id: int | None
    facts: bytes
    payload: bytes | None

    @property
    def envelope(self) -> tuple[int | str | None, ...]:
        """All but the facts and the payload."""
        return self[:_ENVELOPE]  # type: ignore[return-value]  # the bytes come after


_ENVELOPE = 12

COLUMNS = Row._fields
"""The columns that are read back as a row."""


def row(values: tuple[Any, ...]) -> Row:
    """A row from the values of ``COLUMNS``, as much of it as damage left."""
    facts, payload = values[_ENVELOPE:]
    if isinstance(facts, bytes) and (payload is None or isinstance(payload, bytes)):
        return Row._make(values)
    return Row._make(
        (
            *values[:_ENVELOPE],
            facts if isinstance(facts, bytes) else str(facts).encode(),
            payload if isinstance(payload, bytes) else None,
        )
    )


@dataclass(frozen=True, slots=True)
class StoredRow(StoredEvent):
    """A row as the library hands it on; what the library knows of it is said twice."""

    row: Row

    @classmethod
    def of(cls, row: Row) -> "StoredRow":
        """The library's view of a row."""
        return cls(row.stream, row.version, row.name, row.payload or b"", row)


class Pending(NamedTuple):
    """An event on its way into the log; the library's protocol asks for the first two names.

    ``request`` is the canonical form of the command, where it came with an idempotency key.
    """

    originator_id: str
    originator_version: int
    event: Any
    recorded_at: datetime
    actor: str
    space: str
    command_id: str
    correlation_id: str | None
    causation_id: str | None
    request: bytes | None
