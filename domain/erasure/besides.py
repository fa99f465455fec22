"""What an erasure reaches besides memories.

Recalls, proposals and feedback are streams of the log under keys of their own. What they hold of a
person is found by the name, as a word of its own, in whatever of them is words; what they hold of a
memory, by the ids in the log, and for a proposal also by its text: one that was not committed has
no id of it. What is kept beside the log is only counted here.
"""

from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from typing import Final, Literal, TypeAlias

from .. import recall, subjects
from ..feedback import Given
from ..memory.forms import canonical_form
from ..memory.state import State
from ..ports import Desk
from ..proposal.events import Committed, Made
from ..recall import Recalled
from ..recorded import Recorded, words_of
from .events import Scope, WordsPurged, WordsPurgeRequested

Kind: TypeAlias = Literal["recalls", "proposals", "feedback"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Besides:
    """How much an erasure reaches besides memories.

    ``recalls`` are streams of them, one a session, agent and month; ``entries`` are those of
    working memory, ``turns`` of conversations, ``reports`` of tool calls.
    """

    recalls: int = 0
    proposals: int = 0
    feedback: int = 0
    entries: int = 0
    turns: int = 0
    reports: int = 0


NOTHING: Final = Besides()


@dataclass(frozen=True, slots=True, kw_only=True)
class Worded:
    """A stream that has words and is no memory's.

    ``memories`` are those that it became or is about, ``content`` is what was proposed.
    """

    id: str
    kind: Kind
    version: int
    texts: tuple[str, ...] = ()
    content: str | None = None
    memories: frozenset[str] = frozenset()
    is_removed: bool = False


_KINDS: Final[dict[type, Kind]] = {Recalled: "recalls", Made: "proposals", Given: "feedback"}
_BEGINNINGS: Final = (Recalled.NAME, Made.NAME, Given.NAME)
_UNNAMED: Final = (Made.NAME, Given.NAME)
"""What can hold the words of a memory without anybody's name: which were recalled is a fact."""

_REMOVALS: Final = (WordsPurgeRequested, WordsPurged, recall.PurgeRequested, recall.Purged)


def evolve(known: Worded | None, recorded: Recorded) -> Worded | None:
    """The stream after one more event; None while it is none of these."""
    event = recorded.event
    if known is None:
        kind = _KINDS.get(event.__class__)
        if kind is None:
            return None
        known = Worded(id=recorded.stream, kind=kind, version=recorded.version)
    known = replace(known, version=recorded.version)
    if isinstance(event, _REMOVALS):
        return replace(known, is_removed=True, texts=(), content=None)
    if event is not None:
        known = replace(known, texts=(*known.texts, *words_of(event)))
    match event:
        case Made():
            return replace(known, content=event.content)
        case Committed():
            return replace(known, memories=known.memories | {event.memory})
        case Given():
            return replace(known, memories=frozenset(event.memory_ids))
        case _:
            return known


def find(desk: Desk, scope: Scope, subject: str | None, erased: Iterable[State]) -> list[Worded]:
    """What an erasure reaches of these streams, oldest first of each kind."""
    gone = list(erased)
    names = _BEGINNINGS if scope == "space" or subject is not None else _UNNAMED
    ids = dict.fromkeys(recorded.stream for recorded in desk.facts(*names))
    known = desk.states(list(ids), evolve)
    there = (known[id_] for id_ in ids if id_ in known and not known[id_].is_removed)
    if scope == "space":
        return list(there)
    memories = frozenset(memory.id for memory in gone)
    said = frozenset(canonical_form(memory.content).key for memory in gone if memory.content)
    return [one for one in there if _holds(one, subject, memories, said)]


def _holds(
    stream: Worded, subject: str | None, memories: frozenset[str], said: Collection[str]
) -> bool:
    if stream.memories & memories:
        return True
    if stream.content is not None and canonical_form(stream.content).key in said:
        return True
    return subject is not None and any(subjects.is_named_in(text, subject) for text in stream.texts)
