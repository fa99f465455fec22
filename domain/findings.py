"""What pydantic finds wrong with an input, as an error of ours in the terms of who gave it."""

import re
from collections.abc import Mapping
from typing import Final

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from .errors import Invalid

_SAID: Final[Mapping[str, str]] = {
    "missing": "it is required",
    "extra_forbidden": "nothing is called so here",
    "string_type": "give a text",
    "string_unicode": "it is no Unicode text",
    "string_too_short": "give a text of at least {min_length:,} characters",
    "string_too_long": "give a text of at most {max_length:,} characters",
    "string_pattern_mismatch": "give a text of the form {pattern}",
    "bool_type": "say true or false",
    "bool_parsing": "say true or false",
    "int_type": "give a whole number",
    "int_from_float": "give a whole number",
    "int_parsing": "give a whole number",
    "float_type": "give a number",
    "float_parsing": "give a number",
    "finite_number": "give a finite number",
    "greater_than": "give more than {gt:,}",
    "greater_than_equal": "give at least {ge:,}",
    "less_than": "give less than {lt:,}",
    "less_than_equal": "give at most {le:,}",
    "literal_error": "say {expected}",
    "datetime_type": "give a time such as 2026-03-03T12:00:00Z",
    "time_delta_type": "give a span of time",
    "tuple_type": "give several",
    "list_type": "give several",
    "frozen_set_type": "give several",
    "mapping_type": "give values by name",
    "dict_type": "give values by name",
    "model_type": "give values by name",
    "dataclass_type": "give values by name",
    "dataclass_exact_type": "give values by name",
    "told": "{reason}",  # by a validator of ours
}
"""What is said of each finding."""

_COUNTED: Final[Mapping[str, str]] = {
    "too_short": "at least {min_length:,}",
    "too_long": "at most {max_length:,}",
}
"""What has too few or too many parts: a text has characters."""

_TYPES: Final = frozenset(["str", "int", "float", "bool", "datetime", "none", "tuple", "dict"])
_NAME: Final = re.compile(r"[a-z_][a-z0-9_]*")


def invalid(error: ValidationError) -> Invalid:
    """The first of the findings: ``<field>_invalid`` unless special."""
    first = error.errors(include_url=False)[0]
    is_unknown = first["type"] == "extra_forbidden"
    path = [
        str(part)
        for number, part in enumerate(first["loc"])
        if number == 0 or is_unknown or _is_place(part)
    ]
    field = ".".join(path) or None
    name = path[0] if path else "input"
    code = {
        "extra_forbidden": "unknown_field",
        "missing": f"{name}_required",
        "string_unicode": "invalid_unicode",
    }.get(first["type"], f"{name}_invalid")
    return Invalid(f"{field or name}: {_sentence(first)}.", code=code, field=field)


def _is_place(part: str | int) -> bool:
    """Whether it is a name or number behind a field, not which of several types did not fit."""
    return isinstance(part, int) or (part not in _TYPES and _NAME.fullmatch(part) is not None)


def _sentence(finding: ErrorDetails) -> str:
    kind, figures = finding["type"], finding.get("ctx", {})
    if figures.get("min_length") == 1:
        return "it is empty: say something"
    if kind in _COUNTED:
        parts = "a text of {} characters" if isinstance(finding["input"], str) else "{} of them"
        return f"give {parts.format(_COUNTED[kind].format(**figures))}"
    # what has no sentence of its own was refused by Python, whose words are not the caller's
    return _SAID.get(kind, "it cannot be read as what it should be").format(**figures)
