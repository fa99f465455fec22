"""Hide a memory from recall, recoverably."""

from collections.abc import Sequence
from typing import Annotated, ClassVar

from pydantic import Field

from muniment.domain.inputs import Line
from muniment.domain.memory.decisions import archive
from muniment.domain.memory.events import Event
from muniment.domain.memory.state import State
from muniment.domain.ports import Desk

from .edit import Edit


class Archive(Edit):
    """Hide a memory from recall; it is kept and can be restored."""

    VERB: ClassVar[str] = "archive"
    POSITIONAL: ClassVar[tuple[str, ...]] = ("id", "reason")

    reason: Annotated[Line, Field(min_length=1, max_length=2_000, description="Why, in words.")]

    def change(self, memory: State, desk: Desk) -> Sequence[Event]:
        """The decision."""
        return archive(
            memory,
            self.reason,
            now=desk.now,
            decay=desk.rules.decay,
            by_policy=desk.identity.role == "service",
        )
