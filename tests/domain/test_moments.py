"""Moments as people and programs write them."""

from datetime import UTC, datetime, timedelta, timezone, tzinfo
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from muniment.domain import moments
from muniment.domain.errors import Invalid

NOON = datetime(2026, 3, 3, 12, tzinfo=UTC)


class Odd(tzinfo):
    """A zone that does not say how far it lies from UTC."""

    def utcoffset(self, dt: datetime | None) -> timedelta | None:
        return None

    def dst(self, dt: datetime | None) -> timedelta | None:
        return None

    def tzname(self, dt: datetime | None) -> str | None:
        return None


class TestParse:
    @pytest.mark.parametrize(
        "text",
        [
            "2026-03-03T12:00:00Z",
            "2026-03-03t12:00:00z",
            "2026-03-03 12:00:00Z",
            "2026-03-03T14:00:00+02:00",
            "2026-03-03T04:00:00-08:00",
            "2026-03-03T12:00:00.000000Z",
            " 2026-03-03T12:00:00Z ",
            "2026-03-03T12:00:00.0+00:00",
        ],
    )
    def test_one_instant_has_many_spellings(self, text: str) -> None:
        parsed = moments.parse(text, "when")
        assert parsed == NOON
        assert parsed.tzinfo is UTC

    def test_fractions_are_kept_to_the_microsecond(self) -> None:
        assert moments.parse("2026-03-03T12:00:00.000001Z", "when").microsecond == 1

    @pytest.mark.parametrize(
        "text",
        [
            "",
            "yesterday",
            "2026-03-03",
            "20260303T120000Z",
            "2026-W10-2T12:00:00Z",
            "2026-03-03T12:00Z",
            "2026-02-30T12:00:00Z",
            "2026-13-01T12:00:00Z",
            "2026-03-03T24:00:00Z",
            "2026-03-03T12:60:00Z",
            "2026-06-30T23:59:60Z",
            "0000-01-01T00:00:00Z",
            "2026-03-03T12:00:00+25:00",
            "2026-03-03T12:00:00.1234567Z",
            "\uff12\uff10\uff12\uff16-03-03T12:00:00Z",
            "2026-03-03T12:00:00Z\x00",
        ],
    )
    def test_what_names_no_moment_is_refused_by_name(self, text: str) -> None:
        with pytest.raises(Invalid) as caught:
            moments.parse(text, "when")
        assert (caught.value.code, caught.value.field) == ("timestamp_invalid", "when")

    def test_a_leap_second_is_refused_with_the_reason(self) -> None:
        with pytest.raises(Invalid, match="leap second"):
            moments.parse("2026-06-30T23:59:60Z", "when")

    def test_a_time_without_a_zone_is_never_taken_for_local_time(self) -> None:
        with pytest.raises(Invalid) as caught:
            moments.parse("2026-03-03T12:00:00", "when")
        assert caught.value.code == "timezone_required"

    @pytest.mark.parametrize("text", ["9999-12-31T23:59:59-01:00", "0001-01-01T00:00:00+01:00"])
    def test_what_leaves_the_calendar_in_utc_is_refused(self, text: str) -> None:
        with pytest.raises(Invalid) as caught:
            moments.parse(text, "when")
        assert caught.value.code == "timestamp_out_of_range"

    @given(
        st.datetimes(
            min_value=datetime(2, 1, 1),  # noqa: DTZ001 (the zone comes from the strategy)
            max_value=datetime(9998, 1, 1),  # noqa: DTZ001
            timezones=st.sampled_from([UTC, timezone(timedelta(hours=-7)), ZoneInfo("Asia/Tokyo")]),
        )
    )
    def test_the_spelling_of_the_log_reads_back_as_the_same_instant(self, moment: datetime) -> None:
        text = moments.rfc3339(moment)
        assert moments.parse(text, "when") == moment.astimezone(UTC)
        assert len(text) == 27
        assert text.endswith("Z")


class TestInUtc:
    def test_a_naive_datetime_is_refused(self) -> None:
        with pytest.raises(Invalid) as caught:
            moments.in_utc(datetime(2026, 3, 3), "when")  # noqa: DTZ001
        assert caught.value.code == "timezone_required"

    def test_a_zone_that_does_not_say_its_offset_is_no_zone(self) -> None:
        with pytest.raises(Invalid) as caught:
            moments.in_utc(datetime(2026, 3, 3, tzinfo=Odd()), "when")
        assert caught.value.code == "timezone_required"

    @pytest.mark.parametrize(
        "moment",
        [
            datetime(1, 1, 1, tzinfo=timezone(timedelta(hours=1))),
            datetime(9999, 12, 31, 23, tzinfo=timezone(timedelta(hours=-2))),
        ],
    )
    def test_the_ends_of_the_calendar_are_kept(self, moment: datetime) -> None:
        with pytest.raises(Invalid) as caught:
            moments.in_utc(moment, "when")
        assert caught.value.code == "timestamp_out_of_range"

    def test_both_instants_of_a_repeated_hour_are_distinct(self) -> None:
        berlin = ZoneInfo("Europe/Berlin")
        first = datetime(2026, 10, 25, 2, 30, tzinfo=berlin, fold=0)
        second = datetime(2026, 10, 25, 2, 30, tzinfo=berlin, fold=1)
        apart = moments.in_utc(second, "when") - moments.in_utc(first, "when")
        assert apart == timedelta(hours=1)


class TestShown:
    @given(st.datetimes(timezones=st.just(UTC)))
    def test_every_moment_is_shown_as_its_one_spelling_begins(self, moment: datetime) -> None:
        spelt = moments.rfc3339(moment).replace("T", " ")
        assert moments.day(moment) == spelt[:10]
        assert moments.minute(moment) == spelt[:16]
        assert moments.second(moment) == spelt[:19]

    def test_a_year_has_four_digits(self) -> None:
        first = datetime(1, 1, 1, tzinfo=UTC)
        assert moments.second(first) == "0001-01-01 00:00:00"
