"""The tools over standard input and output: for a host that starts the program itself."""

import os
import signal
import sys
import uuid
from typing import cast

import anyio
from mcp.server.stdio import stdio_server
from mcp.shared.message import SessionMessage

from muniment.handle import Muniment

from . import messages
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
    sent = anyio.wrap_file(sys.stdin.buffer)
    forward, understood = anyio.create_memory_object_stream[str](0)
    lines = cast("anyio.AsyncFile[str]", understood)  # it is asked for one line after the other
    async with stdio_server(lines) as (read, write), anyio.create_task_group() as tasks:

        async def sort() -> None:
            """What is no message of the protocol is answered, or its sender would wait for ever."""
            async with forward:
                async for line in sent:
                    if line.isspace():
                        continue
                    try:
                        messages.read(line)
                    except messages.NoMessageError as error:
                        await write.send(SessionMessage(error.answer))
                    else:
                        await forward.send(line.decode())

        tasks.start_soon(sort)
        await made.run(read, write, made.create_initialization_options())
        tasks.cancel_scope.cancel()
