"""Who may come in, and where there is something to come to."""

from typing import TYPE_CHECKING

from muniment.queries.spaces import ListSpaces

from .base import Face

if TYPE_CHECKING:
    from muniment.tokens import Tokens


class Access(Face):
    """Tokens and spaces."""

    @property
    def tokens(self) -> "Tokens":
        """The access tokens of the store: issue, list, revoke, authenticate."""
        from muniment.tokens import Tokens

        return Tokens(self._engine, self._identity, self._authorise)

    def spaces(self) -> list[str]:
        """Every space that something was recorded in, by name."""
        self._authorise(ListSpaces)
        return self._engine.ask(ListSpaces.of(), self._identity)
