"""The log as server-sent events: what is there after a position, then what comes."""

import asyncio
import re
from collections.abc import AsyncIterator, Callable
from typing import Final

from fastapi import APIRouter
from sse_starlette import EventSourceResponse, ServerSentEvent
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request

from muniment import telemetry
from muniment.domain.errors import Invalid, Refused
from muniment.handle import Muniment
from muniment.interfaces.documents import document
from muniment.queries.log import Log, LogEntry

from .described import OF_STREAM, POSITION, STREAM, errors
from .endpoints import twice, unknown
from .gate import Gate

LOOK_EVERY: Final = 0.2
"""Seconds between looks at the end of the log."""

_EVENTS: Final = {
    "description": "Events, until one side ends.",
    "content": {"text/event-stream": {"schema": {"type": "string"}}},
}
_AFTER = "after"
_LAST = "Last-Event-ID"
_PART = 500
_PING = 15


def router(gate: Gate, stopping: asyncio.Event) -> APIRouter:
    """``GET /log/stream``; ``stopping`` ends the streams that are open."""
    routes = APIRouter(tags=["log"])

    @routes.get(
        "/log/stream",
        operation_id="log_stream",
        summary="The log as it grows.",
        description="Server-sent events: `id` is the position, `event` the name, `data` the entry."
        " It begins after `Last-Event-ID`, or after the position in `after`, or at the first.",
        response_class=EventSourceResponse,
        responses={200: _EVENTS, **errors(OF_STREAM)},
        openapi_extra=dict(STREAM),
    )
    async def stream(request: Request) -> EventSourceResponse:
        face = request.state.face = await run_in_threadpool(gate.admit, request, writes=False)
        await run_in_threadpool(face.require, Log.VERB)
        after = _position(request)
        first = await run_in_threadpool(_part, face, after)  # a refusal is said by a status

        def further(after: int) -> list[LogEntry]:
            gate.recognise_again(request)  # a token that is revoked ends what it began
            with telemetry.silence():
                return _part(face, after)

        return EventSourceResponse(_events(further, first, after, stopping), ping=_PING)

    return routes


def _position(request: Request) -> int:
    """The position that a stream begins after.

    Raises:
        Invalid: ``unknown_field`` or ``after_invalid``.
    """
    for name in request.query_params:
        if name != _AFTER:
            raise unknown(name)
    asked = request.query_params.getlist(_AFTER)
    if len(asked) > 1:
        raise twice(_AFTER, _AFTER)
    header = request.headers.get(_LAST)
    field, text = (_LAST, header) if header else (_AFTER, asked[0] if asked else "0")
    if re.fullmatch(POSITION, text) is None:
        raise Invalid(f"{field}: give a position.", code="after_invalid", field=field)
    return int(text)


def _part(face: Muniment, after: int) -> list[LogEntry]:
    return list(face.log(after=after, limit=_PART))


async def _events(
    further: Callable[[int], list[LogEntry]],
    entries: list[LogEntry],
    after: int,
    stopping: asyncio.Event,
) -> AsyncIterator[ServerSentEvent]:
    while not stopping.is_set():
        for entry in entries:
            after = entry.position
            yield ServerSentEvent(
                data=document(entry, indent=None), event=entry.name, id=str(entry.position)
            )
        if len(entries) < _PART:
            await _either(stopping, LOOK_EVERY)
        try:
            entries = await run_in_threadpool(further, after)
        except Refused:
            return


async def _either(stopping: asyncio.Event, seconds: float) -> None:
    try:
        await asyncio.wait_for(stopping.wait(), seconds)
    except TimeoutError:
        return
