"""One writer at a time, over threads and processes: an ``flock`` on a file of its own.

SQLite's own busy handler starves under two writing processes; this lock is taken before SQLite's is
asked for, and is fair enough. It is also held for checkpoints of the write-ahead log.
"""

import fcntl
import os
import threading
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from muniment.domain.errors import StorageFailed

_STEPS = (0.0002, 0.0005, 0.001, 0.002, 0.005)


class LogLock:
    """The lock in ``path`` (made with mode 0600), or a thread lock where that is None.

    Args:
        path: The lock file.
        timeout: Seconds after which waiting is given up.
    """

    def __init__(self, path: Path | None, timeout: float) -> None:
        self._timeout = timeout
        self._threads = threading.Lock()
        self._is_closed = False
        self._descriptor = (
            None if path is None else os.open(path, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
        )

    @contextmanager
    def held(self, timeout: float | None = None) -> Generator[None, None, None]:
        """Holds the lock; waits for the lock's own timeout unless another is given.

        Raises:
            StorageFailed: ``busy`` once the timeout is over, ``closed``; nothing was done.
        """
        if self._is_closed:
            raise StorageFailed("The store was closed: open it again.", code="closed")
        timeout = self._timeout if timeout is None else timeout
        deadline = time.monotonic() + timeout
        if not self._threads.acquire(timeout=timeout):
            raise _busy(timeout)
        try:
            self._take(deadline, timeout)
            try:
                yield
            finally:
                if self._descriptor is not None:
                    fcntl.flock(self._descriptor, fcntl.LOCK_UN)
        finally:
            self._threads.release()

    def _take(self, deadline: float, timeout: float) -> None:
        if self._descriptor is None:
            return
        for attempt in range(1_000_000_000):
            try:
                fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                if time.monotonic() >= deadline:
                    raise _busy(timeout) from None
                time.sleep(_STEPS[min(attempt, len(_STEPS) - 1)])
            else:
                return

    def close(self) -> None:
        """Gives the file back."""
        self._is_closed = True
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None


def _busy(timeout: float) -> StorageFailed:
    return StorageFailed(
        f"Another process held the store for {timeout:g} s: try again.",
        code="busy",
        retry_after=1.0,
    )
