"""The figures that decisions go by, as the settings say them."""

from dataclasses import dataclass, field

from .importance import Decay


@dataclass(frozen=True, slots=True, kw_only=True)
class DuplicateCheck:
    """How the save-time duplicate check looks and decides (names and defaults of the seed).

    ``lexical_threshold`` is a Jaccard index, ``resembling`` the one from which memories are
    named as similar; ``max_extended`` bounds a text that grows by extension, in characters;
    ``max_matches`` bounds how many are compared.
    """

    enabled: bool = True
    lexical_threshold: float = 0.60
    resembling: float = 0.50
    max_extended: int = 2_000
    max_matches: int = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """Every figure of the domain that an operator may set."""

    decay: Decay = field(default_factory=Decay)
    duplicate_check: DuplicateCheck = field(default_factory=DuplicateCheck)
