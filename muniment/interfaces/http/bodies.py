"""The body of a request: one JSON object of bounded size, read as it arrives."""

from typing import Any

from starlette.requests import Request

from muniment.domain.errors import Invalid
from muniment.interfaces.strict_json import read_object


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
    require_json(request)
    return read_object(sent)


def require_json(request: Request) -> None:
    """Refuses what does not say that it is JSON: no page of another origin can say so unasked.

    Raises:
        Invalid: ``content_type_unsupported``.
    """
    kind = request.headers.get("content-type", "").partition(";")[0].strip()
    if kind.lower() != "application/json":
        raise Invalid(
            "Send JSON, and say so: Content-Type: application/json.",
            code="content_type_unsupported",
        )
