"""The figures that decisions go by, as the settings say them."""

from dataclasses import dataclass, field
from datetime import timedelta

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
class Distrust:
    """What is held back of what nobody vouches for.

    ``burst``: observations of one tool or page within a minute from which more are; ``flood``:
    those nearly the same.
    """

    enabled: bool = True
    burst: int = 300
    flood: int = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Gate:
    """How long proposals stay open, how many of one agent's, and whose are committed at once.

    ``auto_commit`` names the agents whose proposals of high confidence wait for nobody.
    """

    life_days: float = 7.0
    max_pending: int = 1_000
    auto_commit: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class Scratch:
    """How long entries of working memory live, and how many a namespace has (as in RockBot)."""

    default_ttl: timedelta = timedelta(minutes=5)
    per_namespace: int = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class Talk:
    """How much of a conversation is replayed, and how long it is kept.

    ``window`` counts turns; a session in which nothing was said for ``idle`` begins anew; turns
    are kept for ``retention`` at most, reports of tool calls for ``report_retention``. ``budget``
    is how many tokens a turn's context may take.
    """

    window: int = 20
    idle: timedelta = timedelta(hours=1)
    retention: timedelta = timedelta(days=30)
    report_retention: timedelta = timedelta(days=7)
    budget: int = 16_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """Every figure of the domain that an operator may set."""

    decay: Decay = field(default_factory=Decay)
    duplicate_check: DuplicateCheck = field(default_factory=DuplicateCheck)
    retention: Retention = field(default_factory=Retention)
    vocabulary: Vocabulary = field(default_factory=Vocabulary)
    access: Grants = field(default_factory=Grants)
    gate: Gate = field(default_factory=Gate)
    distrust: Distrust = field(default_factory=Distrust)
    scratch: Scratch = field(default_factory=Scratch)
    talk: Talk = field(default_factory=Talk)
