"""How long entries live, and how what is left is told."""

from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from muniment.domain.errors import Invalid
from muniment.domain.working.lifetimes import LONGEST, lifetime, time_left

NONE: list[Any] = [
    *(0, -1, -0.5, float("nan"), float("inf"), -float("inf"), 1e308, 10**400, 315_532_801),
    *("5m", "300", "", None, True, False, [], b"1", 1e-9, 2 + 0j),
    *(timedelta(0), timedelta(seconds=-1), timedelta(days=3_653), timedelta.max),
]


@pytest.mark.parametrize("given", NONE)
def test_what_is_no_time_to_live_is_refused(given: Any) -> None:
    """B12."""
    with pytest.raises(Invalid) as caught:
        lifetime(given)
    assert (caught.value.code, caught.value.field) == ("ttl_invalid", "ttl")


@given(st.floats(min_value=1e-5, max_value=315_532_800.0))
def test_seconds_and_a_timedelta_mean_the_same(seconds: float) -> None:
    assert lifetime(seconds) == lifetime(timedelta(seconds=seconds)) == timedelta(seconds=seconds)


def test_ten_years_are_the_longest() -> None:
    assert lifetime(LONGEST) == lifetime(315_532_800) == LONGEST


@pytest.mark.parametrize(
    ("seconds", "told"),
    [
        (0.001, "1s"),
        (25, "25s"),
        (59.5, "1m00s"),
        (121, "2m01s"),
        (272, "4m32s"),
        (3_599.2, "1h00m"),
        (15_120, "4h12m"),
        (4 * 3_600 + 8 * 60 + 59, "4h08m"),
        (86_400, "1d00h"),
        (3 * 86_400 + 4 * 3_600 + 7, "3d04h"),
        (-5, "1s"),
    ],
)
def test_what_is_left_is_told_in_its_two_largest_units(seconds: float, told: str) -> None:
    assert time_left(timedelta(seconds=seconds)) == told
