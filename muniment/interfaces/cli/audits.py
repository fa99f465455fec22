"""The verb ``audit`` and those below it, and ``inbox``."""

import sys
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Annotated, Any, Final

import typer

from muniment.audit.glossary import GLOSSARY
from muniment.audit.messages import SESSION, Message
from muniment.domain.errors import NotFound
from muniment.domain.moments import minute
from muniment.interfaces.documents import document

from . import evaluations
from .console import Line, answered, line, progress, put
from .help import Verb
from .session import Json, Session, moment, of

Row = Mapping[str, Any]

_HELP: Final = (
    "What the system does to its memory, measured: run, read and explain audits.\n\n"
    "Ends with 1 where the status is alert."
)
_STYLES: Final = {"healthy": "green", "warning": "yellow", "alert": "bold red"}
_COLUMNS: Final = (
    ("live", "live"),
    ("archived", "archived"),
    ("createdSinceLast", "new"),
    ("archivedSinceLast", "retired"),
    ("purgedSinceLast", "purged"),
    ("netGrowthPerDay", "a day"),
    ("nearDupPairs", "alike"),
    ("maxChainDepth", "depth"),
)


def add_to(app: typer.Typer) -> None:
    """Adds the verbs to the program."""
    audit = typer.Typer(name="audit", help=_HELP, rich_markup_mode=None)
    audit.command("run", cls=Verb)(_run)
    audit.command("latest", cls=Verb)(_latest)
    audit.command("report", cls=Verb)(_report)
    audit.command("trend", cls=Verb)(_trend)
    audit.command("at", cls=Verb)(_at)
    audit.command("explain", cls=Verb)(_explain)
    audit.command("resume", cls=Verb)(_resume)
    audit.command("watch", cls=Verb)(_watch)
    evaluations.add_to(audit)
    app.add_typer(audit)
    app.command("inbox", cls=Verb)(_inbox)


def _run(context: typer.Context, *, as_json: Json = False) -> int:
    """Audit the space as it is now, record that, and tell who is to be told."""
    session = of(context, as_json=as_json)
    with session.editing() as face, progress("auditing"):
        row = face.audit.run()
    return _shown(row, session)


def _latest(context: typer.Context, *, as_json: Json = False) -> int:
    """Show what the last audit found."""
    session = of(context, as_json=as_json)
    with session.reading() as face, progress("reading"):
        row = face.audit.latest()
    return _shown(_required(row), session)


def _report(context: typer.Context, *, as_json: Json = False) -> int:
    """Print the report of the last audit in Markdown; with --json its row and findings too."""
    session = of(context, as_json=as_json)
    with session.reading() as face, progress("reading"):
        answer = _required(face.audit.report())
    sys.stdout.write(document(answer) + "\n" if session.json else answer.report)
    return _status(answer.row)


