"""Which memories hold the words of which, and how far an erasure reaches.

They are followed by the ids in the log, never by comparing texts.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from ..memory.events import Folded, Imported, Merged
from ..recorded import Recorded
from .events import Policy

DERIVING: Final[tuple[str, ...]] = (Merged.NAME, Folded.NAME, Imported.NAME)
"""Names of the events that say whose words a memory holds besides its own."""


@dataclass(slots=True)
class Lineage:
    """Which memories hold the words of which, as far as events say so.

    ``sources`` are what a memory's text was made of, ``results`` the other way. ``alike`` says the
    same text: a fold absorbs exact repetitions, so whoever erases one erases them all. A source
    that was restored counts still: the result has its words.
    """

    sources: Mapping[str, set[str]] = field(default_factory=lambda: defaultdict[str, set[str]](set))
    results: Mapping[str, set[str]] = field(default_factory=lambda: defaultdict[str, set[str]](set))
    alike: Mapping[str, set[str]] = field(default_factory=lambda: defaultdict[str, set[str]](set))

    @classmethod
    def of(cls, events: Iterable[Recorded]) -> "Lineage":
        """The lineage that events of the names in ``DERIVING`` tell."""
        lineage, absorbed = cls(), list[tuple[str, str]]()
        for recorded in events:
            event = recorded.event
            if isinstance(event, Merged | Imported):
                for source in event.merged_from:
                    lineage.sources[recorded.stream].add(source)
                    lineage.results[source].add(recorded.stream)
                if isinstance(event, Imported) and event.merged_into is not None:
                    absorbed.append((recorded.stream, event.merged_into))
            elif isinstance(event, Folded):
                for copy in event.folded:
                    lineage._fold(recorded.stream, copy)
        for copy, into in absorbed:
            # what came merged into something that is not made of it was folded there
            if copy not in lineage.sources.get(into, ()):
                lineage._fold(into, copy)
        return lineage

    def _fold(self, one: str, other: str) -> None:
        self.alike[one].add(other)
        self.alike[other].add(one)


def _reached(start: Iterable[str], *links: Mapping[str, set[str]]) -> dict[str, None]:
    """What is reached from some ids over links, themselves first, each once."""
    reached = dict.fromkeys(start)
    waiting = list(reached)
    while waiting:
        id_ = waiting.pop()
        for link in links:
            for other in sorted(link.get(id_, ())):
                if other not in reached:
                    reached[other] = None
                    waiting.append(other)
    return reached


@dataclass(frozen=True, slots=True)
class Reach:
    """Ids: what an erasure takes, and what of the derived it would keep."""

    erased: tuple[str, ...]
    kept: tuple[str, ...]


def reach(
    named: Sequence[str], lineage: Lineage, policy: Policy, others: frozenset[str] = frozenset()
) -> Reach:
    """How far an erasure of some memories goes.

    What a named memory was made of goes with it, and so does what says the same: the words are
    there. But for ``others``, which are known to be about somebody else. What is derived from any
    of them goes too, unless it is kept; what else that was made of stays.
    """
    sources = {id_: made_of - others for id_, made_of in lineage.sources.items()}
    taken = _reached(named, sources, lineage.alike)
    derived = _reached(taken, lineage.results, lineage.alike)
    if policy == "keep":
        return Reach(tuple(taken), tuple(id_ for id_ in derived if id_ not in taken))
    return Reach(tuple(derived), ())
