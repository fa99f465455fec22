"""Points of the log by what callers name: a moment, or a position."""

from datetime import datetime

from muniment.domain.errors import Invalid, StorageFailed
from muniment.domain.moments import Point, told_time

from .recorder import Recorder


def point(rows: Recorder, when: datetime | int) -> Point:
    """Everything recorded by an aware moment, and readings at it; or up to a position, as of then.

    Before the first event nothing was known: that is position 0. After the last one all is known
    that there is so far.

    Raises:
        Invalid: ``position_unknown``: the log has no such position.
        StorageFailed: ``log_not_intact``: the time of that position is damaged.
    """
    if isinstance(when, datetime):
        return Point(rows.position_at(when), when)
    head = rows.head().position
    if not 1 <= when <= head:
        raise Invalid(
            f"when: the log has no such position: name one from 1 to {head:,}."
            if head
            else "when: the log is empty: it has no position yet.",
            code="position_unknown",
            field="when",
        )
    recorded_at = told_time(rows.recorded_at(when) or "")
    if recorded_at is None:
        raise StorageFailed(
            f"The time of position {when:,} cannot be read: run verify.", code="log_not_intact"
        )
    return Point(when, recorded_at)
