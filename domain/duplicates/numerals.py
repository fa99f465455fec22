"""The value of a written number, where it has only one."""

import re
from decimal import Decimal
from typing import Final

from .units import Unit

# Groups of three only, all divided alike: "1,00" may be a decimal, "1.000" a thousand.
_GROUPED: Final = re.compile(
    r"([+-]?)([1-9][0-9]{0,2})(?:((?:,[0-9]{3})++)|((?:'[0-9]{3})++)|((?:_[0-9]{3})++))"
    r"(\.[0-9]++)?"
)
_EXACT: Final = re.compile(r"-?(?:0|[1-9][0-9]*+)(?:\.[0-9]++)?")
_PERHAPS_GROUPED: Final = re.compile(r"-?[1-9][0-9]{0,2}\.[0-9]{3}")
# Decimal rounds beyond 28 digits, and two rounded values may be equal.
_MOST_DIGITS: Final = 18


def plain(raw: str) -> str:
    """A bare number in one notation. Trailing zeros stay: 3.1 and 3.10 are versions."""
    match = _GROUPED.fullmatch(raw)
    if match:
        groups = match[3] or match[4] or match[5]
        return match[1] + match[2] + re.sub(r"[,'_]", "", groups) + (match[6] or "")
    sign = raw[:1] if raw[:1] in {"+", "-"} else ""
    return f"{sign}0{raw[len(sign) :]}" if raw.startswith(sign + ".") else raw


def exact(raw: str) -> Decimal | None:
    """The value, or None where the notation leaves a doubt (1,5; 2.500; 007; +5)."""
    number = plain(raw)
    if len(number) > _MOST_DIGITS or not _EXACT.fullmatch(number):
        return None
    return None if _PERHAPS_GROUPED.fullmatch(raw) else Decimal(number)


def show(value: Decimal) -> str:
    """A value without trailing zeros or exponent."""
    return format(value.normalize(), "f")


def scaled(raw: str, scale: int) -> str | None:
    """A number times its scale word, in digits."""
    value = exact(raw)
    return None if value is None else show(value * scale)


def quantity_key(raw: str, unit: Unit) -> str:
    """A number with its unit: within one dimension equal amounts have equal keys."""
    dimension, factor = unit
    value = exact(raw)
    if value is None:
        return f"{plain(raw)}·{show(factor)} {dimension}"
    return f"{show(value * factor)} {dimension}"


def money_key(raw: str, currency: str, scale: int = 1) -> str:
    """A sum of money; its currency is kept as written ("$" is not USD)."""
    value = exact(raw)
    if value is None:
        return f"{plain(raw)}·{scale} {currency}"
    return f"{show(value * scale)} {currency}"
