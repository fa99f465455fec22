import time

import numpy as np
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule
from numpy.typing import NDArray

from muniment.projections.vector_index import Nearest, VectorIndex

Vector = NDArray[np.float32]


def unit(*values: float) -> Vector:
    vector = np.array(values, np.float32)
    return vector / np.float32(np.linalg.norm(vector))


def rows(found: Nearest) -> list[int]:
    return [int(row) for row in found.rows]


def filled(count: int, dimension: int, seed: int = 1) -> tuple[VectorIndex, Vector]:
    random = np.random.default_rng(seed)
    vectors = random.standard_normal((count, dimension), dtype=np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    index = VectorIndex(dimension)
    for row, vector in enumerate(vectors):
        index.upsert(row, 1, vector)
    return index, vectors


class TestTheLeast:
    def test_is_that_of_all_that_is_held(self) -> None:
        index, vectors = filled(300, 16)
        lowest = float((vectors @ vectors[3]).min())
        assert index.compared(vectors[3]).least == pytest.approx(lowest, abs=2e-6)

    def test_is_0_where_nothing_is(self) -> None:
        assert VectorIndex(2).compared(unit(1, 0)).least == 0.0


class TestNearest:
    def test_is_nothing_in_an_empty_index(self) -> None:
        found = VectorIndex(2).compared(unit(1, 0)).nearest(limit=5)
        assert rows(found) == []
        assert found.cosines.tolist() == []

    def test_is_the_best_first_with_their_cosines(self) -> None:
        index = VectorIndex(2)
        for row, vector in enumerate([unit(1, 1), unit(1, 0), unit(0, 1), unit(-1, 0)]):
            index.upsert(row, 1, vector)
        found = index.compared(unit(1, 0)).nearest(limit=3)
        assert rows(found) == [1, 0, 2]
        assert found.cosines.tolist() == pytest.approx([1.0, 0.5**0.5, 0.0], abs=1e-6)

    def test_of_equal_cosine_are_in_the_order_of_rows(self) -> None:
        index = VectorIndex(3)
        for row in (5, 2, 9, 0):
            index.upsert(row, 1, unit(1, 2, 3))
        assert rows(index.compared(unit(3, 2, 1)).nearest(limit=3)) == [0, 2, 5]

    def test_leaves_out_what_is_less_alike_than_asked_for(self) -> None:
        index = VectorIndex(2)
        index.upsert(0, 1, unit(1, 0))
        index.upsert(1, 1, unit(1, 1))
        assert rows(index.compared(unit(1, 0)).nearest(limit=9, at_least=0.8)) == [0]

    @pytest.mark.parametrize("limit", [1, 20, 200, 3_000])
    @pytest.mark.parametrize("every", [1, 2, 97])
    def test_is_what_comparing_each_gives_whatever_is_kept(self, limit: int, every: int) -> None:
        index, vectors = filled(2_000, 24)
        query = vectors[42]
        cosines = vectors.astype(np.float64) @ query
        kept = [row for row in np.argsort(-cosines).tolist() if row % every == 0][:limit]
        found = index.compared(query).nearest(limit=limit, keep=lambda rows: rows % every == 0)
        assert len(set(rows(found))) == len(kept)
        assert (found.rows % every == 0).all()
        assert np.allclose(cosines[found.rows], cosines[kept], atol=2e-6)
        assert np.allclose(found.cosines, cosines[kept], atol=2e-6)

    def test_is_as_alike_as_asked_for_however_few_are_kept(self) -> None:
        index, vectors = filled(2_000, 24)
        cosines = vectors @ vectors[42]
        found = index.compared(vectors[42]).nearest(
            limit=20, at_least=0.3, keep=lambda rows: rows % 97 == 0
        )
        wanted = {row for row in range(0, 2_000, 97) if cosines[row] >= 0.3}
        assert set(rows(found)) == wanted
        assert len(wanted) in range(1, 20)

    def test_does_not_depend_on_what_came_and_went(self) -> None:
        plain, vectors = filled(500, 16)
        other = VectorIndex(16)
        for row in reversed(range(500)):
            other.upsert(row, 1, vectors[499 - row])
            if row % 3 == 0:
                other.drop(row)
        for row in range(500):
            other.upsert(row, 2, vectors[row])
        one, two = (index.compared(vectors[7]).nearest(limit=50) for index in (plain, other))
        assert rows(one) == rows(two)
        assert one.cosines.tolist() == pytest.approx(two.cosines.tolist(), abs=2e-6)


class TestCosines:
    def test_are_those_of_the_rows_asked_about_and_nan_where_there_is_no_vector(self) -> None:
        index = VectorIndex(2)
        index.upsert(3, 1, unit(1, 0))
        index.expect(1, 1)
        found = index.compared(unit(1, 1)).of(np.array([9, 3, 1, 0], np.int32))
        assert np.isnan(found).tolist() == [True, False, True, True]
        assert found[1] == pytest.approx(0.5**0.5, abs=1e-6)


class TestATextVersion:
    def test_that_is_newer_drops_the_older_vector_before_its_own_comes(self) -> None:
        index = VectorIndex(2)
        index.upsert(0, 1, unit(1, 0))
        index.expect(0, 2)
        assert 0 not in index
        assert index.missing().tolist() == [0]
        assert rows(index.compared(unit(1, 0)).nearest(limit=1)) == []
        assert index.upsert(0, 2, unit(0, 1))
        assert index.missing().tolist() == []

    def test_that_is_stale_is_ignored_when_its_vector_comes_late(self) -> None:
        index = VectorIndex(2)
        index.expect(0, 3)
        assert not index.upsert(0, 2, unit(1, 0))
        assert 0 not in index
        assert index.expected(0) == 3

    def test_that_is_known_changes_nothing_when_it_is_expected_again(self) -> None:
        index = VectorIndex(2)
        index.upsert(0, 2, unit(1, 0))
        index.expect(0, 2)
        index.expect(0, 1)
        assert 0 in index

    def test_may_get_another_vector(self) -> None:
        index = VectorIndex(2)
        index.upsert(0, 1, unit(1, 0))
        assert index.upsert(0, 1, unit(0, 1))
        assert len(index) == 1
        assert index.compared(unit(0, 1)).nearest(limit=1).cosines.tolist() == [1.0]


class TestDropping:
    def test_forgets_the_vector_and_that_one_was_expected(self) -> None:
        index = VectorIndex(2)
        index.upsert(0, 1, unit(1, 0))
        index.upsert(1, 1, unit(0, 1))
        index.drop(0)
        index.drop(0)
        index.drop(77)
        assert len(index) == 1
        assert index.expected(0) is None
        assert index.missing().tolist() == []
        assert rows(index.compared(unit(1, 0)).nearest(limit=5)) == [1]


def test_what_is_no_vector_or_row_is_refused() -> None:
    index = VectorIndex(2)
    for call in (
        lambda: VectorIndex(0),
        lambda: index.upsert(0, 1, unit(1, 0, 0)),
        lambda: index.upsert(-1, 1, unit(1, 0)),
        lambda: index.expect(-1, 1),
        lambda: index.compared(unit(1, 0, 0)),
    ):
        with pytest.raises(ValueError, match=r"must|count"):
            call()


class AgainstADictionary(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self.index = VectorIndex(3)
        self.wanted: dict[int, int] = {}
        self.held: dict[int, Vector] = {}

    @rule(row=st.integers(0, 9), version=st.integers(1, 4))
    def expect(self, row: int, version: int) -> None:
        self.index.expect(row, version)
        if version > self.wanted.get(row, 0):
            self.wanted[row] = version
            self.held.pop(row, None)

    @rule(row=st.integers(0, 9), version=st.integers(1, 4), at=st.integers(0, 5))
    def upsert(self, row: int, version: int, at: int) -> None:
        vector = unit(1, at, at * at)
        taken = version >= self.wanted.get(row, 0)
        assert self.index.upsert(row, version, vector) is taken
        if taken:
            self.wanted[row] = version
            self.held[row] = vector

    @rule(row=st.integers(0, 12))
    def drop(self, row: int) -> None:
        self.index.drop(row)
        self.wanted.pop(row, None)
        self.held.pop(row, None)

    @invariant()
    def holds_the_same(self) -> None:
        query = unit(3, 2, 1)
        found = self.index.compared(query).nearest(limit=20)
        best = sorted(self.held, key=lambda row: (-round(float(self.held[row] @ query), 5), row))
        assert rows(found) == best
        assert len(self.index) == len(self.held)
        assert self.index.missing().tolist() == sorted(set(self.wanted) - set(self.held))
        assert {row: self.index.expected(row) for row in self.wanted} == self.wanted


AgainstADictionary.TestCase.settings = settings(max_examples=60, stateful_step_count=25)
TestAgainstADictionary = AgainstADictionary.TestCase


def test_a_question_takes_about_as_long_as_reading_the_vectors_once() -> None:
    index, vectors = filled(20_000, 384)
    query = vectors[1]

    def best_of(call: object, times: int = 15) -> float:
        assert callable(call)
        taken: list[float] = []
        for _ in range(times):
            started = time.thread_time()
            call()
            taken.append(time.thread_time() - started)
        return min(taken)

    reading = best_of(vectors.sum)
    assert best_of(lambda: index.compared(query).nearest(limit=20, at_least=0.5)) < 6 * reading


def test_clusters_are_what_hangs_together() -> None:
    index = VectorIndex(2)
    angles = [0.0, 0.2, 0.4, 1.5, 1.6, 3.0]
    for row, angle in enumerate(angles):
        index.upsert(row, 1, np.array([np.cos(angle), np.sin(angle)], np.float32))
    rows = np.arange(8, dtype=np.int32)
    assert index.clusters(rows, float(np.cos(0.25))) == 2
    assert index.clusters(rows, float(np.cos(0.15))) == 1
    assert index.clusters(rows, float(np.cos(0.05))) == 0
    assert index.clusters(rows[:2], float(np.cos(0.25))) == 1
    assert index.clusters(rows[:0], 0.5) == 0
