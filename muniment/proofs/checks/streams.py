"""The order of the log: times, versions, spaces, beginnings, and who writes."""

from ..facts import MEMORY_NAMES, Stored
from ..fold import BEGINNINGS, Log


def times_never_fall(log: Log, event: Stored) -> str | None:
    """Recorded times."""
    before = log.recorded_at
    if before is None or event.at >= before:
        return None
    return f"it was recorded {before - event.at} before its predecessor"


def streams_contiguous(log: Log, event: Stored) -> str | None:
    """Versions of a stream."""
    known = log.subjects.get(event.stream)
    due = 1 if known is None else known.version + 1
    return None if event.version == due else f"it is version {event.version} where {due} was due"


def one_space(log: Log, event: Stored) -> str | None:
    """The space of a memory; a process, which has a stream too, serves several."""
    known = log.subjects.get(event.stream)
    if known is None or not known.is_memory or known.space == event.space:
        return None
    return f"it is in the space {event.space}, its memory in {known.space}"


def begins_once(log: Log, event: Stored) -> str | None:
    """What a memory begins with."""
    known = log.subjects.get(event.stream)
    if known is None:
        return (
            "no memory begins with it"
            if event.name in MEMORY_NAMES and event.name not in BEGINNINGS
            else None
        )
    if not known.is_memory:
        return "its stream is no memory's" if event.name.startswith("memory.") else None
    return "the memory had begun before" if event.name in BEGINNINGS else None


def no_subagent(_: Log, event: Stored) -> str | None:
    """Who writes."""
    if event.actor.startswith("subagent:") and event.name.startswith("memory."):
        return f"{event.actor} wrote it"
    return None
