"""The verbs that carry a store elsewhere and back: exports, backups, keys."""

import getpass
import sys
from collections.abc import Callable
from typing import Annotated, Final

import typer

import muniment
from muniment.domain.errors import Invalid

from .console import progress
from .help import Verb
from .rendering import show
from .session import Json, of
from .texts import read_text

Passphrase = Annotated[
    str | None,
    typer.Option(
        metavar="TEXT",
        envvar="MUNIMENT_PASSPHRASE",
        help="What the master key is sealed under; better @FILE, or - for the standard input.",
    ),
]

_KEYS_HELP: Final = "The keys that words are encrypted under: back up, restore, rotate."


def add_to(app: typer.Typer) -> None:
    """Adds the verbs to the program."""
    app.command("export", cls=Verb)(_export)
    app.command("backup", cls=Verb)(_backup)
    app.command("restore-backup", cls=Verb)(_restore_backup)
    keys = typer.Typer(name="keys", help=_KEYS_HELP, rich_markup_mode=None)
    keys.command("backup", cls=Verb)(_keys_backup)
    keys.command("restore", cls=Verb)(_keys_restore)
    keys.command("rotate", cls=Verb)(_keys_rotate)
    keys.command("rotate-signing", cls=Verb)(_keys_rotate_signing)
    app.add_typer(keys)


def _export(
    context: typer.Context,
    path: Annotated[str, typer.Argument(metavar="PATH", help="The file to write.")],
    *,
    format: Annotated[
        str,
        typer.Option(
            metavar="native|markdown",
            help="native is everything, for import; markdown is live memories, for reading.",
        ),
    ] = "native",
    subject: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Only what is held about somebody."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Write the memories of this space to one file, their words in the clear."""
    session = of(context, as_json=as_json, of_the_past=True)
    with session.reading() as face, progress("exporting") as done:
        answer = face.export(path, format=format, subject=subject, progress=done)
    show(answer, as_json=session.json)


def _backup(
    context: typer.Context,
    path: Annotated[
        str, typer.Argument(metavar="PATH", help="A directory, empty or not there yet.")
    ],
    *,
    as_json: Json = False,
) -> None:
    """Copy the log while others may write, and verify the copy. No key is in it."""
    session = of(context, as_json=as_json)
    with session.reading() as face, progress("backing up") as done:
        answer = face.backup(path, progress=done)
    show(answer, as_json=session.json)


def _restore_backup(
    context: typer.Context,
    path: Annotated[str, typer.Argument(metavar="PATH", help="The directory of the backup.")],
    target: Annotated[
        str, typer.Argument(metavar="TARGET", help="A directory, empty or not there yet.")
    ],
    *,
    as_json: Json = False,
) -> None:
    """Put the log of a backup in place, verified. Keys are restored besides."""
    session = of(context, as_json=as_json)
    with progress("restoring"):
        answer = muniment.restore_backup(path, target)
    show(answer, as_json=session.json)


def _keys_backup(
    context: typer.Context,
    path: Annotated[str, typer.Argument(metavar="PATH", help="A file that is not there yet.")],
    *,
    passphrase: Passphrase = None,
    without_master: Annotated[
        bool,
        typer.Option("--without-master", help="Leave the master key out: it is kept elsewhere."),
    ] = False,
    as_json: Json = False,
) -> None:
    """Write every key to one file, and the master key too, sealed under a passphrase."""
    session = of(context, as_json=as_json)
    secret = None if without_master else _required(passphrase, is_new=True)
    with session.reading() as face, progress("backing up"):
        answer = face.keys.backup(path, passphrase=secret)
    show(answer, as_json=session.json)


def _keys_restore(
    context: typer.Context,
    path: Annotated[str, typer.Argument(metavar="PATH", help="The file of the key backup.")],
    *,
    passphrase: Passphrase = None,
    master: Annotated[
        str | None,
        typer.Option(
            metavar="FILE", help="Instead of a passphrase, a copy of keys/master.key of then."
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Put the keys of a backup in place, beside the log that --data names.

    Keys that are in place stay, and those of what was purged since are left out.
    """
    session = of(context, as_json=as_json)
    directory = session.require_directory()
    secret = None if master is not None else _required(passphrase, is_new=False)
    with progress("restoring"):
        answer = muniment.restore_keys(path, directory, secret, master=master)
    show(answer, as_json=session.json)


def _keys_rotate(context: typer.Context, *, as_json: Json = False) -> None:
    """Replace the master key, and wrap every key under the new one."""
    session = of(context, as_json=as_json)
    with session.editing() as face, progress("rotating"):
        answer = face.keys.rotate()
    show(answer, as_json=session.json)


def _keys_rotate_signing(context: typer.Context, *, as_json: Json = False) -> None:
    """Put another key in place to sign checkpoints; the old one vouches for it in the log."""
    session = of(context, as_json=as_json)
    with session.editing() as face, progress("rotating"):
        answer = face.keys.rotate_signing()
    show(answer, as_json=session.json)


_read: Callable[[str], str] = read_text("passphrase")


def _required(given: str | None, *, is_new: bool) -> str:
    """The passphrase that was given, or is asked for on a terminal; a new one twice."""
    if given is not None:
        return _read(given)
    if not sys.stdin.isatty():
        raise Invalid(
            "passphrase: give one with --passphrase @FILE, or in MUNIMENT_PASSPHRASE.",
            code="passphrase_required",
            field="passphrase",
        )
    secret = getpass.getpass("Passphrase: ")
    if is_new and getpass.getpass("Once more: ") != secret:
        raise Invalid(
            "passphrase: the two are not the same.", code="passphrase_differs", field="passphrase"
        )
    return secret
