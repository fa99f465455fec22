"""Reads one chunk of text, the characters between two blanks, into the parts that may be specifics.

Nothing is read across a blank here, so that the reading of a chunk can be kept. Numbers are only
found here; ``numbers`` reads them beside their neighbours.
"""

import re
from functools import lru_cache
from typing import Final, NamedTuple

from .. import patterns
from ..duplicates import scripts, units
from ..duplicates.lexer import read as tokens_of
from ..duplicates.spelling import CONTRACTIONS
from ..duplicates.tokens import Kind as Token
from . import generic
from .parts import Kind, Part, Placed


class Flag:
    """What a chunk does to the sentence and the clause around it; the low bits are polarity."""

    POLARITY: Final = 7
    OPENS: Final = 8  # a clause may begin before it
    CLOSES: Final = 16  # a clause may end after it
    ENDS: Final = 32  # a sentence ends after it
    VERB: Final = 64
    PRONOUN: Final = 128
    CONTENT: Final = 256
    VALUE: Final = 512  # a number, or a word that can stand with one
    APART: Final = 1024  # opens a clause even without a verb


class Chunk(NamedTuple):
    """One chunk, read.

    ``opening`` are its parts where a sentence opens with it, ``inside`` where it does not, and
    ``gives`` the keys of them all. ``core`` is what is left without the punctuation around it,
    ``lower`` that in small letters, ``tail`` the punctuation behind it.
    """

    opening: tuple[Placed, ...]
    inside: tuple[Placed, ...]
    gives: tuple[str, ...]
    flags: int
    core: str
    lower: str
    tail: str


_LETTER: Final = r"(?:[^\W\d_]|[\u0300-\u036f\u200c\u200d])"
_WORD: Final = rf"{_LETTER}++(?:'{_LETTER}++)*+'?"
_PLAIN: Final = patterns.re(r"([a-z]++)([.,;:!?]?)")
_ONE_WORD: Final = patterns.re(_WORD)
_LEADING: Final = patterns.re(r"""["'¿¡(\[{*_«]++(?=\S)|<(?=[A-Za-z])""")
_TRAILING: Final = patterns.re(r"""(?<=[^\s.,;:!?"')\]}*_>»、。])[.,;:!?"')\]}*_>»、。]++\Z""")
_URL: Final = patterns.re(r"[A-Za-z][A-Za-z0-9+.-]*+://\S++|www\.\S++")
_EMAIL: Final = patterns.re(r"[\w.+-]++@[\w-]++(?:\.[\w-]++)++")
_PATH: Final = patterns.re(r"(?:~|\.{1,2})?/(?=\S*\w)\S++|[A-Za-z]:\\\S++|\w\S*\\\S++")
_FLAG: Final = patterns.re(r"--[A-Za-z][\w-]*+(?:=\S++)?|-[A-Za-z]")
_INITIALS: Final = patterns.re(r"(?:[^\W\d_a-z]\.){1,}[^\W\d_a-z]\.?")
_SHORTENED: Final = patterns.re(r"[a-z](?:\.[a-z])++")
_SIGNS_OF_A_NAME: Final = frozenset("_.@#+:&*=")
_JOINED: Final = patterns.re(r"\.?[\w@*]++(?:[-._/:+&@#'*=]++[\w*]++)*+[/#+]*+")
_NUMBER: Final = patterns.re(r"[-+$€£¥₹₽₩]*+\d[\d.,:/'_^-]*+[$€£%°]?")
_SIGNED: Final = patterns.re(r"[<>≤≥≠~≈±#]=?\d(?:[\d.,]*\d)?")
_PIECE: Final = patterns.re(rf"(?:[-+$€£¥₹₽₩](?=\d))?\w++(?:[.,:/^-]++\w++)*+|{_WORD}")
_RUN: Final = patterns.re(
    r"[\u3041-\u309f]++|[\u3005-\u3007\u30a0-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff"
    r"\uf900-\ufaff\U00020000-\U0003ffff]++|[0-9][0-9.,:/-]*[0-9]|[0-9]|[^\W\d_\u3005-\u30ff"
    r"\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]"
    r"(?:[^\W\d_\u3005-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
    r"\U00020000-\U0003ffff]|[^\w\s!-/:-@\[-`{-~\u3000-\u303f\uff00-\uffef])*"
)
_VALUED: Final = frozenset(
    {Token.MONTH, Token.NUMBER_WORD, Token.SCALE, Token.ORDINAL, Token.CURRENCY}
)
_ENDINGS: Final = ("'ll", "'re", "'ve", "'d", "'m")
_LONGEST_KEPT: Final = 48
_LONGEST_ELISION: Final = 4  # "d'Ann", "dell'Arno"
_LONGEST_READ: Final = 256
_SHORTEST_ANY_CASE: Final = 5


