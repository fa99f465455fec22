"""Where a memory comes from: back over merges, additions and recalls, to the sources."""

import heapq
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, ClassVar

from pydantic import BeforeValidator, Field

from muniment.domain.access import reads_words
from muniment.domain.errors import Invalid, NotFound
from muniment.domain.inputs import Input
from muniment.domain.recall import Recalled
from muniment.projections.links import Link
from muniment.projections.provenance import Write

from .get_memory import readable
from .lineage import (
    Edge,
    EdgeKey,
    EdgeKind,
    Graph,
    Node,
    bare,
    instant,
    into,
    marked,
    of_link,
    source_of,
)
from .past_text import Past, past
from .reading import Reading

_BEGINNINGS = ("saved", "imported", "merged")
_ADDED: dict[str, EdgeKind] = {
    "extended": "extended",
    "reinforced": "reinforced",
    "lifted": "reinforced",
    "revised": "revised",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Trace(Graph):
    """The graph behind ``roots``: one memory, or those that a recall brought."""

    roots: tuple[str, ...]


def _of(value: object) -> object:
    if isinstance(value, str) and value.strip().isdecimal() and len(value.strip()) < 8:
        return int(value)  # too short for the tail of an id
    if isinstance(value, str | int) and not isinstance(value, bool):
        return value
    raise Invalid(
        "id: give the id of a memory, or the position of an event.", code="id_invalid", field="id"
    )


class TraceBack(Input):
    """Where a memory, or what an event did, comes from."""

    VERB: ClassVar[str] = "trace"
    POSITIONAL: ClassVar[tuple[str, ...]] = ("id",)

    id: Annotated[
        int | str,
        Field(description="A memory, or the position of an event."),
        BeforeValidator(_of),
    ]
    depth: Annotated[int, Field(ge=1, le=1_000, description="Steps back at most.")] = 64
    limit: Annotated[int, Field(ge=1, le=100_000, description="Memories at most.")] = 1_000

    def answer(self, reading: Reading) -> Trace:
        """The graph as of the memory's newest event, or as of the position."""
        walk = _Walk(reading, self.depth, self.limit)
        roots = walk.begin(self.id)
        walk.go()
        edges = tuple(walk.edges.values())
        found = Trace(
            roots=roots,
            nodes=tuple(marked(walk.nodes.values(), _certain(roots, edges))),
            edges=edges,
            truncated=walk.truncated,
        )
        with_words = reads_words(reading.identity.role, reading.rules.access)
        return found if with_words else bare(found)


def _certain(roots: tuple[str, ...], edges: tuple[Edge, ...]) -> set[str]:
    """What leads to the roots without a recall between."""
    behind: defaultdict[str, list[str]] = defaultdict(list)
    for edge in edges:
        if not edge.possible:
            behind[edge.target].append(edge.source)
    found, due = set(roots), list(roots)
    while due:
        for source in behind[due.pop()]:
            if source not in found:
                found.add(source)
                due.append(source)
    return found


def _unknown_position() -> NotFound:
    return NotFound("This space has no event at that position.", field="id")


class _Walk:
    """Backwards from the newest: each memory is met first at the latest moment that matters."""

    def __init__(self, reading: Reading, depth: int, limit: int) -> None:
        self._reading = reading
        self._depth = depth
        self._limit = limit
        self._due: list[tuple[int, int, str]] = []
        self._seen: set[str] = set()
        self._pasts: dict[str, Past] = {}
        self.nodes: dict[str, Node] = {}
        self.edges: dict[EdgeKey, Edge] = {}
        self.truncated = False

    def begin(self, of: str | int) -> tuple[str, ...]:
        """Where the walk starts."""
        if isinstance(of, str):
            memory = readable(self._reading, of)
            self._meet(memory.id, memory.position, 0)
            return (memory.id,)
        if not 0 < of <= self._reading.head():
            raise _unknown_position()
        for recorded in self._reading.recorded(after=of - 1, until=of, space=None):
            if recorded.space != self._reading.identity.space:
                break
            if isinstance(recorded.event, Recalled):
                found: dict[str, int] = {}
                for recall in recorded.event.recalls:
                    for id_, version in zip(recall.memories, recall.versions, strict=False):
                        found[id_] = max(version, found.get(id_, 0))
                for id_, version in found.items():
                    self._meet(id_, self._past(id_).position_of(version), 0)
                return tuple(found)
            if recorded.name.startswith("memory."):
                self._meet(recorded.stream, recorded.position, 0)
                return (recorded.stream,)
            raise Invalid(
                f"The event at position {of:,} ({recorded.name}) is none of a memory or recall.",
                code="not_traceable",
                field="id",
            )
        raise _unknown_position()

    def go(self) -> None:
        """Visits what was met, the latest first."""
        while self._due:
            negative, depth, id_ = heapq.heappop(self._due)
            if id_ in self._seen:
                continue
            if len(self._seen) >= self._limit:
                self.truncated = True
                return
            self._seen.add(id_)
            self._visit(id_, -negative, depth)

    def _meet(self, id_: str, position: int, depth: int) -> None:
        if id_ in self._seen:
            return
        if depth > self._depth:
            self.truncated = True
            return
        heapq.heappush(self._due, (-position, depth, id_))

    def _past(self, id_: str) -> Past:
        known = self._pasts.get(id_)
        if known is None:
            known = self._pasts[id_] = past(self._reading, id_)
        return known

    def _visit(self, id_: str, until: int, depth: int) -> None:
        known, version = self._past(id_), self._past(id_).version_at(until)
        with self._reading.lock:
            provenance = self._reading.provenance()
            writes = [one for one in provenance.writes_of([id_]) if one.position <= until]
            links = [one for one in provenance.into([id_]) if one.position <= until]
            recalled = list(self._recalled_before(writes))
        began = next((one for one in writes if one.kind in _BEGINNINGS), None)
        self.nodes[id_] = Node(
            id=id_,
            kind="memory",
            version=version,
            position=known.position_of(version),
            depth=depth,
            state=known.state,
            actor=None if began is None else began.actor,
            at=None if began is None else instant(began.at),
            source=None if began is None else source_of(began),
            content=known.text(version),
        )
        for link in links:
            self._follow(link, depth)
        for write in writes:
            if write.kind in _ADDED:
                self._observe(write, known, depth)
        for source, bound, write in recalled:
            self._meet(source, self._past(source).position_of(bound), depth + 1)
            self._draw(into(write, source, "recalled", is_possible=True))

    def _follow(self, link: Link, depth: int) -> None:
        self._meet(link.source, link.position, depth + 1)
        self._draw(of_link(link))

    def _observe(self, write: Write, known: Past, depth: int) -> None:
        """An observation is a node of its own: what it said, who made it, from what source."""
        id_ = f"{write.memory}@{write.version}"
        said = known.said_at(write.version)
        self.nodes[id_] = Node(
            id=id_,
            kind="observation",
            version=write.version,
            position=write.position,
            depth=depth + 1,
            state=known.state,
            actor=write.actor,
            at=instant(write.at),
            source=source_of(write),
            content=said,
        )
        self._draw(into(write, id_, _ADDED[write.kind], is_possible=False))

    def _draw(self, edge: Edge) -> None:
        self.edges[edge.key] = edge

    def _recalled_before(self, writes: list[Write]) -> Iterator[tuple[str, int, Write]]:
        """What was recalled in the sessions of writes: id, version, and the first write after."""
        sessions: defaultdict[str, list[Write]] = defaultdict(list)
        for write in writes:
            if write.session is not None and write.kind not in ("reinforced", "lifted"):
                sessions[write.session].append(write)
        log = self._reading.recall_log()
        for session, written in sessions.items():
            times = [write.at for write in written]
            for hit in log.recalled_in(session):
                after = bisect_left(times, hit.at)
                if after < len(times) and hit.memory != written[after].memory:
                    yield hit.memory, hit.version, written[after]
