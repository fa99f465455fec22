"""Errors in the words of a command line: fields by the options that set them, and what to add."""

import re
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from typing import Any, Final

from typer.core import TyperOption
from typer.exceptions import TyperException

from muniment.domain.access import ROLES
from muniment.domain.errors import MunimentError

_INSTEAD: Final = {"for a dry run": "without --yes"}
_BESIDES: Final = {
    "selection_required": (
        "Give one or more of --memory, --source, --by, --session, --since, --until."
    )
}
"""What is added to an error, by its code."""

_NO_VERB: Final = re.compile(r"No such command '([a-z]+)'\.(?: Did you mean .*)?")
_CALLED: Final = {
    **dict.fromkeys(("list", "ls", "browse"), "'search' without a query lists the latest"),
    **dict.fromkeys(("add", "remember", "put", "store"), "'save' keeps what was said"),
    **dict.fromkeys(("find", "query", "ask"), "'search' finds memories"),
    **dict.fromkeys(("get", "read", "cat"), "'show' is one memory"),
    **dict.fromkeys(("edit", "update"), "'revise' rewrites a text"),
    **dict.fromkeys(
        ("delete", "remove", "rm", "forget"), "'archive' hides a memory, 'erase' is for good"
    ),
    **dict.fromkeys(("init", "create", "new"), "the first 'save' makes the store"),
    **dict.fromkeys(("help",), "'--help' stands for itself, or after a verb"),
}
"""What is meant by names that other programs have."""


def spell(error: MunimentError, context: Any) -> None:
    """Puts an error that left a verb into the words of its command line.

    The field keeps its name, which programs read.
    """
    option = _option(error.field, context)
    if option is not None:
        _rename(error, str(error.field), option)
    for said, instead in _INSTEAD.items():
        error.message = error.message.replace(said, instead)
    more = _BESIDES.get(error.code) or _as_whom(error, context)
    if more:
        error.message = f"{error.message} {more}"


def usage(error: TyperException) -> str:
    """What is wrong with a command line, in whole sentences, with what may have been meant."""
    said = error.format_message().strip()
    context = getattr(error, "ctx", None)
    option = getattr(error, "option_name", None)
    if option is not None and context is not None:
        for one in _options(context.parent):
            if option in one.opts:
                given = f"{option} {one.metavar or ''}".strip()
                verb = context.info_name
                return f"{option} stands before the verb: 'muniment {given} {verb} …'."
        said = (
            f"{said.rstrip('.')}. A text that begins with - goes after --, or comes in through - or"
            " @file."
        )
    unknown = _NO_VERB.fullmatch(said)
    if unknown and unknown[1] in _CALLED:
        return f"There is no command '{unknown[1]}': {_CALLED[unknown[1]]}."
    return said if said.endswith((".", "?", "!")) else f"{said}."


@contextmanager
def known_as(**names: str) -> Generator[None]:
    """Errors about fields name them as the verb does, ``when="at"``."""
    try:
        yield
    except MunimentError as error:
        name = names.get(error.field or "")
        if name is not None:
            _rename(error, str(error.field), name)
            error.field = name
        raise


def _rename(error: MunimentError, field: str, name: str) -> None:
    if re.match(rf"{re.escape(field)}(?:: | is | needs | names | lies )", error.message):
        error.message = name + error.message.removeprefix(field)


def _option(field: str | None, context: Any) -> str | None:
    """The option that sets a field, of the verb or before it."""
    if field is None:
        return None
    spelt = f"--{field.replace('_', '-')}"
    for option in _options(context):
        if option.name == field or spelt in option.opts:
            return str(next(name for name in option.opts if name.startswith("--")))
    return None


def _options(context: Any) -> Iterator[TyperOption]:
    while context is not None:
        yield from (one for one in context.command.params if isinstance(one, TyperOption))
        context = context.parent


def _as_whom(error: MunimentError, context: Any) -> str | None:
    """Which role a person would have to name."""
    session, verb = context.obj, context.command_path.partition(" ")[2].replace("-", "_")
    if error.code != "role_refused" or session is None or session.actor != "manual":
        return None
    for role in ("admin", "auditor"):
        if role in ROLES.get(verb, ()) and session.role is None:
            return f"A person asks as one by --role {role} before the verb."
    return None
