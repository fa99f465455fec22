"""Bring an archived memory back into recall."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from muniment.domain.errors import NotFound
from muniment.domain.identity import TRUST
from muniment.domain.inputs import MemoryId, Version
from muniment.domain.memory import merging
from muniment.domain.memory.decisions import require_version, restore
from muniment.domain.memory.events import Quarantined
from muniment.domain.memory.state import State
from muniment.domain.memory.view import Memory, view
from muniment.domain.ports import Append, Outcome
from muniment.domain.trust.quarantine import held_back, notice, quarantine, words

from .command import Command, Work


@dataclass(frozen=True, slots=True)
class Restored:
    """The memory after it, and what the caller should know."""

    memory: Memory
    warnings: tuple[str, ...]


def found(work: Work, id_: str) -> State | None:
    """The memory of an id; None where an import named what was not imported with it."""
    try:
        return work.memory(id_)
    except NotFound:
        return None


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
        taken_out = merging.retractions(memory, lambda id_: found(work, id_))
        # what was archived when it was imported was not judged yet; a person vouches by restoring
        signs = held_back(
            max(memory.trust, TRUST[work.identity.source_type]),
            words(
                memory.content,
                memory.category,
                memory.source.ref,
                tags=memory.tags,
                metadata=memory.metadata,
            ),
            enabled=work.rules.distrust.enabled,
        )
        return [
            Append(memory.id, memory.version, [*events, *quarantine(signs)]),
            *(Append(result.id, result.version, retracted) for result, retracted in taken_out),
        ]

    def answer(self, outcome: Outcome) -> Restored:
        """The memory as it is after the command."""
        desk = outcome.desk
        memory = desk.memory(self.id)
        warnings: tuple[str, ...] = ()
        if not outcome.recorded:
            warnings = ("already_live: it was in recall all along",)
        for recorded in outcome.recorded[1:]:
            if isinstance(recorded.event, Quarantined):
                warnings = (*warnings, notice(recorded.event))
            if desk.memory(recorded.stream).condition == "live":
                into = recorded.stream
                said_too = f"live_merge_source: {into}, which it was merged into, says it too"
                warnings = (*warnings, said_too)
        return Restored(view(memory, desk.now, desk.rules.decay), warnings)
