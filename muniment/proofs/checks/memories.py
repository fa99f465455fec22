"""What single events say of a memory: what it names, why it is hidden, how often it was seen."""

from muniment.domain.memory import events as e

from ..facts import Stored
from ..fold import ABSORBED, Log
from .wording import listed

_BARE = 12 + 2 + 16
"""Bytes of sealed words that say nothing: nonce, ``{}`` and tag."""


def names_memories(log: Log, event: Stored) -> str | None:
    """What a new memory is said to resemble or contradict."""
    gone = log.missing((*event["resembles"], *event["conflicts_with"]), event.space)
    return f"it names {listed(gone)}, which the space does not have" if gone else None


def episodes_final(log: Log, event: Stored) -> str | None:
    """Episodes."""
    known = log.subjects.get(event.stream)
    return "what happened was rewritten" if known is not None and known.is_episodic else None


def archive_fields(_: Log, event: Stored) -> str | None:
    """What an archive says."""
    cause, into = event["cause"], event["merged_into"]
    if not cause:
        return "it has no cause"
    if event.sealed <= _BARE:
        return "it has no reason"
    if cause in ABSORBED and into is None:
        return f"its cause is {cause}, and it does not say into what"
    if cause not in ABSORBED and into is not None:
        return f"its cause is {cause}, yet it names {into} as what took it in"
    return None


def import_fields(_: Log, event: Stored) -> str | None:
    """What an import of something archived says."""
    if event["condition"] in ("archived", "superseded") and event["archived_at"] is None:
        return f"it came as {event['condition']}, without a time of it"
    return None


def pinned_kept(log: Log, event: Stored) -> str | None:
    """Pinned memories, against policies."""
    known = log.subjects.get(event.stream)
    if known is None or not known.pinned or not event.actor.startswith("system:"):
        return None
    if event.name == e.PurgeRequested.NAME and event["basis"] == "erasure":
        return None  # it is somebody's right, not a policy
    return f"{event.actor} retired a pinned memory"


def seen_never_falls(log: Log, event: Stored) -> str | None:
    """When it was last seen, and how often."""
    known = log.memory(event.stream, event.space)
    if known is None or not known.is_read:
        return None
    if event.name == e.Folded.NAME:
        if min(event["counts"], default=0) < 0:
            return "its count falls"
        seen = event["last_seen_at"]
    elif event["counted"]:
        seen = event.at
    else:
        return None
    return None if seen >= known.last_seen_at else f"last seen falls from {known.last_seen_at}"


def counts_explained(log: Log, event: Stored) -> str | None:
    """How often it was seen, wherever an event says so."""
    if event.name == e.Imported.NAME:
        stated, subject = event["reinforcement_count"], None
        return None if stated >= 1 else f"it came with a count of {stated}"
    if event.name == e.MergeRetracted.NAME:
        stated, subject = event["count"], event["restored"]
    else:
        stated, subject = event["reinforcement_count"], event.stream
    known = log.memory(subject, event.space)
    if known is None or not known.is_read or known.count == stated:
        return None
    return f"it says {stated} of {subject}, whose events make it {known.count}"


def superseded_by_another(log: Log, event: Stored) -> str | None:
    """What a contradiction was decided for."""
    by = event["by"]
    if by == event.stream:
        return "it gave way to itself"
    return None if log.memory(by, event.space) else f"it gave way to {by}, which is not there"
