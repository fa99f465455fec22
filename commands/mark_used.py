"""Say that a recalled memory was used."""

from collections.abc import Sequence
from typing import ClassVar

from muniment.domain.memory.decisions import use
from muniment.domain.memory.events import Event
from muniment.domain.memory.state import State
from muniment.domain.ports import Desk

from .edit import Edit


class MarkUsed(Edit):
    """Say that a recalled memory was used; being found alone counts nothing."""

    VERB: ClassVar[str] = "mark_used"

    def change(self, memory: State, desk: Desk) -> Sequence[Event]:
        """The decision."""
        return use(memory)
