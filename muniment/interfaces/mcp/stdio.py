"""The tools over standard input and output: for a host that starts the program itself."""

import os
import signal
import uuid

import anyio
import mcp_types as types
from mcp.server.stdio import stdio_server
from mcp.shared.message import SessionMessage

from muniment.handle import Muniment

from .server import Context, server
from .tool import Caller

_INTERRUPTED = 130

_NO_MESSAGE = types.JSONRPCError(
    jsonrpc="2.0",
    id=None,
    error=types.ErrorData(
        code=types.PARSE_ERROR, message="That was no message: send JSON-RPC, one object a line."
    ),
)


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
    forward, understood = anyio.create_memory_object_stream[SessionMessage | Exception](0)
    async with stdio_server() as (read, write), anyio.create_task_group() as tasks:

        async def sort() -> None:
            """What is no message of the protocol is answered, or its sender would wait for ever."""
            async with forward:
                async for said in read:
                    if isinstance(said, Exception):
                        await write.send(SessionMessage(_NO_MESSAGE))
                    else:
                        await forward.send(said)

        tasks.start_soon(sort)
        await made.run(understood, write, made.create_initialization_options())
        tasks.cancel_scope.cancel()
