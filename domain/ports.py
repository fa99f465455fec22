"""What the domain needs from outside, and what commands are given to decide with."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol, TypeAlias, TypeVar

from .erasure.events import Requested
from .identity import Identity
from .memory.events import Event
from .memory.state import State
from .recorded import Recorded
from .rules import Rules

S = TypeVar("S")

Progress: TypeAlias = Callable[[int], None]
"""Is called with how many are done so far."""


class Clock(Protocol):
    """Tells the time."""

    def __call__(self) -> datetime:
        """The moment, aware."""
        ...


@dataclass(frozen=True, slots=True)
class Append:
    """Events that a decision adds to a stream, which was at ``version`` (0: it is new).

    ``actor`` is whose they are, where that is not who gave the command, and ``correlation_id`` what
    they come of, where that is not the call or the trace.
    """

    stream: str
    version: int
    events: Sequence[object]
    actor: str | None = None
    correlation_id: str | None = None

    @property
    def is_of_memory(self) -> bool:
        """Whether the stream is a memory's, so that a state comes of it."""
        return bool(self.events) and isinstance(self.events[0], Event)


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

    def begun(self, name: str, *, since: datetime | None = None) -> list[str]:
        """The streams of the space that an event of a name began, oldest first.

        ``since`` leaves out those that were begun before. For events whose beginnings the log has
        an index of.
        """
        ...

    def states(
        self, streams: Sequence[str], evolve: Callable[[S | None, Recorded], S | None]
    ) -> dict[str, S]:
        """What whole ids of the space stand for, folded from their events."""
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


@dataclass(frozen=True, slots=True)
class Removal:
    """What is removed for good from a space: memories by ids, whose keys are destroyed.

    ``erasures`` are the requests that asked for it, which may reach further than memories do; what
    retention removes has none.
    """

    space: str
    ids: Collection[str]
    erasures: Sequence[Requested] = ()


class Erasable(Protocol):
    """Something besides the log that holds words: a cache, an index, what is kept for a while."""

    def forget(self, removal: Removal) -> None:
        """Leaves nothing of the words that are removed.

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
