"""Reads one chunk of text, the characters between two blanks, into tokens.

Nothing is read across a blank here, so that the reading of a chunk can be kept. What a number means
beside its neighbours is decided in ``values``. No character vanishes but listed punctuation: what is
not understood is a token that equals only itself.
"""

import re
import sys
import unicodedata
from itertools import chain
from typing import Final

from . import phrases, scripts, spelling, units, words
from .numerals import money_key, plain, quantity_key, scaled
from .plurals import singular
from .tokens import COLON, COMMA, DASH, QUESTION, STOP, Kind, Mark, Need, Reading, Token

_MARKS: Final = "".join(
    chr(code)
    for code in chain(range(0x300, 0x1E00), range(0x20D0, 0x20F1), range(0xA66F, 0xABEE))
    if unicodedata.category(chr(code)) in {"Mn", "Mc"}
)
_LETTER: Final = rf"(?:[^\W\d_]|[\u200c\u200d{_MARKS}])"
_WORD: Final = rf"{_LETTER}++(?:'{_LETTER}++)*+"
_NUMBER: Final = r"(?:[0-9]++(?:[.,'_][0-9]++)*+|\.[0-9]++(?![.,'_]?[0-9]))"
_CURRENCY: Final = r"US\$|[$€£¥₹₽₩]"

_PLAIN: Final = re.compile(rf"""["']*+({_WORD})('?)([.,;:!?"']*+)""")
_TRAILING: Final = re.compile(r"""(?<=[^\s.,;:!?"')\]}…、。])[.,;:!?"')\]}…、。]++\Z""")
_LEADING: Final = re.compile(r"""["'¿¡(\[{]++(?=[\w$€£¥])""")
_HYPHENATED: Final = re.compile(rf"{_WORD}(?:-{_WORD})++")
_NUMBER_HYPHENATED: Final = re.compile(r"([0-9][0-9.,]*+|[a-z]++)-([a-z]{2,}+(?:-[a-z]{2,}+)*+)")
_URL: Final = re.compile(r"([A-Za-z][A-Za-z0-9+]*+://[^/?#\s]*+)(\S*+)")
_EMAIL: Final = re.compile(r"[\w.+-]++@[\w-]++(?:\.[\w-]++)++")
_YEAR_FIRST: Final = re.compile(r"([0-9]{4})([-/.])([0-9]{1,2})\2([0-9]{1,2})")
_YEAR_LAST: Final = re.compile(r"([0-9]{1,2})([/.])([0-9]{1,2})\2([0-9]{4})")
_TIME: Final = re.compile(
    r"([0-9]{1,2})(?:([:.])([0-5][0-9])(?::([0-5][0-9]))?)?([AaPp]\.?[Mm]\.?)?"
)
_PATH: Final = re.compile(r"(?:~|\.{1,2})?/(?=\S*\w)\S++|[A-Za-z]:\\\S++")
_FLAG: Final = re.compile(r"--?[A-Za-z][\w-]*+(?:=\S++)?")
_MONEY: Final = re.compile(
    rf"(-?)(?:({_CURRENCY})({_NUMBER})(k|K|m|M|mn|b|B|bn)?"
    rf"|({_NUMBER})(k|K|m|M|mn|b|B|bn)?({_CURRENCY}|USD|EUR|GBP|JPY|CHF|CAD|AUD|INR))"
)
_QUANTITY: Final = re.compile(rf"([-+]?{_NUMBER})(-?)([A-Za-zμ°%]++(?:/[A-Za-z]++)?)")
_RATE: Final = re.compile(rf"((?:{_CURRENCY}){_NUMBER})/([a-z]++)")
_SCALED: Final = re.compile(rf"({_NUMBER})(k|K|bn)")
_ORDINAL: Final = re.compile(r"([0-9]++)(?:st|nd|rd|th)", re.IGNORECASE)
_SIGNED: Final = re.compile(rf"[-+]?{_NUMBER}")
_CODE: Final = re.compile(r"\.?\w++(?:[._:/@&#^'+-]++\w++)*+[#+*-]*+")
_PIECE: Final = re.compile(rf"{_NUMBER}|\w*[0-9_]\w*+|{_WORD}|\S")
_PERIODS: Final = frozenset("second minute hour day week month year person user head".split())
_MERIDIEMS: Final = {"am": "am", "pm": "pm", "a.m": "am", "p.m": "pm", "a.m.": "am", "p.m.": "pm"}
_DAYS_IN_MONTH: Final = (0, 31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)

