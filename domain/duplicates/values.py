"""What a number means beside its neighbours: dates, times, amounts, units, money."""

import re
from typing import Final

from . import units
from .amounts import date, number, time, unit_of, value
from .numerals import money_key, quantity_key, scaled
from .tokens import COMMA, STOP, Kind, Token
from .words import listed

_AFTER_NUMBER: Final = frozenset({Kind.UNIT, Kind.SCALE, Kind.MERIDIEM, Kind.CURRENCY})
_NO_ONE: Final = listed("no every any some this that the each which another other only last not")
_ONE_OF: Final = listed("of another that who which at by or and")
_HOUR: Final = re.compile(r"([0-9]{1,2})(?:\.([0-5][0-9]))?")
_DEGREES: Final = frozenset({"degree", "degrees", "°"})
_SEVERAL: Final = frozenset({"hundred", "thousand", "million", "billion", "trillion", "dozen"})


def combine(tokens: list[Token], *, english: bool) -> list[Token]:
    """Puts one token for each run of tokens that makes up a value.

    Number words are read in English only. In other languages a comma in a number may stand before
    decimals, so such a number equals only itself.
    """
    combined: list[Token] = []
    done = 0
    for at in [at for at, token in enumerate(tokens) if token.kind is not _WORD]:
        if at < done:
            continue
        combined += tokens[done:at]
        taken = _date(tokens, at, english=english) or _value(tokens, at, english=english)
        token, done = taken or (tokens[at], at + 1)
        if not english and "," in token.raw and token.kind in _WITH_COMMA:
            token = token._replace(key=f"{token.raw}·{token.key}")
        combined.append(token)
    return combined + tokens[done:]


_WORD: Final = Kind.WORD  # slow to look up, and asked for once per token
_WITH_COMMA: Final = frozenset({Kind.NUMBER, Kind.QUANTITY, Kind.MONEY})


def _kind(tokens: list[Token], at: int) -> Kind | None:
    return tokens[at].kind if at < len(tokens) else None


def _day(token: Token) -> bool:
    return token.kind in {Kind.NUMBER, Kind.ORDINAL} and token.raw.isdigit() and len(token.raw) < 3


def _is_month(tokens: list[Token], at: int) -> bool:
    if _kind(tokens, at) is not Kind.MONTH:
        return False
    token = tokens[at]
    return token.raw[0].isupper() or token.raw not in units.MONTHS_ONLY_CAPITAL


def _year(tokens: list[Token], at: int) -> str:
    stands = _kind(tokens, at) is Kind.NUMBER and _kind(tokens, at + 1) not in _AFTER_NUMBER
    raw = tokens[at].raw if stands else ""
    return raw if len(raw) == 4 and raw.isdigit() else ""


def _date(tokens: list[Token], at: int, *, english: bool) -> tuple[Token, int] | None:
    first = tokens[at]
    if _day(first):
        after = _skip(tokens, at + 1, () if english else (STOP,))
        after = _skip(tokens, after, ("of", "de", "del"))
        if not _is_month(tokens, after):
            return None
        day, month, after = first.raw, tokens[after].key, after + 1
    elif _is_month(tokens, at):
        month, after = first.key, at + 1
        year = _year(tokens, _skip(tokens, after, ("of", "de", "del")))
        if year:
            after = _skip(tokens, after, ("of", "de", "del")) + 1
            return value(f"{year}-{units.MONTHS[month.lower()]:02}", Kind.DATE, year), after
        if after >= len(tokens) or not _day(tokens[after]):
            return None
        if _kind(tokens, after + 1) in _AFTER_NUMBER:
            return None
        day, after = tokens[after].raw, after + 1
    else:
        return None
    beyond = _skip(tokens, _skip(tokens, after, (COMMA,)), ("of", "de", "del"))
    year = _year(tokens, beyond)
    read = date(year, units.MONTHS[month.lower()], int(day), "")
    return (read, beyond + 1 if year else after) if read else None


def _skip(tokens: list[Token], at: int, keys: tuple[str, ...]) -> int:
    return at + 1 if at < len(tokens) and tokens[at].key in keys else at


