"""Where in the log a moment is: what every question about the past starts from."""

from typing import ClassVar

from muniment.domain.inputs import Input, When
from muniment.domain.moments import Point

from .reading import Reading


class AsOf(Input):
    """The point of the log that a moment or a position names.

    Anyone may name one: each question that is asked there knows who may ask it.
    """

    VERB: ClassVar[str] = "as_of"

    when: When

    def answer(self, reading: Reading) -> Point:
        """The point; of a reading of the past not one after its own."""
        return reading.point(self.when)