_SHORTENED: Final = words.ABBREVIATIONS | frozenset(name for name in units.MONTHS if len(name) < 5)

_KEPT: Final = 1 << 14
_LONGEST_KEPT: Final = 32
_memo: dict[str, Reading] = {}


def lex(text: str) -> tuple[list[Token], int]:
    """The tokens of a text whose characters are settled, and the passes that it asks for."""
    tokens: list[Token] = []
    needs = 0
    known = _memo.get
    for chunk in text.split():
        more, asked = known(chunk) or read(chunk)
        tokens += more
        needs |= asked
    return tokens, needs


def read(chunk: str) -> Reading:
    """The tokens of one chunk, kept for the next time if it is short."""
    found = _memo.get(chunk)
    if found is None:
        found = _read(chunk)
        if len(chunk) <= _LONGEST_KEPT:
            if len(_memo) >= _KEPT:
                _memo.clear()
            _memo[chunk] = found
    return found


def forget() -> None:
    """Drops the readings kept; nothing but speed depends on them."""
    _memo.clear()


def _read(chunk: str) -> Reading:
    match = _PLAIN.fullmatch(chunk)
    if match and not (not chunk.isascii() and scripts.CHARACTER.search(chunk)):
        word, possessive, ending = match.groups()
        if not ending:
            return _word(word, possessor=bool(possessive))
        if word.lower() in _SHORTENED:
            ending = ending.removeprefix(".")
        tokens, needs = read(word + possessive)
        more, asked = _punctuation(ending, after_digit=False)
        return Reading(tokens + more, needs | asked)
    return _joined(_parts(chunk))


def _joined(parts: list[Reading]) -> Reading:
    needs = 0
    tokens: list[Token] = []
    for part in parts:
        tokens += part.tokens
        needs |= part.needs
    return Reading(tuple(tokens), needs)


def _parts(chunk: str) -> list[Reading]:
    if chunk.rstrip(",;:!?").lower() in _MERIDIEMS and chunk[-1] not in {"!", "?"}:
        core = chunk.rstrip(",;:")
        token = Token(_MERIDIEMS[core.lower()], Kind.MERIDIEM, 0, (), core)
        return [Reading((token,), 0), _punctuation(chunk[len(core) :], after_digit=False)]
    if not chunk.strip("?!,:;"):
        return [_punctuation(chunk, after_digit=False)]
    parts: list[Reading] = []
    leading = _LEADING.match(chunk)
    quoted = leading is not None and ('"' in leading[0] or "'" in leading[0])
    if leading:
        parts.append(_brackets(leading[0]))
        chunk = chunk[leading.end() :]
    trailing = _TRAILING.search(chunk)
    ending = trailing[0] if trailing else ""
    core = chunk[: len(chunk) - len(ending)]
    if core.lower() in _SHORTENED:
        ending = ending.removeprefix(".")
    parts.append(_core(core))
    after_digit = core[-1:].isdigit() and not (quoted and ending[:1] in {'"', "'"})
    parts.append(_punctuation(ending, after_digit=after_digit))
    return parts


def _brackets(leading: str) -> Reading:
    return Reading(tuple(_symbol(mark) for mark in leading if mark in "([{"), 0)


def _punctuation(ending: str, *, after_digit: bool) -> Reading:
    tokens: list[Token] = []
    for place, mark in enumerate(ending):
        if after_digit and place == 0 and mark in {'"', "'", "!"}:
            tokens.append(_symbol(mark))
        elif mark in {'"', "'"}:
            continue
        elif mark in ".!;…。":
            tokens.append(_STOP)
        elif mark in {",", COLON, QUESTION}:
            tokens.append(_PUNCTUATION[mark])
        else:
            tokens.append(_symbol(mark))
    return Reading(tuple(tokens), Need.PUNCTUATION if tokens else 0)


def _core(core: str) -> Reading:
    if not core.isascii() and scripts.CHARACTER.search(core):
        return _script(core)
    rate = _RATE.fullmatch(core)
    if rate and rate[2] in _PERIODS:
        return _joined([_core(rate[1]), _word("per"), _word(rate[2])])
    value = _value(core)
    if value:
        return Reading((value,), Need.VALUE)
    whole = _whole(core)
    if whole:
        return Reading((whole,), 0)
    return _hyphenated(core) or _code(core) or _pieces(core)


