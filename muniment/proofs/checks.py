"""What has to hold of each event, given everything before it: one small function an invariant.

A function is asked before the event is taken in, and says in a sentence what is wrong, or None.
"""

import re
from datetime import timedelta

from muniment.domain.memory import events as e
from muniment.domain.proposal import events as p

from .facts import MEMORY_NAMES, Stored
from .fold import BEGINNINGS, Log

_DAY = timedelta(days=1)
_BARE = 12 + 2 + 16
"""Bytes of sealed words that say nothing: nonce, ``{}`` and tag."""

_ABSORBED = ("merge", "fold")
_CODE = re.compile(r"[a-z0-9._-]{1,64}")


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


def names_memories(log: Log, event: Stored) -> str | None:
    """What a new memory is said to resemble or contradict."""
    gone = log.missing((*event["resembles"], *event["conflicts_with"]), event.space)
    return f"it names {_listed(gone)}, which the space does not have" if gone else None


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
    if cause in _ABSORBED and into is None:
        return f"its cause is {cause}, and it does not say into what"
    if cause not in _ABSORBED and into is not None:
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


def held_kept(log: Log, event: Stored) -> str | None:
    """Memories under a legal hold."""
    known = log.subjects.get(event.stream)
    return "it was under a legal hold" if known is not None and known.held else None


def purge_requested_first(log: Log, event: Stored) -> str | None:
    """The request before a purge, and its evidence."""
    known = log.subjects.get(event.stream)
    if known is None or known.request is None:
        return "nobody had asked for it"
    return None if known.request == event.facts else "it does not say what its request said"


def purged_once(log: Log, event: Stored) -> str | None:
    """One request and one purge."""
    known = log.subjects.get(event.stream)
    if known is None:
        return None
    if event.name == e.Purged.NAME:
        return "it had been purged before" if known.is_purged else None
    return "its words had been removed before" if known.condition == "purged" else None


def retention_held(log: Log, event: Stored) -> str | None:
    """Why words were removed."""
    basis, archived_at, days = event["basis"], event["archived_at"], event["retention_days"]
    if basis == "erasure":
        return None
    if basis != "retention":
        return f"its basis is {basis}"
    known = log.memory(event.stream, event.space)
    if known is not None and known.is_read:
        if known.condition not in ("archived", "superseded"):
            return f"the memory was {known.condition}"
        if known.archived_at != archived_at:
            return f"it was archived at {known.archived_at}, not at {archived_at}"
    if archived_at is None or days is None or days <= 0:
        return "it does not say how long it was archived, or how long that had to be"
    if (event.at - archived_at) / _DAY < days:
        return f"it had been archived for {event.at - archived_at}, not for {days:g} days"
    return None


def erasure_fields(log: Log, event: Stored) -> str | None:
    """What an erasure says."""
    if event.version != 1:
        return "it does not begin its stream"
    if not _CODE.fullmatch(event["basis"]):
        return "its basis is no code"
    if event["policy"] not in ("cascade", "rewrite", "keep"):
        return f"its policy is {event['policy']}"
    erased, spared = event["erased"], (*event["kept"], *event["restored"], *event["left"])
    if not erased or len(set(erased)) != len(erased):
        return "it erases nothing, or something twice"
    if set(erased) & set(spared):
        return "it spares what it erases"
    if event["kept"] and event["policy"] != "keep":
        return "it keeps something, which its policy is not"
    gone = log.missing((*erased, *spared), event.space)
    return f"it names {_listed(gone)}, which the space does not have" if gone else None


def erasure_whole(log: Log, event: Stored) -> str | None:
    """What follows the request of an erasure."""
    due = log.erasing
    if due is not None:
        return None if due.takes(event) else f"{_listed(sorted(due.left))} had to be asked for here"
    if event.name != e.PurgeRequested.NAME or event.facts is None or event["basis"] != "erasure":
        return None
    return "no erasure that names it stands before it under its command"


