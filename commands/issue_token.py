"""Make an access token."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Annotated, ClassVar

from pydantic import Field, StringConstraints

from muniment.domain import access_token
from muniment.domain.access_token import USUAL_LIFE, Token
from muniment.domain.identity import Role, identity
from muniment.domain.inputs import Line
from muniment.domain.ports import Append, Outcome

from .command import Command, Work


class IssueToken(Command):
    """Make a token for an actor, in a role, in this space.

    Whoever shows it acts as that. The role follows from the actor unless it is given.
    """

    VERB: ClassVar[str] = "token issue"

    actor: Line
    role: Role | None = None
    expires_in: timedelta = USUAL_LIFE
    digest: Annotated[str, StringConstraints(pattern="^[0-9a-f]{64}$"), Field(repr=False)]

    def decide(self, work: Work) -> Sequence[Append]:
        """A stream of its own, in the space that it is for."""
        bearer = identity(work.identity.space, self.actor, self.role)
        events = access_token.issue(bearer, self.digest, life=self.expires_in, now=work.now)
        return [Append(work.new_id(), 0, events)]

    def answer(self, outcome: Outcome) -> Token:
        """The token, without its secret."""
        made = outcome.recorded[0].stream
        return outcome.desk.states([made], access_token.evolve)[made]
