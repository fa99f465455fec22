"""The count of near-duplicates is exact, and moves with each text."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from muniment.audit import shingles
from muniment.audit.shingles import Shingles, Vocabulary, shingled

TEXTS = st.lists(st.sampled_from("abc"), max_size=14).map(" ".join)


def brute(texts: dict[str, str], size: int, threshold: float) -> tuple[int, int]:
    """Pairs, and texts in one: each compared with each, as tuples of words."""
    sets = {
        id_: {tuple(words[i : i + size]) for i in range(len(words) - size + 1)}
        for id_, words in ((id_, text.split()) for id_, text in texts.items())
    }
    near = [
        (one, other)
        for one, other in combinations(sets, 2)
        if sets[one] | sets[other]
        and len(sets[one] & sets[other]) / len(sets[one] | sets[other]) >= threshold
    ]
    return len(near), len({id_ for pair in near for id_ in pair})


def made(texts: dict[str, str], size: int = 6) -> dict[str, shingles.Hashes]:
    words = Vocabulary()
    return dict(
        zip(texts, shingled([words.of(text) for text in texts.values()], size), strict=True)
    )


@settings(max_examples=60, deadline=None)
@given(
    st.lists(TEXTS, max_size=24),
    st.lists(st.integers(0, 23), max_size=10),
    st.sampled_from([0.3, 0.5, 1.0]),
    st.sampled_from([1, 2, 6]),
    st.sampled_from([2, 10, 10_000]),
)
def test_kept_incrementally_it_is_what_comparing_all_gives(
    texts: list[str], taken: list[int], threshold: float, size: int, bulk: int
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(shingles, "_BULK", bulk)
        index, there = Shingles(threshold), dict[str, str]()
        for start in range(0, len(texts), 5):
            some = {str(n): texts[n] for n in range(start, min(start + 5, len(texts)))}
            index.add(made(some, size))
            there |= some
            gone = [id_ for id_ in {str(number) for number in taken} if id_ in there][:2]
            index.remove(gone)
            for id_ in gone:
                del there[id_]
            assert (index.pairs, index.entries) == brute(there, size, threshold)
        assert len(index) == len(there)


def test_a_text_of_fewer_words_than_a_shingle_pairs_with_none() -> None:
    index = Shingles(0.3)
    index.add(made({"one": "a b c d e", "other": "a b c d e", "none": ""}))
    assert (index.pairs, index.entries) == (0, 0)


def test_case_and_punctuation_do_not_count() -> None:
    index = Shingles(1.0)
    index.add(
        made({"one": "The gate, at noon, is RED again.", "other": "the gate at noon is red again"})
    )
    assert (index.pairs, index.entries, index.duplicated()) == (1, 2, ["one", "other"])


def test_neighbours_come_with_their_index_the_most_alike_first() -> None:
    index = Shingles(0.3)
    index.add(
        made(
            {
                "a": "one two three four five six seven eight",
                "far": "one two three four five six seven nine",
                "near": "one two three four five six seven eight",
                "none": "nine eight seven six five four three two",
            }
        )
    )
    assert index.neighbours("a") == [("near", 1.0), ("far", 0.5)]
    assert index.neighbours("none") == []


def test_no_shingle_runs_from_one_text_into_the_next() -> None:
    words = Vocabulary()
    texts = [words.of("a b c"), words.of("d e f g"), words.of("")]
    assert [len(one) for one in shingled(texts, 3)] == [1, 2, 0]
    assert shingled([], 3) == []
    assert all(one.dtype == np.uint64 for one in shingled(texts, 9))
