"""Subject time: when the thing that a memory is about happened, kept in well-known metadata.

``subjectTime`` is a point, ``subjectTimeStart`` and ``subjectTimeEnd`` bound a range. The grammar
is closed: ``2019``, ``2019-06``, ``2019-06-14`` or an RFC 3339 time. A coarser value spans its
whole period.
"""

import re
from calendar import monthrange
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from . import moments
from .errors import Invalid

POINT, START, END = "subjectTime", "subjectTimeStart", "subjectTimeEnd"
KEYS = (POINT, START, END)

_EARLIEST = datetime.min.replace(tzinfo=UTC)
_LATEST = datetime.max.replace(tzinfo=UTC)
_COARSE = re.compile(r"(\d{4})(?:-(\d{2})(?:-(\d{2}))?)?", re.ASCII)


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of time, both ends in it; an open end reaches to the end of the calendar."""

    start: datetime
    end: datetime


def parse(value: str, field: str = POINT) -> Span:
    """The span that one value covers.

    Raises:
        Invalid: ``subject_time_invalid``, with the reason.
    """
    coarse = _COARSE.fullmatch(value)
    if coarse is None:
        try:
            moment = moments.parse(value, field)
        except Invalid as error:
            raise _no_subject_time(field, error.message.rstrip(".")) from error
        return Span(moment, moment)
    year, month, day = (int(part or 1) for part in coarse.groups())
    if reason := moments.fault(year, month, day):
        raise _no_subject_time(field, reason)
    start = datetime(year, month, day, tzinfo=UTC)
    return Span(start, _end_of(start, has_month=bool(coarse[2]), has_day=bool(coarse[3])))


def _no_subject_time(field: str, reason: str) -> Invalid:
    return Invalid(
        f"metadata.{field} is no subject time ({reason}): write 2019, 2019-06, 2019-06-14 or a"
        " time such as 2019-06-14T12:00:00Z.",
        code="subject_time_invalid",
        field=f"metadata.{field}",
    )


def _end_of(start: datetime, *, has_month: bool, has_day: bool) -> datetime:
    if has_day:
        following = start.toordinal() + 1
    elif has_month:
        following = start.toordinal() + monthrange(start.year, start.month)[1]
    else:
        following = datetime(start.year, 12, 31, tzinfo=UTC).toordinal() + 1
    if following > _LATEST.toordinal():
        return _LATEST
    return datetime.fromordinal(following).replace(tzinfo=UTC) - timedelta(microseconds=1)


def check(metadata: Mapping[str, str]) -> None:
    """Refuses malformed subject times and a range that ends before it starts.

    Raises:
        Invalid: ``subject_time_invalid``.
    """
    spans = {key: parse(metadata[key], key) for key in KEYS if key in metadata}
    if START in spans and END in spans and spans[END].end < spans[START].start:
        raise Invalid(
            f"metadata.{END} lies before metadata.{START}.",
            code="subject_time_invalid",
            field=f"metadata.{END}",
        )


def merged(described: Sequence[Mapping[str, str]]) -> dict[str, str]:
    """The subject time of several memories taken together; empty where none says any.

    A point stays one as long as the most specific lies within all others; otherwise, and where
    there were ranges, the result is the range that covers everything, spelt as its ends were. A
    side that no range bounds stays open.
    """
    points = _readable(described, POINT)
    starts, ends = _readable(described, START), _readable(described, END)
    if points and not starts and not ends:
        narrow, text = min(points, key=lambda point: point[0].end - point[0].start)
        if all(wide.start <= narrow.start and narrow.end <= wide.end for wide, _ in points):
            return {POINT: text}
        starts = ends = points
    found: dict[str, tuple[Span, str]] = {}
    if starts:
        found[START] = min(starts + points, key=lambda start: start[0].start)
    if ends:
        found[END] = max(ends + points, key=lambda end: end[0].end)
    if starts and ends and found[END][0].end < found[START][0].start:
        # one began after the other had ended: the range from the end of that one to the other
        found = {START: found[END], END: found[START]}
    return {key: text for key, (_, text) in found.items()}


def _readable(described: Sequence[Mapping[str, str]], key: str) -> list[tuple[Span, str]]:
    readable: list[tuple[Span, str]] = []
    for metadata in described:
        try:
            readable.append((parse(metadata[key], key), metadata[key]))
        except (KeyError, Invalid):
            continue  # it says nothing of this, or nothing that can be read
    return readable


def span(metadata: Mapping[str, str]) -> Span | None:
    """What a memory's metadata says of subject time; None where it says nothing that can be read.

    A point is read before a range.
    """
    try:
        if POINT in metadata:
            return parse(metadata[POINT], POINT)
        if START not in metadata and END not in metadata:
            return None
        start = parse(metadata[START], START).start if START in metadata else _EARLIEST
        end = parse(metadata[END], END).end if END in metadata else _LATEST
    except Invalid:
        return None
    return Span(start, end)
