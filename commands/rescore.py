"""Set the importance of a memory."""

from collections.abc import Sequence
from typing import ClassVar

from muniment.domain.inputs import Importance
from muniment.domain.memory.decisions import rescore
from muniment.domain.memory.events import Event
from muniment.domain.memory.state import State
from muniment.domain.ports import Desk

from .edit import Edit


class Rescore(Edit):
    """Set the importance of a memory, 0 to 1, from which it fades anew."""

    VERB: ClassVar[str] = "rescore"
    POSITIONAL: ClassVar[tuple[str, ...]] = ("id", "importance")

    importance: Importance

    def change(self, memory: State, desk: Desk) -> Sequence[Event]:
        """The decision."""
        return rescore(memory, self.importance, now=desk.now, decay=desk.rules.decay)
