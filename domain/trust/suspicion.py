"""Signs that a text should not be acted on: it instructs, it hides something, or it is no text.

Nothing here understands a text. The signs hold back what is crudely wrong and comes from where
nobody vouches for it, until a person has looked at it; what keeps a memory from being obeyed is
that it is rendered as data.
"""

import base64
import binascii
import math
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any, Final, Literal, TypeAlias

import re2 as untyped_re2  # type: ignore[import-untyped]  # it comes without types
import regex

from .. import patterns, texts
from .phrases import ENGLISH, OTHERS, STATUSES

re2: Any = untyped_re2

Sign: TypeAlias = Literal["instruction_like", "invisible_text", "encoded_wall", "burst", "flood"]

MEANINGS: Final[dict[Sign, str]] = {
    "instruction_like": "it reads like an instruction to whoever reads it",
    "invisible_text": "it holds characters that hide or turn text",
    "encoded_wall": "it holds a long run of encoded data",
    "burst": "its source said more within a minute than sources do",
    "flood": "its source said nearly the same many times within a minute",
}
"""What each sign means, as one is told."""

TRUSTED_FROM: Final = 2
"""The trust from which nothing is held back: a user or the owner says it."""


def _compiled(some: Iterable[str]) -> Any:
    options = re2.Options()
    options.max_mem = 64 << 20
    return re2.compile("|".join(f"(?:{pattern})" for pattern in some), options)


_INSTRUCTS: Final = patterns.deferred(lambda: _compiled((*ENGLISH, *OTHERS)))
_STATUS: Final = patterns.deferred(lambda: _compiled(STATUSES))
_MARKS: Final = patterns.regex(r"[\u0300-\u036f]")
_IGNORABLE: Final = patterns.regex(r"[\p{Default_Ignorable_Code_Point}\p{Cf}]")
_FLAGS: Final = patterns.regex(
    r"\U0001f3f4(?:\U000e0067\U000e0062)(?:\U000e0065\U000e006e\U000e0067"
    r"|\U000e0073\U000e0063\U000e0074|\U000e0077\U000e006c\U000e0073)\U000e007f"
)
"""The flags of England, Scotland and Wales, which are written with tag characters."""
_SELECTORS: Final = patterns.regex(r"[\ufe00-\ufe0f\U000e0100-\U000e01ef]{3,}")
_SPELT_OUT: Final = patterns.regex(r"(?<!\w)\p{L}(?:[ .*\-]\p{L}){3,200}(?!\w)")
_RUN: Final = patterns.regex(r"[A-Za-z0-9+/_-]{120,}={0,2}")
_LINES: Final = patterns.regex(r"(?:^[A-Za-z0-9+/]{56,80}\r?\n){3,}", regex.MULTILINE)
_HEX: Final = patterns.regex(r"(?:[0-9a-fA-F]{2}[ :]?){128,}")
_TOKEN: Final = patterns.regex(r"[A-Za-z0-9+/_-]{24,}={0,2}")
_LEET: Final = str.maketrans("013457@$", "oieastas")
_LOOKALIKES: Final = str.maketrans("асеорхуіјѕһԁԛԝкмтгαεορτυνικ", "aceopxyijshdqwkmtraeoptuvik")
"""Cyrillic and Greek letters that pass for Latin ones."""


def signs(parts: Iterable[str]) -> tuple[Sign, ...]:
    """The signs that the texts of an observation bear, each once."""
    found: list[Sign] = []
    for text in parts:
        bare = _FLAGS.sub("", text)
        if texts.hides_text(bare) or _SELECTORS.search(bare):
            found.append("invisible_text")
        if _is_wall(text):
            found.append("encoded_wall")
        if any(_INSTRUCTS.search(_STATUS.sub("you", reading)) for reading in _readings(text)):
            found.append("instruction_like")
    return tuple(dict.fromkeys(found))


def _readings(text: str) -> Iterator[str]:
    """The text as it may be read: plain, in disguise, and what is encoded in it."""
    plain = folded(text)
    yield plain
    joined = _SPELT_OUT.sub(lambda spelt: regex.sub(r"[ .*\-]", "", spelt[0]), plain)
    disguised = joined.translate(_LEET).translate(_LOOKALIKES)
    if disguised != plain:
        yield disguised
    for token in _TOKEN.finditer(text, concurrent=False):
        decoded = _decoded(token[0])
        if decoded is not None:
            yield folded(decoded)


def folded(text: str) -> str:
    """Compatible forms, lower case, Latin and Cyrillic letters without marks; nothing hidden."""
    shown = _IGNORABLE.sub("", unicodedata.normalize("NFKC", text)).casefold()
    bare = _MARKS.sub("", unicodedata.normalize("NFD", shown))
    return unicodedata.normalize("NFC", bare).replace("\u2019", "'")


def _decoded(token: str) -> str | None:
    """The text that a run of base64 holds; None where it holds none."""
    padded = token.rstrip("=") + "=" * (-len(token.rstrip("=")) % 4)
    try:
        text = base64.b64decode(padded, altchars=b"-_" if {"-", "_"} & set(token) else None)
        decoded = text.decode()
    except (binascii.Error, ValueError):
        return None
    return decoded if decoded.isprintable() or "\n" in decoded else None


def _is_wall(text: str) -> bool:
    return (
        any(_is_encoded(run[0]) for run in _RUN.finditer(text))
        or _LINES.search(text) is not None
        or any(len(set(run[0])) > 8 for run in _HEX.finditer(text))
    )


def _is_encoded(run: str) -> bool:
    """Whether a long run without a blank is data: every kind of character, and no order in them."""
    kinds = (str.isupper, str.islower, str.isdigit)
    if not all(any(map(kind, run)) for kind in kinds):
        return False
    shares = [count / len(run) for count in Counter(run).values()]
    return -sum(share * math.log2(share) for share in shares) > 4.5
