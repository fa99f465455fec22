"""Connections to one endpoint: at admitted addresses, within a deadline, and stoppable.

httpcore checks time a read at a time: a server that sends a byte a second, or headers without end,
is never late. Here every wait is cut to what is left of the deadline of the thread that waits.
"""

import os
import queue
import select
import socket
import ssl
import threading
import time
from collections.abc import Iterable
from contextlib import suppress
from typing import Any, Final

import httpcore

from .endpoints import Endpoint, Resolve

_SLICE: Final = 0.05
"""Seconds after which a wait that nothing can wake looks whether it is to stop."""


class Deadline(threading.local):
    """When what this thread has asked for must be over."""

    at = 0.0

    def left(self, at_most: float | None = None) -> float:
        """Seconds that are left, more than 0; raises ``TimeoutException`` where none are."""
        left = self.at - time.monotonic()
        if left <= 0:
            raise httpcore.TimeoutException("no answer in time")
        return left if at_most is None else min(left, at_most)


class Network(httpcore.NetworkBackend):
    """Connects to addresses that the endpoint's rules admit, for any number of threads.

    Args:
        endpoint: Whose addresses are admitted or not.
        connect_timeout: Seconds to resolve and connect in.
        resolve: Host and port → IP addresses.
    """

    def __init__(self, endpoint: Endpoint, connect_timeout: float, resolve: Resolve) -> None:
        self.deadline = Deadline()
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
        """A connection; raises ``ConnectError`` or ``ConnectTimeout``."""
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
        """Ends every wait for a connection, from whichever thread, and makes no other."""
        with self._lock:
            self._is_stopped = True
            connections = list(self._open)
        for connection in connections:
            _wake(connection)

    def forget(self, connection: socket.socket) -> None:
        """Closes a connection."""
        with self._lock:
            self._open.discard(connection)
            connection.close()

    def replace(self, connection: socket.socket, other: socket.socket) -> None:
        """Takes note that TLS has wrapped a connection."""
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
        return Stream(self, connection)

    def _await_connection(self, connection: socket.socket, until: float) -> None:
        while not _ready(connection, select.POLLOUT, _SLICE):
            self._check()
            if time.monotonic() >= until:
                raise httpcore.ConnectTimeout("no connection in time")
        error = connection.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR)
        if error:
            raise httpcore.ConnectError(f"no connection: {os.strerror(error)}")


class Stream(httpcore.NetworkStream):
    """A connection whose every wait is cut to what is left of the deadline."""

    def __init__(self, network: Network, connection: socket.socket) -> None:
        self._network = network
        self._connection = connection

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        """Some bytes, none at the end; raises ``ReadError`` or a timeout."""
        try:
            self._connection.settimeout(self._network.deadline.left(timeout))
            return self._connection.recv(max_bytes)
        except TimeoutError:
            raise httpcore.ReadTimeout("no answer in time") from None
        except OSError:
            raise httpcore.ReadError("the connection broke off") from None

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        """Sends all of it; raises ``WriteError`` or a timeout."""
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
        """The same connection under TLS; raises ``ConnectError`` or ``ConnectTimeout``."""
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
        """Closes it."""
        self._network.forget(self._connection)

    def get_extra_info(self, info: str) -> Any:
        """``is_readable`` and ``ssl_object``; None for all others."""
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
