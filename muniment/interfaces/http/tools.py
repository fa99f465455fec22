"""The tools of the Model Context Protocol under ``/mcp``: whoever bears the token calls them."""

from typing import cast

from anyio import to_thread
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from starlette.requests import HTTPConnection
from starlette.types import Receive, Scope, Send

from muniment.interfaces.mcp.server import Context, server
from muniment.interfaces.mcp.tool import Caller

from .gate import Gate

PATH = "/mcp"


class ToolsOverHttp:
    """Answers the protocol; ``sessions`` runs as long as the application does.

    Every request shows its token, those of an open session too, so that a session's id alone is
    worth nothing and a token that is revoked ends what it began.
    """

    def __init__(self, gate: Gate, max_body: int) -> None:
        self._gate = gate
        self.sessions = StreamableHTTPSessionManager(
            server(self._enter), max_request_body_size=max_body
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request of the protocol."""
        await to_thread.run_sync(self._gate.recognise, HTTPConnection(scope))
        await self.sessions.asgi_app(scope, receive, send)

    def _enter(self, context: Context, *, writes: bool) -> Caller:
        request = cast("HTTPConnection", context.request)  # what the transport sets
        session = request.headers.get("mcp-session-id", "mcp")
        return Caller(self._gate.admit(request, writes=writes), session)
