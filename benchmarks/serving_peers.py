"""Other memories for agents, each in the process that asks: what they keep is asked by meaning.

What is not installed raises ``ModuleNotFoundError`` when it is made.
"""

import importlib
import os
import sqlite3
import threading
import uuid
from abc import ABC, abstractmethod
from contextlib import ExitStack
from pathlib import Path
from typing import Any, ClassVar
from zlib import crc32

import numpy as np

from muniment.domain.embedding import unit

HITS = 8
DIMENSION = 256
MODEL = "hashed-words"
_PART = 1_000


def hashed(texts: list[str]) -> list[list[float]]:
    """Unit vectors of counted words: what the same embedder costs everyone is next to nothing."""
    counted = np.full((len(texts), DIMENSION), 1e-3)
    for row, text in enumerate(texts):
        for word in text.casefold().split():
            counted[row, crc32(word.encode()) % DIMENSION] += 1
    vectors: list[list[float]] = unit(counted).tolist()
    return vectors


class MemoryPeer(ABC):
    """A memory filled with texts; ``folder`` is empty and its own, ``endpoint`` embeds."""

    NAME: ClassVar[str]

    def __init__(self, texts: list[str], folder: Path, endpoint: str) -> None:
        self.resources = ExitStack()
        try:
            self._open(folder, endpoint)
            for start in range(0, len(texts), _PART):
                self._fill(texts[start : start + _PART])
        except BaseException:
            self.close()
            raise

    @abstractmethod
    def _open(self, folder: Path, endpoint: str) -> None: ...

    @abstractmethod
    def _fill(self, texts: list[str]) -> None: ...

    @abstractmethod
    def save(self, text: str) -> object:
        """Keeps one text more; on the disk when it returns."""

    @abstractmethod
    def search(self, query: str) -> object:
        """The best texts for a query."""

    def close(self) -> None:
        """Gives back what it holds."""
        self.resources.close()


class LangGraphStore(MemoryPeer):
    """LangGraph's store on SQLite with sqlite-vec; it has a lock of its own.

    A Python whose ``sqlite3`` loads no extensions cannot have it either.
    """

    NAME = "LangGraph SqliteStore"

    def _open(self, folder: Path, endpoint: str) -> None:  # noqa: ARG002 (it takes the function)
        if not hasattr(sqlite3.Connection, "enable_load_extension"):
            raise ModuleNotFoundError("sqlite-vec is an extension, and this sqlite3 loads none")
        self._items: Any = importlib.import_module("langgraph.store.base")
        module: Any = importlib.import_module("langgraph.store.sqlite")
        index = {"dims": DIMENSION, "embed": hashed, "fields": ["text"]}
        opened = module.SqliteStore.from_conn_string(str(folder / "store.db"), index=index)
        self._store: Any = self.resources.enter_context(opened)
        self._store.setup()

    def _fill(self, texts: list[str]) -> None:
        self._store.batch(
            [self._items.PutOp(("user",), str(uuid.uuid4()), {"text": text}) for text in texts]
        )

    def save(self, text: str) -> object:
        return self._store.put(("user",), str(uuid.uuid4()), {"text": text})

    def search(self, query: str) -> object:
        return self._store.search(("user",), query=query, limit=HITS)


class Mem0(MemoryPeer):
    """mem0 with Qdrant on the disk, texts as they are: no language model is asked.

    Qdrant's local mode is not made for several threads: they take turns.
    """

    NAME = "mem0, local Qdrant"

    def _open(self, folder: Path, endpoint: str) -> None:
        os.environ["MEM0_TELEMETRY"] = "False"
        qdrant: Any = importlib.import_module("qdrant_client")
        module: Any = importlib.import_module("mem0")
        client = qdrant.QdrantClient(
            path=str(folder / "qdrant"), force_disable_check_same_thread=True
        )
        self.resources.callback(client.close)
        service = {"api_key": "none", "openai_base_url": f"{endpoint}/v1"}
        vectors = {
            "client": client,
            "collection_name": "memories",
            "embedding_model_dims": DIMENSION,
        }
        embedder = {**service, "model": MODEL, "embedding_dims": DIMENSION}
        self._memory: Any = module.Memory.from_config(
            {
                "vector_store": {"provider": "qdrant", "config": vectors},
                "embedder": {"provider": "openai", "config": embedder},
                "llm": {"provider": "openai", "config": service},
                "history_db_path": str(folder / "history.db"),
            }
        )
        self._turn = threading.Lock()

    def _fill(self, texts: list[str]) -> None:
        self._memory.vector_store.insert(
            vectors=hashed(texts),
            payloads=[
                {"data": text, "user_id": "user", "hash": str(crc32(text.encode()))}
                for text in texts
            ],
            ids=[str(uuid.uuid4()) for _ in texts],
        )

    def save(self, text: str) -> object:
        with self._turn:
            return self._memory.add(text, user_id="user", infer=False)

    def search(self, query: str) -> object:
        with self._turn:
            return self._memory.search(query, top_k=HITS, filters={"user_id": "user"})


PEERS: tuple[type[MemoryPeer], ...] = (LangGraphStore, Mem0)
