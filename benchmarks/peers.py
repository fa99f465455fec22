"""Other keyword searches over the same tokens: each answers with its best 8, and takes one more.

What is not installed raises ``ModuleNotFoundError`` when it is made.
"""

import importlib
import sqlite3
from abc import ABC, abstractmethod
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any, ClassVar

HITS = 8


class Peer(ABC):
    """A keyword search over texts that are given as tokens. ``folder`` is empty and its own."""

    NAME: ClassVar[str]

    def __init__(self, texts: Sequence[list[str]], folder: Path) -> None:
        self.resources = ExitStack()
        self._build(texts, folder)

    @abstractmethod
    def _build(self, texts: Sequence[list[str]], folder: Path) -> None: ...

    @abstractmethod
    def search(self, terms: list[str]) -> object:
        """The best texts for any of the terms."""

    def close(self) -> None:
        """Gives back what it holds."""
        self.resources.close()


class GrowingPeer(Peer):
    """One that takes a text more; the others make a write visible by making the index anew."""

    @abstractmethod
    def add(self, tokens: list[str]) -> None:
        """One text more, met by the next search."""


class RankBM25(Peer):
    """The pure Python package that the reference ranking comes from."""

    NAME = "rank_bm25"

    def _build(self, texts: Sequence[list[str]], folder: Path) -> None:  # noqa: ARG002
        module: Any = importlib.import_module("rank_bm25")
        self._texts = list(texts)
        self._index = module.BM25Plus(self._texts, k1=0.9, b=0.4, delta=0)

    def search(self, terms: list[str]) -> object:
        return self._index.get_top_n(terms, self._texts, n=HITS)


class BM25S(Peer):
    """Scores of every pair of a term and a text, made ahead, in a sparse matrix."""

    NAME = "bm25s"

    def _build(self, texts: Sequence[list[str]], folder: Path) -> None:  # noqa: ARG002
        module: Any = importlib.import_module("bm25s")
        self._index = module.BM25(k1=0.9, b=0.4)
        self._index.index(list(texts), show_progress=False)

    def search(self, terms: list[str]) -> object:
        return self._index.retrieve([terms], k=HITS, show_progress=False)


class Tantivy(GrowingPeer):
    """The Rust library, with an index on the disk."""

    NAME = "tantivy"

    def _build(self, texts: Sequence[list[str]], folder: Path) -> None:
        self._module: Any = importlib.import_module("tantivy")
        builder = self._module.SchemaBuilder()
        builder.add_text_field("body", stored=False, tokenizer_name="whitespace")
        builder.add_unsigned_field("number", stored=True)
        self._index = self._module.Index(builder.build(), path=str(folder))
        self._writer = self._index.writer(num_threads=1)
        self._size = 0
        for tokens in texts:
            self._put(tokens)
        self._commit()

    def search(self, terms: list[str]) -> object:
        query = self._index.parse_query(" ".join(f'"{term}"' for term in terms), ["body"])
        searcher = self._index.searcher()
        return [searcher.doc(found) for _, found in searcher.search(query, HITS).hits]

    def add(self, tokens: list[str]) -> None:
        self._put(tokens)
        self._commit()

    def _put(self, tokens: list[str]) -> None:
        document = self._module.Document()
        document.add_text("body", " ".join(tokens))
        document.add_unsigned("number", self._size)
        self._writer.add_document(document)
        self._size += 1

    def _commit(self) -> None:
        self._writer.commit()
        self._index.reload()


class FTS5(GrowingPeer):
    """SQLite's own, in a database on the disk."""

    NAME = "SQLite FTS5"

    def _build(self, texts: Sequence[list[str]], folder: Path) -> None:
        self._connection = sqlite3.connect(folder / "fts.db", isolation_level=None)
        self.resources.callback(self._connection.close)
        self._connection.execute("PRAGMA journal_mode=WAL").fetchall()
        self._connection.execute("CREATE VIRTUAL TABLE texts USING fts5 (body, content='')")
        self._connection.execute("BEGIN")
        self._connection.executemany(
            "INSERT INTO texts (body) VALUES (?)", ((" ".join(tokens),) for tokens in texts)
        )
        self._connection.execute("COMMIT")

    def search(self, terms: list[str]) -> object:
        asked = " OR ".join('"' + term.replace('"', '""') + '"' for term in terms)
        found = self._connection.execute(
            "SELECT rowid FROM texts WHERE texts MATCH ? ORDER BY rank LIMIT ?", (asked, HITS)
        )
        return found.fetchall()

    def add(self, tokens: list[str]) -> None:
        self._connection.execute("INSERT INTO texts (body) VALUES (?)", (" ".join(tokens),))


PEERS: tuple[type[Peer], ...] = (RankBM25, BM25S, Tantivy, FTS5)
