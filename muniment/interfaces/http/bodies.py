"""The body of a request: one JSON object of bounded size, read as it arrives."""

import json
import math
from collections.abc import Iterable
from typing import Any, cast

from starlette.requests import Request

from muniment.domain.errors import Invalid


async def body(request: Request, limit: int) -> bytes:
    """What was sent, as it is.

    Raises:
        Invalid: ``body_too_large`` or ``encoding_unsupported``.
    """
    encoding = request.headers.get("content-encoding", "identity").lower()
    if encoding != "identity":
        raise Invalid(
            f"Content-Encoding {encoding[:40]!r} is not taken: send the body as it is.",
            code="encoding_unsupported",
        )
    sent = bytearray()
    async for part in request.stream():
        sent += part
        if len(sent) > limit:
            raise Invalid(
                f"The body is over {limit:,} bytes: send less at once.", code="body_too_large"
            )
    return bytes(sent)


def read(request: Request, sent: bytes) -> dict[str, Any]:
    """The object that was sent; an empty one where nothing was.

    Raises:
        Invalid: ``content_type_unsupported`` or ``json_invalid``.
    """
    if not sent:
        return {}
    kind = request.headers.get("content-type", "").partition(";")[0].strip()
    if kind.lower() != "application/json":
        raise Invalid(
            "Send JSON, and say so: Content-Type: application/json.",
            code="content_type_unsupported",
        )
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
