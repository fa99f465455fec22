"""What may happen to a memory: pure decisions that return the events, none where all is done.

A decision raises where a rule refuses. It acts and then holds: said again, it does nothing.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import TypedDict

from ..errors import Conflict, NotFound, Refused, StorageFailed
from ..identity import TRUST
from ..importance import Decay
from .events import (
    Archived,
    Described,
    Extended,
    Measure,
    Pinned,
    PinnedWhenTold,
    Recategorized,
    Reinforced,
    Rescored,
    Restored,
    Retagged,
    Revised,
    Saved,
    Source,
    SourceType,
    Store,
    Unpinned,
    UnpinnedWhenTold,
    Used,
)
from .state import State

_NOTHING: Mapping[str, str] = {}

MAX_TAGS = 32
MAX_METADATA_KEYS = 64
MAX_METADATA_BYTES = 16_384

COUNTED_ONCE = frozenset(["tool", "web"])
"""Source types whose repetition counts once a memory and reference: a page must not lift itself."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Observation:
    """Something that was said, ready to be kept."""

    content: str
    category: str | None
    tags: tuple[str, ...]
    metadata: Mapping[str, str]
    importance: float
    store: Store
    trust: int
    source: Source


@dataclass(frozen=True, slots=True, kw_only=True)
class Likeness:
    """How an observation compared with the memory that it repeats or extends."""

    similarity: float
    measure: Measure


def importance_now(memory: State, now: datetime, decay: Decay) -> float:
    """Importance at ``now``: as at archiving once archived, the base while pinned."""
    if memory.archived_base is not None:
        return memory.archived_base
    if memory.pinned:
        return memory.base
    return decay.at(
        now,
        base=memory.base,
        last_seen_at=memory.last_seen_at,
        scored_at=memory.scored_at,
    )


def create(
    observation: Observation,
    *,
    resembles: tuple[str, ...] = (),
    conflicts_with: tuple[str, ...] = (),
    likeness: Likeness | None = None,
) -> list[Saved]:
    """A memory of its own."""
    return [
        Saved(
            content=observation.content,
            category=observation.category,
            tags=observation.tags,
            metadata=observation.metadata,
            store=observation.store,
            chars=len(observation.content),
            importance=observation.importance,
            **_said(observation, likeness),
            resembles=resembles,
            conflicts_with=conflicts_with,
        )
    ]


def reinforce(
    memory: State, observation: Observation, likeness: Likeness, *, now: datetime, decay: Decay
) -> list[Reinforced]:
    """The same was said again. What does not count is recorded and moves nothing."""
    counted = counts(memory, observation)
    tags, metadata = _gathered(memory, observation) if counted else ((), _NOTHING)
    return [
        Reinforced(
            counted=counted,
            # what others added to it is not vouched for by who repeats the first statement
            lifts_trust=counted
            and observation.trust > memory.trust
            and len(memory.statements) == 1,
            importance=_raised(memory, observation, now, decay) if counted else memory.base,
            **_said(observation, likeness),
            tags_added=tags,
            metadata_added=metadata,
        )
    ]


def extend(
    memory: State, observation: Observation, likeness: Likeness, *, now: datetime, decay: Decay
) -> list[Extended]:
    """The same was said and more: the new text is appended after a blank line."""
    counted = counts(memory, observation)
    tags, metadata = _gathered(memory, observation)
    return [
        Extended(
            counted=counted,
            addition=observation.content,
            chars=extended_length(memory, observation.content),
            importance=_raised(memory, observation, now, decay) if counted else memory.base,
            **_said(observation, likeness),
            tags_added=tags,
            metadata_added=metadata,
        )
    ]


class _Said(TypedDict):
    trust: int
    source_type: SourceType
    source_model: str | None
    source_ref: str | None
    source_session: str | None
    similarity: float | None
    measure: Measure | None


def _said(observation: Observation, likeness: Likeness | None) -> _Said:
    """What every observation says of itself."""
    source = observation.source
    return {
        "trust": observation.trust,
        "source_type": source.type,
        "source_model": source.model,
        "source_ref": source.ref,
        "source_session": source.session,
        "similarity": likeness.similarity if likeness else None,
        "measure": likeness.measure if likeness else None,
    }


def counts(memory: State, observation: Observation) -> bool:
    """Whether a repetition is an observation of its own.

    Less trusted speakers never lift a memory, and a tool or page lifts it once.
    """
    if observation.trust < memory.trust:
        return False
    source = observation.source
    return source.type not in COUNTED_ONCE or (source.type, source.ref) not in memory.heard


def extended_length(memory: State, addition: str) -> int:
    """Characters of the text once ``addition`` is appended after a blank line."""
    return len(memory.content) + 2 + len(addition)


def _raised(memory: State, observation: Observation, now: datetime, decay: Decay) -> float:
    return max(importance_now(memory, now, decay), observation.importance)


def _gathered(memory: State, observation: Observation) -> tuple[tuple[str, ...], Mapping[str, str]]:
    """The tags and metadata that an observation adds: what is absent, within the limits."""
    known = {tag.casefold() for tag in memory.tags}
    tags = tuple(tag for tag in observation.tags if tag.casefold() not in known)
    metadata = dict(memory.metadata)
    added: dict[str, str] = {}
    for key, value in observation.metadata.items():
        if key in metadata or len(metadata) >= MAX_METADATA_KEYS:
            continue
        metadata[key] = value
        if metadata_bytes(metadata) > MAX_METADATA_BYTES:
            del metadata[key]
        else:
            added[key] = value
    return tags[: max(0, MAX_TAGS - len(memory.tags))], added


