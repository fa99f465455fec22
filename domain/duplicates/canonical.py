"""The canonical form of a text, step by step."""

import re
from dataclasses import dataclass
from itertools import chain, pairwise
from typing import Final

from .. import patterns
from . import phrases, scripts, units, words
from .characters import fold, settle
from .lexer import lex, read
from .operators import NEGATIONS
from .spelling import NEVER_AT_THE_START, SPELLINGS
from .tokens import COLON, COMMA, QUESTION, STOP, Kind, Mark, Need, Token
from .values import combine

LONGEST: Final = 4096
"""Characters; a longer text is the same only if equal after NFKC, white space and case."""

_VERBATIM: Final = "\n"
# A member of an enumeration is slow to look up, and these are asked for once per token.
_ARTICLE: Final = Kind.ARTICLE
_NUMBER: Final = Kind.NUMBER
_PUNCTUATION: Final = Kind.PUNCTUATION
_CODE: Final = patterns.re(r"```.+?```|`[^`\n]++`", re.DOTALL)
_LETTERS: Final = patterns.re(r"[^\W\d_]++")
_LONGEST_OPENING: Final = 6


@dataclass(frozen=True, slots=True, weakref_slot=True)
class Form:
    """A text in canonical form.

    ``key``: two texts of equal key say the same, deictic ones only on the same day. ``terms``: its
    distinct tokens without stop words, sorted, for the resemblance measure. ``deictic``: it points
    from the day of speaking ("tomorrow", "in 3 days"). ``marks``: a byte per token of the key, for
    ``relate``; empty if the text was too long, or too bare, to be read token by token.
    """

    key: str
    terms: tuple[str, ...]
    deictic: bool
    marks: bytes

    @property
    def tokens(self) -> list[str]:
        """The canonical tokens in order."""
        return self.key.split("\n")


def form(text: str) -> Form:
    """Reads a text into its canonical form; any text without lone surrogates has one."""
    text = text.strip()
    if len(text) > LONGEST:
        return _verbatim(text)
    tokens, needs, ascii_only = _lex(text)
    english = _is_english(tokens, needs, ascii_only=ascii_only)
    if needs & Need.CASE:
        tokens = _settle_case(tokens, capitals=len(tokens) > 2 and text.isupper())
    elif text.isupper():
        tokens = [_small(token) for token in tokens]
    if english and needs & Need.PHRASE:
        tokens = phrases.fold(tokens, read)
    if needs & Need.VALUE:
        tokens = combine(tokens, english=english)
    deictic = _is_deictic(tokens, needs) or (
        not ascii_only and scripts.DEICTIC.search(text) is not None
    )
    if needs & Need.POSSESSIVE:
        tokens = [_owner(tokens, at, english=english) for at in range(len(tokens))]
    if needs & Need.PUNCTUATION:
        tokens = _settle_punctuation(tokens, english=english)
    if english and needs & (Need.FILLER | Need.THAT):
        tokens = _without_fillers(tokens)
    if english and needs & Need.ARTICLE:
        tokens = _without_articles(tokens, sure=bool(needs & Need.ENGLISH))
    if not tokens:
        return _verbatim(text)
    return Form(
        "\n".join([token.key for token in tokens]),
        _terms(tokens, needs),
        deictic,
        bytes([token.mark for token in tokens]),
    )


def _verbatim(text: str) -> Form:
    folded = fold(text)
    found = set(_LETTERS.findall(folded))
    deictic = not found.isdisjoint(words.DEICTIC | words.DEICTIC_BEFORE_TIME)
    deictic = deictic or scripts.DEICTIC.search(folded) is not None
    return Form(_VERBATIM + folded, tuple(sorted(found)), deictic, b"")


def _lex(text: str) -> tuple[list[Token], int, bool]:
    if "`" not in text:
        settled = settle(text)
        ascii_only = settled.isascii()
        if not ascii_only and (scripts.CHARACTER.search(settled) or scripts.HANGUL.search(settled)):
            settled = scripts.settle(settled)
        return *lex(phrases.without_lead_in(settled)), ascii_only
    tokens: list[Token] = []
    needs = 0
    ascii_only = True
    end = 0
    for match in chain(_CODE.finditer(text), [None]):
        between = settle(text[end : match.start() if match else len(text)])
        ascii_only = ascii_only and between.isascii()
        more, asked = lex(phrases.without_lead_in(between) if end == 0 else between)
        tokens += more
        needs |= asked
        if match:
            end = match.end()
            quoted = match[0].replace("\\", "\\\\").replace("\n", "\\n")
            tokens.append(Token(quoted, Kind.CODE, Mark.CODE, (quoted,), quoted))
    return tokens, needs, ascii_only


