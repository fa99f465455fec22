"""The tools of the Model Context Protocol under ``/mcp``: whoever bears the token calls them.

Every request is whole by itself: it shows its token, and its answer is the answer to it. So any
server of the store answers it, and no two clients share anything but a name.
"""

import uuid
from collections.abc import Mapping
from typing import Final, cast

import mcp_types as types
from anyio import to_thread
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from starlette.datastructures import MutableHeaders
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Message, Receive, Scope, Send

from muniment.interfaces.mcp import messages
from muniment.interfaces.mcp.server import Context, server, told, writes
from muniment.interfaces.mcp.tool import Caller

from . import bodies
from .failures import Failure
from .gate import Gate

PATH: Final = "/mcp"

SESSIONS: Final = ("mcp-session-id", "x-session")
"""The headers that name the session which recalls are recorded in: it is a name, and opens nothing.

The protocol gives a client the first when it begins, up to the version that has no sessions.
"""

_UNNAMED: Final = "mcp"


class ToolsOverHttp:
    """Answers the protocol; ``protocol`` runs as long as the application does."""

    def __init__(self, gate: Gate, max_body: int) -> None:
        self._gate = gate
        self._max_body = max_body
        self.protocol = StreamableHTTPSessionManager(
            server(self._enter), stateless=True, json_response=True, max_request_body_size=max_body
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request of the protocol.

        Raises:
            Refused: Nobody known asks.
            RateLimited: Its bearer asks too often.
            Invalid: The body is too large, compressed, or does not say that it is JSON.
        """
        request = Request(scope, receive)
        self._gate.require_token(request)
        bodies.require_json(request)
        sent = await bodies.body(request, self._max_body)
        identity = await to_thread.run_sync(self._gate.recognise, request)
        request.state.face = self._gate.store.as_identity(identity)  # the log says who asked
        try:
            message = messages.read(sent)
        except messages.NoMessageError as error:
            self._gate.count(request, identity, writes=False)
            await _said(400, error.answer)(scope, receive, send)
            return
        self._gate.count(request, identity, writes=writes(message))
        begins = isinstance(message, types.JSONRPCRequest) and message.method == "initialize"
        answering = _named(send) if begins else send
        await self.protocol.asgi_app(_as_asked(scope), _again(sent, receive), answering)

    @staticmethod
    def _enter(context: Context) -> Caller:
        request = cast("Request", context.request)  # what the transport sets
        named = (request.headers.get(header) for header in SESSIONS)
        return Caller(request.state.face, next(filter(None, named), _UNNAMED))


def respond(number: int, failure: Failure, headers: Mapping[str, str]) -> Response:
    """An error of the server as clients of the protocol read it: they show the sentence."""
    error = types.ErrorData(
        code=types.INTERNAL_ERROR if number >= 500 else types.INVALID_REQUEST,
        message=told(failure.code, failure.message),
        data={"code": failure.code, "field": failure.field},
    )
    return _said(number, types.JSONRPCError(jsonrpc="2.0", id=None, error=error), headers)


def _said(
    number: int, answer: types.JSONRPCError, headers: Mapping[str, str] | None = None
) -> Response:
    # an id that could not be read is null, and is said
    text = answer.model_dump_json(by_alias=True, exclude_unset=True)
    return Response(text, number, headers=headers, media_type="application/json")


def _as_asked(scope: Scope) -> Scope:
    """The same request, with what the library wants to be told in one way alone.

    That it is JSON was looked at; what it answers with is JSON whatever is accepted, as under /v1.
    """
    headers = MutableHeaders(raw=list(scope["headers"]))
    headers["content-type"] = headers["accept"] = "application/json"
    return {**scope, "headers": headers.raw}


def _again(sent: bytes, receive: Receive) -> Receive:
    """The body once more, for the library that reads it too; then what comes."""
    is_read = False

    async def receiving() -> Message:
        nonlocal is_read
        if is_read:
            return await receive()
        is_read = True
        return {"type": "http.request", "body": sent, "more_body": False}

    return receiving


def _named(send: Send) -> Send:
    """The same, with a new name for the session that begins."""

    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            MutableHeaders(scope=message)[SESSIONS[0]] = uuid.uuid4().hex
        await send(message)

    return sending
