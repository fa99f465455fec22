"""Whom a memory is about: the metadata ``subject``, and who is only mentioned."""

import re
import unicodedata
from typing import Final

import regex

from .memory.state import State

KEY: Final = "subject"

_RUNS_ON: Final = regex.compile(
    r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Hangul}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}]"
)
"""Scripts that write words without blanks between, or particles onto names."""

_APOSTROPHES: Final = str.maketrans(dict.fromkeys("\u2019\u02bc\u2032\u0060\u00b4", "'"))
_TELLING: Final = 4
"""Letters from which one word of a name says whose it is."""


def canonical(name: str) -> str:
    """A name as it is compared: NFKC, without regard to case, blanks and apostrophes alike."""
    plain = unicodedata.normalize("NFKC", name.translate(_APOSTROPHES))
    return " ".join(plain.casefold().split())


def is_about(memory: State, name: str) -> bool:
    """Whether its metadata say that a memory is about somebody."""
    said = memory.metadata.get(KEY)
    return said is not None and canonical(said) == canonical(name)


def is_about_another(memory: State, name: str) -> bool:
    """Whether its metadata say that a memory is about somebody else."""
    return memory.metadata.get(KEY) is not None and not is_about(memory, name)


def is_mentioned(memory: State, name: str) -> bool:
    """Whether a memory has a name as words of its own, in whatever of it is words.

    Other forms of the name, and what it is called otherwise, are not found.
    """
    told = (
        memory.content,
        memory.category or "",
        *memory.tags,
        *memory.metadata.values(),
        memory.archive_reason or "",
    )
    return any(is_named_in(text, name) for text in told)


def is_named_in(text: str, name: str) -> bool:
    """Whether a text has a name in it: as words of its own, with or without a genitive s.

    An underscore parts words, as in a key. In scripts that put no blanks around names it may stand
    anywhere. Other inflections are other names: they are asked for by themselves.
    """
    wanted, told = canonical(name), canonical(text)
    if _RUNS_ON.search(wanted):
        return wanted in told
    return re.search(rf"(?<![^\W_]){re.escape(wanted)}(?:'?s)?(?![^\W_])", told) is not None


def is_spelt_in(code: str, name: str) -> bool:
    """Whether a code has a name, or a telling word of it, whatever stands between its letters."""
    told = _letters(code)
    words = [letters for word in canonical(name).split() if (letters := _letters(word))]
    whole = "".join(words)
    return bool(whole) and (
        whole in told or any(word in told for word in words if len(word) >= _TELLING)
    )


def _letters(text: str) -> str:
    return "".join(character for character in canonical(text) if character.isalnum())
