"""How memories leave: quarantine, legal hold, and the retention purge with its evidence.

Words are removed for good in two ways only: by the retention purge, and on an erasure request.
"""

from datetime import datetime, timedelta

from ..errors import Refused
from ..rules import Retention
from .decisions import require_live, require_writable
from .events import (
    Held,
    HoldReleased,
    Purged,
    PurgeRequested,
    QuarantineCause,
    Quarantined,
    Released,
)
from .state import State


def quarantine(memory: State, reason: str, cause: QuarantineCause) -> list[Quarantined]:
    """Hide it from recall until a person says that it may be trusted."""
    if memory.condition == "quarantined":
        return []
    require_live(memory)
    return [Quarantined(cause=cause, reason=reason)]


def release(memory: State) -> list[Released]:
    """Let it out of quarantine; one that is live is left as it is."""
    require_writable(memory)
    if memory.condition == "live":
        return []
    if memory.condition != "quarantined":
        raise Refused(
            f"It is {memory.condition}, not quarantined.", code="not_quarantined", field="id"
        )
    return [Released()]


def hold(memory: State, reason: str) -> list[Held]:
    """Put it under a legal hold, which blocks purge and erasure."""
    require_writable(memory)
    return [] if memory.held else [Held(reason=reason)]


def release_hold(memory: State) -> list[HoldReleased]:
    """Lift the legal hold."""
    require_writable(memory)
    return [HoldReleased()] if memory.held else []


def is_due(memory: State, now: datetime, retention: Retention) -> bool:
    """Whether a memory has been archived for longer than archived ones are kept."""
    if memory.condition not in ("archived", "superseded") or memory.archived_at is None:
        return False
    if retention.archive_days <= 0:
        return False
    return now - memory.archived_at > timedelta(days=retention.archive_days)


def is_protected(memory: State, now: datetime, retention: Retention) -> bool:
    """Whether a memory that is due is kept all the same.

    Pinned and held ones are, ones whose words cannot be read, and, until the longer time is over,
    those above the floor by their worth when they were archived or by how often they were said.
    """
    if memory.pinned or memory.held or memory.fault is not None:
        return True
    worth = memory.base if memory.archived_base is None else memory.archived_base
    if (
        worth < retention.protection_importance
        and memory.reinforcement_count < retention.protection_count
    ):
        return False
    if retention.protected_days is None or memory.archived_at is None:
        return True
    return now - memory.archived_at <= timedelta(days=retention.protected_days)


def request_purge(memory: State, *, now: datetime, retention: Retention) -> list[PurgeRequested]:
    """Ask for the key of a memory that is due and not protected to be destroyed."""
    if not is_due(memory, now, retention) or is_protected(memory, now, retention):
        return []
    return [
        PurgeRequested(
            basis="retention",
            archived_at=memory.archived_at,
            retention_days=retention.archive_days,
            importance=memory.base if memory.archived_base is None else memory.archived_base,
            reinforcement_count=memory.reinforcement_count,
            policy=retention.policy,
        )
    ]


def complete_purge(memory: State) -> list[Purged]:
    """Record that the key has been destroyed, with the evidence of the request."""
    asked = memory.removal
    if asked is None:
        return []
    return [
        Purged(
            basis=asked.basis,
            archived_at=asked.archived_at,
            retention_days=asked.retention_days,
            importance=asked.importance,
            reinforcement_count=asked.reinforcement_count,
            policy=asked.policy,
        )
    ]
