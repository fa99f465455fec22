"""One memory, or several, by id."""

from typing import Annotated, ClassVar

from pydantic import Field

from muniment.domain.access import is_kept_from
from muniment.domain.errors import Refused
from muniment.domain.identity import commits_for
from muniment.domain.inputs import Input, MemoryId
from muniment.domain.memory.state import State
from muniment.domain.memory.view import Memory, view
from muniment.domain.recorded import Recorded

from .reading import Reading


def readable(reading: Reading, name: str) -> State:
    """The memory of a name, if who asks may read it.

    Raises:
        Refused: ``quarantined``.
        MunimentError: As for ``Reading.memory``.
    """
    memory = reading.memory(name)
    if memory.fault is None and is_kept_from(reading.identity.role, memory.condition):
        raise Refused(
            "It is quarantined: only the owner may look at it.", code="quarantined", field="id"
        )
    return memory


def with_history(reading: Reading, name: str) -> tuple[State, list[Recorded]]:
    """The memory of a name and all of its events, if who asks may read them.

    Raises:
        Refused: ``quarantined``; ``role_refused`` where a sub-agent had no part in it.
        MunimentError: As for ``Reading.memory``.
    """
    memory = readable(reading, name)
    events = reading.history(memory.id)
    asking = reading.identity
    if asking.role == "contributor" and not any(
        recorded.actor in (asking.actor, commits_for(asking.actor)) for recorded in events
    ):
        raise Refused(
            f"{asking.actor} had no part in it: a sub-agent reads the history of what it proposed.",
            code="role_refused",
            field="id",
        )
    return memory, events


class Get(Input):
    """One memory by id, archived ones too; of a purged one only the tombstone."""

    VERB: ClassVar[str] = "show"
    POSITIONAL: ClassVar[tuple[str, ...]] = ("id",)

    id: MemoryId

    def answer(self, reading: Reading) -> Memory:
        """The memory at the reading's moment."""
        return view(readable(reading, self.id), reading.now, reading.rules.decay)


class GetMany(Input):
    """Several memories by id, in the order asked for; at most 1,000."""

    VERB: ClassVar[str] = "get_many"

    ids: Annotated[tuple[MemoryId, ...], Field(max_length=1_000)]

    def answer(self, reading: Reading) -> list[Memory]:
        """The memories at the reading's moment."""
        return [
            view(readable(reading, name), reading.now, reading.rules.decay) for name in self.ids
        ]
