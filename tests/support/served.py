"""A real server on a free port, in a thread, with tokens for whoever a test is."""

import contextlib
import itertools
import signal
import threading
import time
from collections.abc import Generator, Mapping
from pathlib import Path
from typing import Any

import httpx

import muniment
from muniment import Muniment
from muniment.domain.identity import Role, identity
from muniment.domain.ports import Clock
from muniment.interfaces.http.gate import Authenticate
from muniment.interfaces.http.serving import Ending, gate, made

PATIENCE = 20.0


class Served:
    """A server that runs; ``store`` is the owner's handle on what it serves."""

    def __init__(self, store: Muniment, base: str, server: Ending) -> None:
        self.store = store
        self.base = base
        self.server = server
        self._spaces = itertools.count(1)
        self.clients: list[httpx.Client] = []

    def token(self, actor: str = "manual", role: Role | None = None, space: str = "default") -> str:
        """A token."""
        admin = self.store.as_identity(identity("default", "manual", "admin"))
        return admin.tokens.issue(actor=actor, role=role, space=space).text

    def fresh_space(self) -> str:
        """A space that nobody has used."""
        return f"space-{next(self._spaces)}"

    def client(
        self, actor: str = "manual", role: Role | None = None, space: str | None = None
    ) -> httpx.Client:
        """A client with a token of its own, for a fresh space unless one is named."""
        token = self.token(actor, role, self.fresh_space() if space is None else space)
        return self.bearing(token)

    def bearing(self, token: str | None) -> httpx.Client:
        """A client that shows a token, or none."""
        headers = {} if token is None else {"Authorization": f"Bearer {token}"}
        client = httpx.Client(base_url=self.base, headers=headers, timeout=PATIENCE)
        self.clients.append(client)
        return client


@contextlib.contextmanager
def served(
    target: Path | str = ":memory:",
    *,
    clock: Clock | None = None,
    settings: Mapping[str, Any] | None = None,
    is_open: bool = False,
    authenticate: Authenticate | None = None,
) -> Generator[Served]:
    """Serves a store while the context lasts; by its tokens unless told whose a token is."""
    with muniment.open(target, clock=clock, settings=settings) as store:
        entry = gate(
            store, "127.0.0.1", None if is_open else authenticate or store.tokens.authenticate
        )
        server = made(store, entry)
        server.config.host, server.config.port = "127.0.0.1", 0
        thread = threading.Thread(target=server.run, daemon=True)
        thread.start()
        until = time.monotonic() + PATIENCE
        while not server.started:
            assert time.monotonic() < until
            time.sleep(0.01)
        port = server.servers[0].sockets[0].getsockname()[1]
        running = Served(store, f"http://127.0.0.1:{port}", server)
        try:
            yield running
        finally:
            for client in running.clients:
                client.close()
            server.handle_exit(signal.SIGTERM, None)
            thread.join(PATIENCE)
            assert not thread.is_alive()


def fails(response: httpx.Response, status: int, code: str, field: str | None = None) -> str:
    """Checks an error document, or an error of the protocol under ``/mcp``; its sentence."""
    assert response.status_code == status, response.text
    assert response.headers["content-type"] == "application/json"
    told = response.json()
    error = told["error"]
    if response.url.path == "/mcp" and status != 405:  # which the application says
        assert (told["jsonrpc"], told["id"]) == ("2.0", None)
        assert error["message"].startswith(f"[{code}] ")
        error = {**error, **error["data"]}
    else:
        assert told.keys() == {"error"}
    assert (error["code"], error["field"]) == (code, field)
    assert error["message"]
    return str(error["message"])
