"""End an access token."""

from collections.abc import Sequence
from typing import ClassVar

from muniment.domain import access_token, identifier
from muniment.domain.access_token import Issued, Token
from muniment.domain.errors import Invalid, NotFound
from muniment.domain.inputs import MemoryId
from muniment.domain.ports import Append, Desk, Outcome

from .command import Command, Work


class RevokeToken(Command):
    """End a token of this space: nobody gets in with it from then on."""

    VERB: ClassVar[str] = "token revoke"

    id: MemoryId

    def decide(self, work: Work) -> Sequence[Append]:
        """Nothing where it has ended already."""
        token = named(work, self.id)
        events = access_token.revoke(token)
        return [Append(token.id, token.version, events)] if events else []

    def answer(self, outcome: Outcome) -> Token:
        """The token as it is after the command."""
        return named(outcome.desk, self.id)


def named(desk: Desk, name: str) -> Token:
    """The token of the space whose id is or ends in a name.

    Raises:
        NotFound: There is none.
        Invalid: ``id_invalid``, or ``id_ambiguous`` where there are several.
    """
    found = identifier.ending(desk.begun(Issued.NAME), identifier.digits(name))
    if len(found) > 1:
        raise Invalid(
            f"{len(found)} tokens end in {name!r}: give more of the one you mean.",
            code="id_ambiguous",
            field="id",
        )
    if not found:
        raise NotFound(f"There is no token {name!r} in this space.", field="id")
    return desk.states(found, access_token.evolve)[found[0]]
