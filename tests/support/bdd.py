"""How tests of decisions read: given what happened, when it is decided, then these events.

    given(saved("…"), archived()).when(restore).then(Restored())

``given`` folds events into the memory that a decision is asked about. Each event happens when its
predecessor did, the first at ``START``, unless ``at`` says otherwise.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from muniment.domain.errors import MunimentError
from muniment.domain.memory.decisions import Likeness, Observation
from muniment.domain.memory.events import (
    Archived,
    Event,
    Extended,
    Imported,
    Reinforced,
    Revised,
    Saved,
    Source,
)
from muniment.domain.memory.state import State, evolve
from muniment.domain.recorded import Fault, Recorded

START = datetime(2026, 3, 3, 12, 0, tzinfo=UTC)
"""When the first event happens unless a test says otherwise."""

ID = "019500aa-0000-7000-8000-00000000abcd"
SPACE = "default"

SAME = Likeness(similarity=1.0, measure="canonical")
ALIKE = Likeness(similarity=0.7, measure="lexical")


def day(number: float) -> datetime:
    """The moment so many days after ``START``."""
    return START + timedelta(days=number)


class Clock:
    """A clock that stands still until it is told otherwise."""

    def __init__(self, now: datetime = START) -> None:
        self.now = now

    def __call__(self) -> datetime:
        return self.now

    def advance(
        self, *, days: float = 0, hours: float = 0, minutes: float = 0, seconds: float = 0
    ) -> datetime:
        """Moves it on, or back with a negative amount; says what it tells from there on."""
        self.now += timedelta(days=days, hours=hours, minutes=minutes, seconds=seconds)
        return self.now


def _filled(usual: dict[str, Any], said: dict[str, Any]) -> dict[str, Any]:
    return usual | said


# events, with everything filled in that a test is not about


def saved(content: str = "The relay listens on port 4100.", **fields: Any) -> Saved:
    """A memory of its own, said by the owner unless told otherwise."""
    return Saved(
        **_filled(
            {
                "content": content,
                "store": "semantic",
                "chars": len(content),
                "importance": 0.5,
                "trust": 3,
                "source_type": "owner",
            },
            fields,
        )
    )


def imported(content: str = "The relay listens on port 4100.", **fields: Any) -> Imported:
    """A memory brought in with its past, all of which lies at ``START`` unless told otherwise."""
    return Imported(
        **_filled(
            {
                "format": "rockbot",
                "content": content,
                "store": "semantic",
                "chars": len(content),
                "importance": 0.5,
                "trust": 3,
                "source_type": "owner",
                "created_at": START,
                "last_seen_at": START,
                "updated_at": START,
                "scored_at": START,
                "reinforcement_count": 1,
                "access_count": 1,
                "last_accessed_at": START,
            },
            fields,
        )
    )


def reinforced(importance: float = 0.5, **fields: Any) -> Reinforced:
    """The same was said again, by the owner and counted unless told otherwise."""
    return Reinforced(
        **_filled(
            {
                "counted": True,
                "importance": importance,
                "trust": 3,
                "source_type": "owner",
                "similarity": 1.0,
                "measure": "canonical",
            },
            fields,
        )
    )


def extended(addition: str = "It restarts nightly.", **fields: Any) -> Extended:
    """Specifics were added, by the owner unless told otherwise."""
    return Extended(
        **_filled(
            {
                "addition": addition,
                "chars": len(addition),
                "importance": 0.5,
                "trust": 3,
                "source_type": "owner",
                "similarity": 0.7,
                "measure": "lexical",
            },
            fields,
        )
    )


def revised(content: str = "The relay listens on port 4200.") -> Revised:
    """The text was rewritten."""
    return Revised(content=content, chars=len(content))


def archived(reason: str = "stale", *, importance: float = 0.5) -> Archived:
    """It was hidden from recall on request."""
    return Archived(cause="request", importance=importance, reason=reason)


def observation(content: str = "The relay listens on port 4100.", **fields: Any) -> Observation:
    """Something that the owner says, unless told otherwise."""
    return Observation(
        **_filled(
            {
                "content": content,
                "category": None,
                "tags": (),
                "metadata": {},
                "importance": 0.5,
                "store": "semantic",
                "trust": 3,
                "source": Source(),
            },
            fields,
        )
    )


# given, when, then


@dataclass(frozen=True, slots=True)
class Dated:
    """An event, when it happened, and what kept it from being read."""

    event: Event | None
    moment: datetime
    fault: Fault | None = None


def at(moment: datetime, event: Event | None, *, fault: Fault | None = None) -> Dated:
    """The event at a moment of its own."""
    return Dated(event, moment, fault)


def recorded(event: Event | None, moment: datetime, version: int, **envelope: Any) -> Recorded:
    """The event as the log would hold it; it is alone in its log."""
    return Recorded(
        **_filled(
            {
                "position": version,
                "stream": ID,
                "version": version,
                "name": "memory.unknown" if event is None else event.NAME,
                "schema": 1 if event is None else event.SCHEMA,
                "recorded_at": moment,
                "actor": "manual",
                "space": SPACE,
                "command_id": f"command-{version}",
                "correlation_id": None,
                "causation_id": None,
                "event": event,
            },
            envelope,
        )
    )


def folded(*events: Event | Dated) -> State | None:
    """What the events make of a memory; None where none of them begins one."""
    state: State | None = None
    moment = START
    for version, one in enumerate(events, 1):
        dated = one if isinstance(one, Dated) else Dated(one, moment)
        moment = dated.moment
        state = evolve(state, recorded(dated.event, moment, version, fault=dated.fault))
    return state


def memory(*events: Event | Dated) -> State:
    """The memory that the events make."""
    state = folded(*events)
    assert state is not None, "no event begins the memory"
    return state


class Given:
    """A memory to which something has happened."""

    def __init__(self, events: Sequence[Event | Dated]) -> None:
        self.events = tuple(events)
        self.memory = memory(*events)

    def when(self, decision: Callable[[State], Sequence[Event]]) -> When:
        """Asks a decision about the memory."""
        return When(self, decision)


class When:
    """A decision about a memory, judged by what it returns or raises."""

    def __init__(self, given: Given, decision: Callable[[State], Sequence[Event]]) -> None:
        self._given = given
        self._decision = decision

    def then(self, *events: Event) -> Given:
        """It decides on exactly these events; what they make of the memory goes on."""
        assert list(self._decision(self._given.memory)) == list(events)
        return Given((*self._given.events, *events))

    def then_holds(self, *events: Event) -> Given:
        """It decides on exactly these events, and said again, it does nothing."""
        after = self.then(*events)
        after.when(self._decision).then_nothing()
        return after

    def then_nothing(self) -> Given:
        """All is done already."""
        return self.then()

    def then_refused(
        self, family: type[MunimentError], *, code: str, field: str | None = "id"
    ) -> None:
        """It refuses, with this error."""
        try:
            events = self._decision(self._given.memory)
        except MunimentError as error:
            assert (type(error), error.code, error.field) == (family, code, field)  # noqa: PT017
            return
        raise AssertionError(f"expected {family.__name__} {code}, but it decided {events!r}")


def given(*events: Event | Dated) -> Given:
    """A memory to which the events have happened, oldest first."""
    return Given(events)
