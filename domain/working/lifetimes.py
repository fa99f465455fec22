"""How long an entry of working memory lives, and how people are told what is left."""

import math
from datetime import timedelta
from typing import Final

from ..errors import Invalid

LONGEST: Final = timedelta(days=3_652)
"""Ten years."""

_MINUTE: Final = 60
_HOUR: Final = 60 * _MINUTE
_DAY: Final = 24 * _HOUR


def lifetime(given: object) -> timedelta:
    """A time to live: seconds, or a ``timedelta``; above 0, at most ten years.

    Raises:
        Invalid: ``ttl_invalid``.
    """
    if isinstance(given, timedelta):
        life = given
    elif isinstance(given, bool) or not isinstance(given, int | float):
        raise _invalid("give a number of seconds")
    elif not 0 < given <= LONGEST.total_seconds():  # NaN is refused too
        raise _invalid(f"give more than 0 seconds, and at most {LONGEST.days:,} days")
    else:
        life = timedelta(seconds=given)
    if not timedelta(0) < life <= LONGEST:
        raise _invalid(f"give more than 0 seconds, and at most {LONGEST.days:,} days")
    return life


def time_left(left: timedelta) -> str:
    """What is left, in the two largest units: ``25s``, ``4m32s``, ``4h08m``, ``3d04h``."""
    seconds = max(1, math.ceil(left.total_seconds()))
    if seconds < _MINUTE:
        return f"{seconds}s"
    if seconds < _HOUR:
        return f"{seconds // _MINUTE}m{seconds % _MINUTE:02}s"
    if seconds < _DAY:
        return f"{seconds // _HOUR}h{seconds % _HOUR // _MINUTE:02}m"
    return f"{seconds // _DAY}d{seconds % _DAY // _HOUR:02}h"


def _invalid(what: str) -> Invalid:
    return Invalid(f"ttl: {what}.", code="ttl_invalid", field="ttl")
