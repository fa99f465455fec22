"""Hide a memory until a person vouches for it, and let it out again."""

from collections.abc import Sequence
from typing import Annotated, ClassVar

from pydantic import Field

from muniment.domain.inputs import Line
from muniment.domain.memory.events import Event
from muniment.domain.memory.retiring import quarantine, release
from muniment.domain.memory.state import State
from muniment.domain.ports import Desk

from .edit import Edit


class Quarantine(Edit):
    """Hide a memory from recall until a person says that it may be trusted."""

    VERB: ClassVar[str] = "quarantine"
    POSITIONAL: ClassVar[tuple[str, ...]] = ("id", "reason")

    reason: Annotated[Line, Field(min_length=1, max_length=2_000, description="Why, in a line.")]

    def change(self, memory: State, desk: Desk) -> Sequence[Event]:
        """The decision."""
        by_policy = desk.identity.role == "service"
        return quarantine(memory, self.reason, "policy" if by_policy else "request")


class Release(Edit):
    """Let a memory out of quarantine."""

    VERB: ClassVar[str] = "release"

    def change(self, memory: State, desk: Desk) -> Sequence[Event]:
        """The decision."""
        return release(memory)
