from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from muniment.domain.fusion import Scored, fused


def scored(scores: dict[int, float]) -> Scored:
    return Scored(np.array(list(scores), np.int32), np.array(list(scores.values()), np.float64))


def fuse(
    words: dict[int, float], meaning: dict[int, float], min_similarity: float = 0.5
) -> dict[int, float]:
    found = fused(scored(words), scored(meaning), min_similarity=min_similarity)
    assert found.rows.dtype == np.int32
    return dict(zip(found.rows.tolist(), found.scores.tolist(), strict=True))


def test_nothing_found_is_nothing() -> None:
    assert fuse({}, {}) == {}
    assert fuse({}, {1: 0.4}) == {}


def test_a_single_hit_of_both_is_1() -> None:
    assert fuse({7: 3.2}, {7: 0.6}) == {7: 1.0}


def test_a_single_hit_of_one_is_half_of_1() -> None:
    assert fuse({7: 3.2}, {}) == {7: 0.5}
    assert fuse({}, {7: 0.6}) == {7: 0.5}


def test_one_hit_by_words_and_another_by_meaning_are_equal() -> None:
    assert fuse({1: 8.0}, {2: 0.9}) == {1: 0.5, 2: 0.5}


def test_each_score_is_scaled_over_the_union_and_what_is_missing_counts_0() -> None:
    found = fused(scored({1: 4.0, 2: 1.0}), scored({2: 0.9, 3: 0.6}), min_similarity=0.5)
    assert found.rows.tolist() == [1, 2, 3]
    assert found.words.tolist() == pytest.approx([1.0, 0.25, 0.0])
    assert found.meaning.tolist() == pytest.approx([0.0, 1.0, 0.6 / 0.9])
    assert found.scores.tolist() == pytest.approx([0.5, 0.625, 0.3 / 0.9])


def test_the_least_of_both_lists_counts_0_where_every_row_is_in_both() -> None:
    assert fuse({1: 4.0, 2: 1.0}, {1: 0.9, 2: 0.6}) == {1: 1.0, 2: 0.0}


def test_equal_scores_all_count_1() -> None:
    assert fuse({1: 2.0, 2: 2.0}, {1: 0.7, 2: 0.7}) == {1: 1.0, 2: 1.0}


def test_what_is_less_alike_than_the_least_similarity_is_left_out() -> None:
    assert fuse({1: 2.0}, {1: 0.49, 2: 0.49}) == {1: 0.5}
    assert fuse({1: 2.0}, {2: 0.5}) == {1: 0.5, 2: 0.5}


def test_a_cosine_below_0_counts_as_0_where_it_is_let_in() -> None:
    assert fuse({1: 1.0}, {1: 0.5, 2: -0.5}, min_similarity=-1.0) == {1: 1.0, 2: 0.0}
    assert fuse({}, {1: -0.5}, min_similarity=-1.0) == {1: 0.0}
    assert fuse({1: 1.0}, {2: -0.5, 3: 0.5}, min_similarity=-1.0) == {1: 0.5, 2: 0.0, 3: 0.5}


WORDS = st.dictionaries(st.integers(0, 30), st.floats(1e-9, 1e6), max_size=12)
MEANING = st.dictionaries(st.integers(0, 30), st.floats(-1, 1), max_size=12)


@given(WORDS, MEANING, st.floats(-1, 1), st.randoms())
def test_the_order_of_the_lists_makes_no_difference_and_scores_are_from_0_to_1(
    words: dict[int, float], meaning: dict[int, float], least: float, random: Random
) -> None:
    found = fuse(words, meaning, least)
    one, two = (dict(random.sample(sorted(each.items()), len(each))) for each in (words, meaning))
    assert fuse(one, two, least) == found
    assert set(found) == set(words) | {row for row, cosine in meaning.items() if cosine >= least}
    assert all(0.0 <= score <= 1.0 for score in found.values())


@given(WORDS, MEANING)
def test_a_row_that_is_better_by_both_is_not_ranked_below(
    words: dict[int, float], meaning: dict[int, float]
) -> None:
    found = fuse(words, meaning)
    alike = {row: cosine for row, cosine in meaning.items() if cosine >= 0.5}
    for one in found:
        for other in found:
            if words.get(one, 0) >= words.get(other, 0) and alike.get(one, 0) >= alike.get(
                other, 0
            ):
                assert found[one] >= found[other]