def _trend(
    context: typer.Context,
    *,
    days: Annotated[
        float, typer.Option(metavar="N", help="How many days back.", show_default="30")
    ] = 30.0,
    jsonl: Annotated[bool, typer.Option("--jsonl", help="Print one row a line, as JSON.")] = False,
    replayed: Annotated[
        bool,
        typer.Option(
            "--replayed",
            help="What would have been recorded, had every scheduled audit run; shown anyway where"
            " there was none.",
        ),
    ] = False,
    plot: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Draw it into a file: .png, .svg or .pdf."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Show the audits of the last days, oldest first."""
    session = of(context, as_json=as_json)
    with session.reading() as face, progress("reading"):
        rows = face.audit.trend(days, replayed=replayed or None)
        if plot is not None:
            face.audit.plot(plot, days)
    if jsonl:
        for row in rows:
            sys.stdout.write(document(row, indent=None) + "\n")
    else:
        answered(rows, _table(rows), as_json=session.json)


def _at(
    context: typer.Context,
    when: Annotated[
        str,
        typer.Argument(
            metavar="WHEN",
            help="A time such as 2026-03-03T12:00:00Z, a position of the log, or now.",
        ),
    ],
    *,
    as_json: Json = False,
) -> int:
    """Show what an audit at a moment, or at a position, would have found."""
    session = of(context, as_json=as_json)
    with session.reading() as face, progress("replaying"):
        row = face.audit.at(moment(face, when))
    return _shown(row, session)


def _explain(
    context: typer.Context,
    name: Annotated[str, typer.Argument(metavar="NAME", help="Of a finding.")],
    *,
    as_json: Json = False,
) -> None:
    """Say what a finding means, how bad it is, and what to do."""
    session = of(context, as_json=as_json)
    with session.reading() as face:
        entry = face.audit.explain(name)
    answered(entry, _explained(entry), as_json=session.json)


def _resume(
    context: typer.Context,
    reason: Annotated[str, typer.Argument(metavar="REASON", help="Why it may go on.")],
    *,
    as_json: Json = False,
) -> None:
    """Let consolidation go on after an audit paused it."""
    session = of(context, as_json=as_json)
    with session.editing() as face:
        answer = face.audit.resume_consolidation(reason)
    answered(answer, [line("Consolidation may go on.")], as_json=session.json)


def _watch(context: typer.Context) -> None:
    """Run the audits of all spaces when they are due, until it is interrupted."""
    session = of(context, as_json=False)
    session.require_directory()
    with session.editing() as face:
        scheduler = face.audit.scheduler()
        for name, at in scheduler.due().items():
            put([line((f"{name}  ", "bold"), f"next at {minute(at)} {at:%Z}")])
        try:
            scheduler.run()
        finally:
            scheduler.stop()


def _inbox(
    context: typer.Context,
    *,
    from_session: Annotated[
        str, typer.Option("--session", metavar="SESSION", help="Of which session.")
    ] = SESSION,
    as_json: Json = False,
) -> None:
    """Show what the system said by itself, oldest first."""
    session = of(context, as_json=as_json)
    with session.reading() as face:
        told = face.inbox(from_session)
    answered(told, _messages(told), as_json=session.json)


def _required(answer: Any) -> Any:
    if answer is None:
        raise NotFound("There was no audit yet: 'muniment audit run' makes one.", code="no_audit")
    return answer


def _status(row: Row) -> int:
    return 1 if row["status"] == "alert" else 0


def _shown(row: Row, session: Session) -> int:
    answered(row, _lines(row), as_json=session.json)
    return _status(row)


def _lines(row: Row) -> Iterator[Line]:
    taken = datetime.fromisoformat(row["takenAt"])
    yield line(
        (f"{row['status']:<8} ", _STYLES[row["status"]]),
        f"{minute(taken)} UTC, {row['position']:,} events:",
        f" {row['live']:,} live, {row['archived']:,} archived.",
    )
    if "previousTakenAt" in row:
        before = datetime.fromisoformat(row["previousTakenAt"])
        yield line(
            f"         Since {minute(before)} UTC: {row['createdSinceLast']:,} new,"
            f" {row['archivedSinceLast']:,} archived, {row['restoredSinceLast']:,} restored,"
            f" {row['purgedSinceLast']:,} purged, {row['erasedSinceLast']:,} erased."
        )
    yield line(
        f"         {row['nearDupPairs']:,} pairs of near-duplicates; the deepest merge is"
        f" {row['maxChainDepth']} deep; {row['purge']['count']:,} are due for the purge within"
        f" {row['purge']['dueWithinDays']:g} days."
    )
    for one in row["invariants"]:
        severity = GLOSSARY[one["name"]].severity
        yield line((f"{severity:<8} ", _STYLES[severity]), f"{one['name']}: {one['message']}.")


def _table(rows: Sequence[Row]) -> Iterator[Line]:
    if not rows:
        yield line("There is no audit in these days.")
        return
    heads = "".join(f"{label:>9}" for _, label in _COLUMNS)
    yield line((f"{'taken':<16}{heads}", "bold"))
    for row in rows:
        taken = datetime.fromisoformat(row["takenAt"])
        figures = "".join(f"{_figure(row.get(name)):>9}" for name, _ in _COLUMNS)
        failing = ", ".join(one["name"] for one in row["invariants"])
        yield line(
            f"{minute(taken)}{figures}  ",
            (row["status"], _STYLES[row["status"]]),
            f" ({failing})" if failing else "",
        )


def _figure(value: float | None) -> str:
    return "—" if value is None else f"{value:,}"


def _explained(entry: Mapping[str, str]) -> Iterator[Line]:
    yield line((f"{entry['title']}", "bold"), f" ({entry['name']}, {entry['severity']})")
    yield line(entry["meaning"])
    yield line("What to do: ", entry["whatToDo"])


def _messages(told: Sequence[Message]) -> Iterator[Line]:
    if not told:
        yield line("Nothing was said.")
    for one in told:
        yield line((f"{minute(one.sent_at)} UTC  ", "dim"), (one.kind, "bold"))
        for text in one.text.splitlines():
            yield line("  ", text)
