"""Texts that were written as test data: a line each, with escapes for what is not to be seen."""

import re
from pathlib import Path

_ESCAPE = re.compile(r"\\u([0-9a-f]{4})|\\U([0-9a-f]{8})|\\n")


def texts(path: Path) -> list[str]:
    """The texts of a file."""
    lines = path.read_text(encoding="utf-8").splitlines()
    return [_ESCAPE.sub(_character, line) for line in lines]


def _character(escape: re.Match[str]) -> str:
    return "\n" if escape[0] == r"\n" else chr(int(escape[1] or escape[2], 16))
