"""Ids as callers name them: whole, or by their end; hyphens, case and blanks around do not count.

The one rule for memories, proposals and tokens alike.
"""

import re
from collections.abc import Iterable
from typing import Final

from .errors import Invalid

WHOLE: Final = 32
"""Hex digits of a whole id."""

_DIGITS = re.compile(r"[0-9a-f]{8,32}")


def digits(name: str, field: str = "id") -> str:
    """The hex digits that a name gives: those of a whole id, or at least 8 of the end of one.

    Raises:
        Invalid: ``id_invalid``.
    """
    given = name.strip().lower().replace("-", "")
    if not _DIGITS.fullmatch(given):
        raise Invalid(
            f"{name!r} is no id: give a whole one, or at least 8 hex digits of its end.",
            code="id_invalid",
            field=field,
        )
    return given


def written(whole: str) -> str:
    """The id of 32 hex digits as it is written, with hyphens."""
    return "-".join((whole[:8], whole[8:12], whole[12:16], whole[16:20], whole[20:]))


def ending(ids: Iterable[str], given: str) -> list[str]:
    """Those of some ids that end in the digits that were given."""
    return [id_ for id_ in ids if id_.replace("-", "").endswith(given)]
