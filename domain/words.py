r"""The words of a text, as search knows them.

A text is normalised (NFKC, case folded, accents off Latin and Greek letters), cut into words as
Unicode has them, and each word is reduced to its English Snowball stem. Scripts that put no blank
between words are cut into pairs of characters, because any two characters of such a text must find
it. A compound, as in ``user-preferences``, ``C++`` or ``GB/s``, counts whole and by its parts.
Signs count too, each once a text, so that nothing that can be written is beyond search.

Every pattern is possessive: the cost is linear in the length of the text, whatever it holds.
"""

import unicodedata
from collections.abc import Callable, Iterator
from itertools import pairwise
from threading import Lock
from typing import Final, NamedTuple

import Stemmer  # type: ignore[import-not-found]  # it comes without types

from . import patterns

_STOP_WORDS: Final = frozenset(
    """
    a about above after again all am an and any are aren as at be because been before being below
    between both but by can could couldn d did didn do does doesn doing don down during each few
    for from further had hadn has hasn have haven having he her here hers herself him himself his
    how i if in into is isn it its itself just ll m me more most my myself no nor not of off on
    once only or other our ours ourselves out over own re s same she should shouldn so some such t
    than that the their theirs them themselves then there these they this those through to too
    under until up ve very was wasn we were weren what when where which while who whom whose why
    will with would wouldn you your yours yourself yourselves
    """.split()  # noqa: SIM905 - two hundred quotation marks would not help the reader
)

_STEMS_KEPT = 65_536
_LONGEST_STEMMED = 64


class Terms(NamedTuple):
    """What a text is indexed by.

    ``sequence`` holds the stems in the order of the text, repetitions and stop words included;
    ``wholes`` what has no place in that order: the compounds, each as often as it occurs, then the
    signs, each once.
    """

    sequence: tuple[str, ...]
    wholes: tuple[str, ...]


class QueryTerms(NamedTuple):
    """What a query looks for.

    ``terms`` is in the order of the query, the compounds and signs after the words, repetitions
    included. Stop words are left out unless there is nothing else, and so are signs that are no
    emoji. ``pairs`` are the different pairs of words that stand side by side in the query.
    ``identifier`` is the one compound that the query consists of, as in ``Terms.wholes``.
    ``character`` is the one character that it consists of, where it is of a script without blanks:
    a text that has it between others is indexed by the pairs with it.
    """

    terms: tuple[str, ...]
    pairs: tuple[tuple[str, str], ...]
    identifier: str | None
    character: str | None


class _Stems(dict[str, str]):
    """Word → stem, filled as words are met and emptied when full.

    A lookup is one atomic step; only the stemmer, which isn't reentrant, is behind the lock.
    """

    def __init__(self) -> None:
        super().__init__()
        self._stem: Callable[[str], str] = Stemmer.Stemmer("english", 0).stemWord  # pyright: ignore[reportUnknownMemberType] - it comes without types
        self._lock = Lock()

    def __missing__(self, word: str) -> str:
        if len(word) > _LONGEST_STEMMED:
            return word
        with self._lock:
            stem = self._stem(word)
        if len(self) >= _STEMS_KEPT:
            self.clear()
        self[word] = stem
        return stem


_STEMS: Final = _Stems()

_JOINED = r"(?:[-_./:@&+#\\]{{1,3}}{word}++)*+[+#]*+"
_ASCII_TOKEN: Final = patterns.re(r"[a-z0-9]++" + _JOINED.format(word="[a-z0-9]"))
_ASCII_WORD: Final = patterns.re(r"[a-z0-9]++")
_ASCII_SIGN: Final = patterns.re(r"[!-/:-@\[-`{-~]")

_WORD = r"[\p{L}\p{M}\p{N}]"
_UNSPACED = r"\p{Han}\p{Hiragana}\p{Katakana}\u30FC\p{Hangul}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}"
_TOKEN: Final = patterns.regex(_WORD + "++" + _JOINED.format(word=_WORD))
_UNSPACED_LETTER: Final = patterns.regex(f"[{_UNSPACED}]")
_PART: Final = patterns.regex(
    rf"(?V1)([{_UNSPACED}&&{_WORD}]++)|[{_WORD}--[{_UNSPACED}]]++",
)
_SIGN: Final = patterns.regex(r"\p{Regional_Indicator}{2}|[\p{P}\p{S}\p{Co}\p{Cn}]")
_INVISIBLE: Final = patterns.re(
    r"[\u00AD\u034F\u061C\u180B-\u180F\u200B-\u200F\u202A-\u202E\u2060-\u206F\u20D0-\u20FF"
    r"\uFE00-\uFE0F\uFEFF\U0001F3FB-\U0001F3FF\U000E0000-\U000E0FFF]++"
)
_ACCENT: Final = patterns.re(r"[\u0300-\u036F]")
_LOOSE_ACCENTS: Final = patterns.regex(r"(?<=[\p{Latin}\p{Greek}])[\u0300-\u036F]++")