def _value(tokens: list[Token], at: int, *, english: bool) -> tuple[Token, int] | None:
    token = tokens[at]
    match token.kind:
        case Kind.NUMBER:
            return _amount(tokens, at + 1, token.raw)
        case Kind.NUMBER_WORD | Kind.SCALE if english:
            raw, after = _in_words(tokens, at)
            return _amount(tokens, after, raw) if raw else None
        case Kind.MONEY:
            amount, _, currency = token.raw.partition(" ")
            if amount and _kind(tokens, at + 1) is Kind.SCALE:
                scale = units.SCALES[tokens[at + 1].key]
                return value(money_key(amount, currency, scale), Kind.MONEY, amount), at + 2
        case Kind.CURRENCY if _kind(tokens, at + 1) is Kind.NUMBER and not token.raw.islower():
            return _sum(tokens, at + 1, units.CURRENCIES[token.key])
        case Kind.TIME if at + 1 < len(tokens) and tokens[at + 1].key == "uhr":
            return token, at + 2
        case Kind.TIME if _kind(tokens, at + 1) is Kind.MERIDIEM:
            hour, minute, *second = token.key.split(":")
            half = tokens[at + 1].key
            clock = time(hour, minute, second[0] if second else None, half, token.raw)
            return (clock, at + 2) if clock else None
        case _:
            pass
    return None


def _sum(tokens: list[Token], at: int, currency: str) -> tuple[Token, int]:
    raw = tokens[at].raw
    if _kind(tokens, at + 1) is Kind.SCALE:
        scale = units.SCALES[tokens[at + 1].key]
        return value(money_key(raw, currency, scale), Kind.MONEY, raw), at + 2
    return value(money_key(raw, currency), Kind.MONEY, raw), at + 1


def _amount(tokens: list[Token], after: int, raw: str) -> tuple[Token, int]:
    while _kind(tokens, after) is Kind.SCALE:
        larger = scaled(raw, units.SCALES[tokens[after].key])
        if larger is None:
            return number(raw), after
        raw, after = larger, after + 1
    degrees = after < len(tokens) and tokens[after].key in _DEGREES
    unit_at = after + 1 if degrees else after
    unit = None
    if _kind(tokens, unit_at) is Kind.UNIT:
        unit = unit_of(tokens[unit_at].raw)
    elif unit_at < len(tokens) and tokens[unit_at].raw == "second":
        unit = units.UNIT_WORDS["second"]
    if unit and degrees == (degrees and unit[0] in {"degC", "degF"}):
        return value(quantity_key(raw, unit), Kind.QUANTITY, raw), unit_at + 1
    if _kind(tokens, after) is Kind.CURRENCY:
        currency = units.CURRENCIES[tokens[after].key]
        return value(money_key(raw, currency), Kind.MONEY, raw), after + 1
    if after < len(tokens) and tokens[after].key == "uhr":
        whole = time(raw, "00", None, None, raw) if raw.isdigit() and len(raw) < 3 else None
        return (whole, after + 1) if whole else (number(raw), after)
    hour = _HOUR.fullmatch(raw) if _kind(tokens, after) is Kind.MERIDIEM else None
    clock = time(hour[1], hour[2] or "00", None, tokens[after].key, raw) if hour else None
    if clock:
        return clock, after + 1
    return number(raw), after


def _in_words(tokens: list[Token], at: int) -> tuple[str, int]:
    """The number that starts here in words, and where it ends; no number gives an empty text."""
    if tokens[at].kind is Kind.SCALE:
        # "a hundred people": the article falls later.
        scale = tokens[at].key
        return (str(units.SCALES[scale]), at + 1) if scale in _SEVERAL else ("", at)
    total = current = 0
    smallest = 100  # what the next word must stay below to belong to the same number
    after = at
    while after < len(tokens):
        token = tokens[after]
        if token.kind is Kind.NUMBER_WORD:
            count = int(token.raw)
            if count >= smallest or (count == 0 and after > at):
                break
            current += count
            smallest = 10 if count >= 20 and count % 10 == 0 else 0
        elif token.key == "hundred" and 0 < current < 100:
            current *= 100
            smallest = 100
        elif token.key in {"thousand", "million", "billion"} and current and _falls(total, token):
            total += current * units.SCALES[token.key]
            current = 0
            smallest = 100
        elif (
            token.key == "and" and smallest == 100 and _kind(tokens, after + 1) is Kind.NUMBER_WORD
        ):
            pass
        else:
            break
        after += 1
    if after == at + 1 and tokens[at].raw == "1" and _pronoun(tokens, at):
        return "", at
    return str(total + current), after


def _falls(total: int, token: Token) -> bool:
    return total == 0 or units.SCALES[token.key] < total


def _pronoun(tokens: list[Token], at: int) -> bool:
    """Whether "one" stands for a person or thing: "no one", "one of them", "the one"."""
    if at > 0 and tokens[at - 1].key in _NO_ONE:
        return True
    after = tokens[at + 1] if at + 1 < len(tokens) else None
    return after is None or after.key in _ONE_OF or after.kind is Kind.PUNCTUATION
