"""A circuit breaker: a service that failed too often is left alone for a while."""

import threading
import time
from collections.abc import Callable

from muniment.domain.embedding import Health


class CircuitBreaker:
    """Closed until ``failures`` in a row, then open for ``rest`` seconds, then one call decides.

    Every call that was admitted is followed by one of ``succeeded``, ``failed``, ``released``. Safe
    to use from several threads.

    Args:
        failures: How many in a row open it, from 1.
        rest: Seconds in which it stays open.
        clock: Tells seconds that never fall.
    """

    def __init__(
        self,
        *,
        failures: int = 5,
        rest: float = 30.0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._failures = failures
        self._rest = rest
        self._clock = clock
        self._lock = threading.Lock()
        self._in_a_row = 0
        self._open_until: float | None = None
        self._is_probing = False

    def health(self) -> Health:
        """The state as it stands."""
        with self._lock:
            if self._open_until is None:
                return Health()
            left = self._open_until - self._clock()
            return Health("open", left) if left > 0 else Health("half_open")

    def admit(self) -> bool:
        """Whether a call may be made."""
        with self._lock:
            if self._open_until is None:
                return True
            if self._is_probing or self._clock() < self._open_until:
                return False
            self._is_probing = True
            return True

    def succeeded(self) -> None:
        """The service answered."""
        with self._lock:
            self._in_a_row = 0
            self._open_until = None
            self._is_probing = False

    def failed(self, *, rest: float | None = None) -> None:
        """It did not. Where it says for how many seconds to leave it alone, it is, at once."""
        with self._lock:
            self._in_a_row += 1
            if rest is None and (self._is_probing or self._in_a_row >= self._failures):
                rest = self._rest
            if rest is not None:
                self._open_until = max(self._open_until or 0.0, self._clock() + rest)
            self._is_probing = False

    def released(self) -> None:
        """The call was given up before it said anything of the service."""
        with self._lock:
            self._is_probing = False
