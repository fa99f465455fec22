"""One memory, or several, by id."""

from typing import Annotated, ClassVar

from pydantic import Field

from muniment.domain.identity import Role
from muniment.domain.inputs import Input, MemoryId
from muniment.domain.memory.view import Memory, view

from .reading import Reading


class Get(Input):
    """One memory by id, archived ones too; of a purged one only the tombstone."""

    VERB: ClassVar[str] = "show"
    ROLES: ClassVar[frozenset[Role]] = frozenset(["owner", "main", "contributor", "service"])
    POSITIONAL: ClassVar[tuple[str, ...]] = ("id",)

    id: MemoryId

    def answer(self, reading: Reading) -> Memory:
        """The memory at the reading's moment."""
        return view(reading.memory(self.id), reading.now, reading.rules.decay)


class GetMany(Input):
    """Several memories by id, in the order asked for; at most 1,000."""

    VERB: ClassVar[str] = "get_many"
    ROLES: ClassVar[frozenset[Role]] = Get.ROLES

    ids: Annotated[tuple[MemoryId, ...], Field(max_length=1_000)]

    def answer(self, reading: Reading) -> list[Memory]:
        """The memories at the reading's moment."""
        return [view(reading.memory(name), reading.now, reading.rules.decay) for name in self.ids]
