import json
from contextlib import suppress

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from muniment.domain.embedding import REFUSED, accepted, document, least_similarity
from muniment.domain.errors import Unavailable


@pytest.mark.parametrize(
    ("vectors", "reason"),
    [
        (None, "is no list of vectors"),
        ("[[1.0]]", "is no list of vectors"),
        ({"0": [1.0]}, "is no list of vectors"),
        ([], "has 0 vectors for 2 texts"),
        ([[1.0]], "has 1 vectors for 2 texts"),
        ([[1.0]] * 3, "has 3 vectors for 2 texts"),
        ([[1.0], None], "has no list of numbers in vector 2"),
        ([[1.0], "AAAA"], "has no list of numbers in vector 2"),
        ([[1.0], 1.0], "has no list of numbers in vector 2"),
        ([[], [1.0]], "is empty in vector 1"),
        ([["0.5"], [1.0]], "holds something that is no number in vector 1"),
        ([[1.0], [True]], "holds something that is no number in vector 2"),
        ([[1.0], [None]], "holds something that is no number in vector 2"),
        ([[1.0], [[1.0]]], "holds something that is no number in vector 2"),
        ([[1.0, 2.0], [1.0]], "has 1 dimensions in vector 2, not 2"),
        ([[1.0], [10**400]], "holds a number that is too large"),
        ([[float("nan")], [1.0]], "is not finite in vector 1"),
        ([[1.0], [float("-inf")]], "is not finite in vector 2"),
        ([[1.0], [0.0]], "is all zeros in vector 2"),
        ([[-0.0], [1]], "is all zeros in vector 1"),
    ],
)
def test_a_reply_that_is_of_no_use_is_refused_with_the_reason(vectors: object, reason: str) -> None:
    with pytest.raises(Unavailable) as caught:
        accepted(vectors, count=2, dimension=None)
    assert caught.value.code == REFUSED
    assert reason in caught.value.message


def test_a_vector_of_another_dimension_than_expected_is_refused() -> None:
    with pytest.raises(Unavailable, match="has 3 dimensions in vector 1, not 2"):
        accepted([[1.0, 2.0, 3.0]], count=1, dimension=2)


def test_whole_numbers_are_numbers() -> None:
    assert accepted([[3, 4]], count=1, dimension=2).tolist() == [[np.float32(0.6), np.float32(0.8)]]


NUMBERS = st.floats(allow_nan=False, allow_infinity=False) | st.integers(-(2**63), 2**63)


@given(st.lists(st.lists(NUMBERS, min_size=3, max_size=3).filter(any), min_size=1, max_size=5))
def test_whatever_is_finite_and_not_zero_comes_out_as_unit_vectors(
    vectors: list[list[float]],
) -> None:
    found = accepted(vectors, count=len(vectors), dimension=3)
    assert found.dtype == np.float32
    assert found.shape == (len(vectors), 3)
    assert np.allclose(np.linalg.norm(found, axis=1), 1.0, atol=1e-5)
    for row, values in zip(found, vectors, strict=True):
        largest = np.argmax(np.abs(np.array(values, np.float64)))
        assert np.abs(row[largest]) == np.abs(row).max()
        assert np.sign(row[largest]) == np.sign(values[largest])


JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=12,
)


@given(JSON, st.integers(1, 3), st.none() | st.integers(1, 3))
def test_any_json_is_either_vectors_or_refused(
    reply: object, count: int, dimension: int | None
) -> None:
    with suppress(Unavailable):
        found = accepted(json.loads(json.dumps(reply)), count=count, dimension=dimension)
        assert found.shape == (count, dimension or found.shape[1])
        assert np.isfinite(found).all()


@pytest.mark.parametrize(
    ("category", "tags", "read"),
    [
        (None, (), "Goes to sea"),
        (None, ("Ada", "work"), "Ada, work: Goes to sea"),
        ("people/team-mates", ("Ada",), "people team mates, Ada: Goes to sea"),
        ("people", (), "people: Goes to sea"),
    ],
)
def test_a_model_reads_what_a_memory_is_about_and_then_its_text(
    category: str | None, tags: tuple[str, ...], read: str
) -> None:
    assert document("Goes to sea", category, tags) == read


@pytest.mark.parametrize(
    "name",
    ["all-MiniLM-L6-v2", "sentence-transformers/all-MiniLM-L6-v2", "all-minilm", "all-minilm:22m"],
)
def test_a_model_that_was_measured_has_a_least_similarity_of_its_own(name: str) -> None:
    assert least_similarity(name) == 0.35


@pytest.mark.parametrize("name", ["text-embedding-3-small", "all-minilm-l6-v2-tuned", ""])
def test_any_other_has_the_usual_one(name: str) -> None:
    assert least_similarity(name) == 0.5
