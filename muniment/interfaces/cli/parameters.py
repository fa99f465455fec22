"""A field of an operation as a parameter of its verb: what it is called, and how text is read.

Nothing is checked here: what the model does not want, it says itself.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Literal, get_args, get_origin

import typer
from pydantic import BaseModel
from pydantic.fields import FieldInfo

from muniment.domain.errors import Invalid
from muniment.domain.memory.events import Source
from muniment.interfaces.fields import kind, number

from .texts import read_text

_NAMES = frozenset(["id", "by", "category", "proposal_id", "key", "session", "role", "kind"])
"""Positional fields that name something; what other ones hold are texts, which files may hold."""

_ANYWHERE = " It may be @FILE, or - for the standard input."
_NONE = " Without any there are none from then on."

_SOURCE_FIELD = re.compile(r",(?=(?:type|ref|session|model)=)")


@dataclass(frozen=True, slots=True)
class Parameter:
    """How a field is asked for: the type and declaration that typer reads, its value from that.

    Of a required one that may be given many times, none is a value too.
    """

    field: str
    type: Any
    declaration: Any
    value: Callable[[Any], object]
    is_required: bool = False


def parameters(operation: type[BaseModel]) -> list[Parameter]:
    """The parameters of an operation's verb: the positional ones in their order, then options.

    Options that the operation shares with its family, such as a key for retries, come last.
    """
    positional: tuple[str, ...] = getattr(operation, "POSITIONAL", ())
    shared = {
        name
        for base in operation.__mro__[1:]
        if issubclass(base, BaseModel)
        for name in base.model_fields
    }
    options = [name for name in operation.model_fields if name not in positional]
    options.sort(key=lambda name: name in shared)
    fields = operation.model_fields
    return [
        *(_argument(name, fields[name]) for name in positional),
        *(_option(name, fields[name]) for name in options),
    ]


def _argument(name: str, field: FieldInfo) -> Parameter:
    type_, metavar, value = _reading(name, field)
    is_text = type_ is str and name not in _NAMES and value is _as_it_is
    if is_text:
        value = read_text(name)
    many = type_ == list[str]
    may_be_none = many and name != "ids"  # which says of what, and not what is to be there
    return Parameter(
        name,
        type_,
        typer.Argument(
            ... if field.is_required() and not may_be_none else None,
            metavar=metavar if many else name.upper(),
            help=_help(field, _ANYWHERE * is_text + _NONE * may_be_none),
        ),
        value,
        is_required=field.is_required(),
    )


def _option(name: str, field: FieldInfo) -> Parameter:
    type_, metavar, value = _reading(name, field)
    spelt = [f"--{name.replace('_', '-')}"]
    if type_ is bool:
        return Parameter(name, type_, typer.Option(False, *spelt, help=_help(field)), value)
    if type_ == list[str] and name.endswith("s"):
        spelt.insert(0, spelt[0].removesuffix("s"))  # one at a time reads better in the singular
    default = field.get_default()
    shown = f" [default: {default}]" if isinstance(default, str | int | float) else ""
    again = " May be repeated." if type_ == list[str] else ""
    return Parameter(
        name,
        type_,
        typer.Option(
            ... if field.is_required() else None,
            *spelt,
            metavar=metavar,
            help=_help(field, again + shown),
            show_default=False,
        ),
        value,
        is_required=field.is_required(),
    )


def _reading(name: str, field: FieldInfo) -> tuple[Any, str, Callable[[Any], object]]:
    """The type that typer reads, how help names it, and the value that goes to the model."""
    wanted = kind(field.annotation)
    if wanted is bool:
        return bool, "", _as_it_is
    if wanted in (int, float):
        return str, "NUMBER", number
    if wanted is timedelta:
        return str, "SECONDS", number
    if wanted is datetime:
        return str, "TIME", _as_it_is
    if wanted is Source:
        return str, "TYPE|type=…,ref=…", _source
    if get_origin(wanted) is Literal:
        return str, "|".join(str(choice) for choice in get_args(wanted)), _as_it_is
    if get_origin(wanted) is tuple:
        return list[str], f"{name.removesuffix('s').upper()}", tuple
    if get_origin(wanted) in (Mapping, dict) or wanted is dict:
        return list[str], "KEY=VALUE", _mapping(name)
    return str, "TEXT", _as_it_is


def _help(field: FieldInfo, more: str = "") -> str:
    return (field.description or _described(field.annotation)) + more


def _described(annotation: Any) -> str:
    """The description that a type carries inside ``… | None``."""
    for part in get_args(annotation):
        if isinstance(part, FieldInfo) and part.description:
            return part.description
        if found := _described(part):
            return found
    return ""


def _as_it_is(value: Any) -> object:
    return value


def _mapping(name: str) -> Callable[[list[str]], object]:
    def value(items: list[str]) -> object:
        read: dict[str, str] = {}
        for item in items:
            key, is_pair, text = item.partition("=")
            if not is_pair:
                raise Invalid(
                    f"{name}: {item!r} is no pair: write key=value.",
                    code=f"{name}_invalid",
                    field=name,
                )
            read[key] = text
        return read

    return value


def _source(text: str) -> object:
    if "=" not in text:
        return text
    pairs = (part.partition("=") for part in _SOURCE_FIELD.split(text))
    return {key: value for key, _, value in pairs}
