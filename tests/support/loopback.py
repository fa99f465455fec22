"""A service on the loopback that speaks OpenAI's ``/v1/embeddings``, well or badly, as scripted."""

import hashlib
import json
import ssl
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, NamedTuple, Self, TypeAlias

import numpy as np

from muniment.domain.embedding import Vectors, unit

DIMENSION = 32


def toy_vectors(texts: Sequence[str]) -> Vectors:
    """Unit vectors that are alike as far as the texts share words."""
    return unit(np.array([_of_words(text) for text in texts]))


def _of_words(text: str) -> np.ndarray[Any, np.dtype[np.float64]]:
    total = np.full(DIMENSION, 1e-3)
    for word in text.casefold().split():
        digest = hashlib.sha256(word.encode("utf-8", "surrogatepass")).digest()
        total += np.frombuffer(digest, np.uint8)[:DIMENSION].astype(np.float64) - 127.5
    return total


class Request(NamedTuple):
    path: str
    headers: Mapping[str, str]
    body: Any
    at: float
    raw: bytes


class Exchange:
    """One request as a behaviour sees it."""

    def __init__(self, handler: BaseHTTPRequestHandler, body: Any, over: threading.Event) -> None:
        self.body = body
        self.over = over
        self._handler = handler

    def send(self, status: int, payload: bytes, headers: Mapping[str, str] | None = None) -> None:
        self._handler.send_response(status)
        given = {"Content-Type": "application/json", "Content-Length": str(len(payload))}
        for name, value in (given | dict(headers or {})).items():
            self._handler.send_header(name, value)
        self._handler.end_headers()
        self._handler.wfile.write(payload)

    def raw(self, data: bytes) -> None:
        self._handler.wfile.write(data)
        self._handler.wfile.flush()

    def cut(self) -> None:
        self._handler.close_connection = True


Behaviour: TypeAlias = Callable[[Exchange], None]


def embeddings(exchange: Exchange) -> None:
    """The right answer, in an order of its own, each entry with its index."""
    vectors = toy_vectors(exchange.body["input"])
    data = [
        {"object": "embedding", "index": index, "embedding": vector.tolist()}
        for index, vector in reversed(list(enumerate(vectors)))
    ]
    replies({"object": "list", "model": exchange.body["model"], "data": data})(exchange)


def replies(reply: object, headers: Mapping[str, str] | None = None) -> Behaviour:
    """Status 200 and any JSON, NaN and infinity included."""
    return lambda exchange: exchange.send(200, json.dumps(reply).encode(), headers)


def vectors_are(*vectors: object) -> Behaviour:
    """Status 200 and these in place of vectors."""
    return replies({"data": [{"index": i, "embedding": v} for i, v in enumerate(vectors)]})


def fails(status: int, headers: Mapping[str, str] | None = None) -> Behaviour:
    return lambda exchange: exchange.send(status, b'{"error": {"message": "no"}}', headers)


def sends(payload: bytes, headers: Mapping[str, str] | None = None) -> Behaviour:
    return lambda exchange: exchange.send(200, payload, headers)


def refuses_texts_with(word: str) -> Behaviour:
    """Status 400 as soon as one of the texts holds a word."""

    def behave(exchange: Exchange) -> None:
        if any(word in text for text in exchange.body["input"]):
            fails(400)(exchange)
        else:
            embeddings(exchange)

    return behave


def cuts(exchange: Exchange) -> None:
    """No answer: the connection is closed."""
    exchange.cut()


def answers_and_cuts(exchange: Exchange) -> None:
    """The right answer, and then the end of the connection without a word of it."""
    embeddings(exchange)
    exchange.cut()


def cuts_midway(exchange: Exchange) -> None:
    exchange.raw(b'HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n{"data": [')
    exchange.cut()


def hangs(exchange: Exchange) -> None:
    """No byte, until the server ends."""
    exchange.over.wait(30)
    exchange.cut()


def drips(first: bytes, byte: bytes, every: float) -> Behaviour:
    """Some bytes, then one ever so often, until the other side is gone."""

    def behave(exchange: Exchange) -> None:
        exchange.cut()
        exchange.raw(first)
        while not exchange.over.wait(every):
            exchange.raw(byte)

    return behave


def slow_body(every: float) -> Behaviour:
    return drips(b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n", b" ", every)


def slow_headers(every: float) -> Behaviour:
    return drips(b"HTTP/1.1 200 OK\r\nX-Never-Ending: ", b"x", every)


class Loopback:
    """The server; a context manager. Follows ``script`` first, then does ``always``.

    While it ``is_deaf`` it reads no request's body.
    """

    def __init__(
        self,
        *script: Behaviour,
        always: Behaviour = embeddings,
        tls: ssl.SSLContext | None = None,
    ) -> None:
        self.script = deque(script)
        self.always = always
        self.requests: list[Request] = []
        self.connections = 0
        self.is_deaf = False
        self._over = threading.Event()
        self._server = _Server(("127.0.0.1", 0), _handler(self))
        self._scheme = "http"
        if tls is not None:
            self._scheme = "https"
            self._server.socket = tls.wrap_socket(self._server.socket, server_side=True)

    @property
    def port(self) -> int:
        return int(self._server.server_address[1])

    def url(self, host: str = "127.0.0.1") -> str:
        return f"{self._scheme}://{host}:{self.port}"

    def behave(self, handler: BaseHTTPRequestHandler) -> None:
        if self.is_deaf:
            self._over.wait(30)
        length = int(handler.headers.get("Content-Length", 0))
        raw = handler.rfile.read(length)
        body = json.loads(raw)
        self.requests.append(
            Request(handler.path, dict(handler.headers.items()), body, time.monotonic(), raw)
        )
        behaviour = self.script.popleft() if self.script else self.always
        behaviour(Exchange(handler, body, self._over))

    def __enter__(self) -> Self:
        self._thread = threading.Thread(
            target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True
        )
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._over.set()
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that goes away is what many a test wants."""


def _handler(loopback: Loopback) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def setup(self) -> None:
            loopback.connections += 1
            super().setup()

        def do_POST(self) -> None:
            loopback.behave(self)

        def log_message(self, format: str, *args: Any) -> None:
            """Nobody reads it."""

    return Handler
