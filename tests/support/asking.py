"""An embedder that asks a server on the loopback, and what it says when it is refused."""

from collections.abc import Callable, Generator
from contextlib import contextmanager

import pytest
from loopback import Loopback

from muniment.adapters.endpoints import endpoint
from muniment.adapters.json_client import Patience
from muniment.adapters.openai_embedder import OpenAIEmbedder
from muniment.domain.errors import Unavailable

QUICK = Patience(connect=1.0, deadline=2.0, retry_wait=0.01, rest=0.2)


@contextmanager
def asking(
    server: Loopback,
    *,
    patience: Patience = QUICK,
    path: str = "",
    api_key: str | None = None,
    dimension: int | None = None,
    max_input_chars: int = 30_000,
) -> Generator[OpenAIEmbedder, None, None]:
    embedder = OpenAIEmbedder(
        endpoint(server.url() + path, field="embedding.endpoint", written_by_operator=True),
        "toy",
        patience=patience,
        api_key=api_key,
        dimension=dimension,
        max_input_chars=max_input_chars,
    )
    try:
        yield embedder
    finally:
        embedder.close()


def refusal(call: Callable[[], object]) -> Unavailable:
    with pytest.raises(Unavailable) as caught:
        call()
    return caught.value
