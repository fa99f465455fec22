"""What was recalled in one space, to whom and when: the streams, and a row a recalled memory.

Queries and scores stay in the log; they are read for what is answered with.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from hashlib import sha256
from typing import ClassVar, NamedTuple

import numpy as np
from pydantic import BaseModel, TypeAdapter, ValidationError

from muniment.domain import recall
from muniment.domain.recall import Purged, PurgeRequested, Recalled, Stream
from muniment.domain.recorded import Recorded

from .catalog import microseconds
from .columns import Column
from .grouped import Grouped, Places
from .parts import Part, Parts, Unfit, ids, packed_ids, value

_STREAMS = TypeAdapter(list[Stream])


class _Kept(BaseModel):
    streams: list[Stream]


class Hit(NamedTuple):
    """One memory that was recalled: which version, in which stream, at which microsecond."""

    memory: str
    version: int
    stream: Stream
    at: int


class RecallLog:
    """Folds the recalls of one space; ``position`` is that of the newest event it has seen."""

    NAME: ClassVar[str] = "recall-log"
    VERSION: ClassVar[int] = 1
    READS: ClassVar[str] = "session.*"

    def __init__(self) -> None:
        self.position = 0
        self.streams: list[Stream] = []
        self._numbers: dict[str, int] = {}
        self._open: dict[tuple[str, str, str], int] = {}
        self._of_session: dict[str, list[int]] = {}
        self._of_agent: dict[str, list[int]] = {}
        self._memories: list[str] = []
        self._memory_numbers: dict[str, int] = {}
        self._stream = Column(np.int32)
        self._memory = Column(np.int32)
        self._version = Column(np.int32)
        self._at = Column(np.int64)
        self._by_stream = Grouped(self._stream)
        self._by_memory = Grouped(self._memory)

    # folding

    def apply(self, recorded: Recorded) -> None:
        """Takes in one event; one that it has seen changes nothing."""
        if recorded.position <= self.position:
            return
        self.position = recorded.position
        number = self._numbers.get(recorded.stream)
        match recorded.event:
            case Recalled() as event:
                if number is None:
                    number = self._begin(recorded, event)
                self._move(number, recorded)
                self._gather(number, event)
            case PurgeRequested() as asked if number is not None:
                self._forget(number)
                self._move(number, recorded, removal=asked)
            case Purged() if number is not None:
                self._forget(number)
                self._move(number, recorded, is_purged=True)
            case _ if number is not None:
                self._move(number, recorded)
            case _:
                pass  # it is of something else

    def _begin(self, recorded: Recorded, event: Recalled) -> int:
        made = Stream(
            id=recorded.stream,
            session=event.session if recorded.fault is None else None,
            agent=event.agent or recorded.actor,
            month=recall.month(recorded.recorded_at),
            version=recorded.version,
            newest_at=recorded.recorded_at,
        )
        self.streams.append(made)
        self._index(len(self.streams) - 1)
        return len(self.streams) - 1

    def _index(self, number: int) -> None:
        stream = self.streams[number]
        self._numbers[stream.id] = number
        self._of_agent.setdefault(stream.agent, []).append(number)
        if stream.session is not None:
            self._open[stream.session, stream.agent, stream.month] = number
            self._of_session.setdefault(stream.session, []).append(number)

    def _move(self, number: int, recorded: Recorded, **changed: object) -> None:
        stream = self.streams[number]
        if isinstance(recorded.event, Recalled):
            changed["newest_at"] = recorded.recorded_at
        self.streams[number] = replace(stream, version=recorded.version, **changed)  # type: ignore[arg-type]  # its own fields

    def _forget(self, number: int) -> None:
        """The session's name is a word of what is purged."""
        stream = self.streams[number]
        if stream.session is None:
            return
        key = stream.session, stream.agent, stream.month
        if self._open.get(key) == number:
            del self._open[key]
        left = self._of_session[stream.session]
        left.remove(number)
        if not left:
            del self._of_session[stream.session]
        self.streams[number] = replace(stream, session=None)

    def _gather(self, number: int, event: Recalled) -> None:
        for one in event.recalls:
            at = microseconds(one.at)
            for memory, version in zip(one.memories, one.versions, strict=False):
                self._stream.append(number)
                self._memory.append(self._memory_number(memory))
                self._version.append(version)
                self._at.append(at)

    def _memory_number(self, id_: str) -> int:
        number = self._memory_numbers.get(id_)
        if number is None:
            number = self._memory_numbers[id_] = len(self._memories)
            self._memories.append(id_)
        return number

    # asking

    def named(self, session: str, agent: str, month: str) -> Stream | None:
        """The stream that recalls of a session, agent and month go to; None before the first."""
        number = self._open.get((session, agent, month))
        return None if number is None else self.streams[number]

    def stream(self, id_: str) -> Stream | None:
        """The stream of an id."""
        number = self._numbers.get(id_)
        return None if number is None else self.streams[number]

    def of_agent(self, agent: str) -> list[Stream]:
        """The streams of what came into an agent's context, in the order of their beginnings."""
        return [self.streams[number] for number in self._of_agent.get(agent, ())]

    def due(self, now: datetime, retention_days: float) -> list[str]:
        """Ids of the streams that are older than recalls are kept."""
        return [one.id for one in self.streams if recall.is_due(one, now, retention_days)]

    def recalled_in(self, session: str) -> Iterator[Hit]:
        """What was recalled in a session, by whichever agent."""
        numbers = np.array(self._of_session.get(session, ()), np.int32)
        return self._hits(self._by_stream.of_all(numbers))

    def recalls_of(self, memories: Sequence[str]) -> Iterator[Hit]:
        """Every recall of some memories, those of the first, then of the next."""
        known = [self._memory_numbers[id_] for id_ in memories if id_ in self._memory_numbers]
        return self._hits(self._by_memory.of_all(np.array(known, np.int32)))

    def _hits(self, places: Places) -> Iterator[Hit]:
        columns = (self._memory, self._version, self._stream, self._at)
        for memory, version, stream, at in zip(
            *(column.view[places].tolist() for column in columns), strict=True
        ):
            yield Hit(self._memories[memory], version, self.streams[stream], at)

    # comparing and putting away

    def digest(self) -> bytes:
        """Equal for two exactly if they hold the same."""
        held = sha256(_STREAMS.dump_json(self.streams))
        held.update(repr(self._memories).encode())
        for column in self._columns().values():
            held.update(column.view.tobytes())
        return held.digest()

    def anew(self) -> "RecallLog":
        """An empty one."""
        return RecallLog()

    def dump(self) -> dict[str, Part]:
        """All that it holds; of a purged stream no name of the session."""
        parts: dict[str, Part] = {
            "position": self.position,
            "streams": _STREAMS.dump_python(self.streams, mode="json"),
            "memories": packed_ids(self._memories),
        }
        return parts | {name: column.view.copy() for name, column in self._columns().items()}

    @classmethod
    def load(cls, parts: Parts) -> "RecallLog":
        """The recall log that was put away as ``parts``.

        Raises:
            Unfit: They are not those of a recall log.
        """
        made = cls()
        made.position = value(parts, "position", int)
        try:
            made.streams = _Kept.model_validate(parts).streams
        except ValidationError as error:
            raise Unfit("streams") from error
        for number in range(len(made.streams)):
            made._index(number)
        made._memories = ids(parts, "memories")
        made._memory_numbers = {id_: number for number, id_ in enumerate(made._memories)}
        for name, column in made._columns().items():
            column.take(parts, name)
        return made

    def _columns(self) -> dict[str, Column[np.int32] | Column[np.int64]]:
        return {
            "stream": self._stream,
            "memory": self._memory,
            "version": self._version,
            "at": self._at,
        }
