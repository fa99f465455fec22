"""How often a client may ask: so many a minute, spent at once or evenly."""

import math
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable

from muniment.domain.errors import Conflict

_MINUTE = 60.0
_CLIENTS = 10_000


class RateLimited(Conflict):
    """Too much was asked in too short a time.

    Args:
        message: What to do.
        retry_after: Seconds until one more is allowed.
    """

    default_code = "rate_limited"

    def __init__(self, message: str, retry_after: float) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class Allowance:
    """A bucket a client that fills evenly and holds what is allowed in a minute.

    Args:
        name: Of what it counts, for the error.
        a_minute: How many each client may ask; 0 or less: as many as it likes.
        clock: Seconds that never go back.
    """

    def __init__(
        self, name: str, a_minute: int, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._name = name
        self._a_minute = a_minute
        self._clock = clock
        self._lock = threading.Lock()
        self._left: OrderedDict[Hashable, tuple[float, float]] = OrderedDict()

    def take(self, client: Hashable) -> None:
        """Counts one request of a client.

        Raises:
            RateLimited: It has none left.
        """
        if self._a_minute <= 0:
            return
        now = self._clock()
        with self._lock:
            left, at = self._left.pop(client, (float(self._a_minute), now))
            left = min(self._a_minute, left + (now - at) * self._a_minute / _MINUTE)
            allowed = left >= 1.0
            self._left[client] = (left - 1.0 if allowed else left), now
            while len(self._left) > _CLIENTS:
                self._left.popitem(last=False)
        if not allowed:
            pause = (1.0 - left) * _MINUTE / self._a_minute
            raise RateLimited(
                f"More than {self._a_minute} {self._name} a minute: ask again in"
                f" {math.ceil(pause)} s, or ask the operator for a higher limit.",
                pause,
            )