def _is_english(tokens: list[Token], needs: int, *, ascii_only: bool) -> bool:
    if not needs & Need.FOREIGN:
        return ascii_only or bool(needs & Need.ENGLISH)
    foreign = sum(token.key in words.FOREIGN for token in tokens)
    return sum(token.key in words.ENGLISH for token in tokens) > foreign


def _opens(tokens: list[Token], at: int) -> bool:
    return at == 0 or tokens[at - 1].key in {STOP, QUESTION, COLON}


def _settle_case(tokens: list[Token], *, capitals: bool) -> list[Token]:
    settled: list[Token] = []
    for at, token in enumerate(tokens):
        raw, read_as = token.raw, token
        if raw == "A" and token.kind is Kind.ARTICLE and not _is_article(tokens, at, capitals):
            read_as = Token("A", Kind.WORD, Mark.CAPITAL, ("A",), "A")
        elif raw[:1].isupper() and token.key == raw.lower():
            key = _cased(token, opens=capitals or _opens(tokens, at), capitals=capitals)
            if key != token.key:
                read_as = token._replace(key=key, terms=(key.lower(),))
        settled.append(_small(read_as) if capitals else read_as)
    return settled


def _small(token: Token) -> Token:
    # Where everything is a capital, a capital marks no name.
    return token._replace(mark=token.mark & ~Mark.CAPITAL)


def _cased(token: Token, *, opens: bool, capitals: bool) -> str:
    key, raw = token.key, token.raw
    if len(raw) > 1 and raw.isupper() and key in words.CODES_LIKE_WORDS:
        return key if capitals else raw
    if key in words.NAMES_LIKE_WORDS and not opens:
        return raw
    if key in SPELLINGS and opens and key not in NEVER_AT_THE_START:
        return SPELLINGS[key]
    return key


def _is_article(tokens: list[Token], at: int, capitals: bool) -> bool:
    if at + 1 < len(tokens) and tokens[at + 1].key in words.AUXILIARIES:
        return False
    return _opens(tokens, at) or (capitals and tokens[at - 1].key in words.BEFORE_ARTICLE)


def _owner(tokens: list[Token], at: int, *, english: bool) -> Token:
    """A noun without its 's, unless that may be "is" or "has", or is no English one."""
    token = tokens[at]
    if not token.mark & Mark.POSSESSIVE or "'" not in token.raw:
        return token
    after = tokens[at + 1] if at + 1 < len(tokens) else None
    owns = (
        after is not None
        and after.mark & ~Mark.CAPITAL == 0
        and (after.key not in words.FUNCTION_WORDS and not after.key.endswith(("ed", "en", "ing")))
    )
    return token if owns and english else token._replace(key=token.raw.lower())


def _settle_punctuation(tokens: list[Token], *, english: bool) -> list[Token]:
    """Drops what only ends the text or stands where the words divide anyway.

    A stop inside the text stays, in one spelling: "Don't deploy. Friday is fine" is another text
    without it. So does a comma between two words that could belong together.
    """
    while tokens and tokens[-1].kind is _PUNCTUATION and tokens[-1].key in {STOP, COMMA}:
        tokens.pop()
    places = [at for at, token in enumerate(tokens) if token.kind is _PUNCTUATION]
    falling: list[int] = []
    start = 0
    for at in places:
        key = tokens[at].key
        if key == STOP:
            falls = at == 0 or tokens[at - 1].key in {STOP, QUESTION, COMMA}
            start = at + 1
        else:
            falls = key == COMMA and english and _comma_falls(tokens, start, at)
        if falls:
            falling.append(at)
    for at in reversed(falling):
        del tokens[at]
    return tokens


