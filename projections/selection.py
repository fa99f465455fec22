"""Taking the best of many scores without sorting them."""

import numpy as np
from numpy.typing import NDArray

_BLOCK = 64


def kth_best(scores: NDArray[np.floating], k: int) -> float:
    """The k-th largest score; with fewer than k, the least of all. There is at least one."""
    if len(scores) <= k:
        return float(scores.min())
    blocks = len(scores) // _BLOCK
    if blocks >= 2 * k:
        # the k-th largest of the blocks' largest is not above the k-th largest of all
        best = scores[: blocks * _BLOCK].reshape(blocks, _BLOCK).max(axis=1)
        scores = scores[scores >= np.partition(best, -k)[-k]]
    return float(np.partition(scores, -k)[-k])


def leaders(scores: NDArray[np.float64], rows: NDArray[np.int32], k: int) -> NDArray[np.intp]:
    """Where the k best scores stand, in no order; of equal scores those of the lowest rows."""
    if len(scores) <= k:
        return np.arange(len(scores))
    least = kth_best(scores, k)
    above = np.flatnonzero(scores > least)
    equal = np.flatnonzero(scores == least)
    room = k - len(above)
    if len(equal) > room:
        equal = equal[np.argpartition(rows[equal], room - 1)[:room]]
    return np.concatenate([above, equal])


def contenders(
    scores: NDArray[np.float64], first: NDArray[np.bool_], limit: int, least_factor: float
) -> NDArray[np.intp]:
    """Where those stand that may be among the best ``limit``, those marked ``first`` before all.

    Each score is yet to be multiplied by a factor from ``least_factor`` to 1.
    """
    places: list[NDArray[np.intp]] = []
    for group in (np.flatnonzero(first), np.flatnonzero(~first)):
        if not len(group) or limit <= 0:
            continue
        values = scores[group]
        if len(group) > limit:
            group = group[values >= least_factor * kth_best(values, limit)]  # noqa: PLW2901
        places.append(group)
        limit -= len(values)
    return np.concatenate(places) if places else np.zeros(0, np.intp)
