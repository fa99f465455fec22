"""``docs/cli.md``, made from the help: ``python -m muniment.interfaces.cli.reference``."""

import sys
from typing import Final

import typer
from typer.core import TyperCommand, TyperGroup

from .help import HELP_OPTIONS, WIDTH
from .program import NAME, whole

_OPENING: Final = """\
# The command line

Made from the program's own help by `python -m muniment.interfaces.cli.reference > docs/cli.md`.

A memory is named by its id, or by the end of it that tables show. A text is written out, or comes
from a file (`@notes.txt`) or from the standard input (`-`). A text that begins with `@` is written
`@@…`; `--` comes before one that begins with `-`.

`--json`, before or after the command, prints one JSON document with the field names of the Python
face; `log --json` prints one a line. Errors go to the standard error, with `--json` as
`{"error": {"code", "message", "field"}}`. The exit status says what kind they are:

| status | meaning |
|---|---|
| 0 | done |
| 1 | something is not in order (`verify`, `prove-invariants`, `audit`, `rebuild`, `doctor`) |
| 2 | the input or the command line is invalid; of `verify`, the log cannot be read |
| 3 | nothing of that name is here |
| 4 | a rule or a role says no |
| 5 | something moved meanwhile: read again, decide again |
| 6 | the storage failed, or there is none |
| 7 | an outside service did not answer |
| 70 | a bug; `MUNIMENT_DEBUG=1` shows where |
| 130 | interrupted |
| 141 | the reader of the output went away |

Colour is for terminals alone, and `NO_COLOR` turns it off. Characters that steer a terminal or hide
text are shown as `<U+202E>`.
"""


def reference() -> str:
    """The page: what holds for all, and the help of the program and of each verb."""
    command = whole()
    context = typer.Context(
        command, info_name=NAME, terminal_width=WIDTH, help_option_names=HELP_OPTIONS
    )
    return "\n".join([_OPENING, *_sections(NAME, command, context)])


def _sections(name: str, command: TyperCommand | TyperGroup, context: typer.Context) -> list[str]:
    """The help of a verb, and of each below it."""
    sections = [_section(name, command.get_help(context))]
    if isinstance(command, TyperGroup):
        for below, verb in command.commands.items():
            if not isinstance(verb, TyperCommand | TyperGroup):
                raise TypeError(f"{below} is no verb")
            inner = typer.Context(verb, parent=context, info_name=below, terminal_width=WIDTH)
            sections += _sections(f"{name} {below}", verb, inner)
    return sections


def _section(title: str, text: str) -> str:
    return f"## {title}\n\n```\n{text.rstrip()}\n```\n"


if __name__ == "__main__":
    sys.stdout.write(reference())
