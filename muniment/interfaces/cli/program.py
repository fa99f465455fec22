"""The program: options that hold for every verb, the verbs, and what becomes of errors."""

import contextlib
import os
import sys
from collections.abc import Callable, Sequence
from functools import cache
from io import TextIOWrapper
from pathlib import Path
from typing import Annotated, Any, cast

import platformdirs
import typer
from typer.core import TyperGroup
from typer.exceptions import TyperException

from muniment._release import __version__
from muniment.domain.errors import MunimentError
from muniment.domain.identity import Role

from . import failures
from .help import HELP_OPTIONS, PANELS, WIDTH
from .wording import usage

NAME = "muniment"


class Program(TyperGroup):
    """The program. Its verbs are loaded when they are needed, those that serve by themselves.

    A host that starts a server waits for it, and ``--version`` needs no verb at all.
    """

    def list_commands(self, ctx: Any) -> list[str]:
        """The names of all verbs."""
        self.load()
        return super().list_commands(ctx)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """The verb that is asked for, and what it is given."""
        from . import serving

        self.commands = _made(serving.add_to)
        if args[0] not in self.commands:
            self.load()
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: Any, formatter: Any) -> None:  # noqa: ARG002 (the form)
        """Writes what the verbs do, by what they are for."""
        self.load()
        width = formatter.width - 6 - max(map(len, self.commands))
        for title, names in PANELS.items():
            with formatter.section(title):
                formatter.write_dl(
                    [(name, self.commands[name].get_short_help_str(width)) for name in names]
                )

    def load(self) -> None:
        """Adds every verb."""
        from . import verbs

        self.commands = _made(verbs.add_to)


@cache
def _made(add_to: Callable[[typer.Typer], None]) -> Any:
    """The verbs that something adds to a program, by name."""
    app = typer.Typer(rich_markup_mode=None)
    add_to(app)
    return typer.main.get_group(app).commands


def application() -> typer.Typer:
    """Everything that the program can do."""
    app = typer.Typer(
        name=NAME,
        cls=Program,
        add_completion=False,
        rich_markup_mode=None,
        context_settings={"help_option_names": HELP_OPTIONS, "max_content_width": WIDTH},
    )
    app.callback()(_options)
    return app


def whole() -> TyperGroup:
    """The program with all of its verbs, for those that tell of it."""
    command = typer.main.get_command(application())
    if not isinstance(command, Program):
        raise TypeError("the program has verbs")
    command.load()
    return command


def run(arguments: Sequence[str] | None = None) -> int:
    """Runs the program, and says with which status to end; see ``main``."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    as_json = "--json" in given[: given.index("--")] if "--" in given else "--json" in given
    _prepare_streams()
    try:
        status = _run(given or ["--help"], as_json=as_json)
        sys.stdout.flush()
    except BrokenPipeError:
        _discard_output()
        return failures.PIPE_CLOSED
    except OSError as error:
        _discard_output()
        return failures.unwritable(error, as_json=as_json)
    return status


def _run(arguments: list[str], *, as_json: bool) -> int:
    command = typer.main.get_command(application())
    try:
        with command.make_context(NAME, arguments) as context:
            return command.invoke(context) or 0
    except typer.Exit as done:
        return done.exit_code
    except MunimentError as error:
        return failures.refused(error, as_json=as_json)
    except TyperException as error:
        return failures.misused(
            usage(error),
            getattr(getattr(error, "param", None), "name", None),
            getattr(getattr(error, "ctx", None), "command_path", NAME),
            as_json=as_json,
        )
    except (KeyboardInterrupt, typer.Abort):
        return failures.INTERRUPTED
    except OSError as error:
        if error.filename is None:
            raise  # the output's: stores and files tell of theirs in errors of ours
        return failures.unexpected(error, as_json=as_json)
    except Exception as error:  # noqa: BLE001 (nothing but a sentence leaves the program)
        return failures.unexpected(error, as_json=as_json)


def _prepare_streams() -> None:
    """Any text can be written, whatever the encoding; a closed stream is an empty one."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        stream = getattr(sys, name)
        if stream is None:
            nothing = Path(os.devnull).open(mode, encoding="utf-8")  # noqa: SIM115 (it stays)
            setattr(sys, name, nothing)
        elif isinstance(stream, TextIOWrapper) and mode == "w":
            stream.reconfigure(errors="backslashreplace")


def _discard_output() -> None:
    """Nobody reads on: what is still buffered goes nowhere, and nothing is said of it."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _version(asked: bool) -> None:
    if asked:
        sys.stdout.write(f"{NAME} {__version__}\n")
        raise typer.Exit


def _options(
    context: typer.Context,
    *,
    data: Annotated[
        str | None,
        typer.Option(
            metavar="DIR",
            envvar="MUNIMENT_DATA",
            help="Where the store is; unless given the user's data directory, on Linux"
            " ~/.local/share/muniment.",
        ),
    ] = None,
    space: Annotated[
        str,
        typer.Option(metavar="SPACE", envvar="MUNIMENT_SPACE", help="The tenant to work in."),
    ] = "default",
    actor: Annotated[
        str,
        typer.Option(
            metavar="ACTOR",
            envvar="MUNIMENT_ACTOR",
            help="Who acts: manual, bot:…, subagent:…, skill:…, reflection:… or system:…",
        ),
    ] = "manual",
    role: Annotated[
        str | None,
        typer.Option(
            metavar="ROLE",
            envvar="MUNIMENT_ROLE",
            help="As what: admin and auditor are only had by being named.",
        ),
    ] = None,
    as_of: Annotated[
        str | None,
        typer.Option(
            metavar="WHEN",
            help="Answer as of then: a time such as 2026-03-03T12:00:00Z, a position of the log, or"
            " now.",
        ),
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print JSON; may also stand after the command.")
    ] = False,
    version: Annotated[  # noqa: ARG001 (its callback answers)
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Long-term memory for AI agents, every change of which can be put in evidence."""
    from . import logs
    from .session import Session

    logs.prepare()
    source = context.get_parameter_source("data")
    context.obj = Session(
        data=platformdirs.user_data_dir(NAME, appauthor=False) if data is None else data,
        is_chosen=source is not None and source.name == "COMMANDLINE",
        space=space,
        actor=actor,
        role=cast("Role | None", role),  # opening says where there is none of that name
        json=as_json,
        as_of=as_of,
    )
