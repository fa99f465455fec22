"""HTTP to one endpoint, at an address that was checked, within a deadline, and stoppable.

A connection goes to an address that the rules admit, as it was resolved, while certificates are
checked against the name.
"""

import ssl
import threading
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Final

import httpcore
import httpx

from .endpoints import Endpoint, Resolve
from .network import Network

_KEPT_OPEN: Final = 5.0
"""Seconds that an idle connection is kept for the next request."""


class Transport(httpx.BaseTransport):
    """Requests to ``endpoint`` over HTTP/1.1; safe to use from several threads.

    Args:
        endpoint: Whose addresses are admitted or not.
        connect_timeout: Seconds to resolve and connect in.
        resolve: Host and port → IP addresses.
        tls: What certificates are checked with; None: against the authorities that httpx knows.
    """

    def __init__(
        self,
        endpoint: Endpoint,
        *,
        connect_timeout: float,
        resolve: Resolve,
        tls: ssl.SSLContext | None,
    ) -> None:
        self._network = Network(endpoint, connect_timeout, resolve)
        if tls is None and endpoint.scheme == "https":  # reading all authorities takes a while
            tls = httpx.create_ssl_context(trust_env=False)
        self._tls = tls
        self._lock = threading.Lock()
        self._idle: list[httpcore.HTTPConnection] = []

    @contextmanager
    def until(self, deadline: float) -> Generator[None, None, None]:
        """What this thread asks for inside has to be over by then, on the monotonic clock."""
        self._network.deadline.at = deadline
        try:
            yield
        finally:
            self._network.deadline.at = 0.0

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """One request, without redirects.

        Raises:
            httpx.TimeoutException: The deadline, or the time to connect in, is over.
            httpx.NetworkError: It failed, was refused by the rules or stopped.
            httpx.ProtocolError: What was sent is not HTTP.
        """
        assert isinstance(request.stream, Iterable)  # noqa: S101 (a synchronous client made it)
        with _errors_of_httpx():
            return self._handled(request, request.stream)

    def _handled(self, request: httpx.Request, content: Iterable[bytes]) -> httpx.Response:
        sent = httpcore.Request(
            request.method,
            httpcore.URL(
                scheme=request.url.raw_scheme,
                host=request.url.raw_host,
                port=request.url.port,
                target=request.url.raw_path,
            ),
            headers=request.headers.raw,
            content=content,
        )
        connection = self._taken(sent.url.origin)
        try:
            received = connection.handle_request(sent)
        except BaseException:
            connection.close()
            raise
        return httpx.Response(
            received.status,
            headers=received.headers,
            stream=_Body(received, partial(self._give_back, connection)),
        )

    def stop(self) -> None:
        """Fails every request under way, from whichever thread, and all later ones."""
        self._network.stop()

    def close(self) -> None:
        """Gives the connections back; no request is under way."""
        with self._lock:
            while self._idle:
                self._idle.pop().close()

    # httpcore's own pool closes connections that another thread has just taken

    def _taken(self, origin: httpcore.Origin) -> httpcore.HTTPConnection:
        """A connection that nobody else uses until it is given back."""
        with self._lock:
            while self._idle:
                connection = self._idle.pop()
                if not connection.has_expired():
                    return connection
                connection.close()
        return httpcore.HTTPConnection(
            origin,
            ssl_context=self._tls,
            keepalive_expiry=_KEPT_OPEN,
            network_backend=self._network,
        )

    def _give_back(self, connection: httpcore.HTTPConnection) -> None:
        if connection.is_available():
            with self._lock:
                self._idle.append(connection)
        else:
            connection.close()


class _Body(httpx.SyncByteStream):
    def __init__(self, received: httpcore.Response, then: Callable[[], None]) -> None:
        assert isinstance(received.stream, Iterable)  # noqa: S101 (as the request's)
        self._stream = received.stream
        self._received = received
        self._then = then

    def __iter__(self) -> Iterator[bytes]:
        with _errors_of_httpx():
            yield from self._stream

    def close(self) -> None:
        self._received.close()
        self._then()


@contextmanager
def _errors_of_httpx() -> Generator[None, None, None]:
    try:
        yield
    except httpcore.TimeoutException as error:
        raise httpx.TimeoutException(str(error)) from None
    except httpcore.NetworkError as error:
        raise httpx.NetworkError(str(error)) from None
    except (httpcore.ProtocolError, httpcore.UnsupportedProtocol) as error:
        raise httpx.ProtocolError(str(error)) from None
