"""When the thing that a memory is about happened."""

from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from muniment.domain import subject_time
from muniment.domain.errors import Invalid
from muniment.domain.subject_time import Span

TICK = timedelta(microseconds=1)


def _coarse(day: date, length: int) -> str:
    return str(day)[:length]


def _exact(day: date) -> str:
    return f"{day}T12:00:00+02:00"


VALUES: st.SearchStrategy[str] = st.one_of(
    st.builds(_coarse, st.dates(), st.sampled_from([4, 7, 10])),
    st.builds(_exact, st.dates(date(1900, 1, 1))),
)


def _is_kept(metadata: dict[str, str]) -> bool:
    try:
        subject_time.check(metadata)
    except Invalid:
        return False
    return True


def ranges() -> st.SearchStrategy[dict[str, str]]:
    """What a memory may say of subject time: nothing, a point, a range, or an open one."""
    keys: list[str] = [*subject_time.KEYS[1:]]
    ends = st.dictionaries(st.sampled_from(keys), VALUES)
    points = st.dictionaries(st.just(str(subject_time.POINT)), VALUES, max_size=1)
    return st.one_of(ends, points).filter(_is_kept)


def utc(year: int, month: int, day: int, hour: int = 0) -> datetime:
    return datetime(year, month, day, hour, tzinfo=UTC)


class TestParse:
    @pytest.mark.parametrize(
        ("value", "span"),
        [
            ("2019", Span(utc(2019, 1, 1), utc(2020, 1, 1) - TICK)),
            ("2019-06", Span(utc(2019, 6, 1), utc(2019, 7, 1) - TICK)),
            ("2019-12", Span(utc(2019, 12, 1), utc(2020, 1, 1) - TICK)),
            ("2020-02", Span(utc(2020, 2, 1), utc(2020, 3, 1) - TICK)),
            ("2019-06-14", Span(utc(2019, 6, 14), utc(2019, 6, 15) - TICK)),
            ("2020-02-29", Span(utc(2020, 2, 29), utc(2020, 3, 1) - TICK)),
            ("2019-06-14T12:00:00Z", Span(utc(2019, 6, 14, 12), utc(2019, 6, 14, 12))),
            ("2019-06-14T12:00:00+09:00", Span(utc(2019, 6, 14, 3), utc(2019, 6, 14, 3))),
        ],
    )
    def test_a_coarser_value_spans_its_whole_period(self, value: str, span: Span) -> None:
        assert subject_time.parse(value) == span

    @pytest.mark.parametrize("value", ["9999", "9999-12", "9999-12-31"])
    def test_the_last_period_of_the_calendar_has_an_end(self, value: str) -> None:
        assert subject_time.parse(value).end == datetime.max.replace(tzinfo=UTC)

    @pytest.mark.parametrize(
        "value",
        [
            "",
            "19",
            "201",
            "20190614",
            "2019-6",
            "2019-13",
            "2019-00",
            "2019-02-30",
            "2026-02-29",
            "2026-W53-7",
            "2019-06-14T12:00:00",
            "23:59:60Z",
            "2019-06-14T23:59:60Z",
            "24:00:00",
            "0000",
            "summer 2019",
            "~2019",
            "2019/06",
            "٢٠١٩",
            "2019\n",
            " 2019",
            "0001-01-01T00:00:00+01:00",
        ],
    )
    def test_the_grammar_is_closed(self, value: str) -> None:
        with pytest.raises(Invalid) as caught:
            subject_time.parse(value, "subjectTimeEnd")
        assert (caught.value.code, caught.value.field) == (
            "subject_time_invalid",
            "metadata.subjectTimeEnd",
        )

    @given(st.dates())
    def test_a_day_lies_in_its_month_and_the_month_in_its_year(self, found: object) -> None:
        text = str(found)
        day, month, year = (subject_time.parse(text[:length]) for length in (10, 7, 4))
        assert year.start <= month.start <= day.start <= day.end <= month.end <= year.end


class TestCheck:
    def test_other_metadata_is_nobody_s_business(self) -> None:
        subject_time.check({"subjecttime": "whenever", "when": "summer"})

    def test_a_range_may_end_where_it_starts(self) -> None:
        subject_time.check({"subjectTimeStart": "2019-06", "subjectTimeEnd": "2019"})
        subject_time.check({"subjectTimeStart": "2019-06-14", "subjectTimeEnd": "2019-06-14"})

    def test_a_range_that_ends_before_it_starts_is_refused(self) -> None:
        with pytest.raises(Invalid) as caught:
            subject_time.check({"subjectTimeStart": "2019-06", "subjectTimeEnd": "2019-05-31"})
        assert caught.value.field == "metadata.subjectTimeEnd"

    @pytest.mark.parametrize("key", subject_time.KEYS)
    def test_each_of_the_keys_is_checked(self, key: str) -> None:
        with pytest.raises(Invalid) as caught:
            subject_time.check({key: "soon"})
        assert caught.value.field == f"metadata.{key}"


