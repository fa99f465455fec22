"""Moments in time as people and programs write them: RFC 3339, aware, UTC inside."""

import re
from calendar import monthrange
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import MAXYEAR, UTC, datetime
from typing import TypeAlias

from .errors import Invalid

When: TypeAlias = datetime | str | int
"""A moment of the past as callers name it: aware, an RFC 3339 text, or a position of the log.

A command line and an address have a position as text, in digits.
"""


@dataclass(frozen=True, slots=True, order=True)
class Point:
    """A point of the log: everything up to ``position`` is known there, and it is ``at`` then."""

    position: int
    at: datetime


_POSITION = re.compile(r"[0-9]{1,30}")
_RFC3339 = re.compile(
    r"(?P<year>\d{4})-(?P<month>\d{2})-(?P<day>\d{2})"
    r"[Tt ](?P<hour>\d{2}):(?P<minute>\d{2}):(?P<second>\d{2})(?:\.\d{1,6})?"
    r"(?P<zone>[Zz]|[+-](?P<ahead>\d{2}):(?P<past>\d{2}))?",
    re.ASCII,
)


def in_utc(moment: datetime, field: str) -> datetime:
    """The same instant in UTC.

    Raises:
        Invalid: ``timezone_required`` for a naive one, ``timestamp_out_of_range`` where UTC has no
            such year.
    """
    if moment.tzinfo is None or moment.utcoffset() is None:
        raise Invalid(
            f"{field} needs a time zone: write …Z or …+02:00.",
            code="timezone_required",
            field=field,
        )
    try:
        return moment.astimezone(UTC)
    except OverflowError as error:
        raise Invalid(
            f"{field} lies outside the years 1 to 9999 once it is in UTC.",
            code="timestamp_out_of_range",
            field=field,
        ) from error


def parse(text: str, field: str) -> datetime:
    """An RFC 3339 time as an aware moment in UTC; fractions to the microsecond.

    Raises:
        Invalid: ``timestamp_invalid`` (with the reason), ``timezone_required`` or
            ``timestamp_out_of_range``.
    """
    match = _RFC3339.fullmatch(text.strip())
    if match is None:
        raise Invalid(
            f"{field} is no RFC 3339 time: write it like 2026-03-03T12:00:00Z.",
            code="timestamp_invalid",
            field=field,
        )
    parts = {name: int(part) for name, part in match.groupdict("0").items() if name != "zone"}
    reason = fault(parts["year"], parts["month"], parts["day"]) or _fault_of_clock(parts)
    if reason is not None:
        raise Invalid(f"{field} names no moment: {reason}.", code="timestamp_invalid", field=field)
    return in_utc(datetime.fromisoformat(match[0].upper()), field)


def fault(year: int, month: int, day: int) -> str | None:
    """Why there is no such day in the calendar; None where there is."""
    if not 1 <= year <= MAXYEAR:
        return f"there is no year {year:04}"
    if not 1 <= month <= 12:
        return f"there is no month {month:02}"
    if not 1 <= day <= monthrange(year, month)[1]:
        return f"the month {year:04}-{month:02} has no day {day:02}"
    return None


def _fault_of_clock(parts: Mapping[str, int]) -> str | None:
    if parts["second"] == 60:
        return "leap seconds are not kept"
    if parts["hour"] > 23 or parts["minute"] > 59 or parts["second"] > 59:
        return "hours go to 23, minutes and seconds to 59"
    if parts["ahead"] > 23 or parts["past"] > 59:
        return "a zone is at most 23:59 from UTC"
    return None


def in_past(when: object, field: str) -> datetime | int:
    """A moment of the past in UTC, or the position that was named; whether it is there is not said.

    Raises:
        Invalid: ``when_invalid`` where it is of no such type; as for ``parse`` and ``in_utc``.
    """
    if isinstance(when, str):
        digits = _POSITION.fullmatch(when.strip())
        return int(digits[0]) if digits else parse(when, field)
    if isinstance(when, datetime):
        return in_utc(when, field)
    if isinstance(when, int) and not isinstance(when, bool):
        return when
    raise Invalid(
        f"{field}: give a time such as 2026-03-03T12:00:00Z, or a position of the log.",
        code="when_invalid",
        field=field,
    )


def rfc3339(moment: datetime) -> str:
    """The one spelling that the log uses: UTC, six decimals, Z."""
    if moment.tzinfo is not UTC:
        moment = moment.astimezone(UTC)
    return moment.isoformat(timespec="microseconds").removesuffix("+00:00") + "Z"


def day(moment: datetime) -> str:
    """The date, for people: ``2026-03-03``. ``strftime`` would write the year 1 as one digit."""
    return moment.date().isoformat()


def minute(moment: datetime) -> str:
    """Date and time to the minute, without the zone: ``2026-03-03 12:00``."""
    return moment.replace(tzinfo=None).isoformat(" ", "minutes")


def second(moment: datetime) -> str:
    """Date and time to the second, without the zone: ``2026-03-03 12:00:00``."""
    return moment.replace(tzinfo=None).isoformat(" ", "seconds")


def told_time(text: str) -> datetime | None:
    """The moment of a stored time; None where damage left none."""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    return None if moment.tzinfo is None else moment
