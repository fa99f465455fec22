"""The one way into the log: commands wait, one of their threads decides all, one commit keeps them.

The thread that finds nobody leading leads: it takes the commands that wait, takes the log's lock,
opens one transaction, runs each command against the projections and what the batch has decided,
commits once, moves the projections, and answers. Then it hands the lead to the first that came
meanwhile. A command that is refused leaves nothing. The lookup of the duplicate check, which nobody
but the writer asks, moves ahead with the batch, and back where that is not committed.
"""

import sqlite3
import threading
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from datetime import datetime, timedelta
from hashlib import sha256
from typing import Any, Generic, TypeVar

import structlog
from eventsourcing.sqlite import SQLiteCursor

from muniment import telemetry
from muniment.commands.command import Answers
from muniment.domain.clock import Skewed
from muniment.domain.errors import Conflict, MunimentError, StorageFailed
from muniment.domain.identity import Identity
from muniment.domain.moments import told_time
from muniment.domain.ports import Append, Clock, Outcome
from muniment.domain.recorded import Recorded
from muniment.domain.retries import key_reused
from muniment.domain.rules import Rules

from .arrivals import RecentArrivals
from .batch import Batch, Work, new_id
from .desk import read_clock
from .read_models import ReadModels
from .rows import Pending
from .store import Store
from .tail import Head, Tail

_log = structlog.get_logger(__name__)

MAX_GROUP = 256
CHECKPOINT_EVERY = 1_000
SKEW_ALLOWED = timedelta(minutes=5)
SKEW_SAID_EVERY = timedelta(hours=1)

A = TypeVar("A")


def keyed_command_id(identity: Identity, key: str) -> str:
    """The command id of an idempotency key: 128 bits of SHA-256 over space, actor and key."""
    named = f"{identity.space}\0{identity.actor}\0{key}"
    return sha256(named.encode()).hexdigest()[:32]


class _Turn(Generic[A]):
    """Commands that wait to be decided together, whole or not at all."""

    def __init__(self, commands: Sequence[Answers[A]], identity: Identity) -> None:
        self.commands = commands
        self.identity = identity
        # several are told by an id of their call, which a trace may have more of
        self.correlation_id = new_id() if len(commands) > 1 else telemetry.trace_id()
        self.recorded: list[Recorded] = []
        self.answers: list[A] | None = None
        self.error: BaseException | None = None
        self.leads = False
        self._wake = threading.Lock()
        self._wake.acquire()

    def wait(self) -> None:
        self._wake.acquire()

    def wake(self) -> None:
        self._wake.release()

    @property
    def is_settled(self) -> bool:
        return self.answers is not None or self.error is not None


