"""The server as a process: listens, says how to connect, and ends in order."""

import asyncio
import ipaddress
import socket
from collections.abc import Callable
from types import FrameType

import uvicorn

from muniment.domain.errors import Invalid, Unavailable
from muniment.domain.identity import identity
from muniment.handle import Muniment
from muniment.lockout import Lockout

from .application import application
from .connections import patient, room
from .gate import Authenticate, Gate
from .limits import Allowance

GRACE = 3
"""Seconds that requests have to end in once the server is told to."""

KEPT_OPEN = 75
"""Seconds that a connection is kept for the next request; clients and proxies give up sooner."""


def serve(
    store: Muniment,
    host: str,
    port: int,
    authenticate: Authenticate | None,
    ready: Callable[[str], None],
) -> None:
    """Serves a store until the process is told to end (SIGTERM, SIGINT).

    Args:
        store: The store; the caller closes it, which flushes and signs a checkpoint.
        host: The address to listen on.
        port: The port; 0 takes any that is free.
        authenticate: Whose a token is; None lets everyone on this machine in, as ``main``.
        ready: Called with the base address once requests are taken.

    Raises:
        Invalid: ``open_not_loopback``: without tokens the server listens on this machine alone.
        Unavailable: ``port_taken``.
    """
    if authenticate is None and not _is_loopback(host):
        raise Invalid(
            f"host: without tokens the server listens on this machine alone, not on {host!r}.",
            code="open_not_loopback",
            field="host",
        )
    asyncio.run(_serve(store, host, port, authenticate, ready))


def gate(store: Muniment, host: str, authenticate: Authenticate | None) -> Gate:
    """Who is let in by the store's settings."""
    server, limits = store.settings.server, store.settings.limits
    return Gate(
        store,
        authenticate,
        identity(store.space, "bot:main"),
        {*server.hosts, host},
        server.origins,
        Allowance("reads", limits.reads_per_minute),
        Allowance("writes", limits.writes_per_minute),
        Lockout(lambda: store.now),
    )


def made(store: Muniment, gate: Gate) -> "Ending":
    """The server of a store, not yet started."""
    limits, proxies = store.settings.limits, store.settings.server.proxies
    app = application(gate, limits)
    config = uvicorn.Config(
        app,
        http=patient(room(limits.connections), limits.head_seconds),
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=bool(proxies),
        forwarded_allow_ips=list(proxies),
        timeout_keep_alive=KEPT_OPEN,
        timeout_graceful_shutdown=GRACE,
        lifespan="on",
        ws="none",
    )
    return Ending(config, app.state.stopping)


async def _serve(
    store: Muniment,
    host: str,
    port: int,
    authenticate: Authenticate | None,
    ready: Callable[[str], None],
) -> None:
    listening = listen(host, port)
    server = made(store, gate(store, host, authenticate))
    serving = asyncio.create_task(server.serve([listening]))
    while not server.started and not serving.done():
        await asyncio.sleep(0.01)
    store.record_start("serve")
    scheduler = store.audit.scheduler()
    scheduler.start()
    bound = listening.getsockname()[1]
    ready(f"http://{f'[{host}]' if ':' in host else host}:{bound}")
    try:
        await serving
    finally:
        await asyncio.to_thread(scheduler.stop)


def listen(host: str, port: int) -> socket.socket:
    """A socket that listens, each connection of which sends at once what is written to it.

    Raises:
        Unavailable: ``port_taken``.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        listening = socket.create_server((host, port), family=family, backlog=2_048)
    except OSError as error:
        reason, _, _ = str(error.strerror).partition(" (while")  # which address is said already
        raise Unavailable(
            f"{host}:{port} cannot be listened on ({reason}): name another with --port or --host.",
            code="port_taken",
        ) from error
    # connections inherit it; without, the body of an answer waits 40 ms for the client to
    # acknowledge the headers: asyncio sets it where a socket names its protocol, and this has none
    listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return listening


class Ending(uvicorn.Server):
    """Ends the streams that are open when it is told to end, not when their clients go."""

    def __init__(self, config: uvicorn.Config, stopping: asyncio.Event) -> None:
        super().__init__(config)
        self._stopping = stopping

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:  # noqa: ARG002 (its shape)
        """Ends in order; uvicorn's own would send the signal on and leave the store unclosed."""
        self._stopping.set()
        self.force_exit = self.should_exit
        self.should_exit = True


def _is_loopback(host: str) -> bool:
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
