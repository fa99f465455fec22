"""Whom something reached: forward over merges, additions and recalls, to memories and sessions."""

import heapq
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from typing import ClassVar

from muniment.domain.access import is_kept_from, reads_words
from muniment.domain.memory.state import State
from muniment.projections.provenance import Write
from muniment.projections.recall_log import Hit

from .lineage import Edge, EdgeKey, Graph, Node, bare, instant, into, marked, of_link, source_of
from .reading import Reading
from .selected import Selected

_BATCH = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class Touched:
    """A session that memories came into the context of an agent in, and when they first did.

    ``session`` is None where its name was purged, or is not to be read.
    """

    session: str | None
    agent: str
    first_at: datetime
    memories: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class BlastRadius(Graph):
    """What the selection wrote (``origins``), and the ``memories``, sessions and agents it reached.

    Of ``memories`` the origins are a part. Those that only recalls lead to are marked as possible
    in the graph.
    """

    origins: tuple[str, ...]
    memories: tuple[str, ...]
    sessions: tuple[Touched, ...]
    agents: tuple[str, ...]


class GetBlastRadius(Selected):
    """Which memories, sessions and agents something reached that was written."""

    VERB: ClassVar[str] = "blast_radius"

    def answer(self, reading: Reading) -> BlastRadius:
        """The graph ahead of what was written."""
        selection = self.selection(reading)
        spread = _Spread(reading)
        with reading.lock:
            writes = reading.provenance().select(selection)
            spread.begin(writes)
            spread.follow_links()
            certain = set(spread.reached)
            spread.follow_recalls()
            sessions = tuple(spread.sessions())
        found = BlastRadius(
            origins=tuple(dict.fromkeys(write.memory for write in writes)),
            memories=tuple(spread.reached),
            sessions=sessions,
            agents=tuple(sorted({one.agent for one in sessions})),
            nodes=tuple(marked(spread.nodes(), certain)),
            edges=tuple(spread.edges.values()),
        )
        if reads_words(reading.identity.role, reading.rules.access):
            return found
        return replace(
            bare(found), sessions=tuple(replace(one, session=None) for one in found.sessions)
        )


def possibly_reached(reading: Reading, writes: Iterable[Write]) -> dict[str, str]:
    """Memories that only recalls lead to from some writes, each with one that was recalled.

    Hold the lock.
    """
    spread = _Spread(reading)
    spread.begin(writes)
    spread.follow_links()
    certain = set(spread.reached)
    spread.follow_recalls()
    leading = {edge.target: edge.source for edge in reversed(spread.edges.values())}
    return {id_: leading[id_] for id_ in spread.reached if id_ not in certain}


class _Spread:
    """Forward from the oldest: each memory is met first at the earliest moment that matters.

    ``reached`` has, of each memory, the version from which on it is touched, and the depth.
    """

    def __init__(self, reading: Reading) -> None:
        self._reading = reading
        self._due: list[tuple[int, int, str, int]] = []
        self.reached: dict[str, tuple[int, int]] = {}
        self.edges: dict[EdgeKey, Edge] = {}

    def begin(self, writes: Iterable[Write]) -> None:
        for write in writes:
            self._meet(write.memory, write.position, write.version, 0)

    def _meet(self, id_: str, position: int, version: int, depth: int) -> None:
        heapq.heappush(self._due, (position, depth, id_, version))

    def follow_links(self) -> None:
        """Merges and the like, wave by wave, so that links are looked up together."""
        while self._due:
            wave: dict[str, tuple[int, int]] = {}
            while self._due:
                position, depth, id_, version = heapq.heappop(self._due)
                if id_ not in self.reached:
                    self.reached[id_] = version, depth
                    wave[id_] = position, depth
            for link in self._reading.provenance().out_of(wave):
                since, depth = wave[link.source]
                if link.position >= since:
                    self._draw(of_link(link))
                    self._meet(link.target, link.position, link.version, depth + 1)

    def follow_recalls(self) -> None:
        """What was written in a session after a touched memory was recalled in it, and so on."""
        looked_at: set[str] = set()
        while fresh := [id_ for id_ in self.reached if id_ not in looked_at]:
            looked_at.update(fresh)
            for hit in self._hits(fresh):
                if hit.stream.session is not None:
                    self._follow_recall(hit, hit.stream.session)
            self.follow_links()

    def _follow_recall(self, hit: Hit, session: str) -> None:
        written = [
            write
            for write in self._reading.provenance().writes_in(session)
            if write.kind not in ("reinforced", "lifted") and write.memory != hit.memory
        ]
        first = bisect_left([write.at for write in written], hit.at)
        depth = self.reached[hit.memory][1] + 1
        for write in written[first:]:
            self._draw(into(write, hit.memory, "recalled", is_possible=True))
            self._meet(write.memory, write.position, write.version, depth)

    def _draw(self, edge: Edge) -> None:
        self.edges.setdefault(edge.key, edge)

    def _hits(self, memories: list[str]) -> Iterator[Hit]:
        """Recalls of memories in versions from which on they are touched."""
        for hit in self._reading.recall_log().recalls_of(memories):
            if hit.version >= self.reached[hit.memory][0]:
                yield hit

    def sessions(self) -> Iterator[Touched]:
        """The sessions that touched memories came into, by when they first did."""
        found: defaultdict[tuple[str | None, str], list[Hit]] = defaultdict(list)
        for hit in self._hits(list(self.reached)):
            found[hit.stream.session, hit.stream.agent].append(hit)
        for (session, agent), hits in sorted(
            found.items(), key=lambda item: min(hit.at for hit in item[1])
        ):
            yield Touched(
                session=session,
                agent=agent,
                first_at=instant(min(hit.at for hit in hits)),
                memories=tuple(dict.fromkeys(hit.memory for hit in hits)),
            )

    def nodes(self) -> Iterator[Node]:
        """The memories as they are today, in the order in which they were reached."""
        ids = list(self.reached)
        for start in range(0, len(ids), _BATCH):
            some = ids[start : start + _BATCH]
            with self._reading.lock:
                writes = self._reading.provenance().writes_of(some)
            began: dict[str, Write] = {}
            for write in writes:
                began.setdefault(write.memory, write)
            mine = self._reading.identity.space
            states = {
                state.id: state for state in self._reading.memories(some) if state.space == mine
            }
            for id_ in some:
                yield self._node(id_, states.get(id_), began.get(id_))

    def _node(self, id_: str, state: State | None, began: Write | None) -> Node:
        role, grants = self._reading.identity.role, self._reading.rules.access
        may_read = (
            state is not None
            and reads_words(role, grants)
            and not is_kept_from(role, state.condition)
        )
        hidden = state is None or state.condition == "purged" or not may_read
        return Node(
            id=id_,
            kind="memory",
            version=0 if state is None else state.version,
            position=0 if state is None else state.position,
            depth=self.reached[id_][1],
            state="absent" if state is None else state.condition,
            actor=None if began is None else began.actor,
            at=None if began is None else instant(began.at),
            source=None if began is None else source_of(began),
            content=None if hidden or state is None else state.content,
        )
