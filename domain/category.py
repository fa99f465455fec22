"""Categories: paths of at most 8 segments, compared without regard to case."""

import unicodedata

import regex

from .errors import Invalid

MAX_SEGMENTS = 8
MAX_SEGMENT = 64
MAX_LENGTH = 256

GENERAL = "general"
"""What people are shown where there is no category."""

_NEVER_MATCHED = ("feedback/", "claim/capability/")

_SEGMENT = regex.compile(r"[\p{L}\p{M}\p{N} _.\-]+")


def canonical(text: str) -> str | None:
    """The one spelling of a category; None where nothing but slashes and blanks is left.

    Blanks around a segment and doubled, leading or trailing slashes fall; Unicode is composed.

    Raises:
        Invalid: ``category_invalid``, naming the rule that is broken.
    """
    segments = [part.strip() for part in unicodedata.normalize("NFC", text).split("/")]
    segments = [part for part in segments if part]
    if not segments:
        return None
    if len(segments) > MAX_SEGMENTS:
        raise _invalid(f"has {len(segments)} segments; at most {MAX_SEGMENTS} are allowed")
    for part in segments:
        if part in (".", ".."):
            raise _invalid(f"has a segment {part!r}, which names no category")
        if len(part) > MAX_SEGMENT:
            raise _invalid(f"has a segment of {len(part)} characters; at most {MAX_SEGMENT}")
        # or else it lets other threads run meanwhile, and waits for its turn after each segment
        if not _SEGMENT.fullmatch(part, concurrent=False):
            raise _invalid(
                f"has a segment {part!r}: only letters, digits, blanks, '_', '-' and '.' may be"
                " in one"
            )
    path = "/".join(segments)
    if len(path) > MAX_LENGTH:
        raise _invalid(f"is {len(path)} characters long; at most {MAX_LENGTH} are allowed")
    return path


def _invalid(what: str) -> Invalid:
    return Invalid(f"The category {what}.", code="category_invalid", field="category")


def folded(category: str | None) -> str:
    """The spelling that categories are compared by; '' where there is none."""
    return (category or "").casefold()


def words(category: str | None) -> str:
    """The words of a category, without the marks between them; '' where there is none."""
    return (category or "").replace("/", " ").replace("-", " ")


def top(category: str | None) -> str:
    """The first segment, folded; '' where there is no category, which is a level of its own."""
    return folded(category).partition("/")[0]


def within(category: str | None, prefix: str) -> bool:
    """Whether a category is ``prefix`` or lies under it: 'work' holds 'work/x', never 'workshop'.

    A prefix 'general' also holds what has no category.
    """
    mine, other = folded(category), folded(prefix)
    if not mine:
        return other == GENERAL
    return mine == other or mine.startswith(other + "/")


def never_matched(category: str | None) -> bool:
    """Whether the duplicate check leaves a category alone: what others decide about."""
    return f"{folded(category)}/".startswith(_NEVER_MATCHED)