def metadata_bytes(metadata: Mapping[str, str]) -> int:
    """Bytes of UTF-8 that keys and values take together."""
    return sum(len(key.encode()) + len(value.encode()) for key, value in metadata.items())


def revise(memory: State, content: str, by: SourceType = "owner") -> list[Revised]:
    """Rewrite the text. An episode is what happened: its text is final.

    The words are from here on those of who rewrote them, so they are trusted no further.
    """
    require_live(memory)
    if memory.content == content:
        return []
    if memory.store == "episodic":
        raise Refused(
            "An episode records what happened, so its text is final: save a correction instead.",
            code="episodic_is_final",
            field="id",
        )
    trust = TRUST[by]
    return [
        Revised(
            content=content,
            chars=len(content),
            trust=None if trust == memory.trust else trust,
            source_type=None if by == memory.source.type else by,
        )
    ]


def recategorize(memory: State, category: str | None) -> list[Recategorized]:
    """File it elsewhere."""
    require_live(memory)
    return [] if memory.category == category else [Recategorized(category=category)]


def retag(memory: State, tags: tuple[str, ...]) -> list[Retagged]:
    """Replace its tags."""
    require_live(memory)
    return [] if memory.tags == tags else [Retagged(tags=tags)]


def describe(memory: State, metadata: Mapping[str, str]) -> list[Described]:
    """Replace its metadata."""
    require_live(memory)
    return [] if memory.metadata == metadata else [Described(metadata=metadata)]


def rescore(memory: State, importance: float, *, now: datetime, decay: Decay) -> list[Rescored]:
    """Set its importance, from which it fades anew."""
    require_live(memory)
    if importance_now(memory, now, decay) == importance:
        return []
    return [Rescored(importance=importance)]


def use(memory: State) -> list[Used]:
    """It was recalled and used; every use counts."""
    require_live(memory)
    return [Used()]


def pin(memory: State, trigger: str | None = None, *, by_owner: bool = True) -> list[Pinned]:
    """Put it in the vault; ``trigger`` are the words that ask for it."""
    _require_told(memory, trigger, by_owner=by_owner)
    if memory.pinned:
        return []
    return [Pinned() if trigger is None else PinnedWhenTold(trigger=trigger)]


def unpin(memory: State, trigger: str | None = None, *, by_owner: bool = True) -> list[Unpinned]:
    """Take it out of the vault; ``trigger`` are the words that ask for it."""
    _require_told(memory, trigger, by_owner=by_owner)
    if not memory.pinned:
        return []
    return [Unpinned() if trigger is None else UnpinnedWhenTold(trigger=trigger)]


def _require_told(memory: State, trigger: str | None, *, by_owner: bool) -> None:
    """The vault is the owner's: an agent opens it for what is in recall, on the user's words."""
    if by_owner:
        require_writable(memory)
        return
    if trigger is None:
        raise Refused(
            "An agent pins and unpins on the user's explicit words alone: quote them as trigger.",
            code="trigger_required",
            field="trigger",
        )
    require_live(memory)


def archive(
    memory: State, reason: str, *, now: datetime, decay: Decay, by_policy: bool
) -> list[Archived]:
    """Hide it from recall. The first reason and time stay.

    Args:
        memory: What is to be hidden.
        reason: Why, in somebody's words.
        now: The moment of the decision.
        decay: The curve that says what it is worth now.
        by_policy: Whether the system decides by itself, from which pinned memories are safe.
    """
    require_writable(memory)
    if memory.condition != "live":
        return []
    if memory.pinned and by_policy:
        raise Refused("It is pinned: no policy may archive it.", code="pinned", field="id")
    return [Archived(cause="request", importance=importance_now(memory, now, decay), reason=reason)]


def restore(memory: State) -> list[Restored]:
    """Bring it back into recall; a live one is left as it is."""
    require_writable(memory)
    if memory.condition == "quarantined":
        raise Refused(
            "It is quarantined: only its release brings it back.", code="quarantined", field="id"
        )
    return [Restored()] if memory.condition in ("archived", "superseded") else []


def require_version(memory: State | None, expected: int | None) -> None:
    """Refuses where a caller has decided on another version than the one that is here."""
    found = memory.version if memory else 0
    if expected is not None and expected != found:
        raise Conflict(
            f"It is at version {found:,}, not at the one that was decided on: read it again and"
            " decide again.",
            code="version_conflict",
            field="expected_version",
        )


def require_writable(memory: State) -> None:
    """Refuses where nothing may be written to a memory any more, or by this release."""
    if memory.condition == "purged":
        raise NotFound("It was purged: only its history is left.", code="purged", field="id")
    if memory.fault == "newer_release":
        raise Refused(
            "A newer release wrote to it, which this one cannot read: upgrade to change it.",
            code="newer_release",
            field="id",
        )
    if memory.fault is not None:
        raise StorageFailed(
            "Its stored events cannot be read in full: run `muniment verify`, and restore the log"
            " or its keys from a backup.",
            code=memory.fault,
            field="id",
        )


def require_live(memory: State, field: str = "id") -> None:
    """Refuses edits of what is not in recall; ``field`` is the input that named it."""
    require_writable(memory)
    if memory.condition != "live":
        back = "release" if memory.condition == "quarantined" else "restore"
        raise Refused(f"It is {memory.condition}: {back} it first.", code="not_live", field=field)
