"""Who is let in: the names that the server answers to, the token, and how often it may ask."""

import re
from collections.abc import Callable, Collection, Hashable
from dataclasses import dataclass

from starlette.datastructures import Headers
from starlette.requests import HTTPConnection

from muniment.domain import access_token
from muniment.domain.access_token import TokenEnded
from muniment.domain.errors import Refused
from muniment.domain.identity import Identity
from muniment.handle import Muniment
from muniment.lockout import Lockout

from .limits import Allowance

_HOST = re.compile(r"(?:\[([0-9A-Fa-f:.]+)\]|([0-9A-Za-z._-]+))(?::[0-9]{0,5})?")
"""A name or an address, an IPv6 one in brackets, and perhaps a port."""

Authenticate = Callable[[str], Identity]
"""Whose a token is; raises Refused where it is nobody's."""


@dataclass(frozen=True, slots=True)
class Gate:
    """What stands before every address but those that tell of the server's health.

    Args:
        store: The handle that the server was started with.
        authenticate: Whose a token is; None where everyone on this machine is let in.
        anyone: Who acts where no token is asked for.
        hosts: The names that requests may be sent to, without ports.
        origins: Web origins, such as ``https://console.example``, whose pages may ask.
        reads: How often a client may read.
        writes: How often a client may write.
        lockout: Keeps out the addresses that guess at tokens.
    """

    store: Muniment
    authenticate: Authenticate | None
    anyone: Identity
    hosts: Collection[str]
    origins: Collection[str]
    reads: Allowance
    writes: Allowance
    lockout: Lockout

    def check_address(self, headers: Headers) -> None:
        """Refuses what was sent to another name, or by a page of another origin.

        A page that a user visits can make the browser ask a server on the same machine; it can set
        neither header.

        Raises:
            Refused: ``host_refused`` or ``origin_refused``.
        """
        given = headers.get("host", "")
        found = _HOST.fullmatch(given)
        if found is None or (found[1] or found[2]).lower() not in self.hosts:
            raise Refused(
                f"This server does not answer to {given[:100]!r}: the operator lists its names in"
                " server.hosts.",
                code="host_refused",
            )
        origin = headers.get("origin")
        if origin is not None and origin not in self.origins:
            raise Refused(
                f"Pages of {origin[:100]!r} may not ask: the operator lists origins in"
                " server.origins.",
                code="origin_refused",
            )

    def admit(self, connection: HTTPConnection, *, writes: bool) -> Muniment:
        """The handle that a request acts through.

        Raises:
            Refused: ``token_required``, ``token_refused`` or ``locked_out``.
            RateLimited: The client asks too often.
        """
        identity = self.recognise(connection)
        self.count(connection, identity, writes=writes)
        return self.store.as_identity(identity)

    def count(self, connection: HTTPConnection, identity: Identity, *, writes: bool) -> None:
        """Takes a request from the allowance of the token that it shows.

        Raises:
            RateLimited: The client asks too often.
        """
        shown = None if self.authenticate is None else access_token.read(_token(connection))
        # a token's own, so that none spends another's of the same actor
        client: Hashable = identity, None if shown is None else shown[0]
        (self.writes if writes else self.reads).take(client)

    def require_token(self, connection: HTTPConnection) -> None:
        """Turns away who shows no token or guessed too often, before what they send is read.

        Raises:
            Refused: ``token_required`` or ``locked_out``.
        """
        if self.authenticate is not None:
            _token(connection)
            self.lockout.require_open(_address(connection))

    def recognise(self, connection: HTTPConnection) -> Identity:
        """Who sends a request; it reads the log, so call it where waiting is allowed.

        Raises:
            Refused: ``token_required``, ``token_refused`` or ``locked_out``.
        """
        if self.authenticate is None:
            return self.anyone
        token, address = _token(connection), _address(connection)
        self.lockout.require_open(address)
        try:
            identity = self.authenticate(token)
        except TokenEnded:
            raise  # who has its secret does not guess
        except Refused:
            self.lockout.failed(address)
            raise
        self.lockout.passed(address)
        return identity

    def recognise_again(self, connection: HTTPConnection) -> Identity:
        """Who keeps a stream open that was let in: what others do at its address is not its fault.

        Raises:
            Refused: ``token_refused``: the token has ended since.
        """
        return self.anyone if self.authenticate is None else self.authenticate(_token(connection))


def _token(connection: HTTPConnection) -> str:
    scheme, _, token = connection.headers.get("authorization", "").partition(" ")
    if scheme.lower() != "bearer" or not token.strip():
        raise Refused(
            "A token is needed: send Authorization: Bearer … (muniment token issue makes one).",
            code="token_required",
        )
    return token.strip()


def _address(connection: HTTPConnection) -> str:
    return connection.client.host if connection.client else ""
