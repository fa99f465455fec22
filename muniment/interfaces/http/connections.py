"""Connections: how many there are at once, and how long one may take to say what it wants."""

import asyncio
import resource

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from .failures import Failure, respond

SPARE = 128
"""Files that the store, its readers and the services outside have open besides."""


def room(wanted: int) -> int:
    """How many connections there may be: as many as are wanted, or as the system has files for.

    A process that has no file left can neither take a connection nor save; the limit of this one is
    raised as far as that helps and the system lets it.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY:
        return wanted
    needed = wanted + SPARE
    if soft < needed:
        soft = needed if hard == resource.RLIM_INFINITY else min(needed, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    return max(1, min(wanted, soft - SPARE))


def patient(most: int, seconds: float) -> type[H11Protocol]:
    """HTTP/1.1 for at most so many connections, each of which tells soon what it wants.

    uvicorn itself waits for the head of a request as long as the client likes.

    Args:
        most: How many connections there may be; one more is closed at once.
        seconds: Within which the whole head of a request has come, from the connection or from the
            head's first bytes on.
    """

    class Patient(H11Protocol):
        _timer: asyncio.TimerHandle | None = None

        def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
            super().connection_made(transport)
            if len(self.connections) > most:
                transport.abort()
            else:
                self._begin()

        def data_received(self, data: bytes) -> None:
            super().data_received(data)
            if self._is_busy:
                self._end()
            elif self._timer is None:
                self._begin()

        def connection_lost(self, exc: Exception | None) -> None:
            self._end()
            super().connection_lost(exc)

        def send_400_response(self, msg: str) -> None:
            """Says of what is no request what an error says everywhere; uvicorn's is a text."""
            told = respond(400, Failure("request_invalid", f"{msg.rstrip('.')}.", None))
            headers = [*told.raw_headers, (b"connection", b"close")]
            for event in (
                h11.Response(status_code=400, headers=headers, reason=b"Bad Request"),
                h11.Data(data=bytes(told.body)),
                h11.EndOfMessage(),
            ):
                self.transport.write(self.conn.send(event) or b"")
            self.transport.close()

        @property
        def _is_busy(self) -> bool:
            cycle = self.cycle
            return cycle is not None and not cycle.response_complete  # pyright: ignore[reportUnnecessaryComparison]

        def _begin(self) -> None:
            self._timer = self.loop.call_later(seconds, self._give_up)

        def _end(self) -> None:
            if self._timer is not None:
                self._timer.cancel()
                self._timer = None

        def _give_up(self) -> None:
            self._timer = None
            if not self._is_busy:
                self.transport.abort()

    return Patient
