"""What callers say of sessions and texts that are kept for a while, checked."""

from typing import Annotated, Final

from pydantic import BeforeValidator, Field, ValidationInfo

from .. import texts
from ..errors import Invalid
from . import keys

MAX_TEXT_BYTES: Final = 1 << 20
"""Bytes of UTF-8 that a value or a turn may have: a tool's whole answer, not a fact."""


def _session(value: object) -> object:
    return keys.session_name(value) if isinstance(value, str) else value


def _text(value: object, info: ValidationInfo) -> object:
    field = info.field_name or "text"
    if not isinstance(value, str):
        return value
    if (
        len(value) > MAX_TEXT_BYTES
        or len(texts.well_formed(value, field).encode()) > MAX_TEXT_BYTES
    ):
        raise Invalid(
            f"{field} is over {MAX_TEXT_BYTES:,} bytes: keep it in parts.",
            code=f"{field}_too_large",
            field=field,
        )
    if texts.is_blank(value):
        raise Invalid(
            f"{field} is empty once blanks and invisible characters are gone: say something.",
            code=f"{field}_empty",
            field=field,
        )
    return value


Session = Annotated[
    str,
    Field(description="The id of a session: letters, digits and _ . - : @ + = ~ # %."),
    BeforeValidator(_session),
]
"""The id of a session, one segment of a key."""

LongText = Annotated[str, BeforeValidator(_text)]
"""A text that is kept verbatim, up to 1 MiB; not a blank one."""
