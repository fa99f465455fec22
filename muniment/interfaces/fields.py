"""How a field of an operation is read off text, the same in a command line and in an address.

Nothing is checked here. Text becomes the type that the field wants where it spells one, and goes on
as text where it does not, so that the model says what is wrong with it.
"""

import re
from types import UnionType
from typing import Annotated, Any, Union, get_args, get_origin

_WHOLE = re.compile(r"[+-]?[0-9]{1,30}")
_NUMBER = re.compile(
    r"[+-]?(?:(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:e[+-]?[0-9]+)?|nan|inf|infinity)", re.IGNORECASE
)
_TRUTH = {"true": True, "false": False}


def kind(annotation: Any) -> Any:
    """The type without its constraints, and without ``None``."""
    if get_origin(annotation) is Annotated:
        return kind(get_args(annotation)[0])
    if get_origin(annotation) in (Union, UnionType):
        return kind(next(one for one in get_args(annotation) if one is not type(None)))
    return annotation


def is_many(annotation: Any) -> bool:
    """Whether the field takes several texts."""
    return get_origin(kind(annotation)) is tuple


def number(text: str) -> object:
    """The number that a text spells."""
    if _WHOLE.fullmatch(text):
        return int(text)
    return float(text) if _NUMBER.fullmatch(text) else text


def from_text(annotation: Any, text: str) -> object:
    """What a text spells for a field of one value."""
    wanted = kind(annotation)
    if wanted is bool:
        return _TRUTH.get(text, text)
    return number(text) if wanted in (int, float) else text
