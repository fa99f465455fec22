"""The protocol's own client, over both transports, for tests that are not asynchronous."""

import os
import sys
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, TypeVar

import anyio
import httpx2
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client

T = TypeVar("T")


@asynccontextmanager
async def over_stdio(
    data: Path, *options: str, environment: dict[str, str] | None = None
) -> AsyncGenerator[ClientSession]:
    """A session with ``muniment mcp`` in a process of its own."""
    started = StdioServerParameters(
        command=sys.executable,
        args=["-m", "muniment", "--data", str(data), *options, "mcp"],
        env={"PYTHONPATH": os.environ.get("PYTHONPATH", ""), **(environment or {})},
    )
    async with stdio_client(started) as (read, write), ClientSession(read, write) as session:
        await session.initialize()
        yield session


@asynccontextmanager
async def over_http(base: str, token: str | None) -> AsyncGenerator[ClientSession]:
    """A session with a server that runs."""
    headers = {} if token is None else {"Authorization": f"Bearer {token}"}
    async with (
        httpx2.AsyncClient(headers=headers) as client,
        streamable_http_client(f"{base}/mcp", http_client=client) as streams,
        ClientSession(streams[0], streams[1]) as session,
    ):
        await session.initialize()
        yield session


def talk(made: Any, say: Callable[[ClientSession], Awaitable[T]]) -> T:
    """Opens a session, and says something in it."""

    async def run() -> T:
        async with made as session:
            return await say(session)

    return anyio.run(run)


async def told(session: ClientSession, tool: str, /, **arguments: Any) -> str:
    """What a tool answers."""
    answer = await session.call_tool(tool, arguments)
    assert not answer.is_error, answer.content
    (part,) = answer.content
    assert part.type == "text"
    assert tool not in part.text
    return part.text


async def failed(session: ClientSession, tool: str, /, **arguments: Any) -> str:
    """With what a tool fails."""
    answer = await session.call_tool(tool, arguments)
    assert answer.is_error
    (part,) = answer.content
    assert part.type == "text"
    return part.text
