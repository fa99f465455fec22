"""Bring an archived memory back into recall."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from muniment.domain.errors import NotFound
from muniment.domain.inputs import MemoryId, Version
from muniment.domain.memory.decisions import require_version, restore
from muniment.domain.memory.merging import retract
from muniment.domain.memory.state import State
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
        if not events:
            return []
        return [Append(memory.id, memory.version, events), *self._retractions(memory, work)]

    def _retractions(self, memory: State, work: Work) -> list[Append]:
        """Its count is taken out of what absorbed it, and of whatever absorbed that in turn."""
        appends: list[Append] = []
        into, seen = memory.merged_into, {memory.id}
        while into is not None and into not in seen:
            seen.add(into)
            try:
                result = work.memory(into)
            except NotFound:
                break  # an import may name what was not imported with it
            events = retract(result, memory)
            if events:
                appends.append(Append(result.id, result.version, events))
            into = result.merged_into
        return appends

    def answer(self, outcome: Outcome) -> Restored:
        """The memory as it is after the command."""
        desk = outcome.desk
        memory = desk.memory(self.id)
        warnings: tuple[str, ...] = ()
        if not outcome.recorded:
            warnings = ("already_live: it was in recall all along",)
        for recorded in outcome.recorded[1:]:
            if desk.memory(recorded.stream).condition == "live":
                into = recorded.stream
                warnings = (f"live_merge_source: {into}, which it was merged into, says it too",)
        return Restored(view(memory, desk.now, desk.rules.decay), warnings)
