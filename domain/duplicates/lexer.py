"""Reads one chunk of text, the characters between two blanks, into tokens.

Nothing is read across a blank here, so that the reading of a chunk can be kept. What a number means
beside its neighbours is decided in ``values``. No character vanishes but listed punctuation: what
is not understood is a token that equals only itself.
"""

import unicodedata
from itertools import chain
from typing import Final

from .. import patterns
from . import scripts, spelling, units, words
from .amounts import CURRENCY, NUMBER, SIGNED, number, spelled, unit_of, value
from .numerals import quantity_key
from .tokens import COLON, COMMA, DASH, QUESTION, STOP, Kind, Mark, Need, Reading, Token
from .wordforms import MERIDIEMS, bare, word


def _marks() -> str:
    """The combining marks of the living scripts, as ranges of a character class."""
    ranges: list[list[int]] = []
    for code in chain(range(0x300, 0x1E00), range(0x20D0, 0x20F1), range(0xA66F, 0xABEE)):
        if unicodedata.category(chr(code)) in {"Mn", "Mc"}:
            if ranges and ranges[-1][1] == code - 1:
                ranges[-1][1] = code
            else:
                ranges.append([code, code])
    return "".join(f"{chr(first)}-{chr(last)}" for first, last in ranges)


_LETTER: Final = rf"(?:[^\W\d_]|[\u200c\u200d{_marks()}])"
_WORD: Final = rf"{_LETTER}++(?:'{_LETTER}++)*+"

_PLAIN: Final = patterns.re(rf"""["']*+({_WORD})('?)([.,;:!?"']*+)""")
_TRAILING: Final = patterns.re(r"""(?<=[^\s.,;:!?"')\]}…、。])[.,;:!?"')\]}…、。]++\Z""")
_LEADING: Final = patterns.re(r"""["'¿¡(\[{]++(?=[\w$€£¥])""")
_HYPHENATED: Final = patterns.re(rf"{_WORD}(?:-{_WORD})++")
_NUMBER_HYPHENATED: Final = patterns.re(r"([0-9][0-9.,]*+|[a-z]++)-([a-z]{2,}+(?:-[a-z]{2,}+)*+)")
_URL: Final = patterns.re(r"([A-Za-z][A-Za-z0-9+]*+://[^/?#\s]*+)(\S*+)")
_EMAIL: Final = patterns.re(r"[\w.+-]++@[\w-]++(?:\.[\w-]++)++")
_PATH: Final = patterns.re(r"(?:~|\.{1,2})?/(?=\S*\w)\S++|[A-Za-z]:\\\S++")
_FLAG: Final = patterns.re(r"--?[A-Za-z][\w-]*+(?:=\S++)?")
_RATE: Final = patterns.re(rf"((?:{CURRENCY}){NUMBER})/([a-z]++)")
_CODE: Final = patterns.re(r"\.?\w++(?:[._:/@&#^'+-]++\w++)*+[#+*-]*+")
_PIECE: Final = patterns.re(rf"{NUMBER}|\w*[0-9_]\w*+|{_WORD}|\S")
_PERIODS: Final = words.listed("second minute hour day week month year person user head")

# Their full stop ends no sentence.
_SHORTENED: Final = words.ABBREVIATIONS | words.listed(
    "jan feb mar apr jun jul aug sep sept oct nov dec"
)

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
    if match and (chunk.isascii() or not scripts.CHARACTER.search(chunk)):
        letters, possessive, ending = match.groups()
        if not ending:
            return word(letters, possessor=bool(possessive))
        if letters.lower() in _SHORTENED:
            ending = ending.removeprefix(".")
        tokens, needs = read(letters + possessive)
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
    if chunk.rstrip(",;:!?").lower() in MERIDIEMS and chunk[-1] not in {"!", "?"}:
        core = chunk.rstrip(",;:")
        token = Token(MERIDIEMS[core.lower()], Kind.MERIDIEM, 0, (), core)
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
        return _joined([_core(rate[1]), word("per"), word(rate[2])])
    value = spelled(core)
    if value:
        return Reading((value,), Need.VALUE)
    whole = _whole(core)
    if whole:
        return Reading((whole,), 0)
    return _hyphenated(core) or _code(core) or _pieces(core)


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
            return word(core)
        prefix, _, stem = lower.partition("-")
        if prefix in spelling.JOINING_PREFIXES and "-" not in stem:
            return word(core.replace("-", ""))
        if lower.endswith("ing"):
            # "a man-eating fish" is no "man eating fish".
            return Reading((bare(lower, core),), 0)
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
        return Reading((bare(lower, part),), 0)
    return word(part)


def _code(core: str) -> Reading | None:
    if not _CODE.fullmatch(core):
        return None
    letters = [character for character in core if character.isalpha()]
    # Case counts in a code of both cases or of one letter; "Node.js" only begins a sentence.
    mixed = core[1:] != core[1:].lower() and any(letter.islower() for letter in letters)
    return Reading((_coded(core if mixed or len(letters) == 1 else core.lower(), core),), 0)


def _pieces(core: str) -> Reading:
    parts: list[Reading] = []
    for match in _PIECE.finditer(core):
        piece = match[0]
        if piece[0].isdigit() or "_" in piece or (len(piece) > 1 and piece[0] == "."):
            whole = number(piece) if SIGNED.fullmatch(piece) else None
            parts.append(
                Reading((whole,), Need.VALUE) if whole else Reading((_coded(piece, piece),), 0)
            )
        elif piece[0].isalpha():
            parts.append(
                word(piece)
                if piece.isalpha() or "'" in piece
                else Reading((_coded(piece, piece),), 0)
            )
        elif piece == "\u2013":
            parts.append(Reading((_DASH,), 0))
        else:
            symbol = _symbol(piece)
            parts.append(Reading((symbol,), Need.PHRASE if piece == "&" else 0))
    return _joined(parts)


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


_STOP: Final = Token(STOP, Kind.PUNCTUATION, Mark.PUNCTUATION, (), STOP)
_DASH: Final = Token(DASH, Kind.SYMBOL, Mark.PUNCTUATION, (), DASH)
_PUNCTUATION: Final = {
    COMMA: Token(COMMA, Kind.PUNCTUATION, Mark.PUNCTUATION, (), COMMA),
    QUESTION: Token(QUESTION, Kind.PUNCTUATION, Mark.PUNCTUATION, (), QUESTION),
    # For finding a text a colon is the "is" that it may stand for.
    COLON: Token(COLON, Kind.PUNCTUATION, Mark.PUNCTUATION, ("is",), COLON),
}
