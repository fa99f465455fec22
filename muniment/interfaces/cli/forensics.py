"""The verbs of an investigation: knew, trace, blast-radius, rollback."""

import sys
from collections.abc import Iterable, Iterator
from typing import Annotated, Any

import typer

from muniment.domain.errors import Invalid
from muniment.investigating import RollbackReport
from muniment.queries.blast_radius import BlastRadius
from muniment.queries.drawing import draw, label
from muniment.queries.knew import KnewReport
from muniment.queries.lineage import Graph, Node
from muniment.queries.wording import shortened

from .console import Line, answered, line, progress, tail
from .help import Verb
from .memories import stamp
from .session import Json, Session, moment, of
from .wording import known_as

Form = Annotated[
    str,
    typer.Option(
        metavar="text|dot|mermaid|timeline|json",
        help="dot is for Graphviz, timeline is Markdown.",
    ),
]
Memory = Annotated[
    str | None, typer.Option(metavar="ID", help="Only what was written to this memory.")
]
Source = Annotated[
    str | None,
    typer.Option(
        metavar="TYPE|REF",
        help="Only from this source: web, tool, user …, or a reference; with * at its end all that"
        " begin so.",
    ),
]
Actor = Annotated[str | None, typer.Option("--by", metavar="ACTOR", help="Only by this actor.")]
InSession = Annotated[
    str | None, typer.Option("--session", metavar="TEXT", help="Only from this session.")
]
Since = Annotated[
    str | None, typer.Option(metavar="TIME", help="Only what was recorded from then on.")
]
Until = Annotated[
    str | None, typer.Option(metavar="TIME", help="Only what was recorded until then.")
]

_FORMATS = ("text", "dot", "mermaid", "timeline", "json")


def add_to(app: typer.Typer) -> None:
    """Adds the verbs to the program."""
    app.command("knew", cls=Verb)(_knew)
    app.command("trace", cls=Verb)(_trace)
    app.command("blast-radius", cls=Verb)(_blast_radius)
    app.command("rollback", cls=Verb)(_rollback)


def _knew(
    context: typer.Context,
    agent: Annotated[str, typer.Argument(metavar="AGENT", help="Such as bot:main.")],
    *,
    at: Annotated[
        str,
        typer.Option(
            metavar="TIME|POSITION", help="By when: a time such as 2026-03-03T12:00:00Z, or now."
        ),
    ],
    as_json: Json = False,
) -> None:
    """List what had been recalled into an agent's context by a moment, in the words of then."""
    session = of(context, as_json=as_json)
    with session.reading() as face, known_as(when="at"):
        answer = face.knew(agent, moment(face, at))
    answered(answer, _known(answer), as_json=session.json)


def _known(answer: KnewReport) -> Iterator[Line]:
    yield line(
        (f"{answer.agent} had been told by {stamp(answer.when)}:", "bold"),
        "" if answer.known else " nothing that is recorded.",
    )
    for known in answer.known:
        asked = f"for {known.query!r}" if known.query is not None else ""
        where = "" if known.session is None else f"session {known.session}"
        by = "" if known.recorded_by is None else f"recorded by {known.recorded_by}"
        yield line(
            (stamp(known.recalled_at), "dim"),
            "  ",
            (tail(known.memory), "cyan"),
            f" v{known.version}  ",
            ("  ".join(filter(None, [where, asked, f"score {known.score:.3g}", by])), "dim"),
            ("" if known.state == "live" else f"  {known.state}", "yellow"),
        )
        text = f"[{known.state}]" if known.content is None else known.content
        yield from (line("    ", part) for part in text.splitlines())
    yield line(("What this may lack:", "yellow"))
    yield from (line(("  - ", "yellow"), sentence) for sentence in answer.may_lack)


def _trace(
    context: typer.Context,
    id: Annotated[
        str, typer.Argument(metavar="ID", help="The memory, or the position of an event.")
    ],
    *,
    format: Form = "text",
    depth: Annotated[int, typer.Option(metavar="NUMBER", help="Steps back at most.")] = 64,
    limit: Annotated[int, typer.Option(metavar="NUMBER", help="Memories at most.")] = 1_000,
    as_json: Json = False,
) -> None:
    """Show where a memory comes from: merges, additions and recalls, back to the sources.

    What was recalled in the same session before it was written is marked as possible.
    """
    session = of(context, as_json=as_json)
    with session.reading() as face, progress("tracing"):
        answer = face.trace(id, depth=depth, limit=limit)
    _draw(answer, _graph(answer), format, session)


def _blast_radius(
    context: typer.Context,
    *,
    memory: Memory = None,
    source: Source = None,
    actor: Actor = None,
    in_session: InSession = None,
    since: Since = None,
    until: Until = None,
    format: Form = "text",
    as_json: Json = False,
) -> None:
    """Show which memories, sessions and agents something reached that was written.

    What is given together must hold together.
    """
    session = of(context, as_json=as_json)
    with session.reading() as face, progress("following"):
        answer = face.blast_radius(
            memory=memory,
            source=source,
            actor=actor,
            session=in_session,
            since=since,
            until=until,
        )
    _draw(answer, _radius(answer), format, session)


