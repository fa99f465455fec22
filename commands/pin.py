"""Put a memory in the vault, and take it out again."""

from collections.abc import Sequence
from typing import ClassVar

from muniment.domain.memory.decisions import pin, unpin
from muniment.domain.memory.events import Event
from muniment.domain.memory.state import State
from muniment.domain.ports import Desk

from .edit import Edit


class Pin(Edit):
    """Put a memory in the vault: no policy decays, prunes or purges it."""

    VERB: ClassVar[str] = "pin"

    def change(self, memory: State, desk: Desk) -> Sequence[Event]:
        """The decision."""
        return pin(memory)


class Unpin(Edit):
    """Take a memory out of the vault."""

    VERB: ClassVar[str] = "unpin"

    def change(self, memory: State, desk: Desk) -> Sequence[Event]:
        """The decision."""
        return unpin(memory)
