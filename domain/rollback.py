"""What is recorded of a rollback as a whole; what it did to memories is in their own streams."""

from dataclasses import dataclass
from datetime import datetime
from typing import ClassVar, TypeAlias

from .memory.events import SourceType
from .recorded import Words


@dataclass(frozen=True, slots=True, kw_only=True)
class Applied:
    """What a selection wrote was taken out of recall, by the events of the same command after this.

    The selection is ``memory``, ``actor``, ``source_type``, ``source_ref``, ``session`` and the
    times, as far as they were given. The numbers say how many memories were hidden, brought back,
    and taken out of a memory that they had been folded into.
    """

    NAME: ClassVar[str] = "rollback.applied"
    SCHEMA: ClassVar[int] = 1

    hidden: int
    restored: int
    withdrawn: int
    memory: str | None = None
    actor: str | None = None
    source_type: SourceType | None = None
    since: datetime | None = None
    until: datetime | None = None
    source_ref: Words[str | None] = None
    session: Words[str | None] = None
    reason: Words[str] = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Undone:
    """A rollback was taken back, but for what had changed since: ``left`` of its memories."""

    NAME: ClassVar[str] = "rollback.undone"
    SCHEMA: ClassVar[int] = 1

    left: int
    reason: Words[str] = ""


Event: TypeAlias = Applied | Undone
