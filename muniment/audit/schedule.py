"""When passes run: cron times of a time zone, one pass at a time, none lost and none in a storm."""

import threading
from collections import defaultdict
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta, tzinfo
from pathlib import Path
from typing import Final

import structlog
from cronsim import CronSim, CronSimError

from muniment.domain.errors import MunimentError, StorageFailed
from muniment.domain.ports import Clock
from muniment.log.lock import LogLock

_log = structlog.get_logger(__name__)

RETRY: Final = timedelta(minutes=1)
"""After so long a pass that found the slot busy, or failed, is tried again."""

_LONGEST_WAIT: Final = 30.0
"""Seconds after which the thread looks at the clock again, which may have been set."""

_ANY: Final = datetime(2026, 1, 1)  # noqa: DTZ001 (only the text is looked at)


class CronInvalid(ValueError):  # noqa: N818
    """The text is no cron expression."""


@dataclass(frozen=True, slots=True)
class Cron:
    """Times by a cron expression of five fields.

    Where clocks change it goes by Debian's rules, as the library does: what falls into the hour
    that is left out runs right after it, and in an hour that comes twice a fixed time runs once.

    Raises:
        CronInvalid: It is none, or never comes.
    """

    text: str

    def __post_init__(self) -> None:
        if len(self.text.split()) != 5:
            raise CronInvalid(f"{self.text!r} is no cron expression of five fields")
        try:
            next(CronSim(self.text, _ANY))
        except (CronSimError, StopIteration) as error:
            raise CronInvalid(f"{self.text!r} is no cron expression, or never comes") from error

    def next(self, after: datetime, zone: tzinfo) -> datetime:
        """The first time after a moment, in ``zone``."""
        return next(CronSim(self.text, after.astimezone(zone)))


class Slot:
    """What one pass at a time holds, over threads and processes.

    Args:
        path: The lock file; None: threads alone.
    """

    def __init__(self, path: Path | None) -> None:
        if path is not None:
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._lock = LogLock(path, timeout=0.0)

    @contextmanager
    def taken(self) -> Generator[bool, None, None]:
        """Whether the slot was free; it is held inside where it was."""
        try:
            with self._lock.held(0.0):
                yield True
                return
        except StorageFailed as error:
            if error.code != "busy":
                raise
        yield False

    def close(self) -> None:
        """Gives the file back."""
        self._lock.close()


@dataclass(frozen=True, slots=True)
class Pass:
    """Something that runs on a schedule.

    ``done_at`` says when it ran last, by whichever process; None: never.
    """

    name: str
    cron: Cron
    run: Callable[[], object]
    done_at: Callable[[], datetime | None]


class Scheduler:
    """Runs passes when they are due.

    A time that was missed while nothing ran is caught up once, however many were missed, and never
    before ``initial_delay`` is over, so that restarts do not add runs. A pass that finds the slot
    busy, or fails, stays due and is tried again after ``RETRY``.

    Args:
        passes: Says what runs, in this order where several are due; asked at every look.
        clock: Tells the time.
        zone: What cron times are read in.
        slot: Shared with every other pass.
        initial_delay: How long nothing runs after this is made.
    """

    def __init__(
        self,
        passes: Callable[[], Sequence[Pass]],
        *,
        clock: Clock,
        zone: tzinfo,
        slot: Slot,
        initial_delay: timedelta,
    ) -> None:
        self._clock = clock
        self._zone = zone
        self._slot = slot
        self._passes = passes
        earliest = clock() + initial_delay
        self._earliest: dict[str, datetime] = defaultdict(lambda: earliest)
        self._seen: dict[str, datetime] = defaultdict(clock)
        self._ran: dict[str, datetime] = {}
        self._stopped = threading.Event()
        self.due()  # what is here now is known from now on
        self._thread: threading.Thread | None = None

    def due(self) -> dict[str, datetime]:
        """When each pass runs next, by name; in the past: as soon as it may."""
        return {one.name: self._due(one) for one in self._passes()}

    def _due(self, one: Pass) -> datetime:
        done = [at for at in (one.done_at(), self._ran.get(one.name)) if at is not None]
        since = max(done, default=self._seen[one.name])
        return max(one.cron.next(since, self._zone), self._earliest[one.name])

    def tick(self) -> datetime | None:
        """Runs what is due, and says when something is next; None where there is nothing at all."""
        for one in self._passes():
            if self._due(one) <= self._clock():
                self._run(one)
        return min(self.due().values(), default=None)

    def _run(self, one: Pass) -> None:
        with self._slot.taken() as is_free:
            if is_free and self._due(one) > self._clock():
                return  # another process was faster
            if is_free:
                try:
                    one.run()
                except MunimentError as error:
                    _log.warning(
                        "pass_failed", name=one.name, code=error.code, reason=error.message
                    )
                else:
                    self._ran[one.name] = self._clock()  # it may have found nothing to record
                    return
            else:
                _log.info("pass_put_off", name=one.name)
        self._earliest[one.name] = self._clock() + RETRY

    def start(self) -> None:
        """Runs passes on a thread of their own until ``stop``."""
        self._thread = threading.Thread(target=self.run, name="muniment-schedule", daemon=True)
        self._thread.start()

    def run(self) -> None:
        """Runs passes on this thread until ``stop``."""
        while not self._stopped.is_set():
            wait = _LONGEST_WAIT
            try:
                due = self.tick()
            except MunimentError as error:
                _log.warning("schedule_failed", code=error.code, reason=error.message)
            else:
                if due is not None:
                    wait = max(0.0, min(wait, (due - self._clock()).total_seconds()))
            self._stopped.wait(wait)

    def stop(self) -> None:
        """Ends it, after the pass that is under way, and gives the slot's file back."""
        self._stopped.set()
        if self._thread is not None:
            self._thread.join()
        self._slot.close()
