"""The removal of words: why it may be, that it was asked for, and that it is whole and final."""

import re
from datetime import timedelta

from muniment.domain.erasure import events as erasure
from muniment.domain.memory import events as e

from ..facts import MEMORY_NAMES, Stored
from ..fold import OTHERS, Log
from .wording import listed

_DAY = timedelta(days=1)
_REQUESTS = (e.PurgeRequested.NAME, erasure.WordsPurgeRequested.NAME)
_ENDS = (e.Purged.NAME, erasure.WordsPurged.NAME)
_CODE = re.compile(r"[a-z0-9._-]{1,64}")


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
    if event.name in _ENDS:
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
    others = [id_ for kind in OTHERS for id_ in event[kind]]
    reached, kept = (*erased, *others), [event[kind] for kind in ("entries", "turns", "reports")]
    if not reached and not any(kept):
        return "it erases nothing"
    if len(set(reached)) != len(reached):
        return "it erases something twice"
    if set(erased) & set(spared):
        return "it spares what it erases"
    if event["kept"] and event["policy"] != "keep":
        return "it keeps something, which its policy is not"
    gone = log.missing((*erased, *spared), event.space)
    gone += [id_ for id_ in others if log.other(id_, event.space) is None]
    return f"it names {listed(gone)}, which the space does not have" if gone else None


def erasure_whole(log: Log, event: Stored) -> str | None:
    """What follows the request of an erasure."""
    due = log.erasing
    if due is not None:
        return None if due.takes(event) else f"{listed(sorted(due.left))} had to be asked for here"
    if event.facts is None or event.name not in _REQUESTS:
        return None
    if event.name == e.PurgeRequested.NAME and event["basis"] != "erasure":
        return None
    return "no erasure that names it stands before it under its command"


def erasure_done(log: Log, event: Stored) -> str | None:
    """The end of an erasure."""
    begun = log.erasures.get(event.stream)
    if begun is None or begun.space != event.space:
        return "nobody had asked for it"
    if begun.is_done:
        return "it had ended before"
    left = [id_ for id_ in begun.reached if not log.is_purged(id_)]
    return f"{listed(left)} had not been purged" if left else None


def nothing_after_purge(log: Log, event: Stored) -> str | None:
    """What happens to a stream whose words were removed."""
    known = log.subjects.get(event.stream)
    if known is None or known.condition != "purged" or event.name in (*_REQUESTS, *_ENDS):
        return None
    if known.is_memory and event.name not in MEMORY_NAMES:
        return None
    return "its words had been removed, or were about to be"
