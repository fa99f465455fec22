"""The log itself, as a stream of entries."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any, ClassVar

from pydantic import Field

from muniment.domain.identity import Role
from muniment.domain.inputs import Input, Line, Moment
from muniment.domain.recorded import Recorded

from .reading import Reading
from .told import data

EVERY_SPACE = "*"


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
    ROLES: ClassVar[frozenset[Role]] = frozenset(["owner", "main", "auditor", "admin"])

    after: Annotated[int, Field(ge=0, lt=2**63, description="Only past this position.")] = 0
    limit: Annotated[
        Annotated[int, Field(ge=1, lt=2**63)] | None, Field(description="How many at most.")
    ] = None
    space: Annotated[Line | None, Field(description="Of this space; * for all.")] = None
    name: Annotated[Line | None, Field(description="Only events such as memory.saved.")] = None
    actor: Annotated[Line | None, Field(description="Only what this actor did.")] = None
    since: Annotated[Moment | None, Field(description="Only recorded from then on.")] = None
    until: Annotated[Moment | None, Field(description="Only recorded until then.")] = None

    def answer(self, reading: Reading) -> Iterator[LogEntry]:
        """The entries, read as they are asked for."""
        space = reading.identity.space if self.space is None else self.space
        left = self.limit
        for recorded in reading.recorded(
            after=self.after, until=None, space=None if space == EVERY_SPACE else space
        ):
            if left is not None and left <= 0:
                return
            if self.until is not None and recorded.recorded_at > self.until:
                return  # recorded times never fall
            if self._keeps(recorded):
                if left is not None:
                    left -= 1
                yield entry(recorded)

    def _keeps(self, recorded: Recorded) -> bool:
        return (
            (self.name is None or recorded.name == self.name)
            and (self.actor is None or recorded.actor == self.actor)
            and (self.since is None or recorded.recorded_at >= self.since)
        )


def entry(recorded: Recorded) -> LogEntry:
    """A recorded event as a log entry."""
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
        data(recorded),
    )
