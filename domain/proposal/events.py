"""What can happen to a proposal. Names and schema numbers are the storage format, as for memories.

The proposer is the actor of ``proposal.made``, who decided that of the event that decides.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import ClassVar, Literal, TypeAlias

from ..memory.events import SourceType, Store
from ..recorded import Words

Confidence: TypeAlias = Literal["low", "medium", "high"]
RejectionCause: TypeAlias = Literal["request", "contradiction"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Made:
    """Something was proposed, as number ``number`` of its space.

    ``contradicts`` names open proposals that say something else about the same. ``trigger`` is what
    gave rise to it; ``core_worthy`` says that the proposer would keep it in every context.
    """

    NAME: ClassVar[str] = "proposal.made"
    SCHEMA: ClassVar[int] = 1

    number: int
    store: Store
    confidence: Confidence
    core_worthy: bool = False
    source_type: SourceType
    chars: int
    expires_at: datetime
    contradicts: tuple[str, ...] = ()
    content: Words[str] = ""
    category: Words[str | None] = None
    tags: Words[tuple[str, ...]] = ()
    trigger: Words[str | None] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Contradicted:
    """A later proposal says something else about the same."""

    NAME: ClassVar[str] = "proposal.contradicted"
    SCHEMA: ClassVar[int] = 1

    by: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Committed:
    """It became, or went into, a memory, in the same append."""

    NAME: ClassVar[str] = "proposal.committed"
    SCHEMA: ClassVar[int] = 1

    memory: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Rejected:
    """It is not to be remembered; ``cause``: on its own, or because ``by`` was committed."""

    NAME: ClassVar[str] = "proposal.rejected"
    SCHEMA: ClassVar[int] = 1

    cause: RejectionCause
    by: str | None = None
    reason: Words[str] = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Deferred:
    """It is left to be thought about; it can still be decided."""

    NAME: ClassVar[str] = "proposal.deferred"
    SCHEMA: ClassVar[int] = 1

    reason: Words[str] = ""


Event: TypeAlias = Made | Contradicted | Committed | Rejected | Deferred
