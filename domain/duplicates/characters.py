"""The characters of a text: one spelling for each, before any word is read."""

import re
import unicodedata
from typing import Final

_SINGLE: Final = "\u2018\u2019\u201b\u02bc\uff07\u00b4\u2032"
_DOUBLE: Final = "“”„‟«»「」『』\uff02\u2039\u203a〝〞″"
_QUOTES: Final = dict.fromkeys(map(ord, _SINGLE), "'") | dict.fromkeys(map(ord, _DOUBLE), '"')
_DASHES: Final = dict.fromkeys(map(ord, "\u2010\u2011\u2212\ufe63\uff0d"), "-") | dict.fromkeys(
    map(ord, "\u2013\u2014\u2015"), "\u2013"
)
# Joiners (U+200C, U+200D) stay: they tell words apart in Persian and Hindi, and emoji from emoji.
_INVISIBLE: Final = dict.fromkeys(
    (
        *(0x00AD, 0x200B, 0x200E, 0x200F, 0x2060, 0xFEFF, 0xFE0E, 0xFE0F),
        *range(0x202A, 0x202F),
        *range(0x2066, 0x206A),
    )
)


def _protected() -> dict[int, str]:
    """Superscripts and fractions: NFKC would turn 10² into 102 and 2½ into 21/2."""
    table: dict[int, str] = {}
    for code in [*range(0x00A0, 0x0100), *range(0x02B0, 0x0300), *range(0x1D00, 0x2200)]:
        character = chr(code)
        match unicodedata.decomposition(character).partition(" ")[0]:
            case "<super>":
                table[code] = "^" + unicodedata.normalize("NFKC", character)
            case "<fraction>":
                parts = unicodedata.normalize("NFKC", character).replace("\u2044", "/")
                table[code] = f" {parts} "
            case _:
                pass
    return table


_TABLE: Final[dict[int, str | None]] = _protected() | _QUOTES | _DASHES | _INVISIBLE
_GROUPING_BLANK: Final = re.compile(
    r"(?<![0-9.,])([0-9]{1,3})((?:[\u00a0\u2009\u202f][0-9]{3})++)(?![0-9])"
)
_INSIDE_GUILLEMETS: Final = re.compile(r"(?<=«)\s|\s(?=»)")
_BOLD: Final = re.compile(r"(?<![\w*])\*\*(?=[^\s*])([^*\n]++)\*\*(?![\w*])")


def settle(text: str) -> str:
    """Gives each character its one spelling (NFKC, quotes, dashes, invisible ones dropped).

    Accents and ß stay: "pâté" is no "pate", "Masse" no "Maße".
    """
    if not text.isascii():
        text = _GROUPING_BLANK.sub(_with_commas, text)
        text = _INSIDE_GUILLEMETS.sub("", text)
        text = unicodedata.normalize("NFC", text).translate(_TABLE)
        text = unicodedata.normalize("NFKC", text).translate(_TABLE)
    return _BOLD.sub(r"\1", text) if "**" in text else text


def fold(text: str) -> str:
    """The form in which two texts too long to be read token by token are compared."""
    return " ".join(unicodedata.normalize("NFKC", text).lower().split())


def _with_commas(match: re.Match[str]) -> str:
    return match[1] + re.sub(r"[\u00a0\u2009\u202f]", ",", match[2])
