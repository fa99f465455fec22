"""The tools over standard input and output: for a host that starts the program itself."""

import os
import signal
import sys
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import BinaryIO, Final, cast

import anyio
import mcp_types as types
from anyio.abc import ObjectReceiveStream, ObjectSendStream
from anyio.to_thread import run_sync
from mcp.server.stdio import stdio_server
from mcp.shared.message import SessionMessage

from muniment.handle import Muniment

from . import messages
from .server import server
from .tool import Caller

_INTERRUPTED: Final = 130

_OWED: Final = 10.0
"""Seconds that answers may take once the host has closed the input."""


def run(store: Muniment) -> None:
    """Serves whoever started the process, until it closes the input or ends the process."""

    def end(number: int, _: object = None) -> None:
        # the thread that waits for input cannot be interrupted: what is owed is written here
        store.close()
        os._exit(_INTERRUPTED if number == signal.SIGINT else 0)

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, end)
    store.record_start("mcp")
    caller = Caller(store, f"mcp-{uuid.uuid4()}")
    try:
        anyio.run(_run, caller, store.settings.limits.body_bytes)
    except* (BrokenPipeError, anyio.BrokenResourceError):
        end(signal.SIGPIPE)  # nobody hears it any longer


async def _run(caller: Caller, most: int) -> None:
    made = server(lambda _: caller)
    asked, understood = anyio.create_memory_object_stream[str](0)
    lines = cast("anyio.AsyncFile[str]", understood)  # it is asked for one line after the other
    said, answers = anyio.create_memory_object_stream[SessionMessage](0)
    async with stdio_server(lines) as (read, write), write, anyio.create_task_group() as tasks:
        owing = _Owing(answers, write.send)
        tasks.start_soon(owing.pay)
        tasks.start_soon(_sort, asked, said, owing, most)
        await made.run(read, said, made.create_initialization_options())
        tasks.cancel_scope.cancel()


async def _sort(
    asked: ObjectSendStream[str],
    said: ObjectSendStream[SessionMessage],
    owing: "_Owing",
    most: int,
) -> None:
    """What is no message of the protocol is answered, or its sender would wait for ever."""
    async with asked:
        async for line in _lines(sys.stdin.buffer, most):
            if line is None:
                await said.send(SessionMessage(messages.too_long(most)))
            elif not line.isspace():
                try:
                    message = messages.read(line)
                except messages.NoMessageError as error:
                    await said.send(SessionMessage(error.answer))
                else:
                    owing.note(message)
                    await asked.send(line.decode())
        with anyio.move_on_after(_OWED):
            await owing.paid()


async def _lines(source: BinaryIO, most: int) -> AsyncIterator[bytes | None]:
    """The lines of a source; None for one of more bytes than may be, which is not kept."""
    is_over = False
    while part := await run_sync(source.readline, most + 1, abandon_on_cancel=True):
        ends = part.endswith(b"\n")
        if is_over:
            is_over = not ends
        elif ends or len(part) <= most:
            yield part
        else:
            is_over = True
            yield None


class _Owing:
    """Passes answers on, and knows which requests have none yet."""

    def __init__(
        self,
        answers: ObjectReceiveStream[SessionMessage],
        write: Callable[[SessionMessage], Awaitable[None]],
    ) -> None:
        self._answers = answers
        self._write = write
        self._open: set[types.RequestId] = set()
        self._changed = anyio.Event()

    def note(self, message: types.JSONRPCMessage) -> None:
        """Notes what is owed an answer, and what no longer is."""
        match message:
            case types.JSONRPCRequest():
                self._open.add(message.id)
            case types.JSONRPCNotification(method="notifications/cancelled", params=params):
                self._settle((params or {}).get("requestId"))
            case _:
                pass

    async def pay(self) -> None:
        """Passes answers on, until there are no more."""
        async for answer in self._answers:
            await self._write(answer)
            self._settle(getattr(answer.message, "id", None))

    async def paid(self) -> None:
        """Waits until nothing is owed."""
        while self._open:
            self._changed = anyio.Event()
            await self._changed.wait()

    def _settle(self, number: object) -> None:
        self._open.discard(cast("types.RequestId", number))
        self._changed.set()
