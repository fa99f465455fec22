"""The verbs: one an operation, made from its model, and those that answer about the store."""

import inspect
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from operator import attrgetter
from typing import Annotated, Any, Final, TypeAlias

import typer

from muniment import operations, sarif, settings
from muniment.commands.command import Command
from muniment.commands.erase import RequestErasure
from muniment.commands.fold_twins import FoldTwins
from muniment.commands.import_memory import ImportMemory
from muniment.commands.purge import RequestPurge
from muniment.commands.roll_back import RollBack
from muniment.importing import FORMATS
from muniment.interfaces.documents import document
from muniment.operations import Query, Work
from muniment.queries.blast_radius import GetBlastRadius
from muniment.queries.get_memory import Get, GetMany
from muniment.queries.knew import Knew
from muniment.queries.log import Log
from muniment.queries.proposals import Proposals
from muniment.queries.recall import Recall
from muniment.queries.search import Search
from muniment.queries.trace import TraceBack
from muniment.queries.working import SearchWorking
from muniment.working import ReportToolCall

from . import (
    audits,
    carrying,
    demo,
    doctor,
    erasures,
    evidence,
    forensics,
    gatekeeping,
    proposing,
    reports,
    serving,
)
from .console import progress
from .help import Verb
from .memories import Folded
from .parameters import Parameter, parameters
from .rendering import show
from .session import Json, Session, of

Operation: TypeAlias = type[Command | Query | Work]

OTHERWISE: frozenset[Operation] = frozenset(
    [
        *(ImportMemory, GetMany, FoldTwins, RequestPurge, RequestErasure, Proposals),
        *(RollBack, Knew, TraceBack, GetBlastRadius, ReportToolCall),
    ]
)
"""Operations without a verb made of them: importing takes a path, several memories are a list,
folding and purging find for themselves what there is to do, erasing is asked for in three ways,
proposals are a list, investigations draw what they find, and tools are called by programs.
"""

GROUPS: Final = {
    "working": "Working memory: texts that live for a while under a key.",
    "conversation": "What was said, by session.",
}
"""What verbs of two words begin with."""

_METHODS: dict[Operation, str] = {Get: "get"}
_NOTES: dict[Operation, str] = {
    Log: "With --json each event is one line of JSON, written as it is read."
}


def add_to(app: typer.Typer) -> None:
    """Adds every verb to the program."""
    groups = {
        name: typer.Typer(name=name, help=about, rich_markup_mode=None)
        for name, about in GROUPS.items()
    }
    for operation in (*operations.COMMANDS, *operations.QUERIES, *operations.WORK):
        if operation not in OTHERWISE:
            group, _, name = operation.VERB.replace("_", "-").rpartition(" ")
            place = groups.get(group, app)
            place.command(name, cls=Verb, help=_about(operation))(_verb(operation))
    for group_app in groups.values():
        app.add_typer(group_app)
    for name, verb in _BESIDES.items():
        app.command(name, cls=Verb)(verb)
    erasures.add_to(app)
    forensics.add_to(app)
    evidence.add_to(app)
    reports.add_to(app)
    audits.add_to(app)
    carrying.add_to(app)
    gatekeeping.add_to(app)
    proposing.add_to(app)
    serving.add_to(app)


def _about(operation: Operation) -> str:
    said = (inspect.getdoc(operation) or "").replace("``", "")
    return "\n\n".join(filter(None, [said, _NOTES.get(operation)]))


def _verb(operation: Operation) -> Callable[..., None]:
    fields = parameters(operation)
    method = attrgetter(_METHODS.get(operation, operation.VERB.replace(" ", ".")))

    def verb(context: typer.Context, **given: Any) -> None:
        session = of(
            context,
            as_json=given.pop("as_json"),
            of_the_past=not issubclass(operation, Command),
        )
        as_agent = given.pop("as_agent", False)
        values = _values(fields, given)
        with _opened(session, operation) as face:
            answer = method(face)(**values)
            if as_agent:
                read = face.agent_text(answer)
                sys.stdout.write((document({"text": read}) if session.json else read) + "\n")
            else:
                show(answer, as_json=session.json, now=face.point.at if face.point else None)

    declared = {parameter.field: (parameter.type, parameter.declaration) for parameter in fields}
    if operation is Search:
        declared["as_agent"] = (
            bool,
            typer.Option(False, "--agent", help="Print what an agent reads."),
        )
    declared["as_json"] = bool, typer.Option(False, "--json", help="Print JSON.")
    return _with_signature(verb, declared)


def _with_signature(
    verb: Callable[..., None], declared: dict[str, tuple[Any, Any]]
) -> Callable[..., None]:
    """Gives a verb the parameters that typer is to read off it."""
    keyword = inspect.Parameter.KEYWORD_ONLY
    parameters_ = [
        inspect.Parameter("context", keyword, annotation=typer.Context),
        *(
            inspect.Parameter(name, keyword, default=declaration, annotation=type_)
            for name, (type_, declaration) in declared.items()
        ),
    ]
    verb.__signature__ = inspect.Signature(  # type: ignore[attr-defined]  # what typer reads
        parameters_
    )
    verb.__annotations__ = {one.name: one.annotation for one in parameters_}
    return verb


