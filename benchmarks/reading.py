"""Keyword search and a write made visible, beside rank_bm25; replay of the log; opening."""

import tempfile
import time
from functools import partial
from pathlib import Path
from typing import Any

from rank_bm25 import BM25Plus  # type: ignore[import-untyped]  # it comes without types

import muniment
from muniment.domain.words import query_terms, words

from .corpus import queries, texts
from .measuring import Report, cpu_each, quantile

QUERIES = 300
PEER_QUERIES = 20
WRITES = 100


def run(memories: int) -> Report:
    """Fills a store of ``memories`` and asks it."""
    report = Report(f"Reading, at {memories:,} memories")
    asked = queries(QUERIES)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "store"
        given = [{"content": text, "category": category} for text, category in texts(memories)]
        with muniment.open(path) as store:
            store.save_many(given)
            store.search(asked[0])
            _search(report, store, given, asked)
            _visible(report, store, asked)
            _replay(report, store)
        before = time.perf_counter()
        with muniment.open(path, read_only=True) as store:
            store.search(asked[0])
            report.add(
                "open to first answer, from the log alone", time.perf_counter() - before, "s"
            )
    return report


def _search(
    report: Report, store: muniment.Muniment, given: list[dict[str, str]], asked: list[str]
) -> None:
    tokens = [_tokens(one["content"]) for one in given]
    peer: Any = BM25Plus(tokens, k1=0.9, b=0.4, delta=0)
    theirs = cpu_each(
        partial(peer.get_top_n, _query(query), tokens, n=8) for query in asked[:PEER_QUERIES]
    )
    ours = cpu_each(partial(store.search, query) for query in asked)
    report.add(
        "search, processor p50", quantile(ours, 0.5), "µs", "rank_bm25", quantile(theirs, 0.5)
    )
    report.add(
        "search, processor p99", quantile(ours, 0.99), "µs", "rank_bm25", quantile(theirs, 0.99)
    )
    before = time.process_time()
    BM25Plus(tokens, k1=0.9, b=0.4, delta=0)
    report.add("rank_bm25 rebuilds on each write", (time.process_time() - before) * 1e6, "µs")


def _visible(report: Report, store: muniment.Muniment, asked: list[str]) -> None:
    """What a search costs more when one write came before it."""
    plain: list[float] = []
    after: list[float] = []
    for number, (text, category) in enumerate(texts(WRITES, seed=5)):
        query = asked[number % len(asked)]
        plain += cpu_each([partial(store.search, query)])
        store.save(text, category=category)
        after += cpu_each([partial(store.search, query)])
    report.add("a write made visible", quantile(after, 0.5) - quantile(plain, 0.5), "µs")


def _replay(report: Report, store: muniment.Muniment) -> None:
    before = time.process_time()
    events = sum(1 for _ in store.log())
    spent = time.process_time() - before
    report.add("log read, decrypted, decoded", events / spent, "events/s")
    before = time.process_time()
    verified = store.verify()
    report.add("verify", verified.events / (time.process_time() - before), "events/s")


def _tokens(text: str) -> list[str]:
    found = words(text)
    return [*found.sequence, *found.wholes]


def _query(text: str) -> list[str]:
    return list(query_terms(text).terms)
