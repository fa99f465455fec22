"""Graphs of memories as DOT, Mermaid and a Markdown timeline; no text in them can forge a part.

DOT is Graphviz's language, Mermaid that of mermaid.js.org (flowcharts), Markdown is CommonMark.
"""

from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from typing import Final, Literal, TypeAlias

import regex

from muniment.domain.errors import Invalid
from muniment.domain.moments import second

from .agent_text import visible
from .lineage import Edge, Graph, Node
from .wording import in_code, in_markdown, shortened

Format: TypeAlias = Literal["dot", "mermaid", "timeline"]

LABEL = 80
"""Characters of a memory's text that a label has."""

_MERMAID_PLAIN = regex.compile(r"[\p{L}\p{M}\p{N} .,:()/'+@_-]")

_VERBS: Final[Mapping[str, str]] = {
    "merged": "merged into",
    "folded": "folded into",
    "superseded": "was preferred to",
    "imported": "is a part of, says an import,",
    "extended": "added to",
    "reinforced": "said again what says",
    "revised": "rewrote",
    "recalled": "was recalled before the writing of",
}


def draw(graph: Graph, format: Format) -> str:
    """A graph as text: ``dot``, ``mermaid`` or ``timeline`` (Markdown), ending with a line end.

    Raises:
        Invalid: ``format_unknown``.
    """
    drawn = _FORMATS.get(format)
    if drawn is None:
        raise Invalid(
            f"format: {format!r} is none of {', '.join(_FORMATS)}.",
            code="format_unknown",
            field="format",
        )
    return drawn(graph)


def _numbered(graph: Graph) -> dict[str, str]:
    """A name of ours for each end of an edge, whatever ids are there."""
    ends = (end for edge in graph.edges for end in (edge.source, edge.target))
    ids = dict.fromkeys([*(node.id for node in graph.nodes), *ends])
    return {id_: f"n{number}" for number, id_ in enumerate(ids)}


def label(node: Node) -> list[str]:
    """What a node says of itself, a line each."""
    name = _name(node.id)
    state = "" if node.kind == "observation" or node.state == "live" else f", {node.state}"
    lines = [f"{name} v{node.version}{state}"]
    if node.actor is not None:
        lines.append(f"{node.actor}, {_stamp(node.at)}")
    if node.source is not None:
        named = (node.source.ref, node.source.session and f"session {node.source.session}")
        lines.append(" ".join([f"from {node.source.type}", *filter(None, named)]))
    if node.content is not None:
        lines.append(shortened(node.content, LABEL))
    elif node.kind == "memory":
        lines.append(f"[{node.state}]")
    return [visible(" ".join(line.split())) for line in lines]


def _name(id_: str) -> str:
    """The tail of an id, and of an observation the version that it made."""
    memory, _, version = id_.partition("@")
    return f"{memory[-12:]}@{version}" if version else memory[-12:]


def _stamp(moment: datetime | None) -> str:
    return "" if moment is None else f"{second(moment)}Z"


# DOT


def _dot(graph: Graph) -> str:
    names = _numbered(graph)
    lines = ["digraph muniment {", "  rankdir=LR;", '  node [shape=box, fontname="sans-serif"];']
    for node in graph.nodes:
        shape = ", shape=note" if node.kind == "observation" else ""
        style = ", style=dashed" if node.possible else ""
        text = "\\l".join(_quoted(line) for line in label(node))
        lines.append(f'  {names[node.id]} [label="{text}\\l"{shape}{style}];')
    for edge in graph.edges:
        style = ", style=dashed" if edge.possible else ""
        ends = f"{names[edge.source]} -> {names[edge.target]}"
        lines.append(f'  {ends} [label="{_quoted(_edge_label(edge))}"{style}];')
    return "\n".join([*lines, "}", ""])


def _quoted(text: str) -> str:
    """Inside of a quoted string of DOT, where a backslash begins an escape of its own."""
    return text.replace("\\", "\\\\").replace('"', '\\"')


def _edge_label(edge: Edge) -> str:
    return visible(f"{edge.kind}{'?' if edge.possible else ''} @{edge.position}")


# Mermaid


def _mermaid(graph: Graph) -> str:
    names = _numbered(graph)
    lines = ["flowchart LR"]
    lines += [
        f'  {names[node.id]}["{"<br/>".join(_entities(line) for line in label(node))}"]'
        for node in graph.nodes
    ]
    for edge in graph.edges:
        arrow = "-.->" if edge.possible else "-->"
        text = _entities(_edge_label(edge))
        lines.append(f'  {names[edge.source]} {arrow}|"{text}"| {names[edge.target]}')
    return "\n".join([*lines, ""])


def _entities(text: str) -> str:
    """Inside of a quoted label of Mermaid: all but letters and plain marks by their numbers."""
    return "".join(char if _MERMAID_PLAIN.fullmatch(char) else f"#{ord(char)};" for char in text)


# Markdown


def _timeline(graph: Graph) -> str:
    """What happened, oldest first: each memory's beginning, each observation, each edge."""
    told = sorted([*_beginnings(graph), *_crossings(graph)], key=lambda entry: (entry[0], entry[1]))
    lines = [f"- **{_stamp(at)}** {sentence}" for at, _, sentence in told]
    if graph.truncated:
        lines.append("- There is more than is shown here.")
    return "\n".join(["# Timeline", "", *lines, ""])


_Entry: TypeAlias = tuple[datetime, int, str]


def _beginnings(graph: Graph) -> Iterator[_Entry]:
    for node in graph.nodes:
        if node.at is None or node.kind == "observation":
            continue
        first, *rest = label(node)
        said = "; ".join(in_markdown(line) for line in rest)
        yield node.at, node.position, f"`{in_code(first)}`: {said}"


def _crossings(graph: Graph) -> Iterator[_Entry]:
    texts = {node.id: node.content for node in graph.nodes if node.kind == "observation"}
    for edge in graph.edges:
        verb = f"possibly: {_VERBS[edge.kind]}" if edge.possible else _VERBS[edge.kind]
        sentence = f"`{in_code(_name(edge.source))}` {verb} `{in_code(_name(edge.target))}`"
        by = f"{edge.actor}, position {edge.position}"
        if edge.session is not None:
            by += f", session {edge.session}"
        said = texts.get(edge.source)
        more = "" if said is None else f": {in_markdown(visible(shortened(said, LABEL)))}"
        yield edge.at, edge.position, f"{sentence} ({in_markdown(visible(by))}){more}"


_FORMATS: Mapping[Format, Callable[[Graph], str]] = {
    "dot": _dot,
    "mermaid": _mermaid,
    "timeline": _timeline,
}
