"""Paths as callers name them."""

import os
from pathlib import Path
from typing import Final

from .domain.errors import Invalid

IN_MEMORY: Final = ":memory:"
"""Where a store has no directory."""


def path_of(given: str | os.PathLike[str], field: str = "path", *, what: str = "file") -> Path:
    """The path that an input means; ``~`` is the user's home.

    Raises:
        Invalid: ``<field>_invalid`` where it names no path; ``what`` is what it should name.
    """
    try:
        text = os.fsdecode(given)
        if text and "\0" not in text:
            return Path(text).expanduser()
    except (TypeError, RuntimeError):
        pass  # what is no path, or nobody's home, is refused like an empty one
    raise Invalid(f"{field}: name a {what}.", code=f"{field}_invalid", field=field)
