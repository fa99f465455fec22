"""The verbs ``audit evaluate`` and ``audit evaluation``."""

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any

import typer

from muniment.domain.errors import NotFound
from muniment.domain.moments import minute

from .console import Line, answered, line, progress
from .help import Verb
from .session import Json, Session, of

Row = Mapping[str, Any]


def add_to(audit: typer.Typer) -> None:
    """Adds the verbs below ``audit``."""
    audit.command("evaluate", cls=Verb)(_evaluate)
    audit.command("evaluation", cls=Verb)(_evaluation)


def _evaluate(context: typer.Context, *, as_json: Json = False) -> None:
    """Put samples of what was done to memories before the language model; show its verdicts."""
    session = of(context, as_json=as_json)
    with session.editing() as face, progress("asking"):
        answer = face.audit.evaluate()
    _shown(answer, session, "There is nothing to judge yet: no merge, no near-duplicate, no drop.")


def _evaluation(context: typer.Context, *, as_json: Json = False) -> None:
    """Show the last verdicts of the language model."""
    session = of(context, as_json=as_json)
    with session.reading() as face, progress("reading"):
        answer = face.audit.evaluation()
    _shown(answer, session, "There was no evaluation yet: 'muniment audit evaluate' makes one.")


def _shown(answer: Row | None, session: Session, otherwise: str) -> None:
    if answer is None:
        raise NotFound(otherwise, code="no_evaluation")
    answered(answer, _lines(answer), as_json=session.json)


def _lines(answer: Row) -> Iterator[Line]:
    at = datetime.fromisoformat(answer["evaluatedAt"])
    yield line(
        f"Judged by {answer['model']} on {minute(at)} UTC: ",
        (f"{answer['sound']:,} sound", "green"),
        ", ",
        (f"{answer['unsound']:,} not", "yellow" if answer["unsound"] else "green"),
        f"; {answer['carried']:,} carried over.",
    )
    if answer["skipped"]:
        yield line("Nothing that would be judged has changed since: nobody was asked.")
    for family, counts in answer["families"].items():
        yield line(f"  {family:<15}{counts['sound']:>4,} of {counts['judged']:,} sound")
    for family in answer["failedFamilies"]:
        yield line((f"  {family:<15} the judge could not be asked", "red"))
    for verdict in answer["verdicts"]:
        if not verdict["sound"]:
            yield line((f"{verdict['family']}  ", "yellow"), ", ".join(verdict["ids"]))
            for name in ("reason", "evidence"):
                if name in verdict:
                    yield line(f"  {name}: ", verdict[name])
