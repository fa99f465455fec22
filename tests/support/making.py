"""Events on their way into a log, made up for tests."""

from datetime import UTC, datetime, timedelta
from itertools import count
from typing import Any

from muniment.domain.memory import events
from muniment.log.rows import Pending

START = datetime(2026, 3, 3, 12, 0, 0, tzinfo=UTC)
_numbers = count(1)


def new_stream() -> str:
    return f"01980000-0000-7000-8000-{next(_numbers):012x}"


def saved(content: str = "The build runs on Fridays", **changed: Any) -> events.Saved:
    given: dict[str, Any] = {
        "content": content,
        "store": "semantic",
        "chars": len(content),
        "importance": 0.5,
        "trust": 3,
        "source_type": "owner",
    }
    return events.Saved(**(given | changed))


def extended(addition: str) -> events.Extended:
    return events.Extended(addition=addition, chars=1, importance=0.5, trust=3, source_type="owner")


def pending(
    event: object,
    stream: str | None = None,
    version: int = 1,
    *,
    at: datetime | None = None,
    space: str = "default",
    actor: str = "manual",
    command_id: str | None = None,
    correlation_id: str | None = None,
    causation_id: str | None = None,
    request: bytes | None = None,
) -> Pending:
    number = next(_numbers)
    return Pending(
        stream or new_stream(),
        version,
        event,
        at or START + timedelta(seconds=number),
        actor,
        space,
        command_id or f"01980000-0000-7000-9000-{number:012x}",
        correlation_id,
        causation_id,
        request,
    )
