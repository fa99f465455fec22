"""The tools of the Model Context Protocol under ``/mcp``: whoever bears the token calls them."""

from typing import cast

from anyio import to_thread
from mcp.server.auth.middleware.bearer_auth import (
    AuthenticatedUser,
    AuthorizationContext,
    authorization_context,
)
from mcp.server.auth.provider import AccessToken
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from starlette.requests import HTTPConnection, Request
from starlette.types import Receive, Scope, Send

from muniment.domain.identity import Identity
from muniment.interfaces.mcp.server import Context, server
from muniment.interfaces.mcp.tool import Caller

from .gate import Gate
from .limits import RateLimited

PATH = "/mcp"

SESSION = "mcp-session-id"
"""The header that names a session."""

SESSIONS = 100
"""How many sessions one actor may have open, so that nobody takes those of all others."""

_IDLE = 1_800.0
"""Seconds after which a session that is not used ends."""


class ToolsOverHttp:
    """Answers the protocol; ``sessions`` runs as long as the application does.

    Every request shows its token, those of an open session too, and a session is only there for who
    opened it; so its id alone is worth nothing, and a token that is revoked ends what it began.
    """

    def __init__(self, gate: Gate, max_body: int) -> None:
        self._gate = gate
        self.sessions = StreamableHTTPSessionManager(
            server(self._enter), max_request_body_size=max_body, session_idle_timeout=_IDLE
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request of the protocol.

        Raises:
            Refused: Nobody known asks.
            RateLimited: Its bearer opens sessions too often, or has too many.
        """
        request = Request(scope)
        identity = await to_thread.run_sync(self._gate.recognise, request)
        request.state.face = self._gate.store.as_identity(identity)  # the log says who asked
        # the protocol's own word for who a session belongs to: to others it does not exist
        scope["user"] = user = AuthenticatedUser(
            AccessToken(
                token="",
                client_id=identity.actor,
                subject=identity.space,
                claims={"iss": identity.role},
                scopes=[],
            )
        )
        if SESSION not in request.headers:
            self._gate.reads.take(self._gate.client(request, identity))
            self._require_room(identity, authorization_context(user))
        await self.sessions.asgi_app(scope, receive, send)

    def _require_room(self, identity: Identity, owner: AuthorizationContext) -> None:
        owners = self.sessions._session_owners  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]
        if sum(one == owner for one in owners.values()) >= SESSIONS:
            raise RateLimited(
                f"{identity.actor} has {SESSIONS} sessions open: end some (DELETE), or wait until"
                " idle ones end.",
                _IDLE,
                code="too_many_sessions",
            )

    def _enter(self, context: Context, *, writes: bool) -> Caller:
        request = cast("HTTPConnection", context.request)  # what the transport sets
        session = request.headers.get(SESSION, "mcp")
        return Caller(self._gate.admit(request, writes=writes), session)
