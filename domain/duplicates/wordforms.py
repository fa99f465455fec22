"""Single words: contractions, possessors, spellings, compounds, and what each word asks for."""

import sys
from typing import Final

from . import phrases, scripts, spelling, units, words
from .amounts import unit_of
from .plurals import singular
from .tokens import Kind, Mark, Need, Reading, Token

MERIDIEMS: Final = {"am": "am", "pm": "pm", "a.m": "am", "p.m": "pm", "a.m.": "am", "p.m.": "pm"}
# For finding a text, "was" is another "is": a corrected tense must find what it corrects.
_BE: Final[dict[str, str]] = dict.fromkeys(("is", "are", "am", "was", "were"), "is")


def bare(lower: str, raw: str, kind: Kind = Kind.WORD, mark: int = 0) -> Token:
    """A token for a word in small letters, with what it adds to the resemblance measure."""
    key = sys.intern(lower)
    if lower in words.STOP_WORDS:
        terms: tuple[str, ...] = ()
    elif not lower.isascii() and scripts.HANGUL.match(lower):
        terms = tuple(dict.fromkeys(lower))
    else:
        terms = (sys.intern(_BE.get(lower) or singular(lower)),)
    capital = Mark.CAPITAL if raw[0].isupper() else 0
    return Token(key, kind, mark | capital, terms, raw)


def word(raw: str, *, possessor: bool = False) -> Reading:
    """The reading of one word; ``possessor`` if an apostrophe followed it, as in "girls'"."""
    lower = raw.lower()
    if "'" in lower:
        return _apostrophe(raw, lower)
    expansion = spelling.CONTRACTIONS.get(lower)
    if expansion:
        return _expanded(expansion, raw)
    needs = _NEEDS.get(lower, 0) | (Need.CASE if raw == "A" else 0)
    if len(raw) == 1 and raw.isupper() and lower not in {"i", "a"}:
        kind = Kind.UNIT if raw in units.UNIT_SYMBOLS else Kind.WORD
        return Reading((Token(raw, kind, Mark.CAPITAL, (raw,), raw),), needs)
    if len(raw) > 1 and raw.isupper() and lower in words.CODES_LIKE_WORDS:
        return Reading((bare(lower, raw),), needs | Need.CASE)
    if raw[0].isupper() and (lower in words.NAMES_LIKE_WORDS or lower in spelling.SPELLINGS):
        return Reading((bare(lower, raw, _kind(lower, raw)),), needs | Need.CASE)
    if lower in spelling.SPELLINGS and raw[0].islower():
        lower = spelling.SPELLINGS[lower]
    mark = Mark.POSSESSIVE if possessor else 0
    if possessor:
        needs |= Need.POSSESSIVE
    halves = spelling.compound(lower) if len(lower) > 5 and lower.isascii() else None
    if halves and not possessor:
        return Reading(tuple(bare(half, raw) for half in halves), needs)
    kind = _kind(lower, raw)
    if kind is Kind.NUMBER_WORD:
        return Reading((Token(lower, kind, 0, (lower,), str(units.NUMBER_WORDS[lower])),), needs)
    if kind is Kind.ORDINAL:
        key = f"#{units.ORDINALS[lower]}"
        return Reading((Token(key, kind, Mark.VALUE, (key,), lower),), needs)
    return Reading((bare(lower, raw, kind, mark),), needs)


def _kind(lower: str, raw: str) -> Kind:
    listed = _KINDS.get(lower)
    if listed is not None:
        return listed
    if lower in units.CURRENCIES and (len(lower) > 3 or raw.isupper()):
        return Kind.CURRENCY
    return Kind.UNIT if unit_of(raw) else Kind.WORD


_KINDS: Final[dict[str, Kind]] = {
    **dict.fromkeys(units.MONTHS, Kind.MONTH),
    **dict.fromkeys(MERIDIEMS, Kind.MERIDIEM),
    **dict.fromkeys(units.SCALES, Kind.SCALE),
    **dict.fromkeys(units.ORDINALS, Kind.ORDINAL),
    **dict.fromkeys(units.NUMBER_WORDS, Kind.NUMBER_WORD),
    **dict.fromkeys(words.ARTICLES, Kind.ARTICLE),
}
"""What a listed word is; of two lists that have it, the later one counts."""


_BY_NEED: Final = (
    (Need.ARTICLE, words.ARTICLES),
    (Need.VALUE, {*units.NUMBER_WORDS, *units.SCALES}),
    (Need.PHRASE, phrases.TRIGGERS),
    (Need.FILLER, words.FILLERS),
    (Need.THAT, {"that"}),
    (Need.DEICTIC, words.DEICTIC | words.DEICTIC_BEFORE_TIME | units.TIME_WORDS),
    (Need.FOREIGN, words.FOREIGN),
    (Need.ENGLISH, words.ENGLISH),
)


def _needed() -> dict[str, int]:
    table: dict[str, int] = {}
    for need, listed in _BY_NEED:
        for word in listed:
            table[word] = table.get(word, 0) | need
    return table


_NEEDS: Final = _needed()


def _expanded(expansion: str, raw: str) -> Reading:
    first, *rest = expansion.split()
    tokens = (bare(first, raw), *(bare(word, word) for word in rest))
    return Reading(tokens, Need.ENGLISH)


def _apostrophe(raw: str, lower: str) -> Reading:
    expansion = spelling.CONTRACTIONS.get(lower)
    if expansion:
        return _expanded(expansion, raw)
    stem, _, ending = lower.rpartition("'")
    if ending == "t" and stem.endswith("n") and len(stem) > 3:
        return _expanded(f"{stem[:-1]} not", raw)
    if ending in spelling.ENDINGS and "'" not in stem:
        return _expanded(f"{stem} {spelling.ENDINGS[ending]}", raw)
    if ending != "s" or not stem:
        return Reading((bare(lower, raw),), _NEEDS.get(lower, 0))
    if stem in spelling.IS_AFTER:
        expanded = _expanded(f"{stem} is", raw)
        first, second = expanded.tokens
        return Reading((first, second._replace(raw="'s")), Need.ENGLISH)
    owner = word(raw[:-2])
    tokens = list(owner.tokens)
    mark = tokens[-1].mark | Mark.POSSESSIVE
    tokens[-1] = tokens[-1]._replace(kind=Kind.WORD, mark=mark, raw=raw)
    return Reading(tuple(tokens), owner.needs | Need.POSSESSIVE)
