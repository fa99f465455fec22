"""HTTP to one endpoint, at an address that was checked, within a deadline, and stoppable.

httpx checks time a read at a time: a server that sends a byte a second, or headers without end, is
never late. Here every wait of a request is cut to what is left of its deadline, so that no thread
is needed to watch over it. A connection goes to an address that the rules admit, as it was
resolved, while certificates are checked against the name.
"""

import os
import queue
import select
import socket
import ssl
import threading
import time
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import Any, Final

import httpcore
import httpx

from .endpoints import Endpoint, Resolve

_SLICE: Final = 0.05
"""Seconds after which a wait that nothing can wake looks whether it is to stop."""

_KEPT_OPEN: Final = 5.0


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
        self._network = _Network(endpoint, connect_timeout, resolve)
        if tls is None and endpoint.scheme == "https":  # reading all authorities takes a while
            tls = httpx.create_ssl_context(trust_env=False)
        self._pool = httpcore.ConnectionPool(
            ssl_context=tls,
            keepalive_expiry=_KEPT_OPEN,
            network_backend=self._network,
        )

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
            # the wait for one of the pool's connections is the one that is not ours
            extensions={"timeout": {"pool": self._network.deadline.left()}},
        )
        received = self._pool.handle_request(sent)
        assert isinstance(received.stream, Iterable)  # noqa: S101
        return httpx.Response(
            received.status, headers=received.headers, stream=_Body(received.stream)
        )

    def stop(self) -> None:
        """Fails every request under way, from whichever thread, and all later ones."""
        self._network.stop()

    def close(self) -> None:
        """Gives the connections back; no request is under way."""
        self._pool.close()


class _Body(httpx.SyncByteStream):
    def __init__(self, stream: Iterable[bytes]) -> None:
        self._stream = stream

    def __iter__(self) -> Iterator[bytes]:
        with _errors_of_httpx():
            yield from self._stream

    def close(self) -> None:
        close: Callable[[], None] | None = getattr(self._stream, "close", None)
        if close is not None:
            close()


@contextmanager
def _errors_of_httpx() -> Generator[None, None, None]:
    try:
        yield
    except httpcore.TimeoutException as error:
        raise httpx.TimeoutException(str(error)) from None
    except (httpcore.NetworkError, OSError, httpcore.ConnectionNotAvailable) as error:
        raise httpx.NetworkError(str(error)) from None
    except (httpcore.ProtocolError, httpcore.UnsupportedProtocol) as error:
        raise httpx.ProtocolError(str(error)) from None


class _Deadline(threading.local):
    """When what this thread has asked for must be over."""

    at = 0.0

    def left(self, at_most: float | None = None) -> float:
        left = self.at - time.monotonic()
        if left <= 0:
            raise httpcore.TimeoutException("no answer in time")
        return left if at_most is None else min(left, at_most)


