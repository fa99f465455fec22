"""What a text says that must not be lost: its specifics."""

from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple


class Kind(StrEnum):
    """What a specific was recognised as."""

    NAME = "name"
    ACRONYM = "acronym"
    NUMBER = "number"
    MONTH = "month"
    IDENTIFIER = "identifier"
    SCRIPT = "script"
    NEGATION = "negation"


@dataclass(frozen=True, slots=True)
class Specific:
    """One specific as the text spells it; possessive endings and what closes a sentence are off."""

    spelt: str
    kind: Kind


class Part(NamedTuple):
    """A stretch of a text that may be a specific.

    ``gives`` are the keys under which a merged text that holds it is known to hold it; a text
    covers it if it gives one of ``needs``. ``bare_needs`` is what remains of these where numbers
    need not survive. Without a kind it only gives.
    """

    kind: Kind | None
    spelt: str
    needs: tuple[str, ...]
    gives: tuple[str, ...]
    bare_needs: tuple[str, ...] = ()


class Placed(NamedTuple):
    """A part, and whether a sentence opens with it."""

    part: Part
    opens: bool
