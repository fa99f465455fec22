"""Whether the server lives, whether it can answer, and figures for Prometheus."""

from collections.abc import Iterator
from typing import Final

from fastapi import APIRouter, Security
from prometheus_client import CollectorRegistry, Counter, Histogram, generate_latest
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response

from muniment.handle import Muniment
from muniment.interfaces.documents import document

from .described import BEARER, OF_FIGURES, errors
from .gate import Gate

_FIGURES: Final = {
    "description": "Figures, a line each.",
    "content": {"text/plain": {"schema": {"type": "string"}}},
}
_OPENMETRICS = "text/plain; version=0.0.4; charset=utf-8"


class Metrics:
    """What is counted while the server runs, and what the store says when it is asked."""

    def __init__(self, store: Muniment) -> None:
        self.registry = CollectorRegistry()
        self._requests = Counter(
            "muniment_requests",
            "Requests by address and status.",
            ["method", "address", "status"],
            registry=self.registry,
        )
        self._seconds = Histogram(
            "muniment_request_seconds",
            "Seconds from the head of a request to its answer.",
            ["address"],
            registry=self.registry,
        )
        self.registry.register(_StoreFigures(store))

    def count(self, method: str, address: str, status: int, seconds: float) -> None:
        """Counts a request; ``address`` is its pattern, so that ids make no new series."""
        self._requests.labels(method, address, str(status)).inc()
        self._seconds.labels(address).observe(seconds)


class _StoreFigures(Collector):
    def __init__(self, store: Muniment) -> None:
        self._store = store

    def collect(self) -> Iterator[GaugeMetricFamily]:
        stats = self._store.stats()
        yield GaugeMetricFamily(
            "muniment_log_position", "Position of the newest event.", stats.head
        )
        yield GaugeMetricFamily("muniment_log_bytes", "Bytes of the log.", stats.log_bytes)


def router(store: Muniment, gate: Gate, metrics: Metrics) -> APIRouter:
    """The addresses outside ``/v1``."""
    routes = APIRouter(tags=["health"])

    @routes.head("/healthz", include_in_schema=False)
    @routes.get("/healthz", summary="The process lives.")
    async def live() -> dict[str, str]:
        return {"status": "live"}

    @routes.head("/readyz", include_in_schema=False)
    @routes.get("/readyz", summary="The log can be read and searches are up to date.")
    async def ready() -> Response:
        stats = await run_in_threadpool(store.stats)
        text = document({"status": "ready", "position": stats.head}, indent=None)
        return Response(text.encode(), media_type="application/json")

    @routes.get(
        "/metrics",
        summary="Figures for Prometheus.",
        response_class=Response,
        responses={200: _FIGURES, **errors(OF_FIGURES)},
        dependencies=[] if gate.authenticate is None else [Security(BEARER)],
    )
    async def figures(request: Request) -> Response:
        await run_in_threadpool(gate.admit, request, writes=False)
        text = await run_in_threadpool(generate_latest, metrics.registry)
        return Response(text, media_type=_OPENMETRICS)

    return routes