class _Network(httpcore.NetworkBackend):
    """Connects to addresses that the endpoint's rules admit."""

    def __init__(self, endpoint: Endpoint, connect_timeout: float, resolve: Resolve) -> None:
        self.deadline = _Deadline()
        self._endpoint = endpoint
        self._connect_timeout = connect_timeout
        self._resolve = resolve
        self._resolving = threading.Lock()
        self._lock = threading.Lock()
        self._open: set[socket.socket] = set()
        self._is_stopped = False

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ARG002 (the client sets none: the deadline is all)
        local_address: str | None = None,  # noqa: ARG002 (any)
        socket_options: Iterable[httpcore.SOCKET_OPTION] | None = None,  # noqa: ARG002 (our own)
    ) -> httpcore.NetworkStream:
        until = time.monotonic() + self.deadline.left(self._connect_timeout)
        found = self._addresses(host, port, until)
        admitted = [address for address in found if self._endpoint.admits(address)]
        if not admitted:
            raise httpcore.ConnectError(
                f"{host} has an address that may not be asked" if found else f"{host} is not known"
            )
        failure: Exception = httpcore.ConnectTimeout("no connection in time")
        for number, address in enumerate(admitted):
            share = (until - time.monotonic()) / (len(admitted) - number)
            try:
                return self._connected(address, port, time.monotonic() + share)
            except (httpcore.ConnectError, httpcore.ConnectTimeout) as error:
                failure = error
        raise failure

    def stop(self) -> None:
        with self._lock:
            self._is_stopped = True
            connections = list(self._open)
        for connection in connections:
            _wake(connection)

    def forget(self, connection: socket.socket) -> None:
        with self._lock:
            self._open.discard(connection)
            connection.close()

    def replace(self, connection: socket.socket, other: socket.socket) -> None:
        with self._lock:
            self._open.discard(connection)
            self._open.add(other)
        self._check()

    def _check(self) -> None:
        if self._is_stopped:
            raise httpcore.ConnectError("it was closed")

    def _addresses(self, host: str, port: int, until: float) -> list[str]:
        """A resolver that hangs keeps one thread, and as long as it does no other is asked."""
        answers: queue.SimpleQueue[list[str]] = queue.SimpleQueue()
        asked = False
        while (left := until - time.monotonic()) > 0:
            self._check()
            if not asked:
                asked = self._resolving.acquire(timeout=min(left, _SLICE))
                if asked:
                    threading.Thread(
                        target=self._ask, args=(host, port, answers), daemon=True
                    ).start()
                continue
            try:
                return answers.get(timeout=min(left, _SLICE))
            except queue.Empty:
                continue
        raise httpcore.ConnectTimeout("its name was not resolved in time")

    def _ask(self, host: str, port: int, answers: queue.SimpleQueue[list[str]]) -> None:
        found: list[str] = []
        try:
            found = list(self._resolve(host, port))
        finally:
            self._resolving.release()
            answers.put(found)

    def _connected(self, address: str, port: int, until: float) -> httpcore.NetworkStream:
        family = socket.AF_INET6 if ":" in address else socket.AF_INET
        connection = socket.socket(family, socket.SOCK_STREAM)
        try:
            connection.setblocking(False)
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            connection.connect_ex((address, port))
            self._await_connection(connection, until)
            with self._lock:
                self._open.add(connection)
            self._check()
        except OSError:
            self.forget(connection)
            raise httpcore.ConnectError("no connection") from None
        except BaseException:
            self.forget(connection)
            raise
        return _Stream(self, connection)

    def _await_connection(self, connection: socket.socket, until: float) -> None:
        while not _ready(connection, select.POLLOUT, _SLICE):
            self._check()
            if time.monotonic() >= until:
                raise httpcore.ConnectTimeout("no connection in time")
        error = connection.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR)
        if error:
            raise httpcore.ConnectError(f"no connection: {os.strerror(error)}")


class _Stream(httpcore.NetworkStream):
    """A connection whose every wait is cut to what is left of the deadline."""

    def __init__(self, network: _Network, connection: socket.socket) -> None:
        self._network = network
        self._connection = connection

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        try:
            self._connection.settimeout(self._network.deadline.left(timeout))
            return self._connection.recv(max_bytes)
        except TimeoutError:
            raise httpcore.ReadTimeout("no answer in time") from None
        except OSError:
            raise httpcore.ReadError("the connection broke off") from None

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        left = memoryview(buffer)
        try:
            while left:
                self._connection.settimeout(self._network.deadline.left(timeout))
                left = left[self._connection.send(left) :]
        except TimeoutError:
            raise httpcore.WriteTimeout("it did not read in time") from None
        except OSError:
            raise httpcore.WriteError("the connection broke off") from None

    def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,
    ) -> httpcore.NetworkStream:
        plain = self._connection
        try:
            plain.settimeout(self._network.deadline.left(timeout))
            wrapped = ssl_context.wrap_socket(
                plain, server_hostname=server_hostname, do_handshake_on_connect=False
            )
            self._connection = wrapped
            self._network.replace(plain, wrapped)
            wrapped.do_handshake()
        except ssl.SSLCertVerificationError:
            self.close()
            raise httpcore.ConnectError("its certificate is not valid for its name") from None
        except TimeoutError:
            self.close()
            raise httpcore.ConnectTimeout("no TLS in time") from None
        except OSError:
            self.close()
            raise httpcore.ConnectError("TLS failed") from None
        except BaseException:
            self.close()
            raise
        return self

    def close(self) -> None:
        self._network.forget(self._connection)

    def get_extra_info(self, info: str) -> Any:
        if info == "is_readable":  # asked of an idle connection: it was closed over there
            return self._connection.fileno() < 0 or _ready(self._connection, select.POLLIN, 0)
        if info == "ssl_object" and isinstance(self._connection, ssl.SSLSocket):
            return self._connection
        return None


def _ready(connection: socket.socket, event: int, timeout: float) -> bool:
    """Whether a connection can be read from or written to, or is broken, within some seconds."""
    poll = select.poll()
    poll.register(connection, event)
    return bool(poll.poll(timeout * 1_000))


def _wake(connection: socket.socket) -> None:
    """Ends the wait of another thread for a connection, which fails from then on."""
    with suppress(OSError):  # it is no longer connected, so nobody waits for it
        # of the plain socket: that of a TLS one would take its state from under the other thread
        socket.socket.shutdown(connection, socket.SHUT_RDWR)
