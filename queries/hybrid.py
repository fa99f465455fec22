"""Ranking by words and by meaning at once."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from muniment.domain.errors import Unavailable
from muniment.domain.fusion import Scored, fused
from muniment.projections.catalog import Rows

from .reading import Reading

TOP = 64
"""How many of each list are put together, at least."""

Keep = Callable[[Rows], NDArray[np.bool_]]
Vector = NDArray[np.float32]


class Ranked(NamedTuple):
    """Rows with their scores, and what each score is made of."""

    rows: Rows
    scores: NDArray[np.float64]
    words: NDArray[np.float64]
    meaning: NDArray[np.float64]


def query_vector(reading: Reading, query: str) -> tuple[Vector | None, str | None]:
    """The vector of a query; or None and why there is none."""
    if reading.meaning is None:
        return None, "keyword search alone: no embedder is configured"
    try:
        return reading.meaning.vector(query), None
    except Unavailable as error:
        return None, f"keyword search alone: the embedder failed ({error.code})"


def ranked(reading: Reading, words: Scored, vector: Vector, *, wanted: int, keep: Keep) -> Ranked:
    """Both lists in one; ``words`` may be empty. The caller holds the reading's lock."""
    assert reading.meaning is not None  # noqa: S101 (a vector came from it)
    limit = max(wanted, TOP)
    if len(words.rows) > limit:
        best = np.argpartition(-words.scores, limit)[:limit]
        words = Scored(words.rows[best], words.scores[best])
    passages, least = reading.meaning.passages(), reading.meaning.min_similarity
    near = passages.nearest(vector, limit=limit, at_least=least, keep=keep)
    others = np.setdiff1d(words.rows, near.rows)
    cosines = np.nan_to_num(passages.cosines(vector, others), nan=-1.0)
    found = fused(
        words,
        Scored(
            np.concatenate([near.rows, others]),
            np.concatenate([near.cosines, cosines]).astype(np.float64),
        ),
        min_similarity=least,
    )
    return Ranked(found.rows, found.scores, found.words, found.meaning)
