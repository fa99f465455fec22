"""Whom a memory is about: the metadata ``subject``, and who is only mentioned."""

import re
import unicodedata
from typing import Final

from .memory.state import State

KEY: Final = "subject"


def canonical(name: str) -> str:
    """A name as it is compared: NFKC, without regard to case, each stretch of blanks one."""
    return " ".join(unicodedata.normalize("NFKC", name).casefold().split())


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
    """Whether a text has a name as words of its own."""
    return re.search(rf"(?<!\w){re.escape(canonical(name))}(?!\w)", canonical(text)) is not None


def is_spelt_in(code: str, name: str) -> bool:
    """Whether a code has a name in it, whatever stands between its letters."""
    letters = _letters(name)
    return bool(letters) and letters in _letters(code)


def _letters(text: str) -> str:
    return "".join(character for character in canonical(text) if character.isalnum())
