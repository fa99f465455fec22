"""Remove the words of memories that were archived longer than they are kept.

A purge is asked for, then the key is destroyed, then that is recorded: two commands, with the key
between them. Whatever happens in between, the second can be given again.
"""

from collections.abc import Sequence
from typing import ClassVar

from muniment.domain.inputs import MemoryId
from muniment.domain.memory.retiring import complete_purge, request_purge
from muniment.domain.ports import Append, Outcome

from .command import Command, Work


class RequestPurge(Command):
    """Ask for the key of a memory to be destroyed, if it is due and nothing protects it."""

    VERB: ClassVar[str] = "purge"

    id: MemoryId

    def decide(self, work: Work) -> Sequence[Append]:
        """Decides anew, at the moment of the append, whether it is due."""
        memory = work.memory(self.id)
        events = request_purge(memory, now=work.now, retention=work.rules.retention)
        return [Append(memory.id, memory.version, events)] if events else []

    def answer(self, outcome: Outcome) -> str | None:
        """The id, or None where nothing was asked for."""
        return outcome.recorded[0].stream if outcome.recorded else None


class CompletePurge(Command):
    """Record that the key of a memory has been destroyed."""

    VERB: ClassVar[str] = "purge"

    id: MemoryId

    def decide(self, work: Work) -> Sequence[Append]:
        """Nothing where it is recorded already."""
        memory = work.memory(self.id)
        events = complete_purge(memory)
        return [Append(memory.id, memory.version, events)] if events else []

    def answer(self, outcome: Outcome) -> str | None:
        """The id, or None where it was recorded before."""
        return outcome.recorded[0].stream if outcome.recorded else None