def _folded_letters() -> dict[int, str]:
    """The composed Latin and Greek letters without their accents, and the hyphens as one."""
    letters = {0x2010: "-", 0x2212: "-"}
    latin_or_greek = patterns.regex(r"[\p{Latin}\p{Greek}]")
    for code in range(0xC0, 0x2000):
        base, *marks = list(unicodedata.normalize("NFD", chr(code)))
        if marks and latin_or_greek.match(base):
            rest = "".join(mark for mark in marks if not "\u0300" <= mark <= "\u036f")
            letters[code] = base + rest
    return letters


_FOLDED_LETTERS: Final = _folded_letters()


def words(text: str) -> Terms:
    """The terms that a text is found by, in time linear in its length."""
    sequence: list[str] = []
    wholes: list[str] = []
    stems = _STEMS
    if text.isascii():
        text = text.lower()
        for token in _ASCII_TOKEN.findall(text):
            if token.isalnum():
                sequence.append(stems[token])
            else:
                wholes.append(token)
                sequence += [stems[word] for word in _ASCII_WORD.findall(token)]
        wholes += sorted(set(_ASCII_SIGN.findall(text)))
    else:
        text = _normalised(text)
        spaced = _UNSPACED_LETTER.search(text) is None
        for token in _TOKEN.findall(text):
            if spaced and token.isalnum():
                sequence.append(stems[token])
                continue
            if _is_compound(token):
                wholes.append(token)
            sequence += [stems[word] for word in _parts(token)]
        wholes += _signs(text)
    return Terms(tuple(sequence), tuple(wholes))


def query_terms(text: str) -> QueryTerms:
    """The terms that a query looks for. Any text is a query; nothing in it is an operator."""
    text = _normalised(text)
    tokens: list[str] = _TOKEN.findall(text)
    compounds = [token for token in tokens if _is_compound(token)]
    sequence = [word for token in tokens for word in _parts(token)]
    signs = _signs(text)
    emoji = [sign for sign in signs if unicodedata.category(sign[0]) in {"So", "Co", "Cn"}]
    wanted = [word not in _STOP_WORDS for word in sequence]
    if not any(wanted) and not compounds and not emoji:
        wanted = [True] * len(sequence)
    stems = [_STEMS[word] for word in sequence]
    terms = [stem for stem, want in zip(stems, wanted, strict=True) if want]
    terms += compounds
    terms += emoji if terms or emoji else signs
    pairs = (
        pair
        for pair, both in zip(pairwise(stems), pairwise(wanted), strict=True)
        if both == (True, True)
    )
    return QueryTerms(
        terms=tuple(terms),
        pairs=tuple(dict.fromkeys(pairs)),
        identifier=compounds[0] if len(compounds) == len(tokens) == 1 else None,
        character=terms[0] if len(terms) == 1 and _UNSPACED_LETTER.fullmatch(terms[0]) else None,
    )


def _normalised(text: str) -> str:
    if text.isascii():
        return text.lower()
    text = unicodedata.normalize("NFKC", text).casefold()
    text = unicodedata.normalize("NFKC", _INVISIBLE.sub("", text))
    text = text.translate(_FOLDED_LETTERS)
    return _LOOSE_ACCENTS.sub("", text) if _ACCENT.search(text) else text


def _is_compound(token: str) -> bool:
    return not token.isalnum() and _SIGN.search(token) is not None


def _parts(token: str) -> Iterator[str]:
    """The words of a token; scripts without blanks as pairs of characters, or one that is alone."""
    for match in _PART.finditer(token):
        part = match.group()
        if match.group(1) is None or len(part) == 1:
            yield part
        else:
            yield from (part[at : at + 2] for at in range(len(part) - 1))


def _signs(text: str) -> list[str]:
    return sorted(set(_SIGN.findall(text)))
