"""The server put together: gate, addresses, errors and figures."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Coroutine
from contextlib import asynccontextmanager
from typing import Any

from anyio import CapacityLimiter
from fastapi import FastAPI, Request, Security
from fastapi.routing import APIRoute
from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.routing import Route

from muniment._release import __version__
from muniment.settings import LimitSettings

from . import failures, health, streaming
from .described import BEARER, extra, responses
from .door import Door
from .endpoints import endpoint
from .failures import Failure
from .gate import Gate
from .health import Metrics
from .routes import ROUTES
from .tools import PATH, ToolsOverHttp

THREADS = 64
"""How many requests are worked on at a time; the others wait their turn."""

_ABOUT = "Long-term memory for fleets of agents, every change of which can be put in evidence."
_HTTP_CODES = {404: "no_such_address", 405: "method_not_allowed"}


def application(gate: Gate, limits: LimitSettings) -> FastAPI:
    """The application that answers for a store.

    Args:
        gate: Who is let in, and the store.
        limits: How much is taken from a client.
    """
    stopping, max_body = asyncio.Event(), limits.body_bytes
    tools = ToolsOverHttp(gate, max_body)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncGenerator[None, None]:
        async with tools.protocol.run():
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
        # FastAPI's own spans hold paths and queries, its log records what errors quote: see door.py
        telemetry={"tracing": False, "metrics": False, "logs": False, "auto_configure": False},
    )
    app.state.stopping = stopping
    app.router.route_class = _Address
    metrics = Metrics(gate.store)
    threads = CapacityLimiter(THREADS)
    asked = [] if gate.authenticate is None else [Security(BEARER)]
    for route in ROUTES:
        app.add_api_route(
            f"/v1{route.path}",
            endpoint(route, gate, max_body, threads),
            methods=[route.method],
            operation_id=f"{route.name}_{route.method.lower()}"
            if _is_shared(route.name)
            else route.name,
            summary=route.about,
            tags=[route.path.split("/")[1]],
            responses=responses(route),
            response_class=Response,
            response_model=None,
            openapi_extra=extra(route),
            dependencies=asked,
        )
    app.include_router(streaming.router(gate, stopping), prefix="/v1", dependencies=asked)
    app.include_router(health.router(gate.store, gate, metrics))
    app.router.routes.append(Route(PATH, tools, methods=["POST"]))
    app.add_exception_handler(HTTPException, _unknown)
    app.add_middleware(Door, gate=gate, metrics=metrics, body_seconds=limits.body_seconds)
    return app


def _is_shared(name: str) -> bool:
    """Whether several addresses do what has that name, by other methods."""
    return sum(route.name == name for route in ROUTES) > 1


async def _unknown(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)  # noqa: S101 (it is registered for these)
    code = _HTTP_CODES.get(error.status_code, "refused")
    message = f"{request.method} {request.url.path[:200]}: see /openapi.json for what there is."
    return failures.respond(error.status_code, Failure(code, message, None), error.headers)


class _Address(APIRoute):
    """An address whose endpoint takes the request and gives the answer: nothing to be injected."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """The endpoint as it is."""
        return self.endpoint
