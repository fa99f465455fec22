"""The log itself, as a stream of entries."""

import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any, ClassVar

import numpy as np
from pydantic import Field

from muniment.domain.access import PEOPLE, may, reads_words
from muniment.domain.erasure import events as erasure
from muniment.domain.errors import Refused
from muniment.domain.inputs import Input, Line, Moment
from muniment.domain.recorded import Recorded

from .reading import Reading
from .told import data

EVERY_SPACE = "*"
FOLLOW_EVERY = 0.2
"""Seconds between looks at the end of the log."""


@dataclass(frozen=True, slots=True)
class LogEntry:
    """One event with its envelope; ``data`` is empty where it could not be read."""

    position: int
    stream: str
    version: int
    name: str
    schema: int
    recorded_at: datetime
    actor: str
    space: str
    command_id: str
    correlation_id: str | None
    causation_id: str | None
    data: Mapping[str, Any]


class Log(Input):
    """The log by position. ``space`` is the caller's own unless named; ``*`` means all."""

    VERB: ClassVar[str] = "log"

    after: Annotated[int, Field(ge=0, lt=2**63, description="Only past this position.")] = 0
    limit: Annotated[
        Annotated[int, Field(ge=1, lt=2**63)] | None, Field(description="How many at most.")
    ] = None
    space: Annotated[Line | None, Field(description="Of this space; * for all.")] = None
    name: Annotated[Line | None, Field(description="Only events such as memory.saved.")] = None
    actor: Annotated[Line | None, Field(description="Only what this actor did.")] = None
    since: Annotated[Moment | None, Field(description="Only recorded from then on.")] = None
    until: Annotated[Moment | None, Field(description="Only recorded until then.")] = None
    follow: Annotated[bool, Field(description="Wait at the end for what comes.")] = False

    def answer(self, reading: Reading) -> Iterator[LogEntry]:
        """The entries, read as they are asked for.

        Raises:
            Refused: ``role_refused`` where an agent asks about another space.
        """
        mine = reading.identity.space
        is_of_others = self.space not in (None, mine)
        if is_of_others and not may(reading.identity.role, "every_space", reading.rules.access):
            raise Refused(
                f"The role {reading.identity.role!r} reads the log of its own space alone.",
                code="role_refused",
                field="space",
            )
        return self._entries(reading, mine if self.space is None else self.space)

    def _entries(self, reading: Reading, space: str) -> Iterator[LogEntry]:
        left, after = self.limit, self.after
        while True:
            for recorded in reading.recorded(
                after=after, until=None, space=None if space == EVERY_SPACE else space
            ):
                after = recorded.position
                if left is not None and left <= 0:
                    return
                if self.until is not None and recorded.recorded_at > self.until:
                    return  # recorded times never fall
                if self._keeps(recorded):
                    left = None if left is None else left - 1
                    yield _shown(recorded, reading)
            if not self.follow or left == 0 or reading.is_past:
                return
            time.sleep(FOLLOW_EVERY)

    def _keeps(self, recorded: Recorded) -> bool:
        return (
            (self.name is None or recorded.name == self.name)
            and (self.actor is None or recorded.actor == self.actor)
            and (self.since is None or recorded.recorded_at >= self.since)
        )


def _shown(recorded: Recorded, reading: Reading) -> LogEntry:
    """The entry, without words for those who may not read them; of what is quarantined, bare.

    The words of an erasure say whom it was about, which agents are to forget.
    """
    role = reading.identity.role
    if role not in PEOPLE and (
        isinstance(recorded.event, erasure.Requested) or _is_quarantined(recorded, reading)
    ):
        return entry(recorded, {})
    return entry(recorded, data(recorded, with_words=reads_words(role, reading.rules.access)))


def _is_quarantined(recorded: Recorded, reading: Reading) -> bool:
    with reading.lock:
        catalog = reading.catalog()
        row = catalog.rows.get(recorded.stream)
        if row is None:
            return False
        return bool(catalog.in_condition(np.array([row], np.int32), "quarantined")[0])


def entry(recorded: Recorded, told: Mapping[str, Any]) -> LogEntry:
    """A recorded event as a log entry, of which ``told`` is the data."""
    return LogEntry(
        recorded.position,
        recorded.stream,
        recorded.version,
        recorded.name,
        recorded.schema,
        recorded.recorded_at,
        recorded.actor,
        recorded.space,
        recorded.command_id,
        recorded.correlation_id,
        recorded.causation_id,
        told,
    )
