"""Who guesses at tokens is kept out for a while."""

import threading
from collections import deque
from datetime import datetime, timedelta
from typing import Final

from .domain.errors import Refused
from .domain.ports import Clock

FAILURES: Final = 10
WITHIN: Final = timedelta(minutes=1)
_CLIENTS: Final = 10_000


class LockedOut(Refused):
    """An address failed too often.

    Args:
        message: What to do.
        retry_after: Seconds until it may try again.
    """

    default_code = "locked_out"

    def __init__(self, message: str, retry_after: float) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class Lockout:
    """Counts the failures of each client: ten in a minute keep it out for a minute.

    Args:
        clock: Tells the time.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._mutex = threading.Lock()
        self._failed: dict[str, deque[datetime]] = {}
        self._until: dict[str, datetime] = {}

    def require_open(self, client: str) -> None:
        """Lets a client try.

        Raises:
            LockedOut: Whatever it would show.
        """
        with self._mutex:
            until = self._until.get(client)
            now = self._clock()
            if until is None or now >= until:
                self._until.pop(client, None)
                return
        left = (until - now).total_seconds()
        raise LockedOut(f"Too many failures: try again in {left:.0f} s.", left)

    def failed(self, client: str) -> None:
        """Counts a failure."""
        with self._mutex:
            now = self._clock()
            failures = self._failed.setdefault(client, deque(maxlen=FAILURES))
            failures.append(now)
            if len(failures) == FAILURES and now - failures[0] < WITHIN:
                self._until[client] = now + WITHIN
                del self._failed[client]
            if len(self._failed) > _CLIENTS:
                self._forget(now)

    def passed(self, client: str) -> None:
        """Forgets the failures of a client that got in."""
        with self._mutex:
            self._failed.pop(client, None)

    def _forget(self, now: datetime) -> None:
        """Leaves the clients that failed within the last minute."""
        self._failed = {
            client: failures
            for client, failures in self._failed.items()
            if now - failures[-1] < WITHIN
        }
        self._until = {client: until for client, until in self._until.items() if now < until}
