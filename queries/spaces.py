"""The spaces that there are."""

from typing import ClassVar

from muniment.domain.inputs import Input

from .reading import Reading


class ListSpaces(Input):
    """Every space that something was recorded in, by name."""

    VERB: ClassVar[str] = "space list"

    def answer(self, reading: Reading) -> list[str]:
        """Read from the log."""
        return reading.spaces()
