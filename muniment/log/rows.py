"""The rows of the table ``events``, and what is about to become one."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from eventsourcing.persistence import StoredEvent

COLUMNS = (
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
    "facts",
    "payload",
)
"""The columns that are read back as a row; ``leaf`` and ``chain`` stand beside them."""


@dataclass(frozen=True, slots=True)
class Row(StoredEvent):
    """One stored event with its envelope.

    ``originator_id``, ``originator_version``, ``topic`` and ``state`` of the library are the
    stream, the version, the stored name and the payload. ``position`` is 0 until it is written.
    """

    schema: int
    recorded_at: str
    actor: str
    space: str
    command_id: str
    correlation_id: str | None
    causation_id: str | None
    key_id: int | None
    facts: bytes
    position: int = 0

    @property
    def payload(self) -> bytes | None:
        """The encrypted words; None where the event has none."""
        return self.state or None


def row(values: tuple[Any, ...]) -> Row:
    """A row from the values of ``COLUMNS``."""
    (
        position,
        stream,
        version,
        name,
        schema,
        recorded_at,
        actor,
        space,
        command_id,
        correlation_id,
        causation_id,
        key_id,
        facts,
        payload,
    ) = values
    return Row(
        stream,
        version,
        name,
        payload if isinstance(payload, bytes) else b"",
        schema,
        recorded_at,
        actor,
        space,
        command_id,
        correlation_id,
        causation_id,
        key_id,
        facts.encode() if isinstance(facts, str) else facts,
        position,
    )


@dataclass(frozen=True, slots=True)
class Pending:
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
