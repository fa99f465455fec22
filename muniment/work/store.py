"""``work.db`` as one thing: opened or made, swept, forgotten from."""

import threading
from datetime import datetime, timedelta
from pathlib import Path
from typing import Final

import structlog

from muniment.domain.errors import StorageFailed
from muniment.domain.rules import Rules
from muniment.log.keys import Keys
from muniment.log.read_models import Ranking

from . import entries, reports, sessions, turns
from .database import Database
from .entries import Entries
from .forgetting import Forgetting
from .reports import Reports
from .sealing import Seals
from .searching import Searching
from .standing import Sessions
from .turns import Turns

SWEPT_EVERY: Final = timedelta(hours=1)

_log = structlog.get_logger(__name__)


class WorkStore:
    """What is kept for a while: working memory, conversations, reports of tool calls.

    Args:
        directory: The data directory; None: in memory.
        keys: The vault, which the keys of spaces are in.
        rules: How long what is kept.
        ranking: What keyword search ranks with.
        busy_timeout: Seconds to wait for another process.
        read_only: Whether to open for reading alone.

    Raises:
        StorageFailed: As for ``Database``.
    """

    def __init__(
        self,
        directory: Path | None,
        keys: Keys,
        rules: Rules,
        ranking: Ranking,
        *,
        busy_timeout: float,
        read_only: bool,
    ) -> None:
        self._database = Database(directory, busy_timeout=busy_timeout, read_only=read_only)
        seals, talk = Seals(keys), rules.talk
        self._rules = rules
        self._swept_at: datetime | None = None
        self._sweeping = threading.Lock()
        self.entries = Entries(self._database, seals)
        self.turns = Turns(self._database, seals, idle=talk.idle)
        self.sessions = Sessions(self._database, seals, idle=talk.idle, window=talk.window)
        self.reports = Reports(self._database, seals)
        self.forgetting = Forgetting(self._database, seals)
        self.entry_words = Searching(self._database, ranking)
        self.turn_words = Searching(self._database, ranking)
        if not read_only:
            try:
                self.forgetting.finish()
            except StorageFailed as error:
                # it is finished by who opens it next; what was erased is in no answer all the same
                _log.warning("erasure_put_off", code=error.code, reason=error.message)

    def sweep_if_due(self, now: datetime) -> None:
        """Sweeps once an hour, by the clock of the store, and when that was set back.

        Where it fails, such as on a full disk, it is put off: what is over is in no answer anyway.
        """
        if self._database.read_only:
            return
        with self._sweeping:
            last = self._swept_at
            if last is not None and last <= now < last + SWEPT_EVERY:
                return
            self._swept_at = now
        try:
            self.sweep(now)
        except StorageFailed as error:
            _log.warning("sweep_put_off", code=error.code, reason=error.message)

    def sweep(self, now: datetime) -> None:
        """Deletes what has expired, what its retention is over of, and what has been learned."""
        talk = self._rules.talk
        with self._database.writing() as connection:
            entries.sweep(connection, now)
            turns.sweep(connection, now, retention=talk.retention, idle=talk.idle)
            sessions.sweep(connection, now, idle=talk.idle)
            reports.sweep(connection, now, retention=talk.report_retention)

    def close(self) -> None:
        """Gives the file back."""
        self._database.close()
