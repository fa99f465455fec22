"""Denials on their way into the log: few of them, however often somebody tries."""

import threading
from collections.abc import Callable
from datetime import datetime
from typing import Final

import structlog

from .commands.record_denial import RecordDenial
from .domain.denial import Tally, tallied
from .domain.errors import StorageFailed
from .domain.identity import Identity

_log = structlog.get_logger(__name__)

_REMEMBERED: Final = 1_000


class Denials:
    """Counts what was denied to whom, and records it once a minute each.

    Args:
        record: Appends to the log.
        now: Tells the time.
    """

    def __init__(
        self, record: Callable[[RecordDenial, Identity], None], now: Callable[[], datetime]
    ) -> None:
        self._record = record
        self._now = now
        self._mutex = threading.Lock()
        self._tallies: dict[tuple[Identity, str], Tally] = {}

    def note(self, identity: Identity, operation: str) -> None:
        """Counts a denial, and records it where it is due."""
        with self._mutex:
            key = identity, operation
            tally, count = tallied(self._tallies.pop(key, None), self._now())
            self._tallies[key] = tally
            left: dict[tuple[Identity, str], Tally] = {}
            if len(self._tallies) > _REMEMBERED:
                left, self._tallies = self._tallies, {key: tally}
                del left[key]
        self._say(key, count)
        for other, uncounted in left.items():
            self._say(other, uncounted.unsaid)

    def close(self) -> None:
        """Records what was counted and not recorded yet."""
        with self._mutex:
            left, self._tallies = self._tallies, {}
        for key, tally in left.items():
            self._say(key, tally.unsaid)

    def _say(self, key: tuple[Identity, str], count: int) -> None:
        if not count:
            return
        identity, operation = key
        try:
            self._record(RecordDenial.of(operation=operation, count=count), identity)
        except StorageFailed as error:
            # who was denied is told so whether or not it can be written down
            _log.warning(
                "denial_not_recorded",
                operation=operation,
                actor=identity.actor,
                count=count,
                code=error.code,
            )
