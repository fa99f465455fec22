"""Memories as a graph of what came out of what: the parts that trace and blast radius share."""

from collections.abc import Container, Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Literal, TypeAlias, TypeVar

from muniment.domain.memory.events import Source
from muniment.projections.links import Link, LinkKind
from muniment.projections.provenance import Write

EdgeKind: TypeAlias = LinkKind | Literal["extended", "reinforced", "revised", "recalled"]

EdgeKey: TypeAlias = tuple[str, str, EdgeKind, int]

G = TypeVar("G", bound="Graph")

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """A memory, or an observation that changed one after it was begun.

    ``version`` is that of the memory which ``content`` is the text of; ``actor``, ``at`` and
    ``source`` say who began it (of an observation: who made it). ``state`` is today's; ``absent``
    where the log has no such memory. ``content`` is None where it was purged or is not to be read.
    ``depth`` counts steps from where the graph begins. ``possible`` says that only recalls lead
    there, which may have had an influence or none.
    """

    id: str
    kind: Literal["memory", "observation"]
    version: int
    position: int
    depth: int
    state: str
    actor: str | None = None
    at: datetime | None = None
    source: Source | None = None
    content: str | None = None
    possible: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Edge:
    """``target`` came out of ``source``, or may have: ``possible``.

    ``position`` is that of the event that says so; of a recall that of the write after it.
    """

    source: str
    target: str
    kind: EdgeKind
    position: int
    at: datetime
    actor: str
    session: str | None = None
    possible: bool = False

    @property
    def key(self) -> EdgeKey:
        """What two that say the same have in common."""
        return self.source, self.target, self.kind, self.position


@dataclass(frozen=True, slots=True, kw_only=True)
class Graph:
    """Nodes and edges; ``truncated`` says that there is more than was asked for."""

    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]
    truncated: bool = False


def of_link(link: Link) -> Edge:
    """The edge that a link is."""
    return Edge(
        source=link.source,
        target=link.target,
        kind=link.kind,
        position=link.position,
        at=instant(link.at),
        actor=link.actor,
    )


def into(write: Write, source: str, kind: EdgeKind, *, is_possible: bool) -> Edge:
    """The edge from what a write was made of to what it wrote."""
    return Edge(
        source=source,
        target=write.memory,
        kind=kind,
        position=write.position,
        at=instant(write.at),
        actor=write.actor,
        session=write.session,
        possible=is_possible,
    )


def bare(graph: G) -> G:
    """A graph as those see it who read no words: without references and names of sessions."""
    return replace(
        graph,
        nodes=tuple(
            node if node.source is None else replace(node, source=Source(type=node.source.type))
            for node in graph.nodes
        ),
        edges=tuple(replace(edge, session=None) for edge in graph.edges),
    )


def instant(microseconds: int) -> datetime:
    """The moment of so many microseconds since 1970."""
    return _EPOCH + timedelta(microseconds=microseconds)


def source_of(write: Write) -> Source:
    """The source that a write names."""
    return Source(type=write.source_type, ref=write.source_ref, session=write.session)


def marked(nodes: Iterable[Node], certain: Container[str]) -> Iterator[Node]:
    """The nodes, each that is not among the certain ones marked as a possibility."""
    for node in nodes:
        yield node if node.id in certain else replace(node, possible=True)
