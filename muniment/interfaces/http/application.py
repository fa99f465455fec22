"""The server put together: gate, addresses, errors, figures, and one line of log a request."""

import asyncio
import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from functools import partial

import structlog
from anyio import CapacityLimiter, to_thread
from fastapi import FastAPI, Request
from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from muniment import telemetry
from muniment._release import __version__
from muniment.domain.errors import MunimentError

from . import failures, health, streaming
from .described import extra, responses
from .endpoints import Endpoint, endpoint
from .gate import Gate
from .health import Metrics
from .routes import ROUTES
from .tools import PATH, ToolsOverHttp

_log = structlog.get_logger(__name__)

THREADS = 64
"""How many requests are worked on at a time; the others wait their turn."""

_ABOUT = "Long-term memory for fleets of agents, every change of which can be put in evidence."
_HTTP_CODES = {404: "no_such_address", 405: "method_not_allowed"}


def application(gate: Gate, max_body: int) -> FastAPI:
    """The application that answers for a store.

    Args:
        gate: Who is let in, and the store.
        max_body: Bytes that the body of a request may have.
    """
    stopping = asyncio.Event()
    tools = ToolsOverHttp(gate, max_body)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncGenerator[None, None]:
        async with tools.sessions.run():
            yield
        stopping.set()

    app = FastAPI(
        title="Muniment",
        version=__version__,
        description=_ABOUT,
        lifespan=lifespan,
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
        # FastAPI's own spans hold paths and queries, its log records what errors quote: see _Door
        telemetry={"tracing": False, "metrics": False, "logs": False, "auto_configure": False},
    )
    app.state.stopping = stopping
    metrics = Metrics(gate.store)
    threads = CapacityLimiter(THREADS)
    for route in ROUTES:
        app.add_api_route(
            f"/v1{route.path}",
            _admitted(gate, endpoint(route, max_body, threads), threads, writes=route.writes),
            methods=[route.method],
            operation_id=f"{route.name}_{route.method.lower()}"
            if _is_shared(route.path)
            else route.name,
            summary=route.about,
            tags=[route.path.split("/")[1]],
            responses=responses(route),
            response_class=Response,
            response_model=None,
            openapi_extra=extra(route),
        )
    app.include_router(streaming.router(gate, stopping), prefix="/v1")
    app.include_router(health.router(gate.store, gate, metrics))
    app.router.routes.append(Route(PATH, tools, methods=["GET", "POST", "DELETE"]))
    app.add_exception_handler(MunimentError, _refused)
    app.add_exception_handler(HTTPException, _unknown)
    app.add_middleware(_Door, gate=gate, metrics=metrics)
    return app


def _is_shared(path: str) -> bool:
    """Whether several addresses do the same by other methods."""
    return sum(route.path == path for route in ROUTES) > 1


def _admitted(gate: Gate, answer: Endpoint, threads: CapacityLimiter, *, writes: bool) -> Endpoint:
    admit = partial(gate.admit, writes=writes)

    async def admitted(request: Request) -> Response:
        request.state.face = await to_thread.run_sync(admit, request, limiter=threads)
        return await answer(request)

    return admitted


async def _refused(_: Request, error: Exception) -> Response:
    assert isinstance(error, MunimentError)  # noqa: S101 (it is registered for these)
    return failures.answer(error)


async def _unknown(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)  # noqa: S101 (it is registered for these)
    code = _HTTP_CODES.get(error.status_code, "refused")
    message = f"{request.method} {request.url.path[:200]}: see /openapi.json for what there is."
    return failures.respond(error.status_code, code, message, headers=error.headers)


class _Door:
    """The outermost: addresses are checked, errors told, and requests counted and logged."""

    def __init__(self, app: ASGIApp, gate: Gate, metrics: Metrics) -> None:
        self._app = app
        self._gate = gate
        self._metrics = metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        with telemetry.request(scope["method"], scope["scheme"], headers) as span:
            await self._answer(scope, receive, send, span)

    async def _answer(
        self, scope: Scope, receive: Receive, send: Send, span: telemetry.Span
    ) -> None:
        began, status = time.perf_counter(), 0

        async def noting(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = int(message["status"])
            await send(message)

        try:
            self._gate.check_address(Request(scope).headers)
            await self._app(scope, receive, noting)
        except MunimentError as error:
            await failures.answer(error)(scope, receive, noting)
        except ClientDisconnect:
            status = 499  # nobody is there to be told
        except Exception as error:
            if status:
                raise  # the answer has begun: the connection is cut
            await failures.unexpected(error)(scope, receive, noting)
        span.responded(scope["method"], _address(scope), status)
        self._tell(scope, status, time.perf_counter() - began)

    def _tell(self, scope: Scope, status: int, seconds: float) -> None:
        address = _address(scope) or "none"
        self._metrics.count(scope["method"], address, status, seconds)
        face = scope.get("state", {}).get("face")
        _log.info(
            "request",
            method=scope["method"],
            address=address,
            status=status,
            ms=round(seconds * 1_000, 1),
            actor=getattr(face, "actor", None),
            space=getattr(face, "space", None),
        )


def _address(scope: Scope) -> str | None:
    """The pattern that a request was answered by."""
    found: str | None = getattr(scope.get("route"), "path", None)
    return found or (PATH if scope["path"] == PATH else None)
