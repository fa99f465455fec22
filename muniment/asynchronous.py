"""The face for asyncio: each call runs in a worker thread."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from functools import wraps
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .handle import Muniment
    from .queries.log import LogEntry

_END = object()


class AsyncMuniment:
    """Every method of the handle as a coroutine function; ``log`` as an asynchronous iterator."""

    def __init__(self, handle: "Muniment") -> None:
        self._handle = handle

    def __getattr__(self, name: str) -> Callable[..., Awaitable[Any]]:
        method = getattr(self._handle, name)
        if not callable(method):
            message = f"{name!r} is no method: read it from the handle"
            raise AttributeError(message)  # noqa: TRY004 (what attribute access raises)

        @wraps(method)
        async def call(*arguments: Any, **named: Any) -> Any:
            return await asyncio.to_thread(method, *arguments, **named)

        return call

    async def log(self, **filters: Any) -> AsyncIterator["LogEntry"]:
        """The log by position, read as it is iterated."""
        entries = await asyncio.to_thread(self._handle.log, **filters)
        while True:
            entry: Any = await asyncio.to_thread(next, entries, _END)
            if entry is _END:
                return
            yield entry