class TestSpan:
    def test_a_point_is_read_before_a_range(self) -> None:
        metadata = {"subjectTime": "2019", "subjectTimeStart": "1990", "subjectTimeEnd": "1995"}
        assert subject_time.span(metadata) == subject_time.parse("2019")

    def test_a_range_reaches_from_the_start_of_one_to_the_end_of_the_other(self) -> None:
        found = subject_time.span({"subjectTimeStart": "1997", "subjectTimeEnd": "2002"})
        assert found == Span(utc(1997, 1, 1), utc(2003, 1, 1) - TICK)

    def test_an_open_end_reaches_to_the_end_of_the_calendar(self) -> None:
        since = subject_time.span({"subjectTimeStart": "1997"})
        until = subject_time.span({"subjectTimeEnd": "1997"})
        assert since is not None
        assert since.end == datetime.max.replace(tzinfo=UTC)
        assert until is not None
        assert until.start == datetime.min.replace(tzinfo=UTC)

    @pytest.mark.parametrize("metadata", [{}, {"k": "2019"}, {"subjectTime": "soon"}])
    def test_what_says_nothing_that_can_be_read_has_none(self, metadata: dict[str, str]) -> None:
        assert subject_time.span(metadata) is None


def said(point: str = "", start: str = "", end: str = "") -> dict[str, str]:
    """Metadata that says these."""
    values = zip(subject_time.KEYS, (point, start, end), strict=True)
    return {key: value for key, value in values if value}


class TestMerged:
    @pytest.mark.parametrize(
        ("described", "found"),
        [
            ([], {}),
            ([{}, {"k": "2019"}], {}),
            ([said("2018"), said("2018-04-02")], said("2018-04-02")),
            ([said("2018-04-02"), {}], said("2018-04-02")),
            ([said("2018"), said("2018")], said("2018")),
            (
                [said("2018-04-02"), said("2018-04-02T10:00:00+09:00")],
                said("2018-04-02T10:00:00+09:00"),
            ),
            (
                [said(start="1997", end="2002"), said(start="1994", end="2005")],
                said(start="1994", end="2005"),
            ),
        ],
    )
    def test_a_point_stays_the_most_specific_and_ranges_widen(
        self, described: list[dict[str, str]], found: dict[str, str]
    ) -> None:
        assert subject_time.merged(described) == found

    def test_points_that_differ_become_the_range_of_all(self) -> None:
        assert subject_time.merged([said("2019"), said("2018-04"), said("2021-01-02")]) == said(
            start="2018-04", end="2021-01-02"
        )

    def test_a_coarser_value_spans_its_whole_period(self) -> None:
        described = [said(start="2018-06", end="2018-07"), said(start="2018", end="2018")]
        assert subject_time.merged(described) == said(start="2018", end="2018")
        assert subject_time.merged([said("2018-12-31"), said(start="2018-01", end="2018")]) == said(
            start="2018-01", end="2018"
        )

    def test_a_point_outside_widens_a_range(self) -> None:
        described = [said(start="1997", end="2002"), said("2018-04-02")]
        assert subject_time.merged(described) == said(start="1997", end="2018-04-02")

    def test_a_side_that_no_range_bounds_stays_open(self) -> None:
        assert subject_time.merged([said(start="2020"), said("2010")]) == said(start="2010")
        assert subject_time.merged([said(end="2010"), said("2015")]) == said(end="2015")

    def test_one_that_says_the_start_and_one_that_says_the_end_make_a_range(self) -> None:
        assert subject_time.merged([said(start="1997"), said(end="2002")]) == said(
            start="1997", end="2002"
        )

    def test_a_start_after_an_end_makes_a_range_that_holds_both(self) -> None:
        assert subject_time.merged([said(start="2020"), said(end="2010")]) == said(
            start="2010", end="2020"
        )

    def test_mixed_notations_meet_in_utc_and_what_cannot_be_read_says_nothing(self) -> None:
        described = [
            said("2019"),
            said("2019-06-14"),
            said("2019-06-14T12:00:00"),
            said("2019-06-14T23:30:00+09:00"),
        ]
        assert subject_time.merged(described) == said("2019-06-14T23:30:00+09:00")
        described.append(said("2019-06-15T00:30:00+00:00"))
        assert subject_time.merged(described) == said(start="2019", end="2019")

    @given(st.lists(ranges(), max_size=5))
    def test_whatever_is_merged_may_be_kept_again_and_covers_every_point(
        self, described: list[dict[str, str]]
    ) -> None:
        found = subject_time.merged(described)
        subject_time.check(found)
        assert bool(found) == any(described)
        whole = subject_time.span(found)
        for one in described:
            part = subject_time.span(one)
            if part is None or whole is None or "subjectTime" in found:
                continue
            if "subjectTime" in one:
                assert whole.start <= part.start
                assert part.end <= whole.end

    @given(st.lists(ranges(), max_size=5), st.randoms())
    def test_the_order_makes_no_difference_to_what_is_covered(
        self, described: list[dict[str, str]], chance: Any
    ) -> None:
        shuffled = list(described)
        chance.shuffle(shuffled)
        one, other = subject_time.merged(described), subject_time.merged(shuffled)
        assert subject_time.span(one) == subject_time.span(other)
        assert subject_time.merged([one, one]) == one