def erasure_done(log: Log, event: Stored) -> str | None:
    """The end of an erasure."""
    begun = log.erasures.get(event.stream)
    if begun is None or begun.space != event.space:
        return "nobody had asked for it"
    if begun.is_done:
        return "it had ended before"
    left = [id_ for id_ in begun.erased if not log.is_purged(id_)]
    return f"{_listed(left)} had not been purged" if left else None


def nothing_after_purge(log: Log, event: Stored) -> str | None:
    """What happens to a purged memory."""
    known = log.subjects.get(event.stream)
    if known is None or known.condition != "purged" or event.name not in MEMORY_NAMES:
        return None
    if event.name in (e.PurgeRequested.NAME, e.Purged.NAME):
        return None
    return "its words had been removed, or were about to be"


def sources_resolve(log: Log, event: Stored) -> str | None:
    """What a merge or fold names."""
    ids, least = (event["merged_from"], 2) if event.name == e.Merged.NAME else (event["folded"], 1)
    if event.stream in ids or len(set(ids)) != len(ids):
        return "it counts a memory twice"
    if len(ids) < least:
        return f"it names {len(ids)} memories"
    gone = log.missing(ids, event.space)
    return f"it names {_listed(gone)}, which the space does not have" if gone else None


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
        return None if due.takes(event) else f"{_listed(sorted(due.left))} had to be archived here"
    if event.name != e.Archived.NAME or event.facts is None or event["cause"] not in _ABSORBED:
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


def retraction_restored(log: Log, event: Stored) -> str | None:
    """Why a count is taken out, and of what."""
    restored = event["restored"]
    if event.command != log.command or restored not in log.restored:
        return f"its command had not restored {restored}"
    known = log.memory(restored, event.space)
    if event.stream in log.absorbers(restored) or (known is not None and not known.is_read):
        return None
    return f"{restored} was no part of it, or had been taken out already"


def superseded_by_another(log: Log, event: Stored) -> str | None:
    """What a contradiction was decided for."""
    by = event["by"]
    if by == event.stream:
        return "it gave way to itself"
    return None if log.memory(by, event.space) else f"it gave way to {by}, which is not there"


def rejection_sources(log: Log, event: Stored) -> str | None:
    """What a refused merge was of."""
    sources = event["sources"]
    if len(set(sources)) < 2 or event.stream not in sources:
        return "it names fewer than two memories, or not the one that it stamps"
    gone = log.missing(sources, event.space)
    return f"it names {_listed(gone)}, which the space does not have" if gone else None


def proposal_begins(log: Log, event: Stored) -> str | None:
    """What a proposal begins with, and as which number."""
    known = log.subjects.get(event.stream)
    if event.name != p.Made.NAME:
        return None if known is not None and known.proposer else "nobody had proposed it"
    if known is not None:
        return "it had been proposed before"
    due = log.proposals.get(event.space, 0) + 1
    return None if event["number"] == due else f"it is #{event['number']} where #{due} was due"


def proposal_decided(log: Log, event: Stored) -> str | None:
    """Who decides on a proposal, and how often."""
    known = log.subjects.get(event.stream)
    if known is None or not known.proposer:
        return None
    if known.is_decided:
        return "it had been decided before"
    return f"{event.actor} had proposed it" if event.actor == known.proposer else None


def one_commit(log: Log, event: Stored) -> str | None:
    """The memory that comes of a proposal."""
    if event.name == p.Committed.NAME:
        come = log.come_of.get(event.stream, [])
        if come != [event["memory"]]:
            return f"{len(come)} observations of memories came of it, and it names one"
        return None
    source = log.source(event)
    if source is None:
        return None
    if source.is_decided or log.come_of.get(event.correlation or ""):
        return f"the proposal {event.correlation} had come to a memory, or to nothing, before"
    if not event.actor.startswith("bot:commit-from:"):
        return f"{event.actor} wrote what came of a proposal"
    return None


def _listed(ids: list[str]) -> str:
    return ", ".join(ids[:3]) + (f" and {len(ids) - 3} more" if len(ids) > 3 else "")
