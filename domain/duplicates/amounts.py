"""The values that one chunk of text spells out: a date, a time, money, a quantity, a number."""

import re
from typing import Final

from . import units
from .numerals import money_key, plain, quantity_key, scaled
from .tokens import Kind, Mark, Token

NUMBER: Final = r"(?:[0-9]++(?:[.,'_][0-9]++)*+|\.[0-9]++(?![.,'_]?[0-9]))"
CURRENCY: Final = r"US\$|[$€£¥₹₽₩]"

_YEAR_FIRST: Final = re.compile(r"([0-9]{4})([-/.])([0-9]{1,2})\2([0-9]{1,2})")
_YEAR_LAST: Final = re.compile(r"([0-9]{1,2})([/.])([0-9]{1,2})\2([0-9]{4})")
_TIME: Final = re.compile(
    r"([0-9]{1,2})(?:([:.h])([0-5][0-9])(?::([0-5][0-9]))?)?([AaPp]\.?[Mm]\.?)?"
)
_MONEY: Final = re.compile(
    rf"(-?)(?:({CURRENCY})({NUMBER})(k|K|m|M|mn|b|B|bn)?"
    rf"|({NUMBER})(k|K|m|M|mn|b|B|bn)?({CURRENCY}|USD|EUR|GBP|JPY|CHF|CAD|AUD|INR))"
)
_QUANTITY: Final = re.compile(rf"([-+]?{NUMBER})(-?)([A-Za-zμ°%]++(?:/[A-Za-z]++)?)")
_SCALED: Final = re.compile(rf"({NUMBER})(k|K|bn)")
_ORDINAL: Final = re.compile(r"([0-9]++)(?:st|nd|rd|th)", re.IGNORECASE)
SIGNED: Final = re.compile(rf"[-+]?{NUMBER}")
_DAYS_IN_MONTH: Final = (0, 31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)


def spelled(core: str) -> Token | None:
    """The value that a chunk spells out as a whole, if it does."""
    if SIGNED.fullmatch(core):
        return _date(core) or _clock(core) or number(core)
    if core[:1].isdigit() or core[:1] in "-+.$€£¥₹₽₩U":
        return _date(core) or _clock(core) or _amount(core)
    return None


def number(raw: str) -> Token:
    """A bare number."""
    key = plain(raw)
    return Token(key, Kind.NUMBER, Mark.VALUE, (key,), raw)


def value(key: str, kind: Kind, raw: str) -> Token:
    """A token that stands for a value read from several signs."""
    return Token(key, kind, Mark.VALUE, (key,), raw)


def _amount(core: str) -> Token | None:
    money = _MONEY.fullmatch(core)
    if money:
        amount = money[3] or money[5]
        scale = units.MONEY_SCALES[(money[4] or money[6] or "").lower() or "one"]
        currency = units.CURRENCIES[(money[2] or money[7]).lower()]
        raw = f"{money[1]}{amount}" if scale == 1 else ""
        return value(money_key(money[1] + amount, currency, scale), Kind.MONEY, f"{raw} {currency}")
    quantity = _QUANTITY.fullmatch(core)
    unit = unit_of(quantity[3]) if quantity else None
    if quantity and unit:
        return value(quantity_key(quantity[1], unit), Kind.QUANTITY, quantity[1])
    thousands = _SCALED.fullmatch(core)
    digits = scaled(thousands[1], units.SCALES[thousands[2].lower()]) if thousands else None
    if digits:
        return number(digits)
    ordinal = _ORDINAL.fullmatch(core)
    return value(f"#{ordinal[1]}", Kind.ORDINAL, ordinal[1]) if ordinal else None


def unit_of(text: str) -> units.Unit | None:
    """The unit that a text names; the case of a symbol counts, that of a word does not."""
    found = units.UNIT_SYMBOLS.get(text) or units.UNIT_WORDS.get(text.lower())
    if found is None and "/" in text:
        amount, _, per = text.partition("/")
        if amount in units.UNIT_SYMBOLS and per in units.UNIT_SYMBOLS:
            return text, units.ONE
    return found


def _date(core: str) -> Token | None:
    match = _YEAR_FIRST.fullmatch(core)
    if match:
        return date(match[1], int(match[3]), int(match[4]), core)
    match = _YEAR_LAST.fullmatch(core)
    if match:
        first, second, year = int(match[1]), int(match[3]), match[4]
        if match[2] == "." or first > 12:
            return date(year, second, first, core)
        if second > 12:
            return date(year, first, second, core)
        return value(f"{first}/{second}/{year}", Kind.CODE, core)
    return None


def date(year: str, month: int, day: int, raw: str) -> Token | None:
    """A calendar date, or None if there is no such day; the year may be empty."""
    if not 1 <= month <= 12 or not 1 <= day <= _DAYS_IN_MONTH[month]:
        return None
    return value(f"{year or '----'}-{month:02}-{day:02}", Kind.DATE, raw)


def _clock(core: str) -> Token | None:
    match = _TIME.fullmatch(core)
    if not match or not (match[3] or match[5]) or (match[2] == "." and not match[5]):
        return None
    return time(match[1], match[3] or "00", match[4], match[5], core)


def time(hour: str, minute: str, second: str | None, half: str | None, raw: str) -> Token | None:
    """A clock time in 24 hours, or None if there is no such hour."""
    count = int(hour)
    if half:
        if not 1 <= count <= 12:
            return None
        count = count % 12 + (12 if half[0] in "pP" else 0)
    if count > 24:
        return None
    return value(f"{count:02}:{minute}{':' + second if second else ''}", Kind.TIME, raw)
