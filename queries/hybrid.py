"""Ranking by words and by meaning at once."""

from collections.abc import Callable, Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from muniment.domain.errors import Unavailable
from muniment.domain.fusion import Scores, fused
from muniment.projections.catalog import Rows
from muniment.projections.search_index import Matches
from muniment.projections.selection import leaders
from muniment.projections.vector_index import Compared

from .reading import Reading

DEPTH = 256
"""How many of the best by words and by meaning are looked at, at least: more than a page holds."""

Keep = Callable[[Rows], NDArray[np.bool_]]
Vector = NDArray[np.float32]


class Ranked(NamedTuple):
    """Memories by their rows, in no order, with their scores before importance has its say.

    ``exact`` are those that contain the whole query as an identifier. ``parts`` are what the scores
    are made of, by name, one a memory.
    """

    rows: Rows
    exact: NDArray[np.bool_]
    scores: Scores
    parts: Mapping[str, Scores]


def query_vector(reading: Reading, query: str) -> tuple[Vector | None, str | None]:
    """The vector of a query; or None and why there is none."""
    if reading.meaning is None:
        return None, "keyword search alone: no embedder is configured"
    try:
        return reading.meaning.vector(query), None
    except Unavailable as error:
        return None, f"keyword search alone: the embedder failed ({error.code})"


def ranked(compared: Compared, near: Rows, words: Matches, *, depth: int) -> Ranked:
    """What is near and the ``depth`` best by words, each scored by both, whichever found it.

    Args:
        compared: The space's vectors beside that of the query.
        near: Memories that are hits by meaning, each once.
        words: Those that are hits by words; all of ``near`` that match are among them.
        depth: How many of ``words``: the exact ones first; of equal scores the lowest rows.
    """
    standing = words.scores + words.exact * words.scores.max(initial=0.0)
    rows = np.union1d(near, words.rows[leaders(standing, words.rows, depth)])
    here = np.isin(words.rows, rows)
    at = np.searchsorted(rows, words.rows[here])
    bm25, exact = np.zeros(len(rows)), np.zeros(len(rows), np.bool_)
    bm25[at], exact[at] = words.scores[here], words.exact[here]
    cosines = compared.of(rows).astype(np.float64)
    both = fused(bm25, cosines, least=compared.least)
    parts = {"bm25": bm25, "cosine": cosines, "words": both.words, "meaning": both.meaning}
    return Ranked(rows, exact, both.scores, parts)
