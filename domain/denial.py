"""What is recorded of requests that a role did not allow, and how often it is said."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import ClassVar, Final

from .identity import Role

SAID_EVERY: Final = timedelta(minutes=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Denied:
    """The actor asked ``count`` times for ``operation``, which its ``role`` may not."""

    NAME: ClassVar[str] = "access.denied"
    SCHEMA: ClassVar[int] = 1

    operation: str
    role: Role
    count: int


@dataclass(frozen=True, slots=True)
class Tally:
    """Denials of one actor and operation: when one was last recorded, how many were not yet."""

    said_at: datetime
    unsaid: int = 0


def tallied(before: Tally | None, now: datetime) -> tuple[Tally, int]:
    """The tally after one more denial, and how many are to be recorded now.

    The first is recorded at once. Those of the minute after are counted, and recorded together with
    the first that comes later, so that whoever tries again and again does not fill the log.
    """
    if before is None:
        return Tally(now), 1
    if abs(now - before.said_at) < SAID_EVERY:
        return Tally(before.said_at, before.unsaid + 1), 0
    return Tally(now), before.unsaid + 1
