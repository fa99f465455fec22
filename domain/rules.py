"""The figures that decisions go by, as the settings say them."""

from dataclasses import dataclass, field

from .access import Grants
from .coverage import Vocabulary
from .importance import Decay


@dataclass(frozen=True, slots=True, kw_only=True)
class DuplicateCheck:
    """How the save-time duplicate check looks and decides (defaults as in RockBot).

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
class Retention:
    """How long archived memories are kept, and which ones longer (defaults as in RockBot).

    ``archive_days`` of 0 or less keeps for ever. Above the floor, by importance at archiving or by
    count, nothing is purged before ``protected_days``; None: never.
    """

    archive_days: float = 90.0
    protection_importance: float = 0.80
    protection_count: int = 5
    protected_days: float | None = None

    @property
    def policy(self) -> str:
        """The figures in one line, for the evidence of a purge."""
        protected = "never" if self.protected_days is None else f"{self.protected_days:g}d"
        return (
            f"retention {self.archive_days:g}d, protected from {self.protection_importance:g} or"
            f" {self.protection_count}x: {protected}"
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """Every figure of the domain that an operator may set."""

    decay: Decay = field(default_factory=Decay)
    duplicate_check: DuplicateCheck = field(default_factory=DuplicateCheck)
    retention: Retention = field(default_factory=Retention)
    vocabulary: Vocabulary = field(default_factory=Vocabulary)
    access: Grants = field(default_factory=Grants)