class Writer:
    """Runs commands on a store.

    Args:
        store: The log.
        models: Its read models.
        clock: Tells the time; read once a command, inside the transaction.
        rules: The figures that decisions go by.
    """

    def __init__(self, store: Store, models: ReadModels, clock: Clock, rules: Rules) -> None:
        self._store = store
        self._models = models
        self._clock = clock
        self._rules = rules
        self._mutex = threading.Lock()
        self._waiting: deque[_Turn[Any]] = deque()
        self._is_led = False
        self._skew_said_at: datetime | None = None
        self._checkpointed_at = 0
        self._ready: set[str] = set()
        self._others_write = False
        self._arrivals = RecentArrivals(store)

    def run(self, command: Answers[A | MunimentError], identity: Identity) -> A:
        """Decides one command and answers once what it appended is on the disk.

        An answer that is an error is raised then: a refusal may leave a stamp.
        """
        answer = self.run_all([command], identity)[0]
        if isinstance(answer, MunimentError):
            raise answer
        return answer

    def run_all(self, commands: Sequence[Answers[A]], identity: Identity) -> list[A]:
        """Decides commands in order, in one commit: all of them or none."""
        self._store.require_own_process()
        if self._store.read_only:
            raise StorageFailed("The store is open for reading only.", code="read_only")
        if not commands:
            return []
        with telemetry.operation(type(commands[0]), identity) as span:
            turn = self._settled(commands, identity)
            if turn.error is not None:
                raise turn.error
            assert turn.answers is not None  # noqa: S101 (a turn is settled or has an error)
            span.committed(turn.recorded, len(commands))
            if len(commands) == 1:
                span.answered(turn.answers[0])
            return turn.answers

    def _settled(self, commands: Sequence[Answers[A]], identity: Identity) -> _Turn[A]:
        """Waits until the commands are decided, and decides them where nobody else does."""
        for command in commands:
            command.prepare()
        if any(command.USES_SIMILARITY for command in commands):
            self._make_ready(identity.space)
        if len(commands) > 1:
            self._store.keys.reserve(len(commands))
        turn = _Turn(commands, identity)
        with self._mutex:
            self._waiting.append(turn)
            leads, self._is_led = not self._is_led, True
        if not leads:
            try:
                turn.wait()
            except BaseException:
                self._withdraw(turn)
                raise
            leads = turn.leads
        if leads:
            self._lead()
        return turn

    def _make_ready(self, space: str) -> None:
        """Does ahead what would otherwise be done while others wait for the log's lock."""
        if self._others_write or space not in self._ready:
            self._models.catch_up()
            self._models.similarity(space)
            self._ready.add(space)

    def _lead(self) -> None:
        group: list[_Turn[Any]] = []
        mine = self._waiting[0]
        try:
            while self._waiting and len(group) < MAX_GROUP:
                group.append(self._waiting.popleft())
            self._commit(group)
        finally:
            with self._mutex:
                self._hand_on()
            for turn in group:
                if not turn.is_settled:
                    turn.error = StorageFailed("The writer was interrupted.", code="interrupted")
                if turn is not mine:
                    turn.wake()

    def _hand_on(self) -> None:
        """Gives the lead to the first that waits. The mutex is held."""
        if self._waiting:
            self._waiting[0].leads = True
            self._waiting[0].wake()
        else:
            self._is_led = False

    def _withdraw(self, turn: _Turn[Any]) -> None:
        """Takes back a turn whose thread was interrupted, so that it never runs later."""
        with self._mutex:
            if turn in self._waiting:
                self._waiting.remove(turn)
                if turn.leads:
                    self._hand_on()

    def _commit(self, group: Sequence[_Turn[Any]]) -> None:
        batch = Batch(self._store, self._models, self._arrivals)
        try:
            with self._entered(), self._store.datastore.unit_of_work(batch.undo) as cursor:
                self._decide_all(group, batch, SQLiteCursor(cursor))
        except StorageFailed as error:
            self._arrivals.forget()
            for turn in group:
                turn.answers, turn.error = None, turn.error or error
            batch.end()
            return
        except Conflict as error:
            # a row could not follow on what is there: whose it was shows when each is alone
            for turn in group:
                turn.answers, turn.error = None, error if len(group) == 1 else None
            batch.end()
            for turn in group if len(group) > 1 else ():
                self._commit([turn])
            return
        except BaseException:
            batch.abandon()
            raise
        batch.end()
        if batch.skewed_at is not None:
            self._skew_said_at = batch.skewed_at
        self._models.apply(batch.events)
        self._checkpoint(batch)

    def _decide_all(self, group: Sequence[_Turn[Any]], batch: Batch, cursor: SQLiteCursor) -> None:
        """Runs every turn within the open transaction; what one is refused for is its own."""
        head = self._store.rows.head()
        self._others_write = head.position > self._models.position
        if self._others_write:
            self._models.catch_up()
        tail = batch.begin(head, _read(self._clock))
        try:
            self._note_skew(batch, head, group[0].identity)
            for turn in group:
                tail.begin_turn()
                decided = len(batch.events)
                try:
                    turn.answers = self._decide(turn, batch)
                except sqlite3.Error:
                    raise  # the database failed, not the command: nothing of the batch is kept
                except Exception as error:  # noqa: BLE001 (it is raised to who asked)
                    tail.undo_turn(cursor)
                    batch.undo(decided)
                    turn.error = error
                else:
                    tail.end_turn(cursor)
            tail.write(cursor)
        finally:
            self._store.rows.tail = None

    def _entered(self) -> AbstractContextManager[object]:
        """In memory a reader waits for the writer, so the writer must not wait for a reader."""
        return self._models.lock if self._store.datastore.in_memory else nullcontext()

    def _decide(self, turn: _Turn[A], batch: Batch) -> list[A]:
        answers: list[A] = []
        appended: list[Recorded] = []
        work = Work(batch, turn.identity, batch.began_at, self._rules)
        for number, command in enumerate(turn.commands):
            work.now = _read(self._clock)
            key = command.idempotency_key
            command_id = keyed_command_id(turn.identity, key) if key else new_id()
            try:
                recorded = self._earlier(command, command_id) if key else None
                repeated = recorded is not None
                if recorded is None:
                    envelope = self._envelope(turn, command, command_id, work.now, batch.tail)
                    recorded = work.append(command.decide(work), envelope)
            except MunimentError as error:
                error.number = number
                raise
            appended += recorded
            answers.append(command.answer(Outcome(recorded, work, repeated)))
        batch.states.update(work.changed)
        turn.recorded = appended
        return answers

    def _earlier(self, command: Answers[A], command_id: str) -> list[Recorded] | None:
        """What a command of this key recorded before; None where it is new."""
        rows = self._store.rows.select_command(command_id)
        if not rows:
            return None
        if not self._store.sealing.asked_the_same(rows[0], command.request()):
            raise key_reused()
        return [self._store.sealing.recorded(row) for row in rows]

    def _envelope(
        self,
        turn: _Turn[Any],
        command: Answers[Any],
        command_id: str,
        now: datetime,
        tail: Tail,
    ) -> Callable[[object, Append, int], Pending]:
        request = command.request() if command.idempotency_key else None
        recorded_at = _not_before(now, tail.head)

        def pending(event: object, append: Append, version: int) -> Pending:
            return Pending(
                append.stream,
                version,
                event,
                recorded_at,
                append.actor or turn.identity.actor,
                turn.identity.space,
                command_id,
                append.correlation_id or turn.correlation_id,
                None,
                request,
            )

        return pending

    def _note_skew(self, batch: Batch, head: Head, identity: Identity) -> None:
        """Records, once an hour, that the clock is behind the log."""
        now = batch.began_at
        behind = _not_before(now, head) - now
        last = self._skew_said_at
        if behind <= SKEW_ALLOWED or (last is not None and abs(now - last) < SKEW_SAID_EVERY):
            return
        batch.skewed_at = now
        _log.warning("clock_behind_log", behind_seconds=behind.total_seconds())
        said = Pending(
            new_id(),
            1,
            Skewed(behind_seconds=behind.total_seconds()),
            now + behind,
            "system:log",
            identity.space,
            new_id(),
            None,
            None,
            None,
        )
        batch.events += self._store.append([said])

    def _checkpoint(self, batch: Batch) -> None:
        position = batch.tail.head.position
        if position - self._checkpointed_at >= CHECKPOINT_EVERY:
            self._checkpointed_at = position
            try:
                self._store.datastore.checkpoint()
            except StorageFailed as error:
                # everything is kept already; the write-ahead log only grows until the next time
                _log.warning("checkpoint_put_off", code=error.code, reason=error.message)


def _read(clock: Clock) -> datetime:
    return read_clock(clock())


def _not_before(now: datetime, head: Head) -> datetime:
    newest = told_time(head.recorded_at) if head.recorded_at else None
    return now if newest is None else max(now, newest)
