"""Taking the best of many scores."""

import numpy as np
import pytest

from muniment.projections.selection import contenders, kth_best, leaders


def scores_of(seed: int, size: int, *, ties: bool) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    random = np.random.default_rng(seed)
    return random.integers(1, 9, size).astype(np.float64) if ties else random.random(size)


@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize("size", [1, 2, 63, 64, 500, 10_000])
@pytest.mark.parametrize("k", [1, 2, 64, 200])
class TestAgainstSorting:
    def test_the_kth_best(self, size: int, k: int, *, ties: bool) -> None:
        scores = scores_of(size + k, size, ties=ties)
        assert kth_best(scores, k) == sorted(scores.tolist(), reverse=True)[:k][-1]

    def test_the_leaders(self, size: int, k: int, *, ties: bool) -> None:
        scores = scores_of(size + k, size, ties=ties)
        rows = np.random.default_rng(1).permutation(size).astype(np.int32)
        order = np.lexsort((rows, -scores))[:k]
        assert sorted(leaders(scores, rows, k).tolist()) == sorted(order.tolist())

    def test_the_contenders(self, size: int, k: int, *, ties: bool) -> None:
        scores = scores_of(size + k, size, ties=ties)
        first = np.random.default_rng(2).random(size) < 0.01
        found = set(contenders(scores, first, k, 0.5).tolist())
        for seed in range(3):
            ranks = scores * np.random.default_rng(seed).uniform(0.5, 1, size)
            assert set(np.lexsort((-ranks, ~first))[:k].tolist()) <= found
        enough = int(first.sum()) >= k
        assert not enough or found <= set(np.flatnonzero(first).tolist())


def test_of_none_there_are_none() -> None:
    nothing = np.zeros(0)
    assert len(contenders(nothing, np.zeros(0, np.bool_), 5, 0.5)) == 0
    assert len(contenders(np.ones(3), np.zeros(3, np.bool_), 0, 0.5)) == 0
