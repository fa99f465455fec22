"""Proposals: how they begin, who decides on them, and the one memory that comes of each."""

from muniment.domain.proposal import events as p

from ..facts import Stored
from ..fold import Log


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
