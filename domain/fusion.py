"""Hybrid ranking: what was found by words and what was found by meaning, in one order."""

from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

Rows: TypeAlias = NDArray[np.int32]
Scores: TypeAlias = NDArray[np.float64]


class Scored(NamedTuple):
    """Rows, each once, and a score for each, in any order."""

    rows: Rows
    scores: Scores


class Fused(NamedTuple):
    """Every row of either list, ascending, with its score in [0, 1].

    ``words`` and ``meaning`` are the two normalised scores that it is the mean of.
    """

    rows: Rows
    scores: Scores
    words: Scores
    meaning: Scores


def fused(words: Scored, meaning: Scored, *, min_similarity: float) -> Fused:
    """The mean of both scores, each scaled to [0, 1] over the union of both lists.

    Scaled means ``(score - least) / (most - least)``; where all are equal, 1 if they are above 0. A
    row that one list lacks counts 0 there. The order of the entries makes no difference.

    Args:
        words: Top hits by BM25, each above 0.
        meaning: Top hits by cosine; those under ``min_similarity`` are left out, and of the others
            one below 0 counts as 0.
        min_similarity: The least cosine that says two texts have to do with each other.
    """
    near = meaning.scores >= min_similarity
    rows = np.union1d(words.rows, meaning.rows[near]).astype(np.int32)
    by_words = _scaled(_spread(rows, words.rows, words.scores))
    cosines = np.maximum(meaning.scores[near], 0.0)
    by_meaning = _scaled(_spread(rows, meaning.rows[near], cosines))
    return Fused(rows, (by_words + by_meaning) / 2, by_words, by_meaning)


def _spread(rows: Rows, some: Rows, scores: Scores) -> Scores:
    spread = np.zeros(len(rows), np.float64)
    spread[np.searchsorted(rows, some)] = scores
    return spread


def _scaled(scores: Scores) -> Scores:
    if not len(scores):
        return scores
    least, most = scores.min(), scores.max()
    if most == least:
        return np.full(len(scores), 1.0 if most > 0 else 0.0)
    scaled: Scores = (scores - least) / (most - least)
    return scaled
