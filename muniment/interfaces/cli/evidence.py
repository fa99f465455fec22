"""The verbs that give evidence to people outside: verify, checkpoint, prove."""

import sys
from typing import Annotated, Final

import typer

from muniment import sarif
from muniment.domain.errors import Invalid, StorageFailed
from muniment.interfaces.documents import document
from muniment.log.bundles import Bundle
from muniment.log.notes import MAX_NOTE, Checkpoint
from muniment.log.shelf import given

from . import failures
from .console import progress
from .help import Verb
from .rendering import show
from .session import Json, Session, of

Sarif = Annotated[
    bool, typer.Option("--sarif", help="Print the findings as SARIF 2.1.0, whether any or none.")
]

_UNREADABLE: Final = 2


def add_to(app: typer.Typer) -> None:
    """Adds the verbs to the program."""
    app.command("verify", cls=Verb)(_verify)
    app.command("checkpoint", cls=Verb)(_checkpoint)
    app.command("prove", cls=Verb)(_prove)


def _verify(
    context: typer.Context,
    *,
    against: Annotated[
        str | None,
        typer.Option(
            metavar="FILE", help="A checkpoint that was kept elsewhere; - is the standard input."
        ),
    ] = None,
    as_sarif: Sarif = False,
    as_json: Json = False,
) -> int:
    """Prove that the log is whole and unaltered; no key is needed.

    Ends with 0 where it is, with 1 where it is not, with 2 where it cannot be read. What only a
    checkpoint kept elsewhere can show is said where none is given.
    """
    session = of(context, as_json=as_json)
    try:
        outside = None if against is None else kept_elsewhere(against, "against")
        with session.reading() as face, progress("verifying"):
            answer = face.verify(against=outside)
    except StorageFailed as error:
        failures.refused(error, as_json=session.json)
        return _UNREADABLE
    if as_sarif:
        sys.stdout.write(document(sarif.of_verification(answer)) + "\n")
    else:
        show(answer, as_json=session.json)
    return 0 if answer.intact else 1


def _checkpoint(context: typer.Context, *, as_json: Json = False) -> None:
    """Sign the log as it stands, and print that: keep it where the store is not.

    It is also written to checkpoints/ of the store. 'verify --against' takes it.
    """
    session = of(context, as_json=as_json)
    with session.editing() as face:
        answer = face.checkpoint()
    # as it is, so that what is kept of it is the note
    sys.stdout.write(document(answer) + "\n" if session.json else answer.text)


def _prove(
    context: typer.Context,
    id: Annotated[str, typer.Argument(metavar="ID", help="The memory.")],
    *,
    since: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="A checkpoint that was kept elsewhere: the log is proven to extend it.",
        ),
    ] = None,
    as_json: Json = False,  # noqa: ARG001 (a bundle is JSON)
) -> None:
    """Print the events of a memory with the proof that they are in the log, as JSON.

    There are no words in it. 'python verifier.py FILE' checks it: that is one file of this package,
    muniment/verifier.py, which needs nothing else of it.
    """
    session = of(context, as_json=True)
    earlier = None if since is None else kept_elsewhere(since, "since")
    with progress("proving"):
        answer = _proven(session, id, earlier)
    sys.stdout.write(document(answer) + "\n")


def _proven(session: Session, id: str, since: Checkpoint | None) -> Bundle:
    """From a checkpoint that is there, or else from one that is made."""
    try:
        with session.reading() as face:
            return face.prove(id, since=since)
    except StorageFailed as error:
        if error.code != "read_only":
            raise
    with session.editing() as face:
        return face.prove(id, since=since)


def kept_elsewhere(argument: str, option: str) -> Checkpoint:
    """The checkpoint of a file, or of the standard input."""
    if argument != "-":
        return given(argument, option)
    try:
        text = sys.stdin.buffer.read(4 * MAX_NOTE + 4).decode()
    except UnicodeDecodeError as error:
        raise Invalid(
            f"{option}: this is no UTF-8.", code="checkpoint_malformed", field=option
        ) from error
    return Checkpoint.of(text, field=option)
