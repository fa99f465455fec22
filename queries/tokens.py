"""The access tokens of a space."""

from typing import ClassVar

from muniment.domain import access_token
from muniment.domain.access_token import Issued, Token
from muniment.domain.inputs import Input

from .reading import Reading


class ListTokens(Input):
    """Every token of this space, those that have ended too, the oldest first."""

    VERB: ClassVar[str] = "token list"

    def answer(self, reading: Reading) -> list[Token]:
        """Read from the log."""
        ids = reading.begun(Issued.NAME)
        found = reading.states(ids, access_token.evolve)
        return [found[id_] for id_ in ids]
