"""Bring an archived memory back into recall."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from muniment.domain.inputs import MemoryId, Version
from muniment.domain.memory.decisions import require_version, restore
from muniment.domain.memory.view import Memory, view
from muniment.domain.ports import Append, Outcome

from .command import Command, Work


@dataclass(frozen=True, slots=True)
class Restored:
    """The memory after it, and what the caller should know."""

    memory: Memory
    warnings: tuple[str, ...]


class Restore(Command):
    """Bring an archived or superseded memory back into recall."""

    VERB: ClassVar[str] = "restore"
    POSITIONAL: ClassVar[tuple[str, ...]] = ("id",)

    id: MemoryId
    expected_version: Version | None = None

    def decide(self, work: Work) -> Sequence[Append]:
        """Loads the memory and decides on it."""
        memory = work.memory(self.id)
        require_version(memory, self.expected_version)
        events = restore(memory)
        return [Append(memory.id, memory.version, events)] if events else []

    def answer(self, outcome: Outcome) -> Restored:
        """The memory as it is after the command."""
        desk = outcome.desk
        memory = desk.memory(self.id)
        warnings = () if outcome.recorded else ("already_live: it was in recall all along",)
        return Restored(view(memory, desk.now, desk.rules.decay), warnings)
