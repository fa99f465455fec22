"""JSON as strangers send it: one object, in which nothing has two readings."""

import json
import math
from collections.abc import Iterable
from typing import Any, cast

from muniment.domain.errors import Invalid


def read_object(sent: bytes) -> dict[str, Any]:
    """The object; a name that is there twice and a number that JSON lacks are refused.

    Raises:
        Invalid: ``json_invalid``.
    """
    odd: list[str] = []

    def number(text: str) -> float:
        read = float(text)
        if not math.isfinite(read):
            odd.append(text[:40])
        return read

    try:
        given = json.loads(
            sent.decode(), parse_constant=number, parse_float=number, object_pairs_hook=_once_each
        )
        if odd:
            raise Invalid(
                f"The body is no JSON: {odd[0]} is no number of JSON.",
                code="json_invalid",
                field=_of_no_number(given),
            )
    except RecursionError as error:
        raise Invalid("The body is nested too deeply.", code="json_invalid") from error
    except ValueError as error:
        raise Invalid(f"The body is no JSON: {error}.", code="json_invalid") from error
    if not isinstance(given, dict):
        raise Invalid("The body is no JSON object: send {…}.", code="json_invalid")
    return cast("dict[str, Any]", given)


def _of_no_number(given: object) -> str | None:
    """Where the first number is that JSON does not have, as errors of fields say it."""
    parts: Iterable[tuple[object, object]] = ()
    if isinstance(given, dict):
        parts = cast("dict[object, object]", given).items()
    elif isinstance(given, list):
        parts = enumerate(cast("list[object]", given))
    for name, part in parts:
        if isinstance(part, float) and not math.isfinite(part):
            return str(name)[:80]
        inside = _of_no_number(part)
        if inside is not None:
            return f"{str(name)[:80]}.{inside}"
    return None


def _once_each(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    read: dict[str, Any] = {}
    for name, value in pairs:
        if name in read:
            raise Invalid(f"{name[:80]} is there twice.", code="json_invalid", field=name[:80])
        read[name] = value
    return read
