"""Decide a contradiction against a memory."""

from collections.abc import Sequence
from typing import ClassVar

from muniment.domain.inputs import MemoryId
from muniment.domain.memory.events import Event
from muniment.domain.memory.merging import supersede
from muniment.domain.memory.state import State
from muniment.domain.ports import Desk

from .edit import Edit


class Supersede(Edit):
    """Decide a contradiction against a memory, in favour of another; it can be restored."""

    VERB: ClassVar[str] = "supersede"
    POSITIONAL: ClassVar[tuple[str, ...]] = ("id", "by")

    by: MemoryId

    def change(self, memory: State, desk: Desk) -> Sequence[Event]:
        """The decision."""
        return supersede(memory, desk.memory(self.by), now=desk.now, decay=desk.rules.decay)
