"""Relevance at a moment, and the band that it falls in."""

import math

import pytest
from bdd import START, day

from muniment.domain.relevance import band, relevance


def worth(days: float, *, uses: int = 1, pinned: bool = False, base: float = 1.0) -> float:
    return relevance(
        day(days),
        store="procedural",
        access_count=uses,
        last_accessed_at=START,
        pinned=pinned,
        base=base,
    )


class TestRelevance:
    def test_a_fresh_one_is_worth_its_base(self) -> None:
        assert worth(0) == 1.0

    def test_it_fades_by_three_percent_a_day(self) -> None:
        assert worth(10) == pytest.approx(math.exp(-0.3))

    def test_uses_lift_it_by_their_logarithm(self) -> None:
        assert worth(0, uses=3) == pytest.approx(2.0)

    @pytest.mark.parametrize(
        ("store", "weight"), [("episodic", 0.8), ("semantic", 1.2), ("procedural", 1.0)]
    )
    def test_each_store_has_its_weight(self, store: str, weight: float) -> None:
        found = relevance(
            START,
            store=store,  # type: ignore[arg-type]
            access_count=1,
            last_accessed_at=START,
            pinned=False,
        )
        assert found == pytest.approx(weight)

    def test_what_is_pinned_is_always_1(self) -> None:
        assert worth(5_000, uses=9, pinned=True) == 1.0

    def test_a_clock_that_ran_back_lifts_nothing(self) -> None:
        assert worth(-100) == 1.0


class TestBand:
    @pytest.mark.parametrize(
        ("value", "name"),
        [
            (1.7, "active"),
            (0.5, "active"),
            (0.499, "fading"),
            (0.2, "fading"),
            (0.199, "dormant"),
            (0.05, "dormant"),
            (0.049, "hidden"),
            (0.0, "hidden"),
        ],
    )
    def test_edges_belong_to_the_upper_band(self, value: float, name: str) -> None:
        assert band(value) == name
