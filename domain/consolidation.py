"""Whether memories may be consolidated: an audit that finds a loss pauses it, a person resumes.

The pauses of a space are one stream.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import ClassVar, Final, TypeAlias
from uuid import UUID, uuid5

from .recorded import Recorded, Words

_NAMESPACE: Final = UUID("6d756e69-6d65-4e74-8063-6f6e736f6c00")


def stream(space: str) -> str:
    """The stream that the pauses of a space are in."""
    return str(uuid5(_NAMESPACE, space))


@dataclass(frozen=True, slots=True, kw_only=True)
class Paused:
    """Consolidation stops: ``because`` names the invariants that failed in a run of the audit."""

    NAME: ClassVar[str] = "consolidation.paused"
    SCHEMA: ClassVar[int] = 1

    because: tuple[str, ...]
    snapshot_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Resumed:
    """A person looked into the cause and lets it go on; who, is in the envelope."""

    NAME: ClassVar[str] = "consolidation.resumed"
    SCHEMA: ClassVar[int] = 1

    reason: Words[str] = ""


Event: TypeAlias = Paused | Resumed


@dataclass(frozen=True, slots=True)
class Consolidation:
    """Whether it is paused; since when, for which invariants, and by which run, where it is."""

    paused: bool = False
    since: datetime | None = None
    because: tuple[str, ...] = ()
    snapshot_id: str | None = None


def evolve(state: Consolidation, recorded: Recorded) -> Consolidation:
    """The state after one more event."""
    match recorded.event:
        case Paused(because=because, snapshot_id=snapshot_id):
            return Consolidation(True, recorded.recorded_at, because, snapshot_id)
        case Resumed():
            return Consolidation()
        case _:
            return state


def fold(history: Iterable[Recorded]) -> Consolidation:
    """The state after all events of the stream."""
    state = Consolidation()
    for recorded in history:
        state = evolve(state, recorded)
    return state


def pause(state: Consolidation, because: tuple[str, ...], snapshot_id: str) -> list[Paused]:
    """Stop it; one that is paused already stays so for its first reason."""
    if state.paused or not because:
        return []
    return [Paused(because=because, snapshot_id=snapshot_id)]


def resume(state: Consolidation, reason: str) -> list[Resumed]:
    """Let it go on; nothing where it is not paused."""
    return [Resumed(reason=reason)] if state.paused else []
