"""What an erasure is, by its events."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime

from ..recorded import Recorded
from .events import Completed, Requested


@dataclass(frozen=True, slots=True)
class Erasure:
    """An erasure as its events say it is; ``completed_at`` is None while it is under way."""

    id: str
    space: str
    version: int
    requested_by: str
    requested_at: datetime
    request: Requested
    completed_at: datetime | None = None
    key_backups_until: datetime | None = None


def erasure(events: Iterable[Recorded]) -> Erasure | None:
    """The erasure of a stream; None where it is none, or its request cannot be read."""
    found: Erasure | None = None
    for recorded in events:
        event = recorded.event
        if isinstance(event, Requested):
            found = Erasure(
                recorded.stream,
                recorded.space,
                recorded.version,
                recorded.actor,
                recorded.recorded_at,
                event,
            )
        elif isinstance(event, Completed) and found is not None:
            found = replace(
                found,
                version=recorded.version,
                completed_at=recorded.recorded_at,
                key_backups_until=event.key_backups_until,
            )
    return found
