"""``docs/cli.md``, made from the help: ``python -m muniment.interfaces.cli.reference``."""

import sys
from typing import Final

import typer
from typer.core import TyperGroup

from .help import HELP_OPTIONS, WIDTH
from .program import NAME, application

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
| 1 | the log, the projections or the store are not in order (`verify`, `rebuild`, `doctor`) |
| 2 | the input or the command line is invalid |
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
    command = typer.main.get_command(application())
    if not isinstance(command, TyperGroup):
        raise TypeError("the program has verbs")
    whole = typer.Context(
        command, info_name=NAME, terminal_width=WIDTH, help_option_names=HELP_OPTIONS
    )
    parts = [_OPENING, _section(NAME, command.get_help(whole))]
    for name, verb in command.commands.items():
        context = typer.Context(verb, parent=whole, info_name=name, terminal_width=WIDTH)
        parts.append(_section(f"{NAME} {name}", verb.get_help(context)))
    return "\n".join(parts)


def _section(title: str, text: str) -> str:
    return f"## {title}\n\n```\n{text.rstrip()}\n```\n"


if __name__ == "__main__":
    sys.stdout.write(reference())
