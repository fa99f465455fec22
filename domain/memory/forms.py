"""Canonical forms of texts, remembered: the command, the judgement and the index share each one."""

from functools import lru_cache

from ..duplicates import Form, form

_REMEMBERED = 4_096
_LONGEST = 2_000

_short_form = lru_cache(_REMEMBERED)(form)


def canonical_form(text: str) -> Form:
    """The canonical form of a text; those of the latest short texts are not made again."""
    return _short_form(text) if len(text) <= _LONGEST else form(text)
