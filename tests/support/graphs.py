"""Graphs of memories with any text in them."""

from datetime import UTC, datetime
from typing import Any

from muniment import Edge, Node, Source
from muniment.queries.lineage import Graph

AT = datetime(2026, 3, 3, 12, tzinfo=UTC)


def graph(text: str) -> Graph:
    """Two memories and an observation, which say a text wherever one can stand."""
    told: dict[str, Any] = {
        "version": 1,
        "position": 1,
        "depth": 0,
        "state": "live",
        "actor": "bot:x",
        "at": AT,
        "source": Source(type="web", ref=text, session=text),
        "content": text,
    }
    nodes = (
        Node(id="one", kind="memory", **told),
        Node(id="two", kind="memory", possible=True, **told),
        Node(id="one@2", kind="observation", **told),
    )
    crossing: dict[str, Any] = {"at": AT, "actor": "bot:x", "session": text, "position": 1}
    edges = (
        Edge(source="two", target="one", kind="recalled", possible=True, **crossing),
        Edge(source="one@2", target="one", kind="extended", **crossing),
    )
    return Graph(nodes=nodes, edges=edges)
