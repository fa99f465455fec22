"""Two servers on one directory asked by many clients, and a host whose embedder never answers."""

import json
import os
import re
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Generator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from http.client import HTTPConnection
from pathlib import Path
from typing import Any, NamedTuple

from muniment import Muniment
from muniment.domain.identity import identity
from muniment.engine import Engine

from .corpus import queries, texts
from .measuring import Report, at_most, median, quantile
from .sentence_model import served
from .serving_peers import HITS, MODEL, PEERS, MemoryPeer, hashed
from .stores import fill

SERVERS = 2
CLIENTS = 64
SAVES = 5
SEARCHES = 5
MEMORIES_OF_A_HOST = 50_000
HOST_WAITS = 2.0
_PATIENCE = 600.0

Call = Callable[[int, str], object]
"""What a client does: its number, and a text or a query."""


class _Figures(NamedTuple):
    """Saves a second, and milliseconds on the clock that a search takes."""

    rate: float
    p50: float
    p95: float


def run(folder: Path, memories: int) -> Report:
    """Fills stores with so many memories, and asks each by as many clients."""
    report = Report(f"{CLIENTS} clients, {memories:,} memories, on the clock; peers in one process")
    store = folder / "served"
    fill(store, memories)
    figures: dict[str, _Figures] = {"by words": _over_http(store, {})}
    beside: dict[str, _Figures | None] = {}
    with served(hashed) as endpoint:
        embedding = {"endpoint": endpoint, "model": MODEL}
        _embed(store, embedding)
        named = {f"MUNIMENT_EMBEDDING__{name.upper()}": value for name, value in embedding.items()}
        figures["by words and meaning"] = _over_http(store, named)
        for peer in PEERS:
            try:
                beside[peer.NAME] = _in_process(peer, memories, endpoint)
            except ModuleNotFoundError:
                beside[peer.NAME] = None
    for how, ours in figures.items():
        for name, unit in (("rate", "saves/s"), ("p50", "ms"), ("p95", "ms")):
            title = f"{SERVERS} servers, {how}: " + (
                "saves" if name == "rate" else f"search {name}"
            )
            figure: float = getattr(ours, name)
            report.add(title, figure, unit)
            for peer_name, theirs in beside.items():
                if theirs is None:
                    report.missing(peer_name)
                else:
                    report.beside(peer_name, getattr(theirs, name), figure, unit)
    return report


def _embed(path: Path, embedding: dict[str, str]) -> None:
    """Waits until every memory has its vector."""
    engine = Engine(path, settings={"embedding": embedding})
    with Muniment(engine, identity("default", "manual")):
        if engine.meaning is None or not engine.meaning.drain(_PATIENCE):
            msg = "the vectors did not come within ten minutes"
            raise TimeoutError(msg)


def _in_process(peer: type[MemoryPeer], memories: int, endpoint: str) -> _Figures:
    with tempfile.TemporaryDirectory() as folder:
        made = peer([text for text, _ in texts(memories)], Path(folder), endpoint)
        try:
            return _asked(
                lambda _, text: made.save(text),
                lambda _, query: made.search(query),
            )
        finally:
            made.close()


def _over_http(path: Path, environment: dict[str, str]) -> _Figures:
    limits = {f"MUNIMENT_LIMITS__{kind}_PER_MINUTE": "0" for kind in ("READS", "WRITES")}
    with ExitStack() as stack:
        ports = [
            stack.enter_context(_server(path, {**limits, **environment})) for _ in range(SERVERS)
        ]
        token = (path / "keys" / "server.token").read_text(encoding="ascii").strip()
        clients = [
            HTTPConnection("127.0.0.1", ports[number % SERVERS], timeout=_PATIENCE)
            for number in range(CLIENTS)
        ]
        for client in clients:
            stack.callback(client.close)

        def post(number: int, address: str, body: dict[str, object]) -> None:
            headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
            clients[number].request("POST", address, json.dumps(body), headers)
            answer = clients[number].getresponse()
            said = answer.read()
            if answer.status not in (200, 201):
                raise RuntimeError(f"{address}: {answer.status} {said.decode()}")

        return _asked(
            lambda number, text: post(number, "/v1/memories", {"content": text}),
            lambda number, query: post(number, "/v1/search", {"query": query, "limit": HITS}),
        )