def _comma_falls(tokens: list[Token], start: int, at: int) -> bool:
    """Whether the comma here says nothing; ``start`` is where its sentence starts."""
    if at == start:
        return True
    after = tokens[at + 1].key
    if after in words.COMMA_FALLS_BEFORE or (at == 1 and tokens[0].key in words.FILLERS):
        return True
    opener = tokens[start].key
    if after in words.COMMA_FALLS_AFTER_OPENING:
        return opener in words.PREPOSITIONS or opener in words.CONJUNCTIONS
    if at - start > _LONGEST_OPENING or opener not in words.OPENINGS:
        return False
    last = tokens[at - 1]
    named = last.mark & Mark.CAPITAL and last.key.removesuffix("s") not in words.CALENDAR
    return not named and all(token.kind is not _PUNCTUATION for token in tokens[start:at])


def _without_fillers(tokens: list[Token]) -> list[Token]:
    if not NEGATIONS.isdisjoint([token.key for token in tokens]):
        return tokens  # "not really", "not simply": there they do not only fill
    kept: list[Token] = []
    for at, token in enumerate(tokens):
        if token.key in words.FILLERS and _fills(tokens, at):
            if kept and kept[-1].key == COMMA:
                kept.pop()
            continue
        if token.key == "that" and at and at + 1 < len(tokens) and _joins(tokens, at):
            continue
        if token.key == COMMA and not kept:
            continue
        kept.append(token)
    return kept or tokens


def _fills(tokens: list[Token], at: int) -> bool:
    if tokens[at].key != "please":
        return True
    ends = at + 1 == len(tokens) or tokens[at + 1].kind is _PUNCTUATION
    return ends or at == 0 or tokens[at - 1].kind is _PUNCTUATION


def _joins(tokens: list[Token], at: int) -> bool:
    """Whether "that" joins two clauses: "says that ...", "the tools that we sell"."""
    before, after = tokens[at - 1].key, tokens[at + 1].key
    if before in words.REPORTING:
        return after not in words.AUXILIARIES
    return after in words.SUBJECTS and before not in words.FUNCTION_WORDS


def _without_articles(tokens: list[Token], *, sure: bool) -> list[Token]:
    places = [at for at, token in enumerate(tokens) if token.kind is _ARTICLE]
    for at in reversed(places):
        if at + 1 < len(tokens) and _falls(tokens[at], tokens[at + 1], sure):
            key, kind, mark, terms, raw = tokens[at + 1]
            tokens[at : at + 2] = (Token(key, kind, mark | Mark.DETERMINED, terms, raw),)
    return tokens


def _falls(article: Token, after: Token, sure: bool) -> bool:
    if article.key == "the":
        return after.key != "charge"
    if after.kind in {Kind.SYMBOL, Kind.PUNCTUATION, Kind.ARTICLE}:
        return False
    if after.key in words.COUNTED_WITH_ARTICLE or after.key in words.AUXILIARIES:
        return False
    return sure or not after.mark & Mark.CAPITAL


def _is_deictic(tokens: list[Token], needs: int) -> bool:
    if not needs & (Need.DEICTIC | Need.VALUE):
        return False
    keys = [token.key for token in tokens]
    if not words.DEICTIC.isdisjoint(keys):
        return True
    if "in" not in keys and words.DEICTIC_BEFORE_TIME.isdisjoint(keys):
        return False
    for at, key in enumerate(keys[:-1]):
        after = keys[at + 1]
        if key in words.DEICTIC_BEFORE_TIME and after.removesuffix("s") in words.CALENDAR:
            return True
        if key == "in" and _is_span(tokens, at + 1):
            return True
    return False


def _is_span(tokens: list[Token], at: int) -> bool:
    """Whether a stretch of time starts here: "3 days", "a week"."""
    token = tokens[at]
    if token.kind is Kind.QUANTITY:
        return token.key.rpartition(" ")[2] in units.TIME_DIMENSIONS
    if token.kind is Kind.ARTICLE and at + 1 < len(tokens):
        unit = units.UNIT_WORDS.get(tokens[at + 1].key)
        return unit is not None and unit[0] in units.TIME_DIMENSIONS
    return False


def _terms(tokens: list[Token], needs: int) -> tuple[str, ...]:
    found = set(chain.from_iterable([token.terms for token in tokens]))
    if needs & Need.SCRIPT:
        found.update(scripts.pairs(tokens))
    if needs & Need.VALUE:
        for name, number in pairwise(tokens):
            if number.kind is _NUMBER and name.mark & Mark.CAPITAL and name.terms:
                # A name and its number are one thing: else a short text is not found by a
                # longer one that adds "Cone 10".
                found -= {number.key, *name.terms}
                found.add(f"{name.key} {number.key}")
    return tuple(sorted(found))
