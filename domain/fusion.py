"""Hybrid ranking: what is found by words and what is found by meaning, in one order."""

from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

Scores: TypeAlias = NDArray[np.float64]


class Fused(NamedTuple):
    """For each memory its score in [0, 1]: the mean of the two scaled ones beside it."""

    scores: Scores
    words: Scores
    meaning: Scores


def fused(bm25: Scores, cosines: Scores, *, least: float) -> Fused:
    """The mean of both scores, each scaled to [0, 1] (min-max) by what the space makes possible.

    The best of those given counts 1 and the least of the whole space 0: 0 for BM25, the score of a
    memory without any of the words; ``least`` for the cosine. So neither how many are given nor
    where a model's cosines lie makes a difference. Where none is above the least, each counts 1 if
    its score is above 0.

    Args:
        bm25: One a memory, 0 where none of the words is in it.
        cosines: One a memory, none under ``least``; NaN where it has no vector: it counts 0.
        least: The least cosine of any memory of the space.
    """
    words, meaning = _scaled(bm25, 0.0), _scaled(cosines, least)
    return Fused((words + meaning) / 2, words, meaning)


def _scaled(scores: Scores, least: float) -> Scores:
    most = np.nanmax(scores, initial=least)
    if most == least:
        return np.where(scores > 0, 1.0, 0.0)
    return np.nan_to_num((scores - least) / (most - least))
