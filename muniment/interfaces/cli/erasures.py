"""Erasure on request: its verbs."""

from typing import Annotated

import typer

from muniment.domain.errors import Invalid
from muniment.erasing import ErasureCertificate, ErasurePreview
from muniment.face.removing import Basis, Cascade
from muniment.handle import Muniment

from .certificates import Certificates
from .console import progress
from .help import Verb
from .rendering import show
from .session import Json, of
from .texts import read_text


def add_to(app: typer.Typer) -> None:
    """Adds the verbs to the program."""
    app.command("erase", cls=Verb)(_erase)
    app.command("erasures", cls=Verb)(_erasures)


def _erase(
    context: typer.Context,
    ids: Annotated[
        list[str] | None,
        typer.Argument(metavar="ID", help="Memories, by ids or ends of them. May be repeated."),
    ] = None,
    *,
    basis: Annotated[
        str,
        typer.Option(
            metavar="CODE", help="Why: a code such as gdpr-17, in the clear for good; or a text."
        ),
    ],
    basis_text: Annotated[
        str | None,
        typer.Option(
            metavar="TEXT", help="The basis in words, beside its code. It may be @FILE, or -."
        ),
    ] = None,
    subject: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="All that is about somebody, by metadata subject."),
    ] = None,
    whole_space: Annotated[
        bool, typer.Option("--whole-space", help="Every memory of the space that --space names.")
    ] = False,
    cascade: Annotated[
        str,
        typer.Option(
            metavar="cascade|rewrite|keep",
            help="Merges of it: erase them, bring their other sources back too, or keep them.",
        ),
    ] = "cascade",
    reason: Annotated[
        str | None, typer.Option(metavar="TEXT", help="Why merges of it are kept.")
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", help="Do it. Without, it is only shown.")] = False,
    as_json: Json = False,
) -> None:
    """Erase memories on request: by ids, all about somebody, or a whole space.

    With --subject, the ids are those that you confirmed besides, such as from a search. Their keys
    are destroyed, so the words are gone from the log and from every copy of it, for good, and so
    are merges of them. A legal hold on any blocks it whole. Without --yes nothing is erased.
    """
    session = of(context, as_json=as_json)
    why: Basis = basis
    if basis_text is not None:
        why = {"code": basis, "text": read_text("basis")(basis_text)}
    with session.editing() if yes else session.reading() as face, progress("erasing"):
        answer = _asked(face, ids or [], subject, whole_space, why, _policy(cascade, reason), yes)
    show(answer, as_json=session.json)


def _policy(cascade: str, reason: str | None) -> Cascade:
    # what is neither is for the face to refuse
    return (cascade, reason) if reason is not None else cascade  # type: ignore[return-value]


def _asked(  # noqa: PLR0917 (options of one verb)
    face: Muniment,
    ids: list[str],
    subject: str | None,
    whole_space: bool,
    basis: Basis,
    cascade: Cascade,
    yes: bool,
) -> ErasureCertificate | ErasurePreview:
    dry_run = not yes
    if whole_space and not ids and subject is None:
        return face.erase_space(face.space, basis=basis, dry_run=dry_run)
    if subject is not None and not whole_space:
        return face.erase_subject(subject, basis=basis, cascade=cascade, also=ids, dry_run=dry_run)
    if whole_space or not ids:
        raise Invalid(
            "Name memories by id, somebody with --subject, or the space with --whole-space.",
            code="id_required",
            field="id",
        )
    return face.erase(ids, basis=basis, cascade=cascade, dry_run=dry_run)


def _erasures(context: typer.Context, *, as_json: Json = False) -> None:
    """List the certificates of the erasures in this space, oldest first."""
    session = of(context, as_json=as_json)
    with session.reading() as face:
        answer = Certificates(tuple(face.erasures()))
    show(answer, as_json=session.json)
