"""What the domain needs from outside, and what commands are given to decide with."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from .erasure import events as erasure
from .identity import Identity
from .memory.events import Event
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
    events: Sequence[Event | erasure.Event]


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

    def found(self, ids: Iterable[str]) -> Mapping[str, State]:
        """The memories of whole ids, those that the space has."""
        ...

    def history(self, stream: str) -> list[Recorded]:
        """Every event of a stream, oldest first; without words once their removal was asked for."""
        ...

    def facts(self, *names: str) -> Iterator[Recorded]:
        """The space's events of some names, by position; their words read blank."""
        ...


class Erasable(Protocol):
    """Something besides the log that is made of the words of memories: a cache, an index."""

    def forget(self, space: str, ids: Collection[str]) -> None:
        """Leaves nothing of the words of some memories of a space, whose keys are destroyed.

        It may be told the same again: whoever was killed in between is followed by another.
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
