"""Replace the tags of a memory."""

from collections.abc import Sequence
from typing import ClassVar

from muniment.domain.inputs import Tags
from muniment.domain.memory.decisions import retag
from muniment.domain.memory.events import Event
from muniment.domain.memory.state import State
from muniment.domain.ports import Desk

from .edit import Edit


class Retag(Edit):
    """Replace the tags of a memory."""

    VERB: ClassVar[str] = "retag"
    POSITIONAL: ClassVar[tuple[str, ...]] = ("id", "tags")

    tags: Tags

    def change(self, memory: State, desk: Desk) -> Sequence[Event]:
        """The decision."""
        return retag(memory, self.tags)

    def says(self, memory: State) -> Sequence[str]:
        """The tags that it had not."""
        return [tag for tag in self.tags if tag not in memory.tags]
