"""What the domain needs from outside, and what commands are given to decide with."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from .identity import Identity
from .memory.state import State
from .recorded import Recorded
from .rules import Rules


class Clock(Protocol):
    """Tells the time."""

    def __call__(self) -> datetime:
        """The moment, aware."""
        ...


@dataclass(frozen=True, slots=True)
class Append:
    """Events that a decision adds to a stream, which was at ``version`` (0: it is new)."""

    stream: str
    version: int
    events: Sequence[object]


class Desk(Protocol):
    """Where memories are read: the log as it stands, an open transaction's events included."""

    @property
    def identity(self) -> Identity:
        """Who asks."""
        ...

    @property
    def now(self) -> datetime:
        """The moment that decisions and readings go by, in UTC."""
        ...

    @property
    def rules(self) -> Rules:
        """The figures that decisions go by."""
        ...

    def memory(self, name: str) -> State:
        """The memory of an id, or of an unambiguous tail of at least 8 of its hex digits.

        Raises:
            Invalid: ``id_invalid`` or ``id_ambiguous``.
            NotFound: The space holds none of that name.
        """
        ...


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a command: the events that it appended, and the desk to read from.

    ``repeated`` says that an earlier run under the same idempotency key appended them.
    """

    recorded: Sequence[Recorded]
    desk: Desk
    repeated: bool = False
