"""Rules on text that comes in from outside: what is refused, and what is noticed."""

import regex

from .errors import Invalid

MAX_CONTENT_BYTES = 65_536

_CONTROL = regex.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
_INVISIBLE = regex.compile(r"[\p{Default_Ignorable_Code_Point}\p{Cf}\u2800\u00ad]")
_HIDDEN = regex.compile(
    r"[\u202a-\u202e\u2066-\u2069\u200b\u200e\u200f\u2060-\u2064\ufeff\u3164\U000e0000-\U000e007f]"
)


def well_formed(text: str, field: str) -> str:
    """The text itself, if it is Unicode without control characters; tab and line ends are kept.

    Raises:
        Invalid: ``invalid_unicode`` or ``control_character`` (with the offset).
    """
    if text.isprintable():  # neither a control character nor a surrogate is
        return text
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise Invalid(
            f"{field} holds a lone surrogate at offset {error.start}: it is no Unicode text.",
            code="invalid_unicode",
            field=field,
        ) from error
    if control := _CONTROL.search(text):
        raise Invalid(
            f"{field} holds the control character U+{ord(control[0]):04X} at offset"
            f" {control.start()}: remove it.",
            code="control_character",
            field=field,
        )
    return text


def is_blank(text: str) -> bool:
    """Whether nothing is left once blanks and invisible characters are gone."""
    return not (text if text.isascii() else _INVISIBLE.sub("", text)).strip()


def content(text: str, field: str = "content") -> str:
    """A memory's text as it is kept: trimmed, otherwise verbatim; 1 to 65,536 bytes of UTF-8.

    Raises:
        Invalid: ``content_too_large``, ``content_empty``, ``invalid_unicode`` or
            ``control_character``.
    """
    if len(text) > MAX_CONTENT_BYTES and len(text.strip()) > MAX_CONTENT_BYTES:
        raise _too_large(field)
    text = well_formed(text, field).strip()
    if len(text.encode()) > MAX_CONTENT_BYTES:
        raise _too_large(field)
    if is_blank(text):
        raise Invalid(
            f"{field} is empty once blanks and invisible characters are gone: say something.",
            code="content_empty",
            field=field,
        )
    return text


def _too_large(field: str) -> Invalid:
    return Invalid(
        f"{field} is over {MAX_CONTENT_BYTES:,} bytes: split it into separate memories.",
        code="content_too_large",
        field=field,
    )


def hides_text(text: str) -> bool:
    """Whether it holds characters that steer or hide text: direction overrides, tags, zero width.

    The joiners that emoji and several scripts need are not among them.
    """
    return not text.isascii() and _HIDDEN.search(text) is not None
