"""Put a memory in the vault, and take it out again."""

from collections.abc import Sequence
from typing import Annotated, ClassVar

from pydantic import Field

from muniment.domain.inputs import Line
from muniment.domain.memory.decisions import pin, unpin
from muniment.domain.memory.events import Event
from muniment.domain.memory.state import State
from muniment.domain.ports import Desk

from .edit import Edit

Trigger = Annotated[
    Annotated[Line, Field(min_length=1, max_length=2_000)] | None,
    Field(description="The user's words that ask for it; an agent must quote them."),
]


class Pin(Edit):
    """Put a memory in the vault: no policy decays, prunes or purges it."""

    VERB: ClassVar[str] = "pin"

    trigger: Trigger = None

    def change(self, memory: State, desk: Desk) -> Sequence[Event]:
        """The decision."""
        return pin(memory, self.trigger, by_owner=desk.identity.role == "owner")


class Unpin(Edit):
    """Take a memory out of the vault."""

    VERB: ClassVar[str] = "unpin"

    trigger: Trigger = None

    def change(self, memory: State, desk: Desk) -> Sequence[Event]:
        """The decision."""
        return unpin(memory, self.trigger, by_owner=desk.identity.role == "owner")