def read(chunk: str) -> Chunk:
    """The reading of one chunk, kept for the next time if it is short."""
    return _kept(chunk) if len(chunk) <= _LONGEST_KEPT else _read(chunk)


@lru_cache(maxsize=1 << 14)
def _kept(chunk: str) -> Chunk:
    return _read(chunk)


def forget() -> None:
    """Drops the readings kept; nothing but speed depends on them."""
    _kept.cache_clear()


def whole(text: str) -> Part:
    """The part for a text that only survives as it is spelt."""
    key = f"={text}"
    return Part(Kind.IDENTIFIER, text, (key,), (key,))


def _read(chunk: str) -> Chunk:
    plain = _PLAIN.fullmatch(chunk)
    if plain:
        core, tail = plain[1], plain[2]
        return _chunk((_small(core),), core, tail, _ending(core, tail))
    leading = _LEADING.match(chunk)
    start = leading.end() if leading else 0
    trailing = _TRAILING.search(chunk, start)
    end = trailing.start() if trailing else len(chunk)
    core, tail = chunk[start:end], chunk[end:]
    if not any(map(str.isalnum, core)):
        return _chunk((), core, tail, _signs(core + tail))
    flags = _ending(core, tail)
    if leading and leading[0][-1] in "([{":
        flags |= Flag.OPENS
    return _chunk(tuple(_parts(core)), core, tail, flags)


def _chunk(parts: tuple[Part, ...], core: str, tail: str, flags: int) -> Chunk:
    lower = core.lower()
    word = lower.removesuffix("'s")
    polarity = generic.POLARITY.get(lower, 0)
    if core != lower and lower not in generic.POLARITY_IF_CAPITAL:
        polarity = 0
    if (
        lower.endswith("n't")
        or lower.startswith("non-")
        or CONTRACTIONS.get(lower, "").endswith(" not")
    ):
        polarity |= generic.NOT
    flags |= polarity
    if polarity or word in generic.VERBS or _like_a_verb(core):
        flags |= Flag.VERB
    if word in generic.PRONOUNS or lower.partition("'")[0] in generic.PRONOUNS:
        flags |= Flag.PRONOUN
    if lower in generic.CONJUNCTIONS:
        flags |= Flag.OPENS
    if lower in generic.ALWAYS_OPEN:
        flags |= Flag.APART
    if core == lower and parts and word not in generic.FUNCTION and not polarity:
        flags |= Flag.CONTENT
    if any(map(str.isdigit, core)) or lower in units.MONTHS or _valued(core):
        flags |= Flag.VALUE
    gives = tuple(dict.fromkeys(key for part in parts for key in part.gives))
    opening = tuple(Placed(part, opens=True) for part in parts)
    inside = tuple(Placed(part, opens=False) for part in parts)
    return Chunk(opening, inside, gives, flags, core, lower, tail)


def _valued(core: str) -> bool:
    if len(core) > _LONGEST_KEPT or not core.isascii() or not core.replace("-", "").isalpha():
        return False
    tokens = tokens_of(core).tokens
    return len(tokens) == 1 and tokens[0].kind in _VALUED


def _like_a_verb(core: str) -> bool:
    if len(core) < 4 or not core.islower():
        return False
    return core.endswith("ed") or (core[-1] == "s" and core[-2] not in "sui")


def _ending(core: str, tail: str) -> int:
    if not tail:
        return 0
    if "!" in tail or "?" in tail or ":" in tail or ";" in tail or "。" in tail:
        return Flag.ENDS | Flag.CLOSES
    if "." in tail:
        lower = core.lower()
        shortened = lower in generic.ABBREVIATIONS or (len(core) == 1 and core.isalpha())
        return 0 if shortened or _INITIALS.fullmatch(core) else Flag.ENDS | Flag.CLOSES
    return Flag.CLOSES if any(mark in tail for mark in ",)]}、") else 0


def _signs(signs: str) -> int:
    if any(mark in signs for mark in ".!?:;。"):
        return Flag.ENDS | Flag.CLOSES
    return Flag.CLOSES if signs.strip("\"'*_`") else 0


