"""Ranking for a query of words: BM25 alone, or together with meaning, times importance."""

import math
from collections.abc import Callable
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from muniment.projections.catalog import Catalog, Rows
from muniment.projections.search_index import NO_MATCHES, Matches, SearchIndex
from muniment.projections.selection import leaders

from .hybrid import DEPTH, Keep, Ranked, Vector, query_vector, ranked
from .reading import Reading

Mode: TypeAlias = Literal["hybrid", "keyword", "semantic", "regex"]
Found: TypeAlias = list[tuple[str, float, dict[str, Any]]]


class Asked(NamedTuple):
    """What is looked for: the first ``wanted`` for a query of words, in a mode."""

    query: str
    mode: Mode
    wanted: int
    include_archived: bool
    explain: bool


def by_words(reading: Reading, asked: Asked, keep: Keep) -> tuple[Found, str | None]:
    """Ids with scores, best first, and why less was done than was asked for.

    The score is BM25, or the mean of BM25 and cosine, each scaled to [0, 1], times
    ``0.5 + 0.5 · importance``. A hit by either counts with both, exactly, however far down the
    other list it stands; so a score is the same on every page. What contains the whole query as an
    identifier comes first; ties go to the latest said, then by id.
    """
    vector, degraded = None, None
    if asked.mode in ("hybrid", "semantic"):
        vector, degraded = query_vector(reading, asked.query)
    with reading.lock:
        catalog, index = reading.catalog(), reading.search_index()

        def importance(rows: Rows) -> NDArray[np.float64]:
            return catalog.importance(rows, reading.now, reading.rules.decay)

        if vector is None:
            words = _matches(index, asked, keep, limit=asked.wanted)
            words = _in_reach(words, asked.wanted, importance)
            found = Ranked(words.rows, words.exact, words.scores, {"bm25": words.scores})
        else:
            found = _together(reading, index, asked, keep, vector)
        worth = importance(found.rows)
        scores = found.scores * _factor(worth)
        last_seen = catalog.last_seen(found.rows)
        order = np.lexsort((found.rows, -last_seen, -scores, ~found.exact))[: asked.wanted]
        hits: Found = []
        for at in order.tolist():
            why: dict[str, Any] = {}
            if asked.explain:
                why = _why(index, asked, found, at) | {"importance": float(worth[at])}
            hits.append((catalog.ids[found.rows[at]], float(scores[at]), why))
    return hits, degraded


def _factor(importance: NDArray[np.float64]) -> NDArray[np.float64]:
    """What a score is multiplied by, 1 at most."""
    return 0.5 + 0.5 * importance


def _in_reach(
    words: Matches, wanted: int, importance: Callable[[Rows], NDArray[np.float64]]
) -> Matches:
    """Those that may be among the first ``wanted`` once importance has its say.

    The others score less before it than as many do after it. What is exact comes before all.
    """
    if len(words.rows) <= wanted:
        return words
    best = leaders(words.scores, words.rows, wanted)
    least = (words.scores[best] * _factor(importance(words.rows[best]))).min()
    reach = np.flatnonzero(words.exact | (words.scores >= least))
    return Matches(words.rows[reach], words.scores[reach], words.exact[reach])


def _matches(
    index: SearchIndex, asked: Asked, keep: Keep, *, limit: int, also: Rows | None = None
) -> Matches:
    return index.matches(
        asked.query, limit=limit, keep=keep, include_archived=asked.include_archived, also=also
    )


def _together(
    reading: Reading, index: SearchIndex, asked: Asked, keep: Keep, vector: Vector
) -> Ranked:
    assert reading.meaning is not None  # noqa: S101 (the vector came from it)
    depth = max(asked.wanted, DEPTH)
    compared = reading.meaning.passages().compared(vector)
    near = compared.nearest(limit=depth, at_least=reading.meaning.min_similarity, keep=keep).rows
    words = (
        NO_MATCHES
        if asked.mode == "semantic"
        else _matches(index, asked, keep, limit=depth, also=near)
    )
    return ranked(compared, near, words, depth=depth)


def _why(index: SearchIndex, asked: Asked, found: Ranked, at: int) -> dict[str, Any]:
    """What a score is made of; ``cosine`` is None where a memory has no vector."""
    row = int(found.rows[at])
    terms = index.explain(row, asked.query, include_archived=asked.include_archived)
    parts = {name: float(scores[at]) for name, scores in found.parts.items()}
    return {
        "identifier": bool(found.exact[at]),
        "terms": [part._asdict() for part in terms],
        **{name: None if math.isnan(part) else part for name, part in parts.items()},
    }


def in_order(catalog: Catalog, rows: NDArray[np.int32]) -> NDArray[np.int32]:
    """Rows for a browse: the latest said first, then by id."""
    return rows[np.lexsort((rows, -catalog.last_seen(rows)))]
