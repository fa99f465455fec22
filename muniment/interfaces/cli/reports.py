"""The verb of reviewers: report."""

import os
import sys
from pathlib import Path
from typing import Annotated

import typer

from muniment.domain.errors import Invalid, Refused
from muniment.exporting import whole_file
from muniment.interfaces.documents import document
from muniment.paths import path_of
from muniment.reporting.markdown import markdown
from muniment.reporting.report import Report

from .console import line, progress, put
from .evidence import kept_elsewhere
from .help import Verb
from .session import Json, of


def add_to(app: typer.Typer) -> None:
    """Adds the verb to the program."""
    app.command("report", cls=Verb)(_report)


def _report(
    context: typer.Context,
    *,
    since: Annotated[
        str, typer.Option("--from", metavar="TIME", help="What was recorded after then.")
    ],
    until: Annotated[str, typer.Option("--to", metavar="TIME", help="What was recorded by then.")],
    against: Annotated[
        str | None,
        typer.Option(
            metavar="FILE", help="A checkpoint that was kept elsewhere; - is the standard input."
        ),
    ] = None,
    subject: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Whom the last two questions are about."),
    ] = None,
    out: Annotated[
        str | None,
        typer.Option(metavar="FILE.md", help="Write it there, and as JSON to FILE.json beside it."),
    ] = None,
    overwrite: Annotated[
        bool, typer.Option("--overwrite", help="In place of files that are there.")
    ] = False,
    as_json: Json = False,
) -> int:
    """Answer a reviewer's twelve questions about a period, in Markdown.

    Each answer has the command that says more. The log is verified and its invariants are proven;
    ends with 1 where something is not in order. Roles that read no words get a report without any;
    any other may hold words that no erasure reaches: keep it like an export.
    """
    session = of(context, as_json=as_json)
    places = None if out is None else _places(out, overwrite=overwrite)
    outside = None if against is None else kept_elsewhere(against, "against")
    with session.reading() as face, progress("reporting"):
        answer = face.report(since, until, against=outside, subject=subject)
    if places is not None:
        for place, text in zip(places, (markdown(answer), document(answer) + "\n"), strict=True):
            with whole_file(place) as write:
                write(text.encode(errors="replace"))
    if session.json:
        sys.stdout.write(document(answer) + "\n")
    elif places is None:
        sys.stdout.write(markdown(answer))
    else:
        put(line("Written: ", (str(place), "cyan")) for place in places)
    return 0 if _is_in_order(answer) else 1


def _is_in_order(answer: Report) -> bool:
    whole = answer.answers["whole"].figures
    return bool(whole["intact"] and whole["invariants_hold"])


def _places(out: str, *, overwrite: bool) -> tuple[Path, Path]:
    """Where the report goes, as Markdown and as JSON.

    Raises:
        Invalid: ``out_invalid``: it is no name that ends in .md.
        Refused: ``target_exists``.
    """
    place = path_of(out, "out")
    if place.suffix != ".md":
        raise Invalid("out: name a file that ends in .md.", code="out_invalid", field="out")
    places = place, place.with_suffix(".json")
    for one in places:
        if os.path.lexists(one) and (not overwrite or one.is_dir()):
            raise Refused(
                f"{one} is there already: name another file, or say --overwrite.",
                code="target_exists",
                field="out",
            )
    return places
