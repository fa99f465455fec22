"""Recalls on their way into the log: a few of a session together, and none later than said.

What waits is lost where the process dies; ``knew`` says so. What cannot be recorded for now, such
as on a full disk, goes on waiting.
"""

import threading
from collections import defaultdict
from collections.abc import Callable
from typing import NamedTuple

import structlog

from .commands.record_recalls import RecordRecalls
from .domain.errors import StorageFailed
from .domain.identity import Identity
from .domain.recall import Asked
from .log.read_models import ReadModels
from .settings import RecallSettings

_log = structlog.get_logger(__name__)


class _Session(NamedTuple):
    identity: Identity
    session: str
    agent: str


class Recalls:
    """What was recalled and is not recorded yet; safe to use from several threads.

    Args:
        settings: When it is recorded, if at all.
        run: Runs a command.
        models: Where streams are found again; loaded before others wait for the log's lock.
    """

    def __init__(
        self,
        settings: RecallSettings,
        run: Callable[[RecordRecalls, Identity], int],
        models: ReadModels,
    ) -> None:
        self.settings = settings
        self._run = run
        self._models = models
        self._lock = threading.Lock()
        self._waiting: defaultdict[_Session, list[Asked]] = defaultdict(list)
        self._timer: threading.Timer | None = None
        self._is_closed = False

    def note(self, identity: Identity, session: str, agent: str, asked: Asked) -> None:
        """Takes in a recall; it is recorded at once, with others, or never, as the settings say.

        Raises:
            StorageFailed: In the mode ``synchronous``, where it cannot be recorded.
        """
        if self.settings.mode == "off":
            return
        mine = _Session(identity, session, agent)
        if self.settings.mode == "synchronous":
            self._record(mine, [asked])
            return
        with self._lock:
            waiting = self._waiting[mine]
            waiting.append(asked)
            is_full = len(waiting) >= self.settings.batch
            self._wind()
        if is_full:
            self._flush_or_warn(mine)

    def flush(self) -> None:
        """Records all that waits.

        Raises:
            StorageFailed: What could not be recorded goes on waiting.
        """
        with self._lock:
            sessions = list(self._waiting)
        for session in sessions:
            self._flush(session)

    def close(self) -> None:
        """Records all that waits; from here on nothing is recorded by itself."""
        with self._lock:
            self._is_closed = True
            timer = self._timer
        if timer is not None:
            timer.cancel()
            timer.join()
        self._tick()

    def _wind(self) -> None:
        """Sets the timer of the oldest that waits. The lock is held."""
        if self._timer is None and not self._is_closed:
            self._timer = threading.Timer(self.settings.seconds, self._tick)
            self._timer.daemon = True
            self._timer.start()

    def _tick(self) -> None:
        with self._lock:
            self._timer = None
            sessions = list(self._waiting)
        for session in sessions:
            self._flush_or_warn(session)
        with self._lock:
            if self._waiting:
                self._wind()

    def _flush_or_warn(self, session: _Session) -> None:
        try:
            self._flush(session)
        except StorageFailed as error:
            waiting = len(self._waiting.get(session, ()))
            _log.warning(
                "recalls_not_recorded", code=error.code, reason=error.message, waiting=waiting
            )

    def _flush(self, session: _Session) -> None:
        with self._lock:
            asked = self._waiting.pop(session, [])
        try:
            self._record(session, asked)
        except BaseException:
            with self._lock:
                self._waiting[session][:0] = asked
            raise

    def _record(self, session: _Session, asked: list[Asked]) -> None:
        if not asked:
            return
        with self._models.lock:
            self._models.catch_up()
            self._models.recall_log(session.identity.space)
        self._run(
            RecordRecalls.of(session=session.session, agent=session.agent, asked=tuple(asked)),
            session.identity,
        )