def _parts(core: str) -> list[Part]:
    if not core.isascii() and any(map(_without_case, core)):
        return [_run(run) for run in _RUN.findall(core)]
    if _ONE_WORD.fullmatch(core):
        return [_word(core)]
    if _URL.fullmatch(core) or _EMAIL.fullmatch(core) or _PATH.fullmatch(core):
        return [_identifier(core)]
    if _FLAG.fullmatch(core):
        return [_identifier(core)]
    if _INITIALS.fullmatch(core):
        return [_word(core.replace(".", ""))._replace(spelt=core)]
    if any(map(str.isdigit, core)):
        return _with_digits(core)
    return _joined(core) if _JOINED.fullmatch(core) else _pieces(core)


def _without_case(character: str) -> bool:
    if "\u10d0" <= character <= "\u10ff":
        return True  # Georgian capitals exist and nobody begins a name with one
    return character.isalpha() and character.lower() == character.upper() == character


def _run(run: str) -> Part:
    """A run of a script that marks no names: each survives as it is spelt."""
    if run[0].isdigit():
        return number(run)
    if scripts.CHARACTER.match(run[0]) or any(map(_without_case, run)):
        return whole(run)._replace(kind=Kind.SCRIPT)
    return _word(run)


def number(core: str) -> Part:
    """A number that is only known by its spelling; ``numbers`` replaces it where it knows more."""
    return whole(core)._replace(kind=Kind.NUMBER)


def _with_digits(core: str) -> list[Part]:
    if not any(map(str.isalpha, core)) and _NUMBER.fullmatch(core):
        return [number(core)]
    if _JOINED.fullmatch(core) and not core.startswith("'"):
        return [_identifier(core)]
    if _SIGNED.fullmatch(core):
        return [number(core)]
    return _pieces(core)


def _small(word: str) -> Part:
    return Part(None, word, (), (f"={word}",))


def _word(spelt: str) -> Part:
    word = spelt.removesuffix("'")
    lower = word.lower()
    if lower.endswith("'s"):
        word = word[:-2]
    elif "'" in word:
        if lower in CONTRACTIONS or lower.endswith("n't"):
            return Part(None, word, (), (f"={word}",))
        head, _, rest = word.rpartition("'")
        if lower.endswith(_ENDINGS):
            word = head
        elif head.islower() and len(head) <= _LONGEST_ELISION and rest[:1].isupper():
            word = rest
    if not word or word.islower():
        return _small(word)
    exact, folded = f"={word}", f"w:{word.casefold()}"
    if len(word) > 1 and word.isupper():
        needs = (exact,) if len(word) < _SHORTEST_ANY_CASE else (exact, folded)
        return Part(Kind.ACRONYM, word, needs, (exact, folded))
    if word[0].isupper():
        return Part(Kind.NAME, word, (folded,), (exact, folded))
    if any(map(str.isupper, word)):
        return _identifier(word)
    return _small(word)


def _identifier(core: str) -> Part:
    keys = [f"={core}"]
    if len(core) <= _LONGEST_READ:
        tokens = tokens_of(core).tokens
        if len(tokens) == 1 and tokens[0].kind is Token.CODE:
            keys.append(f"i:{tokens[0].key}")
    return Part(Kind.IDENTIFIER, core, tuple(keys), tuple(keys))


def _joined(core: str) -> list[Part]:
    """Words joined by signs: a dotted name, a path, a hyphenated word."""
    if _SHORTENED.fullmatch(core):
        return [_small(core)]
    if "'" not in core and not _SIGNS_OF_A_NAME.isdisjoint(core):
        return [_identifier(core)]
    halves = re.split(r"[-/']", core)
    if not all(halves):
        return [_identifier(core)]
    parts = [_word(half) for half in halves]
    if "/" in core:
        function = all(half.lower() in generic.FUNCTION or len(half) == 1 for half in halves)
        if function or all(part.kind in {Kind.NAME, Kind.ACRONYM} for part in parts):
            return [*parts, _small(core)]
        return [_identifier(core)]
    if all(half[0].isupper() for half in halves):
        folded = f"w:{core.casefold()}"
        return [Part(Kind.NAME, core, (folded,), (f"={core}", folded))]
    return [*parts, _small(core)]


def _pieces(core: str) -> list[Part]:
    pieces: list[str] = _PIECE.findall(core)
    if pieces == [core]:
        return [_identifier(core)]
    return [part for piece in pieces for part in _parts(piece)]
