"""Rewrite the text of a memory."""

from collections.abc import Sequence
from typing import ClassVar

from muniment.domain.inputs import Content
from muniment.domain.memory.decisions import revise
from muniment.domain.memory.events import Event
from muniment.domain.memory.state import State
from muniment.domain.ports import Desk

from .edit import Edit


class Revise(Edit):
    """Rewrite the text of a memory; its history keeps the old one."""

    VERB: ClassVar[str] = "revise"
    POSITIONAL: ClassVar[tuple[str, ...]] = ("id", "content")

    content: Content

    def change(self, memory: State, desk: Desk) -> Sequence[Event]:
        """The decision."""
        return revise(memory, self.content, desk.identity.source_type)

    def says(self, memory: State) -> Sequence[str]:
        """The new text."""
        return (self.content,)
