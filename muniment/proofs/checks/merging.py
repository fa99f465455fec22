"""Merges and folds: what went into them, what they say of it, and how it is taken out again."""

from muniment.domain.memory import events as e

from ..facts import Stored
from ..fold import ABSORBED, Log
from .wording import listed


def sources_resolve(log: Log, event: Stored) -> str | None:
    """What a merge or fold names."""
    ids, least = (event["merged_from"], 2) if event.name == e.Merged.NAME else (event["folded"], 1)
    if event.stream in ids or len(set(ids)) != len(ids):
        return "it counts a memory twice"
    if len(ids) < least:
        return f"it names {len(ids)} memories"
    gone = log.missing(ids, event.space)
    return f"it names {listed(gone)}, which the space does not have" if gone else None


def sources_live(log: Log, event: Stored) -> str | None:
    """What a merge or fold takes in."""
    ids = event["merged_from"] if event.name == e.Merged.NAME else (event.stream, *event["folded"])
    for id_ in ids:
        memory = log.memory(id_, event.space)
        if memory is not None and memory.is_read and memory.condition != "live":
            return f"{id_} was {memory.condition}"
    return None


def source_versions(log: Log, event: Stored) -> str | None:
    """The versions that a merge was decided on."""
    ids, versions = event["merged_from"], event["source_versions"]
    if len(ids) != len(versions):
        return f"it names {len(ids)} memories and {len(versions)} versions"
    for id_, version in zip(ids, versions, strict=True):
        memory = log.memory(id_, event.space)
        if memory is not None and memory.version != version:
            return f"{id_} was at version {memory.version}, not {version}"
    return None


def merge_figures(log: Log, event: Stored) -> str | None:
    """What a merge says of its sources."""
    sources = log.readable(dict.fromkeys(event["merged_from"]), event.space)
    if not sources:
        return None
    return _differing(
        event,
        created_at=min(source.created_at for source in sources),
        last_seen_at=max(source.last_seen_at for source in sources),
        reinforcement_count=sum(source.count for source in sources),
        trust=min(source.trust for source in sources),
    )


def fold_figures(log: Log, event: Stored) -> str | None:
    """What a fold says of its copies."""
    copies = log.readable(event["folded"], event.space)
    survivor = log.readable([event.stream], event.space)
    if copies is None or survivor is None:
        return None
    everyone = (*survivor, *copies)
    return _differing(
        event,
        counts=tuple(copy.count for copy in copies),
        created_at=min(one.created_at for one in everyone),
        last_seen_at=max(one.last_seen_at for one in everyone),
        trust=max(one.trust for one in everyone),
    )


def _differing(event: Stored, **due: object) -> str | None:
    for name, value in due.items():
        if event[name] != value:
            return f"its {name} is {event[name]}, its sources make it {value}"
    return None


def sources_archived(log: Log, event: Stored) -> str | None:
    """What follows a merge or fold."""
    due = log.absorption
    if due is not None:
        return None if due.takes(event) else f"{listed(sorted(due.left))} had to be archived here"
    if event.name != e.Archived.NAME or event.facts is None or event["cause"] not in ABSORBED:
        return None
    if event["merged_into"] is None or log.memory(event["merged_into"], event.space) is None:
        return None  # that alone is what is wrong with it
    return f"no {event['cause']} stands before it under its command"


def chain_unbroken(log: Log, event: Stored) -> str | None:
    """What an archive was merged into."""
    into = event["merged_into"]
    if into is None:
        return None
    target = log.memory(into, event.space)
    if target is None or into == event.stream:
        return f"it was merged into {into}, which the space does not have"
    if target.is_read and target.condition != "live":
        return f"it was merged into {into}, which was {target.condition}"
    return None


def not_merge_source(log: Log, event: Stored) -> str | None:
    """What is merged away."""
    known = log.subjects.get(event.stream)
    if known is None or not known.is_read or not known.is_merged_away:
        return None
    return f"it was merged into {known.merged_into}, and nobody had restored it"


def retraction_restored(log: Log, event: Stored) -> str | None:
    """Why a count is taken out, and of what."""
    restored = event["restored"]
    if event.command != log.command or restored not in log.restored:
        return f"its command had not restored {restored}"
    known = log.memory(restored, event.space)
    if event.stream in log.absorbers(restored) or (known is not None and not known.is_read):
        return None
    return f"{restored} was no part of it, or had been taken out already"


def rejection_sources(log: Log, event: Stored) -> str | None:
    """What a refused merge was of."""
    sources = event["sources"]
    if len(set(sources)) < 2 or event.stream not in sources:
        return "it names fewer than two memories, or not the one that it stamps"
    gone = log.missing(sources, event.space)
    return f"it names {listed(gone)}, which the space does not have" if gone else None