@contextmanager
def _server(path: Path, environment: dict[str, str]) -> Generator[int]:
    """A server in a process of its own; its port, once it is ready."""
    process = subprocess.Popen(
        [sys.executable, "-m", "muniment", "--data", str(path), "serve", "--port", "0"],
        env={**os.environ, **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    try:
        assert process.stdout is not None
        told = process.stdout.readline()
        found = re.search(r"http://127\.0\.0\.1:([0-9]+)", told)
        if found is None:
            raise RuntimeError(f"the server did not start: {told!r}")
        yield int(found[1])
    finally:
        process.terminate()
        process.communicate()


def _asked(save: Call, search: Call) -> _Figures:
    """What all clients at once take, each one call after another; a first round is not counted."""
    asked = queries(CLIENTS * (SEARCHES + 1))
    fresh = [text for text, _ in texts(CLIENTS * (SAVES + 1), seed=6)]
    _at_once(search, asked[:CLIENTS])
    _at_once(save, fresh[:CLIENTS])
    began = time.perf_counter()
    _at_once(save, fresh[CLIENTS:])
    rate = CLIENTS * SAVES / (time.perf_counter() - began)
    taken = _at_once(search, asked[CLIENTS:])
    return _Figures(rate, median(taken), quantile(taken, 0.95))


def _at_once(call: Call, given: list[str]) -> list[float]:
    """Milliseconds of each call."""
    begin = threading.Barrier(CLIENTS)

    def client(number: int) -> list[float]:
        begin.wait()
        taken: list[float] = []
        for said in given[number::CLIENTS]:
            began = time.perf_counter()
            call(number, said)
            taken.append((time.perf_counter() - began) * 1e3)
        return taken

    with ThreadPoolExecutor(CLIENTS) as pool:
        return [one for part in pool.map(client, range(CLIENTS)) for one in part]


def hanging(folder: Path) -> Report:
    """How long a host waits for its tools when the embedder takes connections and says nothing."""
    report = Report(f"MCP, {MEMORIES_OF_A_HOST:,} memories, an embedder that never answers")
    store = folder / "hosted"
    fill(store, MEMORIES_OF_A_HOST)
    with socket.create_server(("127.0.0.1", 0), backlog=128) as deaf:
        endpoint = f"http://127.0.0.1:{deaf.getsockname()[1]}"
        initialised, listed = _host(store, endpoint)
    report.add("from the start of the process to initialised", initialised, "s")
    report.add("from the start of the process to its tools", listed, "s", at_most(HOST_WAITS))
    report.add("from initialised to its tools", listed - initialised, "s")
    return report


def _host(path: Path, endpoint: str) -> tuple[float, float]:
    """Seconds until the answers to ``initialize`` and to ``tools/list`` are there."""
    named = {"MUNIMENT_EMBEDDING__ENDPOINT": endpoint, "MUNIMENT_EMBEDDING__MODEL": MODEL}
    began = time.perf_counter()
    with subprocess.Popen(
        [sys.executable, "-m", "muniment", "--data", str(path), "mcp"],
        env={**os.environ, **named},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as process:
        hello = {
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": {"name": "benchmarks", "version": "1"},
        }
        _ask(process, 1, "initialize", hello)
        initialised = time.perf_counter() - began
        _tell(process, {"method": "notifications/initialized"})
        tools = _ask(process, 2, "tools/list", {})["tools"]
        listed = time.perf_counter() - began
        process.terminate()
    assert tools
    return initialised, listed


def _ask(process: subprocess.Popen[str], number: int, method: str, params: object) -> Any:
    _tell(process, {"id": number, "method": method, "params": params})
    assert process.stdout is not None
    return json.loads(process.stdout.readline())["result"]


def _tell(process: subprocess.Popen[str], message: dict[str, object]) -> None:
    assert process.stdin is not None
    process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    process.stdin.flush()