def _value(core: str) -> Token | None:
    if _SIGNED.fullmatch(core):
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


def _whole(core: str) -> Token | None:
    url = _URL.fullmatch(core)
    if url:
        rest = "" if url[2] == "/" else url[2]
        return _coded(url[1].lower() + rest, core)
    if "@" in core and _EMAIL.fullmatch(core):
        return _coded(core.lower(), core)
    if _PATH.fullmatch(core) or _FLAG.fullmatch(core):
        return _coded(core, core)
    if len(core) == 1 and core in "-\u2013":
        return _DASH
    unit = unit_of(core)
    if unit:
        return Token(core, Kind.UNIT, Mark.CODE, (core,), core)
    if core in units.CURRENCIES:
        return Token(core, Kind.CURRENCY, Mark.VALUE, (core,), core)
    return None


def _coded(key: str, raw: str) -> Token:
    return Token(key, Kind.CODE, Mark.CODE, (key,), raw)


def _hyphenated(core: str) -> Reading | None:
    lower = core.lower()
    numbered = _NUMBER_HYPHENATED.fullmatch(lower)
    if _HYPHENATED.fullmatch(core):
        if lower in units.NUMBER_WORDS or lower in units.ORDINALS or lower in spelling.SPELLINGS:
            return _word(core)
        if not (numbered and numbered[1] in units.NUMBER_WORDS):
            return _joined([_inner(part, place) for place, part in enumerate(core.split("-"))])
    if not numbered or core[1:] != lower[1:]:
        return None
    amount = str(units.NUMBER_WORDS.get(numbered[1], numbered[1]))
    first, *rest = numbered[2].split("-")
    unit = unit_of(first)
    others = [_inner(part, 1) for part in rest]
    if unit:
        token = value(quantity_key(amount, unit), Kind.QUANTITY, amount)
        return _joined([Reading((token,), Need.VALUE), *others])
    counted = number(amount)._replace(kind=Kind.CODE)
    return _joined([Reading((counted,), 0), _inner(first, 1), *others])


def _inner(part: str, place: int) -> Reading:
    """A part of a hyphenated word: no article, no number word, and no lone capital in front."""
    lower = part.lower()
    if lower in words.ARTICLES or lower in units.NUMBER_WORDS or (place == 0 and len(part) == 1):
        return Reading((_plain(lower, part),), 0)
    return _word(part)


def _code(core: str) -> Reading | None:
    if not _CODE.fullmatch(core):
        return None
    mixed = core != core.lower() and any(c.islower() for c in core) and core[1:] != core[1:].lower()
    return Reading((_coded(core if mixed else core.lower(), core),), 0)


def _pieces(core: str) -> Reading:
    parts: list[Reading] = []
    for match in _PIECE.finditer(core):
        piece = match[0]
        if piece[0].isdigit() or "_" in piece or (len(piece) > 1 and piece[0] == "."):
            whole = number(piece) if _SIGNED.fullmatch(piece) else None
            parts.append(Reading((whole,), Need.VALUE) if whole else _core_code(piece))
        elif piece[0].isalpha():
            parts.append(_word(piece) if piece.isalpha() or "'" in piece else _core_code(piece))
        elif piece == "\u2013":
            parts.append(Reading((_DASH,), 0))
        else:
            symbol = _symbol(piece)
            parts.append(Reading((symbol,), Need.PHRASE if piece == "&" else 0))
    return _joined(parts)


def _core_code(piece: str) -> Reading:
    return Reading((_coded(piece, piece),), 0)


def _script(core: str) -> Reading:
    parts: list[Reading] = []
    run = ""
    for character in core:
        if scripts.CHARACTER.match(character):
            if run:
                parts.append(_core(run))
                run = ""
            parts.append(Reading((scripts.token(character),), Need.SCRIPT))
        elif character == "。":
            parts.append(Reading((_STOP,), Need.PUNCTUATION))
        else:
            run += character
    if run:
        parts.append(_core(run))
    return _joined(parts)


def _symbol(character: str) -> Token:
    # The backslash keeps a sign that belongs to the text apart from sentence punctuation.
    key = f"\\{character}" if character in "., :?" else character
    return Token(key, Kind.SYMBOL, Mark.PUNCTUATION, (), character)