def _values(fields: list[Parameter], given: dict[str, Any]) -> dict[str, object]:
    """What was given, as the face takes it; what was left out has the model's default."""
    return {
        parameter.field: parameter.value(given[parameter.field] or [])
        if parameter.type == list[str]
        else parameter.value(given[parameter.field])
        for parameter in fields
        if parameter.is_required or given[parameter.field] not in (None, False)
    }


def _opened(session: Session, operation: Operation) -> Any:
    if session.as_of is not None:
        return session.searching()
    if operation is Recall:
        return session.editing()
    if operation in (Search, SearchWorking):
        return session.searching()
    if operation in operations.KEEPING:
        return session.writing()
    if not issubclass(operation, Command):
        return session.reading()
    is_about_some = operation.model_fields.keys() & {"id", "ids", "proposal_id"}
    return session.editing() if is_about_some else session.writing()


def _import(
    context: typer.Context,
    format: Annotated[
        str, typer.Argument(metavar="FORMAT", help=f"{' or '.join(sorted(FORMATS))}.")
    ],
    path: Annotated[
        str,
        typer.Argument(
            metavar="PATH", help="A file; for rockbot a directory, for markdown one or the other."
        ),
    ],
    *,
    as_json: Json = False,
) -> None:
    """Bring in what was exported, or what another system kept.

    What is malformed is reported and left out, what was imported before is left alone, so an import
    may be repeated.
    """
    session = of(context, as_json=as_json)
    with session.writing(many=True) as face, progress("importing") as done:
        report = face.import_from(format, path, progress=done)
    show(report, as_json=session.json)


def _fold(context: typer.Context, *, as_json: Json = False) -> None:
    """Fold exact repetitions into one another, and print the ids that were folded away.

    The oldest of them stays, or the one that is pinned. What was folded away can be restored.
    """
    session = of(context, as_json=as_json)
    with session.editing() as face, progress("folding"):
        folded = face.fold()
    show(Folded(tuple(folded)), as_json=session.json)


def _purge(
    context: typer.Context,
    *,
    yes: Annotated[bool, typer.Option("--yes", help="Do it. Without, it is only shown.")] = False,
    as_json: Json = False,
) -> None:
    """Remove the words of what was archived for longer than archived memories are kept.

    Their keys are destroyed, so the words are gone from the log and from every copy of it, for
    good. What is pinned, held or above the floor is kept. Without --yes nothing is removed.
    """
    session = of(context, as_json=as_json)
    with session.editing() if yes else session.reading() as face, progress("purging"):
        report = face.purge(dry_run=not yes)
    show(report, as_json=session.json)


def _prove_invariants(
    context: typer.Context, *, as_sarif: evidence.Sarif = False, as_json: Json = False
) -> int:
    """Prove that every invariant held after every event; no key is needed. Ends with 1 if not."""
    session = of(context, as_json=as_json, of_the_past=True)
    with session.reading() as face, progress("proving") as done:
        answer = face.prove_invariants(progress=done)
    if as_sarif:
        sys.stdout.write(document(sarif.of_proof(answer)) + "\n")
    else:
        show(answer, as_json=session.json)
    return 0 if answer.holds else 1


def _rebuild(context: typer.Context, *, as_json: Json = False) -> int:
    """Make what is searched anew from the log and compare. Ends with 1 where they differ."""
    session = of(context, as_json=as_json)
    with session.reading() as face, progress("rebuilding"):
        answer = face.rebuild()
    show(answer, as_json=session.json)
    return 0 if answer.agrees else 1


def _settings(context: typer.Context, *, as_json: Json = False) -> None:
    """List every setting: its value, where that comes from, and what it means."""
    session = of(context, as_json=as_json)
    show(tuple(settings.described(session.directory)), as_json=session.json)


def _doctor(context: typer.Context, *, as_json: Json = False) -> int:
    """Look over the store and the machine, and say what to do. Ends with 1 where it is broken."""
    session = of(context, as_json=as_json)
    directory = session.require_directory()
    with progress("looking"):
        diagnosis = doctor.diagnose(directory, session.space, datetime.now(UTC))
    show(diagnosis, as_json=session.json)
    return 0 if diagnosis.healthy else 1


def _demo(context: typer.Context, *, as_json: Json = False) -> None:
    """Play a short story on a store of its own; with --data before it the store is kept."""
    session = of(context, as_json=as_json)
    directory = session.directory if session.is_chosen else None
    if session.json:
        sys.stdout.write(document(demo.told(directory)) + "\n")
    else:
        demo.tell(directory)


_BESIDES: dict[str, Callable[..., int | None]] = {
    "fold": _fold,
    "purge": _purge,
    "import": _import,
    "prove-invariants": _prove_invariants,
    "rebuild": _rebuild,
    "settings": _settings,
    "doctor": _doctor,
    "demo": _demo,
}
