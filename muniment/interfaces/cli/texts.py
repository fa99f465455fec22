"""Texts of a command line: written out, in a file (``@path``), or on standard input (``-``)."""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO

from muniment.domain.errors import Invalid

MAX_BYTES = 1 << 20
"""More is not read, as it is over what any text may have."""


def read_text(field: str) -> Callable[[str], str]:
    """Reads the text that an argument stands for; ``@@…`` is a text that begins with ``@``.

    Raises:
        Invalid: ``file_unreadable``, or ``invalid_unicode`` where the bytes are no UTF-8.
    """

    def read(argument: str) -> str:
        if argument == "-":
            return _decoded(sys.stdin.buffer, field)
        if argument.startswith("@@"):
            return argument[1:]
        if argument.startswith("@"):
            return _file(argument[1:], field)
        return argument

    return read


def _file(path: str, field: str) -> str:
    try:
        with Path(path).expanduser().open("rb") as file:
            return _decoded(file, field)
    except (OSError, ValueError, RuntimeError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise Invalid(
            f"{field}: the file {path!r} cannot be read ({reason}); a text that begins with @ is"
            " written @@.",
            code="file_unreadable",
            field=field,
        ) from error


def _decoded(file: BinaryIO, field: str) -> str:
    read = file.read(MAX_BYTES + 1)
    if len(read) > MAX_BYTES:
        return read.decode(errors="ignore")  # refused for its length, wherever it was cut
    try:
        text = read.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise Invalid(
            f"{field}: the bytes from {error.start} on are no UTF-8.",
            code="invalid_unicode",
            field=field,
        ) from error
    return text.removesuffix("\n").removesuffix("\r")
