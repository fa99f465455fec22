"""What becomes of errors: a status and one document, the same for every route."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final, TypeAlias

import structlog
from starlette.responses import Response

from muniment import telemetry
from muniment.domain.errors import (
    Conflict,
    Invalid,
    MunimentError,
    NotFound,
    Refused,
    StorageFailed,
    Unavailable,
)
from muniment.interfaces.documents import document, plain

_log = structlog.get_logger(__name__)

FAMILIES: Final[Mapping[type[MunimentError], int]] = {
    Invalid: 422,
    NotFound: 404,
    Refused: 403,
    Conflict: 409,
    StorageFailed: 503,
    Unavailable: 502,
}
"""The status of each family, where the code has none of its own."""

CODES: Final[Mapping[str, int]] = {
    "body_too_large": 413,
    "body_too_slow": 408,
    "content_too_large": 413,
    "content_type_unsupported": 415,
    "encoding_unsupported": 415,
    "framing_ambiguous": 400,
    "episodic_is_final": 409,
    "full": 507,
    "header_doubled": 400,
    "locked_out": 429,
    "model_not_configured": 409,
    "newer_release": 409,
    "not_live": 409,
    "not_quarantined": 409,
    "pinned": 409,
    "purged": 410,
    "quarantined": 409,
    "rate_limited": 429,
    "stopping": 503,
    "timeout": 504,
    "token_refused": 401,
    "token_required": 401,
}
"""Codes that say more than their family."""

PAUSE: Final = 1.0
"""Seconds after which a busy store is worth another try, where the error does not say."""


@dataclass(frozen=True, slots=True)
class Failure:
    """What went wrong: ``code`` is stable, ``field`` names the input that is at fault.

    ``missing`` is there for a refused merge alone, and names what it would lose.
    """

    code: str
    message: str
    field: str | None
    missing: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class Failed:
    """The body of every answer that is an error."""

    error: Failure


def status(error: MunimentError) -> int:
    """The status of an error."""
    if error.code in CODES:
        return CODES[error.code]
    return next(code for family, code in FAMILIES.items() if isinstance(error, family))


Form: TypeAlias = Callable[[int, Failure, Mapping[str, str]], Response]
"""How an error is written: its status, itself, and headers."""


def answer(error: MunimentError, form: Form) -> Response:
    """The response to an error of ours."""
    telemetry.refused(error)
    number = status(error)
    headers: dict[str, str] = {}
    if number == 401:
        headers["WWW-Authenticate"] = "Bearer"
    if number in (429, 503):
        pause = getattr(error, "retry_after", None) or PAUSE
        headers["Retry-After"] = str(max(1, math.ceil(pause)))
    if number == 400:
        headers["Connection"] = "close"  # where it ends is a matter of opinion
    missing = getattr(error, "missing", None)
    return form(number, Failure(error.code, error.message, error.field, missing), headers)


def unexpected(error: Exception, form: Form) -> Response:
    """The response to a bug: its details are in the server's log alone."""
    telemetry.refused(error)
    _log.error("unexpected", reason=f"{type(error).__name__}: {error}", exc_info=error)
    said = "This should not happen: see the server's log, and report it."
    return form(500, Failure("unexpected", said, None), {})


def respond(number: int, failure: Failure, headers: Mapping[str, str] | None = None) -> Response:
    """An error document, which is the form of all addresses but ``/mcp``."""
    told: dict[str, object] = plain(failure)
    if failure.missing is None:
        del told["missing"]
    text = document({"error": told}, indent=None)
    return Response(text.encode(), number, headers=headers, media_type="application/json")
