"""Importance at a moment: grace, half-life, floor, and what moves the curve."""

import math
from datetime import timedelta

import pytest
from bdd import START, day
from hypothesis import assume, given
from hypothesis import strategies as st

from muniment.domain.importance import DAY, Decay

DECAY = Decay()

unit = st.floats(0.0, 1.0)
spans = st.floats(0.0, 2_000.0)
decays = st.builds(
    Decay,
    grace_days=st.floats(0.0, 365.0),
    half_life_days=st.floats(0.5, 365.0),
    floor=unit,
)


def at(days: float, base: float, decay: Decay = DECAY, *, scored: float = 0) -> float:
    return decay.at(day(days), base=base, last_seen_at=START, scored_at=day(scored))


class TestTable:
    @pytest.mark.parametrize(("base", "days"), [(0.95, 176), (0.70, 156), (0.50, 134), (0.30, 101)])
    def test_the_floor_is_reached_when_the_table_says(self, base: float, days: int) -> None:
        assert at(days - 1, base) > DECAY.floor
        assert at(days + 1, base) == DECAY.floor

    def test_only_the_days_after_grace_count(self) -> None:
        decay = Decay(grace_days=30, half_life_days=10)
        assert at(30.5, 0.8, decay) == pytest.approx(0.77275, abs=1e-5)

    def test_what_was_seen_lately_is_unchanged_however_old_it_is(self) -> None:
        decay = Decay(grace_days=30, half_life_days=10)
        worth = decay.at(day(60), base=0.8, last_seen_at=day(57), scored_at=day(57))
        assert worth == 0.8

    @pytest.mark.parametrize("base", [0.0, 0.05, 0.10])
    def test_at_or_under_the_floor_nothing_moves(self, base: float) -> None:
        assert at(5_000, base) == base

    @pytest.mark.parametrize("half_life", [0.0, -1.0])
    def test_without_a_half_life_nothing_fades(self, half_life: float) -> None:
        assert at(5_000, 0.9, Decay(half_life_days=half_life)) == 0.9

    def test_a_half_life_after_grace_halves_it(self) -> None:
        assert at(75, 0.8) == pytest.approx(0.4)

    def test_the_last_moment_of_grace_is_untouched(self) -> None:
        assert at(30, 0.8) == 0.8
        assert at(30.001, 0.8) < 0.8

    def test_scoring_after_grace_restarts_the_fading_there(self) -> None:
        assert at(100, 0.8, scored=100) == 0.8
        assert at(145, 0.8, scored=100) == pytest.approx(0.4)

    def test_scoring_within_grace_does_not_shorten_it(self) -> None:
        assert at(30, 0.8, scored=20) == 0.8

    def test_before_it_was_seen_it_is_worth_its_base(self) -> None:
        assert at(-1, 0.8) == 0.8
        assert at(-10_000, 0.8) == 0.8


class TestLaws:
    @given(base=unit, days=spans, decay=decays, scored=spans)
    def test_it_lies_between_the_floor_and_the_base(
        self, base: float, days: float, decay: Decay, scored: float
    ) -> None:
        assert min(base, decay.floor) <= at(days, base, decay, scored=scored) <= base

    @given(base=unit, one=spans, other=spans, decay=decays)
    def test_it_never_rises_with_time(
        self, base: float, one: float, other: float, decay: Decay
    ) -> None:
        early, late = sorted([one, other])
        assert at(late, base, decay) <= at(early, base, decay)

    @given(base=unit, days=spans, decay=decays)
    def test_it_keeps_the_order_of_bases(self, base: float, days: float, decay: Decay) -> None:
        assert at(days, base / 2, decay) <= at(days, base, decay)

    @given(base=unit, one=spans, other=spans, decay=decays)
    def test_fading_in_two_steps_is_fading_in_one(
        self, base: float, one: float, other: float, decay: Decay
    ) -> None:
        assume(base > decay.floor)
        start = day(decay.grace_days)
        whole = decay.at(
            start + timedelta(days=one + other), base=base, last_seen_at=START, scored_at=START
        )
        middle = start + timedelta(days=one)
        half = decay.at(middle, base=base, last_seen_at=START, scored_at=START)
        second = decay.at(
            middle + timedelta(days=other), base=half, last_seen_at=START, scored_at=middle
        )
        assert math.isclose(second, whole, rel_tol=1e-6, abs_tol=1e-9)

    @given(days=st.floats(0.0, 400.0), base=unit)
    def test_the_anchor_is_the_later_of_the_end_of_grace_and_the_scoring(
        self, days: float, base: float
    ) -> None:
        anchor = DECAY.anchor(START, day(days))
        assert anchor == max(START + 30 * DAY, day(days))
        assert DECAY.at(anchor, base=base, last_seen_at=START, scored_at=day(days)) == base
