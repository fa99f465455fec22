"""The tools over standard input and output: for a host that starts the program itself."""

import os
import signal
import uuid

import anyio
from mcp.server.stdio import stdio_server

from muniment.handle import Muniment

from .server import Context, server
from .tool import Caller

_INTERRUPTED = 130


def run(store: Muniment) -> None:
    """Serves whoever started the process, until it closes the input or ends the process."""

    def end(number: int, _: object) -> None:
        # the thread that waits for input cannot be interrupted: what is owed is written here
        store.close()
        os._exit(0 if number == signal.SIGTERM else _INTERRUPTED)

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, end)
    store.record_start("mcp")
    anyio.run(_run, Caller(store, f"mcp-{uuid.uuid4()}"))


async def _run(caller: Caller) -> None:
    def enter(_: Context, *, writes: bool) -> Caller:  # noqa: ARG001 (nothing is counted here)
        return caller

    made = server(enter)
    async with stdio_server() as (read, write):
        await made.run(read, write, made.create_initialization_options())
