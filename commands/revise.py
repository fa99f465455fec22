"""Rewrite the text of a memory."""

from collections.abc import Sequence
from typing import ClassVar

from muniment.domain.identity import TRUST
from muniment.domain.inputs import Content
from muniment.domain.memory.decisions import revise
from muniment.domain.memory.events import Event
from muniment.domain.memory.state import State
from muniment.domain.ports import Desk
from muniment.domain.trust.quarantine import held_back, quarantine

from .edit import Edit


class Revise(Edit):
    """Rewrite the text of a memory; its history keeps the old one."""

    VERB: ClassVar[str] = "revise"
    POSITIONAL: ClassVar[tuple[str, ...]] = ("id", "content")

    content: Content

    def change(self, memory: State, desk: Desk) -> Sequence[Event]:
        """The decision."""
        by = desk.identity.source_type
        events = revise(memory, self.content, by)
        if not events:
            return []
        rules = desk.rules.distrust
        return [*events, *quarantine(held_back(TRUST[by], [self.content], enabled=rules.enabled))]
