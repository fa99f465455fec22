"""Where commands and queries read memories: straight from the log, by id or the tail of one."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import UTC, datetime
from typing import TypeVar

from muniment.domain import identifier
from muniment.domain.errors import Invalid, NotFound
from muniment.domain.identity import Identity
from muniment.domain.memory.state import State
from muniment.domain.recorded import Recorded
from muniment.domain.rules import Rules

from .store import Store

S = TypeVar("S")


class LogDesk:
    """Reads for one identity at one moment.

    Args:
        store: The log.
        identity: Who asks; memories of other spaces are not found.
        now: The moment that readings go by.
        rules: The figures that decisions go by.
    """

    def __init__(self, store: Store, identity: Identity, now: datetime, rules: Rules) -> None:
        self._store = store
        self.identity = identity
        self.now = now
        self.rules = rules

    def memory(self, name: str) -> State:
        """The memory of an id, or of an unambiguous tail of at least 8 of its hex digits."""
        state = self._load(self.resolve(name))
        if state is None or state.space != self.identity.space:
            raise _not_found(name)
        return state

    def found(self, ids: Iterable[str]) -> dict[str, State]:
        """The memories of whole ids, those that the space has."""
        return {
            id_: state
            for id_ in ids
            if (state := self._load(id_)) is not None and state.space == self.identity.space
        }

    def history(self, stream: str) -> list[Recorded]:
        """Every event of a stream, oldest first; without words once their removal was asked for."""
        return self._store.history(stream)

    def facts(self, *names: str) -> Iterator[Recorded]:
        """The space's events of some names, by position; their words read blank."""
        return self._store.facts(self.identity.space, names)

    def _load(self, stream: str) -> State | None:
        return self._store.memory(stream)

    def begun(self, name: str, *, since: datetime | None = None) -> list[str]:
        """The streams of the space that an event of a name began, oldest first."""
        return self._store.rows.select_begun(self.identity.space, name, since)

    def states(
        self, streams: Sequence[str], evolve: Callable[[S | None, Recorded], S | None]
    ) -> dict[str, S]:
        """What whole ids of the space stand for, folded from their events."""

        def within(state: S | None, recorded: Recorded) -> S | None:
            return evolve(state, recorded) if recorded.space == self.identity.space else state

        return self._store.folded(streams, within)

    def resolve(self, name: str) -> str:
        """The whole id that a name stands for; that it is known is not said by this.

        Raises:
            Invalid: ``id_invalid`` or ``id_ambiguous``.
            NotFound: No memory of the space ends like that.
        """
        given = identifier.digits(name)
        if len(given) == identifier.WHOLE:
            return identifier.written(given)
        here = [
            stream
            for stream in self._store.rows.select_streams(given, limit=1_000)
            if (state := self._load(stream)) is not None and state.space == self.identity.space
        ]
        if not here:
            raise _not_found(name)
        if len(here) > 1:
            raise Invalid(
                f"{len(here)} ids end in {name!r}: give more of the one you mean.",
                code="id_ambiguous",
                field="id",
            )
        return here[0]


def _not_found(name: str) -> NotFound:
    return NotFound(f"There is no memory {name!r} in this space.", field="id")


def read_clock(moment: object) -> datetime:
    """What a clock said, in UTC.

    Raises:
        Invalid: ``clock_invalid`` where it told no time, ``timezone_required`` where no time zone.
    """
    if not isinstance(moment, datetime):
        raise Invalid(
            "The clock tells no time: return aware datetimes.", code="clock_invalid", field="clock"
        )
    if moment.tzinfo is None:
        raise Invalid(
            "The clock tells naive times: return aware ones.",
            code="timezone_required",
            field="clock",
        )
    return moment.astimezone(UTC)
