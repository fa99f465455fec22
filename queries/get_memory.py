"""One memory, or several, by id."""

from typing import Annotated, ClassVar

from pydantic import Field

from muniment.domain.errors import Refused
from muniment.domain.identity import Role
from muniment.domain.inputs import Input, MemoryId
from muniment.domain.memory.state import State
from muniment.domain.memory.view import Memory, view

from .reading import Reading

TRUSTED_WITH_DOUBTS: frozenset[Role] = frozenset(["owner", "auditor", "admin"])
"""Who may read what is quarantined: people. It is kept from agents lest they act on it."""


def readable(reading: Reading, name: str) -> State:
    """The memory of a name, if who asks may read it.

    Raises:
        Refused: ``quarantined``.
        MunimentError: As for ``Reading.memory``.
    """
    memory = reading.memory(name)
    is_doubted = memory.condition == "quarantined" and memory.fault is None
    if is_doubted and reading.identity.role not in TRUSTED_WITH_DOUBTS:
        raise Refused(
            "It is quarantined: only the owner may look at it.", code="quarantined", field="id"
        )
    return memory


class Get(Input):
    """One memory by id, archived ones too; of a purged one only the tombstone."""

    VERB: ClassVar[str] = "show"
    ROLES: ClassVar[frozenset[Role]] = frozenset(["owner", "main", "contributor", "service"])
    POSITIONAL: ClassVar[tuple[str, ...]] = ("id",)

    id: MemoryId

    def answer(self, reading: Reading) -> Memory:
        """The memory at the reading's moment."""
        return view(readable(reading, self.id), reading.now, reading.rules.decay)


class GetMany(Input):
    """Several memories by id, in the order asked for; at most 1,000."""

    VERB: ClassVar[str] = "get_many"
    ROLES: ClassVar[frozenset[Role]] = Get.ROLES

    ids: Annotated[tuple[MemoryId, ...], Field(max_length=1_000)]

    def answer(self, reading: Reading) -> list[Memory]:
        """The memories at the reading's moment."""
        return [
            view(readable(reading, name), reading.now, reading.rules.decay) for name in self.ids
        ]
