"""Commands that change one memory: they differ in the decision alone."""

from abc import abstractmethod
from collections.abc import Sequence
from typing import ClassVar

from muniment.domain.access import is_kept_from, reads_words
from muniment.domain.identity import TRUST
from muniment.domain.inputs import MemoryId, Version
from muniment.domain.memory.decisions import require_version
from muniment.domain.memory.events import Event
from muniment.domain.memory.state import State, without_words
from muniment.domain.memory.view import Memory, view
from muniment.domain.ports import Append, Desk, Outcome
from muniment.domain.trust.quarantine import held_back, quarantine

from .command import Command, Work


class Edit(Command):
    """A command about the memory ``id``; refused where it is not at ``expected_version``."""

    POSITIONAL: ClassVar[tuple[str, ...]] = ("id",)

    id: MemoryId
    expected_version: Version | None = None

    @abstractmethod
    def change(self, memory: State, desk: Desk) -> Sequence[Event]:
        """The decision."""

    def says(self, memory: State) -> Sequence[str]:
        """The texts that it adds to those of the memory."""
        return ()

    def decide(self, work: Work) -> Sequence[Append]:
        """Loads the memory and decides on it; what it says is judged as if it were saved."""
        memory = work.memory(self.id)
        require_version(memory, self.expected_version)
        events = self.change(memory, work)
        if not events:
            return []
        trust, rules = TRUST[work.identity.source_type], work.rules.distrust
        signs = held_back(trust, self.says(memory), enabled=rules.enabled)
        return [Append(memory.id, memory.version, [*events, *quarantine(signs)])]

    def answer(self, outcome: Outcome) -> Memory:
        """The memory as it is after the command."""
        desk = outcome.desk
        name = outcome.recorded[0].stream if outcome.recorded else self.id
        memory = desk.memory(name)
        role = desk.identity.role
        if not reads_words(role, desk.rules.access) or is_kept_from(role, memory.condition):
            memory = without_words(memory)
        return view(memory, desk.now, desk.rules.decay)
