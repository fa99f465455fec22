"""What a text is taken apart into."""

from enum import IntEnum
from typing import Final, NamedTuple


class Kind(IntEnum):
    """What a token was read as; the passes over a text choose by it."""

    WORD = 0
    ARTICLE = 1
    NUMBER = 2
    NUMBER_WORD = 3
    ORDINAL = 4
    SCALE = 5
    UNIT = 6
    CURRENCY = 7
    MONEY = 8
    QUANTITY = 9
    MONTH = 10
    MERIDIEM = 11
    TIME = 12
    DATE = 13
    CODE = 14
    PUNCTUATION = 15
    SYMBOL = 16
    SCRIPT = 17


class Mark:
    """What the comparison must know of a token besides its key; fits one byte."""

    CAPITAL: Final = 1
    DETERMINED: Final = 2  # an article fell before it
    POSSESSIVE: Final = 4
    VALUE: Final = 8
    CODE: Final = 16
    PUNCTUATION: Final = 32
    SCRIPT: Final = 64


class Need:
    """Which passes a chunk of text asks for."""

    ARTICLE: Final = 1
    VALUE: Final = 2
    PHRASE: Final = 4
    CASE: Final = 8
    PUNCTUATION: Final = 16
    FILLER: Final = 32
    DEICTIC: Final = 64
    FOREIGN: Final = 128
    ENGLISH: Final = 256
    SCRIPT: Final = 512
    POSSESSIVE: Final = 1024
    THAT: Final = 2048


class Token(NamedTuple):
    """One canonical token: equal keys say the same.

    ``terms`` is what the token adds to the resemblance measure, ``raw`` the text it was read from.
    """

    key: str
    kind: Kind
    mark: int
    terms: tuple[str, ...]
    raw: str


class Reading(NamedTuple):
    """The tokens of one chunk, and the passes that it asks for."""

    tokens: tuple[Token, ...]
    needs: int


COMMA: Final = ","
STOP: Final = "."
COLON: Final = ":"
QUESTION: Final = "?"
DASH: Final = "\u2013"
