"""The moment that somebody names by a time or by a position of the log."""

from datetime import datetime
from typing import Annotated, TypeAlias

from pydantic import BeforeValidator, Field, ValidationInfo

from muniment.domain import moments
from muniment.domain.errors import Invalid

from .reading import Reading


def _when(value: object, info: ValidationInfo) -> object:
    field = info.field_name or "when"
    if isinstance(value, str) and value.strip().isdecimal() and len(value.strip()) < 19:
        return int(value)
    if isinstance(value, str):
        return moments.parse(value, field)
    if isinstance(value, datetime):
        return moments.in_utc(value, field)
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    raise Invalid(
        f"{field}: give a time such as 2026-03-03T12:00:00Z, or a position of the log.",
        code=f"{field}_invalid",
        field=field,
    )


When: TypeAlias = Annotated[
    datetime | int,
    Field(description="A time such as 2026-03-03T12:00:00Z, or a position of the log."),
    BeforeValidator(_when),
]
"""An aware datetime, an RFC 3339 text, or a position."""


def moment(reading: Reading, when: datetime | int, field: str = "when") -> datetime:
    """The moment itself; of a position that at which its event was recorded.

    Raises:
        Invalid: ``position_unknown`` where the log has no such position.
    """
    if isinstance(when, datetime):
        return when
    if 0 < when <= reading.head():
        for recorded in reading.recorded(after=when - 1, until=when, space=None):
            return recorded.recorded_at
    raise Invalid(
        f"{field}: the log has no position {when:,}: its newest is {reading.head():,}.",
        code="position_unknown",
        field=field,
    )
