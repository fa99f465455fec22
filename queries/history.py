"""What happened to one memory."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, ClassVar

from muniment.domain.access import reads_words
from muniment.domain.inputs import Input, MemoryId
from muniment.domain.recorded import Recorded

from .get_memory import with_history
from .reading import Reading
from .told import data, summary


@dataclass(frozen=True, slots=True)
class HistoryEntry:
    """One event of a memory; ``summary`` is a sentence for people, ``data`` the event's fields."""

    position: int
    version: int
    name: str
    recorded_at: datetime
    actor: str
    summary: str
    data: Mapping[str, Any]


class History(Input):
    """Every event of a memory, oldest first."""

    VERB: ClassVar[str] = "history"
    POSITIONAL: ClassVar[tuple[str, ...]] = ("id",)

    id: MemoryId

    def answer(self, reading: Reading) -> list[HistoryEntry]:
        """The events of the memory's stream."""
        memory, events = with_history(reading, self.id)
        with_words = reads_words(reading.identity.role, reading.rules.access)
        return entries(events, is_purged=memory.is_wordless, with_words=with_words)


def entries(
    happened: Iterable[Recorded], *, is_purged: bool, with_words: bool = True
) -> list[HistoryEntry]:
    """Events of one memory as they are told; ``is_purged``: its words were removed."""
    return [
        HistoryEntry(
            recorded.position,
            recorded.version,
            recorded.name,
            recorded.recorded_at,
            recorded.actor,
            summary(recorded, is_purged=is_purged, with_words=with_words),
            data(recorded, with_words=with_words),
        )
        for recorded in happened
    ]
