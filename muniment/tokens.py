"""The access tokens of a store as its handle has them."""

import secrets
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import timedelta

from .commands.issue_token import IssueToken
from .commands.revoke_token import RevokeToken
from .domain import access_token
from .domain.access import EverySpace, Operation
from .domain.access_token import USUAL_LIFE, Token
from .domain.identity import Identity, Role, identity
from .engine import Engine
from .queries.tokens import ListTokens

_SECRET_BYTES = 32


@dataclass(frozen=True, slots=True)
class IssuedToken:
    """A token that was just made; ``text`` is what its bearer shows, and is not to be had again."""

    token: Token
    text: str = field(repr=False)


class Tokens:
    """Who may come in through surfaces that ask for a token: ``m.tokens``. For administrators."""

    def __init__(
        self, engine: Engine, acting: Identity, authorise: Callable[[type[Operation]], None]
    ) -> None:
        self._engine = engine
        self._identity = acting
        self._authorise = authorise

    def issue(
        self,
        *,
        actor: str,
        role: Role | None = None,
        space: str | None = None,
        expires_in: timedelta = USUAL_LIFE,
    ) -> IssuedToken:
        """Make a token whose bearer acts as an actor, in a role, in a space.

        The role follows from the actor unless it is given; the space is this handle's unless it is
        given. ``expires_in`` is up to 90 days.

        Raises:
            Invalid: ``actor_invalid``, ``role_invalid``, ``space_invalid`` or
                ``expires_in_invalid``.
        """
        self._authorise(IssueToken)
        acting = self._in(space)
        secret = secrets.token_urlsafe(_SECRET_BYTES)
        command = IssueToken.of(
            actor=actor, role=role, expires_in=expires_in, digest=access_token.digest(secret)
        )
        token = self._engine.run(command, acting)
        return IssuedToken(token, access_token.written(token.id, secret))

    def list(self, space: str | None = None) -> list[Token]:
        """The tokens of a space, those that have ended too; this handle's unless one is given."""
        self._authorise(ListTokens)
        return self._engine.ask(ListTokens.of(), self._in(space))

    def revoke(self, id: str) -> Token:
        """End a token of this space, by its id or the end of it.

        Raises:
            NotFound: The space has none of that name.
        """
        self._authorise(RevokeToken)
        return self._engine.run(RevokeToken.of(id=id), self._identity)

    def authenticate(self, text: str) -> Identity:
        """Who the bearer of a token is, in whichever space.

        Raises:
            Refused: ``token_refused``: it is none, or has ended; which of these is not said.
        """
        known = access_token.read(text)
        token, secret = None, ""
        if known is not None:
            id_, secret = known
            token = self._engine.store.folded([id_], access_token.evolve).get(id_)
        return access_token.admitted(token, secret, self._engine.now())

    def _in(self, space: str | None) -> Identity:
        """The acting identity, in another space where that is asked for."""
        if space is None or space == self._identity.space:
            return self._identity
        self._authorise(EverySpace)
        return identity(space, self._identity.actor, self._identity.role)
