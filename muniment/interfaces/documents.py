"""Answers as JSON: the fields of the Python face by their names."""

import dataclasses
import json
import re
from collections.abc import Iterable, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any, cast

import regex

from muniment.domain.moments import rfc3339

_STEERING = regex.compile(r"[\p{Cf}\x7f-\x9f\u2028\u2029]")
_SURROGATE = re.compile(r"[\ud800-\udfff]")


def document(answer: object, *, indent: int | None = 2) -> str:
    """One JSON document. Characters that steer or hide text are written as escapes."""
    text = json.dumps(plain(answer), ensure_ascii=False, indent=indent, allow_nan=False)
    return _SURROGATE.sub(_escaped, str(_STEERING.sub(_escaped, text)))


def plain(answer: object) -> Any:
    """The answer in the types that JSON has; times are RFC 3339 texts."""
    match answer:
        case None | bool() | int() | float() | str():
            return answer
        case datetime():
            return rfc3339(answer)
        case Path():
            return str(answer)
        case Mapping():
            items = cast("Mapping[object, object]", answer)
            return {str(key): plain(value) for key, value in items.items()}
        case _ if dataclasses.is_dataclass(answer):
            return {
                field.name: plain(getattr(answer, field.name))
                for field in dataclasses.fields(answer)
            }
        case Iterable():
            return [plain(value) for value in cast("Iterable[object]", answer)]
        case _:
            raise TypeError(f"{type(answer).__name__} has no form in JSON")


def _escaped(found: Any) -> str:
    return json.dumps(found[0])[1:-1]
