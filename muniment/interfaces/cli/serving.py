"""The verbs for other programs to come in by: ``serve``, ``mcp`` and ``instructions``."""

import json
import logging
import shlex
import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from muniment.domain.errors import Unavailable
from muniment.domain.identity import identity

from . import logs
from .help import Verb
from .session import Session, of

if TYPE_CHECKING:
    from muniment.handle import Muniment

AGENT: Final = "bot:main"
"""As whom ``mcp`` acts where nobody is named."""

_EXTRA: Final = frozenset(
    [
        *("anyio", "fastapi", "mcp", "mcp_types", "prometheus_client"),
        *("sse_starlette", "starlette", "threadpoolctl", "uvicorn"),
    ]
)


def add_to(app: typer.Typer) -> None:
    """Adds the verbs to the program."""
    app.command("serve", cls=Verb)(_serve)
    app.command("mcp", cls=Verb)(_mcp)
    app.command("instructions", cls=Verb)(_instructions)


@contextmanager
def _for_many() -> Generator[None]:
    """What a process that serves many at once needs.

    A product of vectors is done by the thread that asks: the threads that BLAS has of its own spin
    between products, and take the processor from the other requests.

    Raises:
        Unavailable: ``server_not_installed``.
    """
    with _extra():
        import threadpoolctl as untyped  # type: ignore[import-untyped]
    limited: Any = untyped.threadpool_limits
    logs.prepare(logging.NOTSET)
    with limited(1, user_api="blas"), logs.of_libraries():
        yield


@contextmanager
def _extra() -> Generator[None]:
    """Imports what only the servers need.

    Raises:
        Unavailable: ``server_not_installed``.
    """
    try:
        yield
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in _EXTRA:
            raise
        raise Unavailable(
            f"The servers need {error.name}: pip install 'muniment[server]'.",
            code="server_not_installed",
        ) from error


def _serve(
    context: typer.Context,
    *,
    host: Annotated[
        str, typer.Option(metavar="ADDRESS", help="The address to listen on.")
    ] = "127.0.0.1",
    port: Annotated[
        int, typer.Option(metavar="N", min=0, max=65_535, help="The port; 0 takes a free one.")
    ] = 8420,
    is_open: Annotated[
        bool,
        typer.Option("--open", help="Ask for no token: everyone on this machine acts as bot:main."),
    ] = False,
) -> None:
    """Serve HTTP under /v1 and the Model Context Protocol under /mcp, until told to end.

    At the first start an owner's token is made: it is printed this once, and kept in
    keys/server.token (keys/server.SPACE.token for any space but 'default'). 'muniment token issue'
    makes others. SIGTERM and SIGINT end it in order.
    """
    with _extra():
        from muniment.interfaces.http import owner_token, serving
    session = of(context, as_json=False)
    directory = session.require_directory()
    with _for_many(), session.writing(many=True, serves=True) as opened:
        store = opened.as_identity(identity(session.space, "manual"))
        token = None if is_open else owner_token.owner_token(store, directory)
        serving.serve(
            store,
            host,
            port,
            None if token is None else store.tokens.authenticate,
            _tells(session, directory.resolve(), token),
        )


def _tells(session: Session, directory: Path, token: Any) -> Callable[[str], None]:
    """What is printed once requests are taken."""

    def ready(base: str) -> None:
        lines = [*_by_curl(base, token), "", *_by_mcp(base, session, directory, token), ""]
        sys.stdout.write("\n".join([*lines, "It ends in order by Ctrl-C or SIGTERM.\n"]))
        sys.stdout.flush()

    return ready


def _by_curl(base: str, token: Any) -> list[str]:
    said = [f"Muniment answers at {base} (see {base}/openapi.json).", ""]
    bearer = ""
    if token is not None:
        path = shlex.quote(str(token.path.resolve()))
        shown = token.text or f"$(cat {path})"
        bearer = f' -H "Authorization: Bearer {shown}"'
        said += [
            f"The owner's token is in {path}"
            + ("; it is shown this once, as part of this line:" if token.text else ":"),
            "",
        ]
    body = json.dumps({"content": "User is in Chicago (America/Chicago)"})
    return [
        *said,
        f"  curl{bearer} -H 'Content-Type: application/json' -d '{body}' {base}/v1/memories",
    ]


def _by_mcp(base: str, session: Session, directory: Path, token: Any) -> list[str]:
    program = ["-m", "muniment", "--data", str(directory)]
    issue = ["--role", "admin", "--space", session.space, "token", "issue", AGENT]
    started = {
        "mcpServers": {
            "muniment": {
                "command": sys.executable,
                "args": [*program, "mcp"],
                "env": {"MUNIMENT_ACTOR": AGENT, "MUNIMENT_SPACE": session.space},
            }
        }
    }
    reached = (
        [f"Agents reach it by MCP at {base}/mcp."]
        if token is None
        else [
            f"Agents reach it by MCP at {base}/mcp with the header of a token of their own, so",
            "that the record tells them from the owner. This makes one:",
            "",
            f"  {shlex.join([sys.executable, *program, *issue])}",
        ]
    )
    return [
        *reached,
        "",
        "Hosts that start a program themselves, such as Claude Desktop, take this configuration:",
        "",
        json.dumps(started, indent=2),
    ]


def _mcp(context: typer.Context) -> None:
    """Serve the Model Context Protocol on standard input and output, as bot:main unless named.

    For hosts that start the program themselves; 'muniment serve' prints the configuration.
    """
    with _extra():
        from muniment.interfaces.mcp import stdio
    session = of(context, as_json=False)
    source = context.find_root().get_parameter_source("actor")
    if source is not None and source.name == "DEFAULT":
        session = replace(session, actor=AGENT)
    store: Muniment
    with _for_many(), session.writing(many=True, serves=True) as store:
        stdio.run(store)


def _instructions(context: typer.Context) -> None:  # noqa: ARG001 (every verb has one)
    """Print the block to paste into an agent's own instructions."""
    from muniment.interfaces.mcp.instructions import BLOCK

    sys.stdout.write(BLOCK)
