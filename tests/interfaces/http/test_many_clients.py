"""Two servers on one directory and sixty-four clients: nothing is lost, each is answered."""

import threading
from collections.abc import Generator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest
from started import PATIENCE, Child, owner_token, serving

import muniment as package

CLIENTS = 64
SAVES = 5


@contextmanager
def asking(child: Child, token: str) -> Generator[httpx.Client]:
    """A client that keeps a connection for each who asks."""
    limits = httpx.Limits(max_connections=CLIENTS, max_keepalive_connections=CLIENTS)
    bearer = {"Authorization": f"Bearer {token}"}
    with httpx.Client(
        base_url=child.base, headers=bearer, limits=limits, timeout=PATIENCE
    ) as client:
        yield client


def test_two_processes_and_sixty_four_clients_lose_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MUNIMENT_LIMITS__READS_PER_MINUTE", "0")
    monkeypatch.setenv("MUNIMENT_LIMITS__WRITES_PER_MINUTE", "0")
    data = tmp_path / "store"
    begin = threading.Barrier(CLIENTS)
    with serving(data) as one, serving(data) as other:
        token = owner_token(data)
        with asking(one, token) as here, asking(other, token) as there:

            def work(number: int) -> dict[str, str]:
                """Saves to one process, and asks the other for what has just been saved."""
                servers = (here, there) if number % 2 else (there, here)
                acknowledged: dict[str, str] = {}
                begin.wait(PATIENCE)
                for at in range(SAVES):
                    name = f"depot{number}x{at}"
                    body = {"content": f"{name.capitalize()} holds {number * SAVES + at} crates."}
                    saved = servers[at % 2].post("/v1/memories", json=body)
                    assert saved.status_code == 201, saved.text
                    acknowledged[saved.json()["memory"]["id"]] = body["content"]
                    found = servers[1 - at % 2].post("/v1/search", json={"query": name})
                    assert found.status_code == 200, found.text
                    first = found.json()["hits"][0]["memory"]
                    assert acknowledged[first["id"]] == body["content"]
                return acknowledged

            with ThreadPoolExecutor(CLIENTS) as clients:
                parts = list(clients.map(work, range(CLIENTS)))
        assert one.end() < 5
        assert other.end() < 5
    acknowledged = {id_: content for part in parts for id_, content in part.items()}
    assert len(acknowledged) == CLIENTS * SAVES
    with package.open(data, read_only=True) as m:
        kept = {id_: m.get(id_).content for id_ in acknowledged}
        assert kept == acknowledged
        assert m.stats().memories["live"] == len(acknowledged)
        assert m.verify().intact
