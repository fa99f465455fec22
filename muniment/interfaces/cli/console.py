"""Where text for people goes: colour on a terminal alone, and nothing that steers it."""

import sys
from collections.abc import Callable, Generator, Iterable
from contextlib import contextmanager
from typing import TextIO, TypeAlias

from rich.console import Console
from rich.text import Text

from muniment.interfaces.documents import document
from muniment.queries.agent_text import visible

Line: TypeAlias = Text

TAIL = 12
"""Hex digits of an id that are shown."""


class _Page(Console):
    def on_broken_pipe(self) -> None:
        raise BrokenPipeError


def page(file: TextIO | None = None) -> Console:
    """A console that prints what it is given, without markup of its own."""
    return _Page(file=file or sys.stdout, markup=False, highlight=False, emoji=False)


def put(lines: Iterable[Line], file: TextIO | None = None) -> None:
    """Prints lines as they come; long ones are left to the terminal to wrap."""
    console = page(file)
    for line in lines:
        console.print(line, soft_wrap=True)


def line(*parts: str | tuple[str, str]) -> Line:
    """A line of parts, each a text or a text with its style; what steers a terminal is escaped."""
    assembled = Text()
    for part in parts:
        text, style = part if isinstance(part, tuple) else (part, "")
        assembled.append(visible(text), style)
    return assembled


def tail(id: str) -> str:
    """The end of an id, which every verb takes for the whole."""
    return id[-TAIL:]


def answered(answer: object, lines: Iterable[Line], *, as_json: bool) -> None:
    """Prints an answer: as JSON, or as the lines that tell it to people."""
    if as_json:
        sys.stdout.write(document(answer) + "\n")
    else:
        put(lines)


@contextmanager
def progress(what: str) -> Generator[Callable[[int], None]]:
    """Shows on a terminal that something goes on; the value is told how many were done so far."""
    console = page(sys.stderr)
    if not console.is_terminal:
        yield lambda done: None  # noqa: ARG005 (nobody looks)
        return
    from rich.progress import (  # noqa: PLC0415 (few runs need it)
        BarColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
    )

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.fields[done]}"),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task(what, total=None, done="")
        yield lambda done: bar.update(task, done=f"{done:,}")
