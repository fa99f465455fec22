"""Replace the metadata of a memory."""

from collections.abc import Sequence
from typing import ClassVar

from muniment.domain.inputs import Metadata
from muniment.domain.memory.decisions import describe
from muniment.domain.memory.events import Event
from muniment.domain.memory.state import State
from muniment.domain.ports import Desk
from muniment.domain.trust.quarantine import words

from .edit import Edit


class Describe(Edit):
    """Replace the metadata of a memory, subject time among it."""

    VERB: ClassVar[str] = "describe"
    POSITIONAL: ClassVar[tuple[str, ...]] = ("id", "metadata")

    metadata: Metadata

    def change(self, memory: State, desk: Desk) -> Sequence[Event]:
        """The decision."""
        return describe(memory, self.metadata)

    def says(self, memory: State) -> Sequence[str]:
        """The metadata that it had not."""
        return words(metadata=dict(self.metadata.items() - memory.metadata.items()))
