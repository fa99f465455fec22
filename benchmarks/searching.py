"""Keyword search, and a write made visible to it, beside other keyword searches."""

import tempfile
from functools import partial
from pathlib import Path
from typing import NamedTuple

import muniment
from muniment.domain.words import query_terms, words

from .corpus import queries, texts
from .measuring import Report, at_most, cpu_each, median, quantile, timed
from .peers import PEERS, GrowingPeer, Peer

QUERIES = 400
PEER_SECONDS = 6.0
WRITES = 100


class _Figures(NamedTuple):
    """Microseconds of processor time: of searches, and of making one write visible."""

    p50: float
    p99: float
    visible: float


def run(path: Path, memories: int) -> Report:
    """Asks the filled store of ``path``, and its peers about the same texts."""
    report = Report(f"Keyword search, processor time, {memories:,} memories")
    asked = queries(QUERIES)
    ours = _ours(path, asked)
    tokens = [_tokens(text) for text, _ in texts(memories)]
    beside: dict[str, _Figures | None] = {}
    for peer in PEERS:
        try:
            beside[peer.NAME] = _theirs(peer, tokens, asked)
        except ModuleNotFoundError:
            beside[peer.NAME] = None
    targets = {"p50": 1_000.0, "p99": 5_000.0, "visible": 1_000.0}
    titles = {
        "p50": "a search of 3 to 12 words, p50",
        "p99": "a search of 3 to 12 words, p99",
        "visible": "a write made visible, p50",
    }
    for name, title in titles.items():
        figure: float = getattr(ours, name)
        report.add(title, figure, "µs", at_most(targets[name]))
        for peer_name, figures in beside.items():
            if figures is None:
                report.missing(peer_name)
            else:
                report.beside(peer_name, getattr(figures, name), figure, "µs")
    return report


def _ours(path: Path, asked: list[str]) -> _Figures:
    with muniment.open(path) as store:
        for query in asked[:20]:
            store.search(query)
        taken = cpu_each(partial(store.search, query) for query in asked)
        before: list[float] = []
        after: list[float] = []
        for number, (text, category) in enumerate(texts(WRITES, seed=5)):
            search = partial(store.search, asked[number % len(asked)])
            before += cpu_each([search])
            store.save(text, category=category)
            after += cpu_each([search])  # the save has moved the read models: that is in its figure
        visible = median(b - a for a, b in zip(before, after, strict=True))
        return _Figures(median(taken), quantile(taken, 0.99), visible)


def _theirs(kind: type[Peer], tokens: list[list[str]], asked: list[str]) -> _Figures:
    with tempfile.TemporaryDirectory() as folder:
        made: list[Peer] = []
        building = timed(lambda: made.append(kind(tokens, Path(folder))))
        peer = made[0]
        taken: list[float] = []
        for query in asked:
            taken += cpu_each([partial(peer.search, list(query_terms(query).terms))])
            if sum(taken) > PEER_SECONDS * 1e6:
                break
        visible = building.cpu
        if isinstance(peer, GrowingPeer):
            fresh = [_tokens(text) for text, _ in texts(WRITES, seed=5)]
            visible = median(cpu_each(partial(peer.add, one) for one in fresh))
        peer.close()
        return _Figures(median(taken), quantile(taken, 0.99), visible)


def _tokens(text: str) -> list[str]:
    found = words(text)
    return [*found.sequence, *found.wholes]