def _rollback(
    context: typer.Context,
    *,
    memory: Memory = None,
    source: Source = None,
    actor: Actor = None,
    in_session: InSession = None,
    since: Since = None,
    until: Until = None,
    undo: Annotated[
        str | None, typer.Option(metavar="ID", help="Take back the rollback of this id instead.")
    ] = None,
    hide: Annotated[str, typer.Option(metavar="quarantine|archive", help="How.")] = "quarantine",
    reason: Annotated[
        str | None, typer.Option(metavar="TEXT", help="Why, in a line; needed with --yes.")
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", help="Do it. Without, it is only shown.")] = False,
    as_json: Json = False,
) -> None:
    """Take what was written, and what descends from it, out of recall; bring back what it took in.

    Nothing is deleted, and --undo takes it back. Without --yes the plan is only shown.
    """
    session = of(context, as_json=as_json)
    given: dict[str, Any] = {"memory": memory, "source": source, "actor": actor}
    given |= {"session": in_session, "since": since, "until": until}
    given |= {"undo": undo, "hide": hide, "reason": reason, "dry_run": not yes}
    with session.editing() if yes else session.reading() as face, progress("rolling back"):
        answer = face.rollback(**given)
    answered(answer, _steps(answer), as_json=session.json)


def _draw(answer: Graph, lines: Iterable[Line], format: str, session: Session) -> None:
    if format not in _FORMATS:
        raise Invalid(
            f"format: {format!r} is none of {', '.join(_FORMATS)}.",
            code="format_unknown",
            field="format",
        )
    if session.json or format in ("json", "text"):
        answered(answer, lines, as_json=session.json or format == "json")
    else:
        sys.stdout.write(draw(answer, format))  # type: ignore[arg-type]  # one of its own


def _graph(answer: Graph) -> Iterator[Line]:
    by_depth = sorted(answer.nodes, key=lambda node: (node.depth, -node.position))
    names = {node.id: node for node in answer.nodes}
    for node in by_depth:
        if node.kind == "memory":
            yield from _node(node)
            for edge in answer.edges:
                if edge.target == node.id:
                    yield _crossing(edge.kind, names.get(edge.source), edge.source, edge.possible)
    if answer.truncated:
        yield line(("There is more: --depth and --limit say how far to go.", "yellow"))


def _node(node: Node) -> Iterator[Line]:
    first, *rest = label(node)
    style = "dim" if node.possible else "bold"
    yield line((first, style), ("  possible" if node.possible else "", "yellow"))
    yield from (line("    ", part) for part in rest)


def _crossing(kind: str, node: Node | None, id_: str, is_possible: bool) -> Line:
    about = ""
    if node is not None and node.kind == "observation":
        about = "  " + "; ".join(label(node)[1:])
    shown = "" if "@" in id_ else tail(id_)
    return line(
        (f"  ← {'possibly ' if is_possible else ''}{kind} ", "yellow" if is_possible else "green"),
        (shown, "cyan"),
        about,
    )


def _radius(answer: BlastRadius) -> Iterator[Line]:
    yield line(
        (f"{len(answer.origins):,} written", "bold"),
        f", {_counted(len(answer.memories), 'memory', 'memories')} reached,"
        f" {_counted(len(answer.sessions), 'session')}, {_counted(len(answer.agents), 'agent')}.",
    )
    origins = set(answer.origins)
    for node in answer.nodes:
        how = "written " if node.id in origins else "possible" if node.possible else "reached "
        text = f"[{node.state}]" if node.content is None else shortened(node.content)
        yield line(
            (f"  {how}  ", "yellow" if node.possible else "red"),
            (tail(node.id), "cyan"),
            (f"  {node.state}  ", "dim"),
            text,
        )
    for touched in answer.sessions:
        told = _counted(len(touched.memories), "memory", "memories")
        yield line(
            ("  told     ", "magenta"),
            f" {touched.agent}",
            f", session {touched.session}" if touched.session is not None else ", session unknown",
            (f"  {told}, first at {stamp(touched.first_at)}", "dim"),
        )


def _steps(answer: RollbackReport) -> Iterator[Line]:
    for step in answer.steps:
        yield line(
            (f"  {step.action:<9} ", "yellow" if step.action in ("leave", "review") else "red"),
            (tail(step.id), "cyan"),
            (f"  {step.state}  ", "dim"),
            step.why,
        )
    doing = sum(step.action not in ("leave", "review") for step in answer.steps)
    if answer.dry_run:
        yield line(
            f"{_counted(doing, 'memory', 'memories')} would be moved.",
            (" Nothing was done: --yes does it, with --reason." if doing else "", "yellow"),
        )
    elif answer.undone is not None:
        yield line(("Undone: ", "green"), f"{_counted(doing, 'memory', 'memories')} moved.")
    elif answer.id is None:
        yield line("There was nothing to do.")
    else:
        yield line(
            ("Rolled back: ", "green"),
            f"{_counted(doing, 'memory', 'memories')} moved."
            f" 'muniment rollback --undo {answer.id}' takes it back.",
        )


def _counted(count: int, one: str, many: str | None = None) -> str:
    return f"{count:,} {one if count == 1 else many or one + 's'}"
