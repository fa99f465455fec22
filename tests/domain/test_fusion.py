import math
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from muniment.domain.fusion import Fused, fused

NO_VECTOR = math.nan


def fuse(*given: tuple[float, float], least: float = 0.0) -> Fused:
    """The scores of memories, each given by its BM25 and its cosine."""
    bm25, cosines = np.array(given, np.float64).reshape(-1, 2).T
    return fused(bm25, cosines, least=least)


def scores(*given: tuple[float, float], least: float = 0.0) -> list[float]:
    found: list[float] = fuse(*given, least=least).scores.tolist()
    return found


def test_nothing_found_is_nothing() -> None:
    assert scores() == []


def test_a_single_hit_of_both_is_1() -> None:
    assert scores((3.2, 0.6)) == [1.0]
    assert scores((3.2, 0.6), least=0.6) == [1.0]


def test_a_single_hit_of_one_is_half_of_1() -> None:
    assert scores((3.2, NO_VECTOR)) == [0.5]
    assert scores((0.0, 0.6)) == [0.5]


def test_one_hit_by_words_and_another_by_meaning_are_equal() -> None:
    assert scores((8.0, NO_VECTOR), (0.0, 0.9)) == [0.5, 0.5]


def test_bm25_is_scaled_from_0_and_the_cosine_from_the_least_of_the_space() -> None:
    found = fuse((4.0, NO_VECTOR), (1.0, 0.9), (0.0, 0.6), least=-0.1)
    assert found.words.tolist() == [1.0, 0.25, 0.0]
    assert found.meaning.tolist() == pytest.approx([0.0, 1.0, 0.7])
    assert found.scores.tolist() == pytest.approx([0.5, 0.625, 0.35])


def test_a_small_cosine_counts_by_its_size_and_not_as_none() -> None:
    found = fuse((4.0, 0.2), (4.0, 0.1), (0.0, 0.4))
    assert found.meaning.tolist() == pytest.approx([0.5, 0.25, 1.0])


def test_where_none_is_above_the_least_each_counts_1_if_it_is_above_0() -> None:
    assert scores((2.0, 0.7), (2.0, 0.7), least=0.7) == [1.0, 1.0]
    assert scores((2.0, -0.5), (1.0, -0.5), least=-0.5) == [0.5, 0.25]


ONES = st.tuples(st.floats(0, 1e6), st.floats(-1, 1) | st.just(NO_VECTOR))
MANY = st.lists(ONES, max_size=12)


def known(given: list[tuple[float, float]]) -> float:
    return min((cosine for _, cosine in given if not math.isnan(cosine)), default=0.0)


@given(MANY, st.floats(0, 1), st.randoms())
def test_scores_are_from_0_to_1_in_whatever_order_the_memories_come(
    given: list[tuple[float, float]], below: float, random: Random
) -> None:
    least = known(given) - below
    found = scores(*given, least=least)
    assert all(0.0 <= score <= 1.0 for score in found)
    order = random.sample(range(len(given)), len(given))
    assert scores(*(given[at] for at in order), least=least) == [found[at] for at in order]


@given(MANY)
def test_a_memory_that_is_better_by_both_is_not_ranked_below(
    given: list[tuple[float, float]],
) -> None:
    found = scores(*given, least=known(given))
    values = [(bm25, -2.0 if math.isnan(cosine) else cosine) for bm25, cosine in given]
    for one, (bm25, cosine) in zip(found, values, strict=True):
        for other, (lesser, farther) in zip(found, values, strict=True):
            assert one >= other or bm25 < lesser or cosine < farther


@given(MANY, st.lists(ONES, max_size=6))
def test_more_hits_that_are_not_the_best_change_no_score(
    given: list[tuple[float, float]], more: list[tuple[float, float]]
) -> None:
    best = (1e6, 1.0)
    least = -1.0
    assert scores(best, *given, *more, least=least)[: len(given) + 1] == scores(
        best, *given, least=least
    )


@pytest.mark.parametrize(("times", "plus"), [(0.25, 0.7), (0.5, 0.5)])
def test_a_model_whose_cosines_lie_close_together_says_as_much(times: float, plus: float) -> None:
    given = [(4.0, 0.1), (3.0, 0.8), (0.0, 0.5), (1.0, -0.2)]
    close = [(bm25, times * cosine + plus) for bm25, cosine in given]
    assert scores(*close, least=times * -0.2 + plus) == pytest.approx(scores(*given, least=-0.2))
