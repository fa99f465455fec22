"""File a memory under another category."""

from collections.abc import Sequence
from typing import Annotated, ClassVar

from pydantic import Field

from muniment.domain.inputs import Category
from muniment.domain.memory.decisions import recategorize
from muniment.domain.memory.events import Event
from muniment.domain.memory.state import State
from muniment.domain.ports import Desk
from muniment.domain.trust.quarantine import words

from .edit import Edit


class Recategorize(Edit):
    """File a memory under another category."""

    VERB: ClassVar[str] = "recategorize"
    POSITIONAL: ClassVar[tuple[str, ...]] = ("id", "category")

    category: Annotated[
        Category, Field(description="A path such as work/deploys; a blank one for none.")
    ]

    def change(self, memory: State, desk: Desk) -> Sequence[Event]:
        """The decision."""
        return recategorize(memory, self.category)

    def says(self, memory: State) -> Sequence[str]:
        """The new category."""
        return words(self.category)
