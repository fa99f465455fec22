"""The face for asyncio: each call runs in a worker thread."""

import asyncio
from collections.abc import AsyncIterator
from functools import wraps
from typing import TYPE_CHECKING, Any

from .face.base import Face

if TYPE_CHECKING:
    from .handle import Muniment
    from .queries.log import LogEntry

_END = object()


class AsyncFace:
    """Every method of a face as a coroutine function; its parts, such as ``working``, likewise."""

    def __init__(self, face: Face) -> None:
        self._face = face

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._face, name)
        if isinstance(found, Face):
            return AsyncFace(found)
        if not callable(found):
            message = f"{name!r} is no method: read it from the handle"
            raise AttributeError(message)  # noqa: TRY004 (what attribute access raises)

        @wraps(found)
        async def call(*arguments: Any, **named: Any) -> Any:
            return await asyncio.to_thread(found, *arguments, **named)

        return call


class AsyncMuniment(AsyncFace):
    """The handle for asyncio; ``log`` is an asynchronous iterator."""

    def __init__(self, handle: "Muniment") -> None:
        super().__init__(handle)
        self._handle = handle

    async def log(self, **filters: Any) -> AsyncIterator["LogEntry"]:
        """The log by position, read as it is iterated."""
        entries = await asyncio.to_thread(self._handle.log, **filters)
        while True:
            entry: Any = await asyncio.to_thread(next, entries, _END)
            if entry is _END:
                return
            yield entry
