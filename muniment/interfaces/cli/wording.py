"""Errors in the words of a command line: fields by the options that set them, and what to add."""

import re
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from typing import Any, Final

from typer.core import TyperOption

from muniment.domain.access import ROLES
from muniment.domain.errors import MunimentError

_INSTEAD: Final = {"for a dry run": "without --yes"}
_BESIDES: Final = {
    "selection_required": (
        "Give one or more of --memory, --source, --by, --session, --since, --until."
    )
}
"""What is added to an error, by its code."""


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
