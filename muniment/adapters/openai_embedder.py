"""Vectors from an endpoint that speaks OpenAI's ``/v1/embeddings``: Ollama, vLLM, any provider."""

import ssl
import time
from collections.abc import Sequence
from typing import Final, cast

import numpy as np

from muniment.domain.embedding import REFUSED, Health, Vectors, accepted
from muniment.domain.errors import Unavailable

from .endpoints import Endpoint, Resolve, resolved
from .json_client import REPLY_REFUSED, REQUEST_REFUSED, JsonClient, Patience

MAX_BATCH: Final = 64
"""How many texts are sent at a time."""


class OpenAIEmbedder:
    """The model ``model`` at ``endpoint``, an ``Embedder``.

    A vector of another dimension than the first is refused. Each batch of texts is one call to
    which ``patience`` applies.

    Args:
        endpoint: Whom to ask.
        model: The model's name there.
        api_key: Sent as a bearer token, where there is one.
        dimension: How many components are expected; None: as many as come first.
        max_input_chars: What is longer is cut to so many characters.
        patience: How long and how often to try.
        resolve: Host and port → IP addresses.
        tls: What certificates are checked with; None: against the authorities that httpx knows.

    Raises:
        Invalid: ``api_key_invalid``.
    """

    def __init__(
        self,
        endpoint: Endpoint,
        model: str,
        *,
        api_key: str | None = None,
        dimension: int | None = None,
        max_input_chars: int = 30_000,
        patience: Patience | None = None,
        resolve: Resolve = resolved,
        tls: ssl.SSLContext | None = None,
    ) -> None:
        self._model = model
        self._dimension = dimension
        self._max_input_chars = max_input_chars
        self._client = JsonClient(
            endpoint, api_key=api_key, patience=patience, resolve=resolve, tls=tls
        )

    @property
    def model(self) -> str:
        """The model's name at the endpoint."""
        return self._model

    @property
    def dimension(self) -> int | None:
        """How many components a vector has; None until the first came, where it isn't given."""
        return self._dimension

    def health(self) -> Health:
        """Whether calls are let through."""
        return self._client.health()

    def embed(self, texts: Sequence[str], *, within: float | None = None) -> Vectors:
        """Unit vectors, one a text, in the order of the texts: shape (texts, dimension).

        Raises:
            Unavailable: ``embedding_refused`` where the endpoint turned the texts down or its
                answer was refused; otherwise as ``JsonClient.post`` says.
        """
        until = None if within is None else time.monotonic() + within
        found: list[Vectors] = []
        for start in range(0, len(texts), MAX_BATCH):
            left = None if until is None else until - time.monotonic()
            found.append(self._batch(texts[start : start + MAX_BATCH], left))
        return np.concatenate(found) if found else np.zeros((0, self._dimension or 0), np.float32)

    def close(self) -> None:
        """Gives up every call under way, from whichever thread; later ones are Unavailable."""
        self._client.close()

    def _batch(self, texts: Sequence[str], within: float | None) -> Vectors:
        body = {
            "model": self._model,
            "input": [text[: self._max_input_chars] for text in texts],
            "encoding_format": "float",
        }

        def read(reply: object) -> Vectors:
            return accepted(_embeddings(reply), count=len(texts), dimension=self._dimension)

        try:
            vectors = self._client.post("/v1/embeddings", body, read, within=within)
        except Unavailable as error:
            if error.code in (REQUEST_REFUSED, REPLY_REFUSED):
                error.code = REFUSED
            raise
        self._dimension = vectors.shape[1]
        return vectors


def _embeddings(reply: object) -> object:
    """The ``embedding`` of each entry of ``data``, by their ``index`` where they have one."""
    data = cast("dict[str, object]", reply).get("data") if isinstance(reply, dict) else None
    if not isinstance(data, list):
        return None
    entries: list[dict[str, object]] = [
        entry if isinstance(entry, dict) else {} for entry in cast("list[object]", data)
    ]
    numbers = [entry.get("index") for entry in entries]
    if not all(number is None or type(number) is int for number in numbers):
        return None
    ordered = dict(zip(numbers, entries, strict=True))
    if all(number in ordered for number in range(len(entries))):
        entries = [ordered[number] for number in range(len(entries))]
    elif any(number is not None for number in numbers):
        return None
    return [entry.get("embedding") for entry in entries]
