"""Moments as ``work.db`` has them: whole microseconds since 1970, UTC."""

from datetime import UTC, datetime, timedelta
from typing import Final

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_STEP: Final = timedelta(microseconds=1)


def stored(moment: datetime) -> int:
    """The number of a moment."""
    return (moment - _EPOCH) // _STEP


def told(number: int) -> datetime:
    """The moment of a number."""
    return _EPOCH + number * _STEP