def _plain(lower: str, raw: str, kind: Kind = Kind.WORD, mark: int = 0) -> Token:
    key = sys.intern(lower)
    if lower in words.STOP_WORDS:
        terms: tuple[str, ...] = ()
    elif scripts.HANGUL.match(lower):
        terms = tuple(dict.fromkeys(lower))
    else:
        terms = (sys.intern(_BE.get(lower) or singular(lower)),)
    capital = Mark.CAPITAL if raw[0].isupper() else 0
    return Token(key, kind, mark | capital, terms, raw)


# For finding a text, "was" is another "is": a corrected tense must find what it corrects.
_BE: Final = dict.fromkeys(("is", "are", "am", "was", "were"), "is")


def _word(raw: str, *, possessor: bool = False) -> Reading:
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
        return Reading((_plain(lower, raw),), needs | Need.CASE)
    if raw[0].isupper() and (lower in words.NAMES_LIKE_WORDS or lower in spelling.SPELLINGS):
        return Reading((_plain(lower, raw, _kind(lower, raw)),), needs | Need.CASE)
    if lower in spelling.SPELLINGS and raw[0].islower():
        lower = spelling.SPELLINGS[lower]
    mark = Mark.POSSESSIVE if possessor else 0
    if possessor:
        needs |= Need.POSSESSIVE
    halves = spelling.compound(lower) if len(lower) > 5 and lower.isascii() else None
    if halves and not possessor:
        return Reading(tuple(_plain(half, raw) for half in halves), needs)
    kind = _kind(lower, raw)
    if kind is Kind.NUMBER_WORD:
        return Reading((Token(lower, kind, 0, (lower,), str(units.NUMBER_WORDS[lower])),), needs)
    if kind is Kind.ORDINAL:
        key = f"#{units.ORDINALS[lower]}"
        return Reading((Token(key, kind, Mark.VALUE, (key,), lower),), needs)
    return Reading((_plain(lower, raw, kind, mark),), needs)


def _kind(lower: str, raw: str) -> Kind:
    if lower in words.ARTICLES:
        return Kind.ARTICLE
    if lower in units.NUMBER_WORDS:
        return Kind.NUMBER_WORD
    if lower in units.ORDINALS:
        return Kind.ORDINAL
    if lower in units.SCALES:
        return Kind.SCALE
    if lower in _MERIDIEMS:
        return Kind.MERIDIEM
    if lower in units.MONTHS:
        return Kind.MONTH
    if lower in units.CURRENCIES and (len(lower) > 3 or raw.isupper()):
        return Kind.CURRENCY
    return Kind.UNIT if unit_of(raw) else Kind.WORD


_BY_NEED: Final = (
    (Need.ARTICLE, words.ARTICLES),
    (Need.VALUE, {*units.NUMBER_WORDS, *units.SCALES}),
    (Need.PHRASE, phrases.TRIGGERS),
    (Need.FILLER, words.FILLERS),
    (Need.REPORTING, words.REPORTING),
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
    tokens = (_plain(first, raw), *(_plain(word, word) for word in rest))
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
        return Reading((_plain(lower, raw),), _NEEDS.get(lower, 0))
    if stem in spelling.IS_AFTER:
        expanded = _expanded(f"{stem} is", raw)
        first, second = expanded.tokens
        return Reading((first, second._replace(raw="'s")), Need.ENGLISH)
    owner = _word(raw[:-2])
    tokens = list(owner.tokens)
    mark = tokens[-1].mark | Mark.POSSESSIVE
    tokens[-1] = tokens[-1]._replace(kind=Kind.WORD, mark=mark, raw=raw)
    return Reading(tuple(tokens), owner.needs | Need.POSSESSIVE)


_STOP: Final = Token(STOP, Kind.PUNCTUATION, Mark.PUNCTUATION, (), STOP)
_DASH: Final = Token(DASH, Kind.SYMBOL, Mark.PUNCTUATION, (), DASH)
_PUNCTUATION: Final = {
    COMMA: Token(COMMA, Kind.PUNCTUATION, Mark.PUNCTUATION, (), COMMA),
    QUESTION: Token(QUESTION, Kind.PUNCTUATION, Mark.PUNCTUATION, (), QUESTION),
    # For finding a text a colon is the "is" that it may stand for.
    COLON: Token(COLON, Kind.PUNCTUATION, Mark.PUNCTUATION, ("is",), COLON),
}
