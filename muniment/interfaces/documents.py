"""Answers as JSON: the fields of the Python face by their names."""

import dataclasses
import json
import re
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from functools import cache
from pathlib import Path
from types import NoneType
from typing import Any

import regex

from muniment.domain.moments import rfc3339

_STEERING = regex.compile(r"[\p{Cf}\x7f-\x9f\u2028\u2029]")
_DELETE = "\x7f"
_SURROGATE = re.compile(r"[\ud800-\udfff]")
_UNKNOWN = "\ufffd"
"""What stands for half a character, which strict readers of JSON refuse even as an escape."""


def document(answer: object, *, indent: int | None = 2) -> str:
    """One JSON document. Characters that steer or hide text are written as escapes."""
    text = json.dumps(plain(answer), ensure_ascii=False, indent=indent, allow_nan=False)
    if text.isascii() and _DELETE not in text:
        return text
    return _SURROGATE.sub(_UNKNOWN, str(_STEERING.sub(_escaped, text)))


def plain(answer: object) -> Any:
    """The answer in the types that JSON has; times are RFC 3339 texts."""
    return _form(type(answer))(answer)  # type: ignore[arg-type]  # mypy: no class can be hashed


@cache
def _form(kind: type[Any]) -> Callable[[Any], Any]:
    """How values of a type are written: looked up once a type, for an answer has many of few."""
    if issubclass(kind, NoneType | bool | int | float | str):
        return _itself
    if issubclass(kind, datetime):
        return rfc3339
    if issubclass(kind, Path):
        return str
    if issubclass(kind, Mapping):
        return _object
    if dataclasses.is_dataclass(kind):
        names = tuple(field.name for field in dataclasses.fields(kind))
        return lambda answer: {name: plain(getattr(answer, name)) for name in names}
    if issubclass(kind, Iterable):
        return _array
    raise TypeError(f"{kind.__name__} has no form in JSON")


def _itself(value: object) -> object:
    return value


def _object(mapping: Mapping[object, object]) -> dict[str, Any]:
    return {str(key): plain(value) for key, value in mapping.items()}


def _array(values: Iterable[object]) -> list[Any]:
    return [plain(value) for value in values]


def _escaped(found: Any) -> str:
    return json.dumps(found[0])[1:-1]
