"""Put a memory under a legal hold, and lift it."""

from collections.abc import Sequence
from typing import Annotated, ClassVar

from pydantic import Field

from muniment.domain.inputs import Line
from muniment.domain.memory.events import Event
from muniment.domain.memory.retiring import hold, release_hold
from muniment.domain.memory.state import State
from muniment.domain.ports import Desk

from .edit import Edit


class Hold(Edit):
    """Put a memory under a legal hold: nothing may remove its words until it is lifted."""

    VERB: ClassVar[str] = "hold"
    POSITIONAL: ClassVar[tuple[str, ...]] = ("id", "reason")

    reason: Annotated[Line, Field(min_length=1, max_length=2_000, description="Why, in a line.")]

    def change(self, memory: State, desk: Desk) -> Sequence[Event]:
        """The decision."""
        return hold(memory, self.reason)


class ReleaseHold(Edit):
    """Lift the legal hold on a memory."""

    VERB: ClassVar[str] = "release_hold"

    def change(self, memory: State, desk: Desk) -> Sequence[Event]:
        """The decision."""
        return release_hold(memory)
