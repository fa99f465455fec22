"""The outermost: addresses are checked, errors told, and requests counted and logged."""

import asyncio
import re
import time
from urllib.parse import unquote

import structlog
from starlette.datastructures import Headers
from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from muniment import telemetry
from muniment.domain.errors import Invalid, MunimentError, Unavailable

from . import failures, tools
from .gate import Gate
from .health import Metrics
from .tools import PATH

_log = structlog.get_logger(__name__)

_GONE = 499

_ONCE = (
    *("Authorization", "Content-Type", "Content-Encoding", "Origin", "X-Session", "Last-Event-ID"),
    *("Mcp-Session-Id", "MCP-Protocol-Version"),
)
"""Headers that may be there once, where nothing that reads them says so by itself."""

_WHOLE = re.compile(rb"https?://([^/]*)(/.*)?", re.IGNORECASE | re.DOTALL)
"""A target that is a whole URL: its host and port, and its path."""


class Door:
    """What every request passes.

    Args:
        app: What is behind it.
        gate: Knows the names that the server answers to.
        metrics: Counts.
        body_seconds: Within which the whole body of a request has come.
    """

    def __init__(self, app: ASGIApp, gate: Gate, metrics: Metrics, body_seconds: float) -> None:
        self._app = app
        self._gate = gate
        self._metrics = metrics
        self._body_seconds = body_seconds

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Lets a request in, or says why not; what is no request is let through."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        scope = _as_to_an_origin(scope)
        headers = Headers(scope=scope)
        with telemetry.request(scope["method"], scope["scheme"], headers) as span:
            began = time.perf_counter()
            status = await self._answer(scope, receive, send, headers)
            address = _address(scope)
            span.responded(scope["method"], address, status)
        self._tell(scope, address or "none", status, time.perf_counter() - began)

    async def _answer(self, scope: Scope, receive: Receive, send: Send, headers: Headers) -> int:
        """Answers a request; the status."""
        status = 0
        form = tools.respond if scope["path"] == PATH else failures.respond

        async def noting(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = int(message["status"])
            await send(message)

        try:
            _require_one_reading(scope, headers)
            self._gate.check_address(headers)
            await self._app(scope, self._in_time(receive), noting)
        except MunimentError as error:
            await failures.answer(error, form)(scope, receive, noting)
        except ClientDisconnect:
            status = _GONE  # nobody is there to be told
        except asyncio.CancelledError:
            # the server is told to end, and has waited for this one as long as it may
            if status:
                raise
            stopping = Unavailable("The server is ending: ask again.", code="stopping")
            await failures.answer(stopping, form)(scope, receive, noting)
        except Exception as error:
            if status:
                raise  # the answer has begun: the connection is cut
            await failures.unexpected(error, form)(scope, receive, noting)
        return status

    def _in_time(self, receive: Receive) -> Receive:
        """The same, but that a body which takes too long is given up."""
        until = asyncio.get_running_loop().time() + self._body_seconds
        is_whole = False

        async def receiving() -> Message:
            nonlocal is_whole
            if is_whole:
                return await receive()
            try:
                async with asyncio.timeout_at(until):
                    message = await receive()
            except TimeoutError as error:
                raise Invalid(
                    f"The body did not come within {self._body_seconds:g} s: send it at once.",
                    code="body_too_slow",
                ) from error
            is_whole = not message.get("more_body", False)
            return message

        return receiving

    def _tell(self, scope: Scope, address: str, status: int, seconds: float) -> None:
        method = telemetry.known(scope["method"])
        self._metrics.count(method, address, status, seconds)
        face = scope.get("state", {}).get("face")
        _log.info(
            "request",
            method=method,
            address=address,
            status=status,
            ms=round(seconds * 1_000, 1),
            actor=getattr(face, "actor", None),
            space=getattr(face, "space", None),
        )


def _require_one_reading(scope: Scope, headers: Headers) -> None:
    """Refuses what two programs on the way could take for two things.

    Raises:
        Invalid: ``header_doubled``, or ``framing_ambiguous`` (RFC 9112 §6.1).
    """
    for name in _ONCE:
        if len(headers.getlist(name)) > 1:
            raise Invalid(f"{name}: it is there twice.", code="header_doubled", field=name)
    if "transfer-encoding" in headers and (
        "content-length" in headers or scope["http_version"] == "1.0"
    ):
        raise Invalid(
            "Transfer-Encoding: it goes neither with Content-Length nor with HTTP/1.0.",
            code="framing_ambiguous",
            field="Transfer-Encoding",
        )


def _as_to_an_origin(scope: Scope) -> Scope:
    """The same request with its target as a path: RFC 9112 §3.2.2 has servers take whole URLs too.

    What the URL names stands above the Host header.
    """
    whole = _WHOLE.fullmatch(scope["raw_path"])
    if whole is None:
        return scope
    host, path = whole[1], whole[2] or b"/"
    others = [(name, value) for name, value in scope["headers"] if name != b"host"]
    return {
        **scope,
        "path": unquote(path.decode("ascii")),
        "raw_path": path,
        "headers": [(b"host", host), *others],
    }


def _address(scope: Scope) -> str | None:
    """The pattern that a request was answered by; None where there is no such address."""
    found: str | None = getattr(scope.get("route"), "path", None)
    return found or (PATH if scope["path"] == PATH else None)
