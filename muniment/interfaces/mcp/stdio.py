"""The tools over standard input and output: for a host that starts the program itself."""

import anyio
from mcp.server.stdio import stdio_server

from muniment.handle import Muniment

from .server import server


def run(store: Muniment) -> None:
    """Serves whoever started the process, until it closes the input."""
    store.record_start("mcp")
    anyio.run(_run, store)


async def _run(store: Muniment) -> None:
    made = server(lambda _, *, writes: store)  # noqa: ARG005 (nothing is counted here)
    async with stdio_server() as (read, write):
        await made.run(read, write, made.create_initialization_options())
