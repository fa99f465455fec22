"""The operator's vocabulary: which words are specifics here, and where numbers need not survive."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from ..errors import Invalid

MOST_WORDS: Final = 10_000
"""Words, or categories, that one list of a vocabulary may hold."""

_LONGEST_WORD: Final = 256


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """What an operator adds to the built-in lists; words are compared without regard to case.

    ``extra_common_words`` are no specifics however they are written; ``always_specific_words`` are
    specifics wherever they are capitalised, and beat every other rule. A source whose category is
    one of ``numeric_exempt_categories``, or lies under one, may lose its numbers.
    """

    extra_common_words: frozenset[str] = frozenset()
    always_specific_words: frozenset[str] = frozenset()
    numeric_exempt_categories: tuple[str, ...] = ("anti-patterns/routing",)


BUILT_IN: Final = Vocabulary()
"""The vocabulary of an installation that brings none."""


def vocabulary(text: str) -> Vocabulary:
    """Reads the text of a vocabulary file (TOML); its categories add to the built-in one.

    A file has up to three lists of strings, named like the fields of ``Vocabulary``.

    Raises:
        Invalid: ``vocabulary_invalid``: no TOML, a key that is none of the three, or a value that
            is no list of words. The caller warns and goes on with ``BUILT_IN``.
    """
    try:
        table = tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise _invalid(f"is no TOML: {str(error)[:200]}") from error
    unknown = sorted(table.keys() - Vocabulary.__slots__)
    if unknown:
        raise _invalid(f"has a key {unknown[0]!r}; it knows {', '.join(Vocabulary.__slots__)}")
    exempt = [*BUILT_IN.numeric_exempt_categories, *_words(table, "numeric_exempt_categories")]
    return Vocabulary(
        extra_common_words=frozenset(_words(table, "extra_common_words")),
        always_specific_words=frozenset(_words(table, "always_specific_words")),
        numeric_exempt_categories=tuple(dict.fromkeys(exempt)),
    )


def _words(table: Mapping[str, object], key: str) -> list[str]:
    value = table.get(key, [])
    if not isinstance(value, list):
        raise _invalid(f"has {key} that is no list")
    words: list[str] = []
    for item in value:  # pyright: ignore[reportUnknownVariableType] - what TOML holds
        if not isinstance(item, str) or not item.strip():
            raise _invalid(f"has something in {key} that is no word")
        if len(item) > _LONGEST_WORD:
            raise _invalid(
                f"has a word of {len(item)} characters in {key}; {_LONGEST_WORD} at most"
            )
        words.append(item.strip())
    if len(words) > MOST_WORDS:
        raise _invalid(f"has {len(words)} entries in {key}; at most {MOST_WORDS} are allowed")
    return words


def _invalid(what: str) -> Invalid:
    return Invalid(
        f"The vocabulary {what}.", code="vocabulary_invalid", field="coverage_vocabulary"
    )
