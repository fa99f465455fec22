"""Reads a number beside its neighbours: dates part by part, times, quantities, money, words.

The notations are those of the duplicate check; here each keeps the spelling of its parts, and a
date can be given by a finer one: who says 2027-03-09 says March 2027.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import Final, NamedTuple

from .. import patterns
from ..duplicates import units
from ..duplicates.lexer import read as tokens_of
from ..duplicates.tokens import Kind as Token
from ..duplicates.tokens import Token as Reading
from ..duplicates.values import combine
from .chunks import Chunk, Flag
from .parts import Kind, Part

_WINDOW: Final = 6
_LONGEST_RUN: Final = 16
_LONGEST_CHUNK: Final = 40
_FOLLOWING: Final = frozenset({Token.SCALE, Token.UNIT, Token.CURRENCY, Token.MERIDIEM})
_DEGREES: Final = frozenset({"degree", "degrees", "°"})
_NUMERIC: Final = frozenset(
    {Token.NUMBER, Token.ORDINAL, Token.MONEY, Token.QUANTITY, Token.TIME, Token.DATE}
)
_BESIDE: Final = frozenset(
    {*units.UNIT_WORDS, *map(str.lower, units.UNIT_SYMBOLS), *units.SCALES, *units.MONTHS}
    | {*map(str.lower, units.CURRENCIES), "am", "pm", "a.m", "p.m", "of", "de", "del", "second"}
    | _DEGREES
)
_IN_WORDS: Final = frozenset({Token.NUMBER_WORD, Token.SCALE})
_ISO_MONTH: Final = patterns.re(r"([0-9]{4})-(0[1-9]|1[0-2])")
_ISO_MOMENT: Final = patterns.re(r"([0-9]{4}-[0-9]{2}-[0-9]{2})[Tt][0-9:.+Zz-]++")
_RANGE: Final = patterns.re(r"([0-9]{1,6})-([0-9]{1,6})")
_YEAR: Final = patterns.re(r"[12][0-9]{3}")
_DATE: Final = patterns.re(r"([0-9]{4}|----)-([0-9]{2})(?:-([0-9]{2}))?")


class Value(NamedTuple):
    """The parts of a value, and how many chunks it takes up.

    What is written in words is no specific: its one part, without a kind, stands beside the parts
    that the chunks have as words.
    """

    parts: tuple[Part, ...]
    length: int


def value(chunks: Sequence[Chunk], at: int, *, english: bool) -> Value | None:
    """The value that begins with a chunk, or None where the chunk alone says all there is."""
    first = chunks[at]
    alone = at + 1 == len(chunks) or chunks[at + 1].lower not in _BESIDE
    if alone and first.core[:1].isdigit():
        return _value((first.core + first.tail,), first.core, english)
    window: list[str] = []
    for chunk in chunks[at : at + _LONGEST_RUN]:
        if len(chunk.core) > _LONGEST_CHUNK:
            break
        window.append(chunk.core + chunk.tail)
        if len(window) >= _WINDOW and not chunk.flags & Flag.VALUE:
            break
        if chunk.tail and not _goes_on(chunk, english=english):
            break
    return _value(tuple(window), first.core, english) if window else None


def _goes_on(chunk: Chunk, *, english: bool) -> bool:
    if chunk.tail == ",":
        return True
    shortened = chunk.lower in units.MONTHS or chunk.lower in {"a.m", "p.m"}
    return chunk.tail == "." and (shortened or not english)


@lru_cache(maxsize=1 << 13)
def _value(window: tuple[str, ...], core: str, english: bool) -> Value | None:
    known = _alone(core)
    if known:
        return known
    read = [tokens_of(chunk).tokens for chunk in window]
    if not read[0]:
        return None
    first = tokens_of(core).tokens
    if len(first) != 1:
        return None
    tokens = [token for chunk in read for token in chunk]
    kind = first[0].kind
    if kind in _IN_WORDS:
        return _in_words(read, english=english)
    found = combine(tokens, english=english)[0]
    if found.kind is Token.DATE:
        return _date(window, read, found.key)
    if found.kind not in _NUMERIC:
        return None
    if found.kind is Token.ORDINAL:
        return _ordinal(found, core)
    beside = len(read) > 1 and read[1][:1]
    same = found.kind is kind and found.key == first[0].key
    if same and not (kind is Token.TIME and beside and beside[0].kind is Token.MERIDIEM):
        length = 1
    else:
        length = 1 + _taken(read)
    return Value((_numeric(found, window, length, core),), length)


def forget() -> None:
    """Drops the values kept; nothing but speed depends on them."""
    _value.cache_clear()


def _alone(core: str) -> Value | None:
    month = _ISO_MONTH.fullmatch(core)
    if month:
        year = month[1]
        needs = (f"d:{year}-{month[2]}", f"={core}")
        coarser = (f"d:{year}", f"d:--{month[2]}", f"n:{year}")
        return Value((Part(Kind.NUMBER, core, needs, (*needs, *coarser)),), 1)
    moment = _ISO_MOMENT.fullmatch(core)
    if moment and _DATE.fullmatch(moment[1]):
        key = f"={core}"
        return Value((Part(Kind.NUMBER, core, (key,), (key, *_date_keys(moment[1]))),), 1)
    ends = _RANGE.fullmatch(core)
    if ends and not core.startswith("0") and int(ends[1]) < int(ends[2]):
        key = f"={core}"
        bounds = (*_number_keys(ends[1]), *_number_keys(ends[2]))
        return Value((Part(Kind.NUMBER, core, (key,), (key, *bounds)),), 1)
    return None


def _number_keys(key: str) -> tuple[str, ...]:
    """A year said alone is given as a number and as a year."""
    return (f"n:{key}", f"d:{key}") if _YEAR.fullmatch(key) else (f"n:{key}",)


def _numeric(found: Reading, window: tuple[str, ...], length: int, core: str) -> Part:
    keys = _given(found)
    needs = keys[:1]
    if length > 1:
        last = window[length - 1].rstrip(".,;:!?)")
        spelt = " ".join([*window[: length - 1], last])
        return Part(Kind.NUMBER, spelt, needs, keys)
    return Part(Kind.NUMBER, core, (*needs, f"={core}"), (*keys, f"={core}"))


def _ordinal(found: Reading, core: str) -> Value:
    key = f"#{found.key[1:]}"
    if not core[0].isdigit():
        return Value((Part(None, "", (), (key,)),), 1)
    digits = found.raw
    return Value((Part(Kind.NUMBER, digits, (key, f"n:{digits}"), (key, f"={core}")),), 1)


def _taken(read: Sequence[tuple[Reading, ...]]) -> int:
    """How many chunks after the first one belong to a value: scale, unit, currency, half."""
    taken = 0
    for tokens in read[1:]:
        if not tokens or (tokens[0].kind not in _FOLLOWING and tokens[0].key not in _DEGREES):
            break
        taken += 1
        if len(tokens) > 1:
            break
    if not taken and len(read) > 1 and read[1] and read[1][0].kind is Token.NUMBER:
        return 1  # a currency before its number
    return taken


def _in_words(read: Sequence[tuple[Reading, ...]], *, english: bool) -> Value | None:
    """What a run of number words gives; it is no specific itself."""
    run: list[Reading] = []
    length = 0
    for tokens in read:
        inside = tokens[:1] and (tokens[0].kind in _IN_WORDS or (run and tokens[0].key == "and"))
        if not inside:
            break
        run += tokens
        length += 1
        if len(tokens) > 1:
            break
    if not run:
        return None
    while run[-1].key == "and":
        run.pop()
        length -= 1
    after = read[length] if length < len(read) else ()
    closed = len(run) > length
    if after and not closed and after[0].kind in _FOLLOWING:
        run += after[:1]
    gives = [key for token in combine(run, english=english) for key in _given(token)]
    return Value((Part(None, "", (), tuple(gives)),), length)


def _given(token: Reading) -> tuple[str, ...]:
    if token.kind is Token.NUMBER:
        return _number_keys(token.key)
    return (f"q:{token.key}",) if token.kind in _NUMERIC else ()


def _date_keys(key: str) -> tuple[str, ...]:
    """All that a date says: itself, its coarser parts, and its parts without the year."""
    match = _DATE.fullmatch(key)
    if match is None:
        return ()
    year, month, day = match[1], match[2], match[3]
    keys = [f"d:--{month}"]
    if day:
        keys += [f"d:--{month}-{day}", f"#{int(day)}"]
    if year != "----":
        keys += [f"d:{year}", f"n:{year}", f"d:{year}-{month}"]
        if day:
            keys.append(f"d:{year}-{month}-{day}")
    return tuple(keys)


def _date(window: tuple[str, ...], read: Sequence[tuple[Reading, ...]], key: str) -> Value | None:
    match = _DATE.fullmatch(key)
    if match is None:
        return None
    year, month, day = match[1], match[2], match[3]
    known = year != "----"
    prefix = f"d:{year}-{month}" if known else f"d:--{month}"
    gives = _date_keys(key)
    if read[0][0].kind is Token.DATE:
        core = window[0].rstrip(".,;:!?)")
        needs = (f"{prefix}-{day}",)
        return Value((Part(Kind.NUMBER, core, needs, (*gives, f"={core}")),), 1)
    wanted = {"month": month, "day": day or "", "year": year if known else ""}
    parts: list[Part] = []
    length = 0
    for chunk, tokens in zip(window, read, strict=True):
        if not any(wanted.values()):
            break
        length += 1
        token = tokens[0] if tokens else None
        core = chunk.rstrip(".,;:!?)")
        if token is None:
            continue
        if token.kind is Token.MONTH and wanted["month"]:
            wanted["month"] = ""
            named = (f"w:{core.casefold()}", f"={core}") if core[0].isupper() else (f"={core}",)
            bare = (f"d:--{month}", f"w:{core.casefold()}")
            parts.append(Part(Kind.MONTH, core, (prefix,), (*gives, *named), bare))
        elif wanted["year"] and token.raw == year:
            wanted["year"] = ""
            parts.append(Part(Kind.NUMBER, year, (f"d:{year}",), (f"n:{year}",)))
        elif wanted["day"] and token.raw.isdigit():
            wanted["day"] = ""
            parts.append(Part(Kind.NUMBER, token.raw, (f"{prefix}-{day}",), ()))
    return Value(tuple(parts), length)
