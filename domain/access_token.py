"""Access tokens: who a bearer is, for surfaces that cannot take a caller's word for it.

A token is 256 random bits that are shown once; the log keeps their SHA-256. It is for the space of
its events.
"""

from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from hashlib import sha256
from hmac import compare_digest
from typing import ClassVar, Final, TypeAlias, assert_never

from . import identifier
from .errors import Invalid, Refused
from .identity import Identity, Role
from .recorded import Recorded

MAX_LIFE: Final = timedelta(days=90)
USUAL_LIFE: Final = timedelta(days=30)

_PREFIX: Final = "muniment_"
_CODE: Final = "token_refused"
_REFUSED: Final = "This token does not let you in: ask for another."


@dataclass(frozen=True, slots=True, kw_only=True)
class Issued:
    """A token was made for an actor in a role; ``digest`` is the SHA-256 of its secret, in hex."""

    NAME: ClassVar[str] = "token.issued"
    SCHEMA: ClassVar[int] = 1

    digest: str
    actor: str
    role: Role
    expires_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Revoked:
    """Nobody gets in with it from here on."""

    NAME: ClassVar[str] = "token.revoked"
    SCHEMA: ClassVar[int] = 1


class TokenEnded(Refused):
    """A token that was one is none any more; callers are told the same as of any other."""


Event: TypeAlias = Issued | Revoked


@dataclass(frozen=True, slots=True, kw_only=True)
class Token:
    """A token as its events say it is; its secret is nowhere."""

    id: str
    version: int
    space: str
    actor: str
    role: Role
    issued_by: str
    issued_at: datetime
    expires_at: datetime
    revoked_at: datetime | None = None
    digest: str

    @property
    def identity(self) -> Identity:
        """Who its bearer acts as."""
        return Identity(self.space, self.actor, self.role)


def evolve(token: Token | None, recorded: Recorded) -> Token | None:
    """The token after one more event."""
    event: Event | None = recorded.event
    match event:
        case Issued() if token is None:
            return Token(
                id=recorded.stream,
                version=recorded.version,
                space=recorded.space,
                actor=event.actor,
                role=event.role,
                issued_by=recorded.actor,
                issued_at=recorded.recorded_at,
                expires_at=event.expires_at,
                digest=event.digest,
            )
        case Revoked() if token is not None:
            return replace(token, version=recorded.version, revoked_at=recorded.recorded_at)
        case Issued() | Revoked() | None:
            return token
        case _:
            assert_never(event)


def issue(bearer: Identity, digest: str, *, life: timedelta, now: datetime) -> list[Issued]:
    """Make a token that lives for so long.

    Raises:
        Invalid: ``expires_in_invalid``: it is not over 0 and up to 90 days.
    """
    if not timedelta(0) < life <= MAX_LIFE:
        raise Invalid(
            f"expires_in: a token lives for up to {MAX_LIFE.days} days: give such a time.",
            code="expires_in_invalid",
            field="expires_in",
        )
    return [Issued(digest=digest, actor=bearer.actor, role=bearer.role, expires_at=now + life)]


def revoke(token: Token) -> list[Revoked]:
    """End a token; one that has ended is left as it is."""
    return [] if token.revoked_at is not None else [Revoked()]


def digest(secret: str) -> str:
    """What the log keeps of a secret."""
    return sha256(secret.encode()).hexdigest()


def written(id_: str, secret: str) -> str:
    """The token as its bearer shows it."""
    return f"{_PREFIX}{id_.replace('-', '')}_{secret}"


def read(shown: object) -> tuple[str, str] | None:
    """The id and the secret of a token as it is shown; None where it is none, or no text at all."""
    if not isinstance(shown, str) or not shown.isascii() or not shown.startswith(_PREFIX):
        return None
    id_, _, secret = shown.removeprefix(_PREFIX).partition("_")
    if len(id_) != 32 or not id_.isalnum():
        return None
    return identifier.written(id_), secret


def admitted(token: Token | None, secret: str, now: datetime) -> Identity:
    """Who shows this secret; it takes as long whatever is wrong with it.

    Raises:
        Refused: ``token_refused``: there is no such token; ``TokenEnded`` where there was.
    """
    known = digest("") if token is None else token.digest
    is_right = compare_digest(digest(secret), known)
    if token is None or not is_right:
        raise Refused(_REFUSED, code=_CODE)
    if token.revoked_at is not None or now >= token.expires_at:
        raise TokenEnded(_REFUSED, code=_CODE)
    return token.identity
