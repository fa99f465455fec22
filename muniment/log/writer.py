"""The one way into the log: commands wait, one of their threads decides all, one commit keeps them.

The thread that finds nobody leading leads: it takes the commands that wait, takes the log's lock,
opens one transaction, runs each command under a savepoint against the projections and an overlay of
what the batch has decided, commits once, moves the projections, and answers. Then it hands the lead
to the first that came meanwhile.
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
import uuid_utils

from muniment.commands.command import Answers
from muniment.domain.clock import Skewed
from muniment.domain.duplicates import Form
from muniment.domain.errors import Conflict, MunimentError, StorageFailed
from muniment.domain.identity import Identity
from muniment.domain.memory.state import State, evolve
from muniment.domain.ports import Append, Clock, Outcome
from muniment.domain.recorded import Recorded
from muniment.domain.rules import Rules
from muniment.projections.similarity import Likeness, Overlay, Similarity

from .desk import LogDesk, read_clock
from .mapper import told_time
from .read_models import ReadModels
from .recorder import Head
from .rows import Pending
from .store import Store

_log = structlog.get_logger(__name__)

MAX_GROUP = 256
CHECKPOINT_EVERY = 1_000
SKEW_ALLOWED = timedelta(minutes=5)
SKEW_SAID_EVERY = timedelta(hours=1)

A = TypeVar("A")


def new_id() -> str:
    """A fresh UUIDv7."""
    return str(uuid_utils.uuid7())


def keyed_command_id(identity: Identity, key: str) -> str:
    """The command id of an idempotency key: 128 bits of SHA-256 over space, actor and key."""
    named = f"{identity.space}\0{identity.actor}\0{key}"
    return sha256(named.encode()).hexdigest()[:32]


class _Turn(Generic[A]):
    """Commands that wait to be decided together, whole or not at all."""

    def __init__(self, commands: Sequence[Answers[A]], identity: Identity) -> None:
        self.commands = commands
        self.identity = identity
        self.correlation_id = new_id() if len(commands) > 1 else None
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


class _Batch:
    """What one transaction has decided so far, its open turn included."""

    def __init__(self, store: Store, models: ReadModels, head: Head, began_at: datetime) -> None:
        self.store = store
        self.head = head
        self.began_at = began_at
        self.events: list[Recorded] = []
        self.states: dict[str, State] = {}
        self._models = models
        self._overlays: dict[str, tuple[Overlay, int]] = {}
        self.skewed_at: datetime | None = None

    def similarity(self, space: str) -> Similarity | Overlay:
        """What is known of a space: committed, or decided in this batch."""
        base = self._models.similarity(space)
        if not self.events:
            return base
        overlay, seen = self._overlays.get(space) or (Overlay(base), 0)
        if seen < len(self.events):
            for recorded in self.events[seen:]:
                if recorded.space == space:
                    overlay.apply(recorded)
            self._overlays[space] = overlay, len(self.events)
        return overlay

    def undo(self, events: int) -> None:
        """Forgets all but the first ``events``: the others were rolled back."""
        del self.events[events:]
        self._overlays.clear()


class _Work(LogDesk):
    """One command's turn: reads through the batch, appends into its transaction."""

    def __init__(self, batch: _Batch, identity: Identity, now: datetime, rules: Rules) -> None:
        super().__init__(batch.store, identity, now, rules)
        self._batch = batch
        self.changed: dict[str, State] = {}

    def _load(self, stream: str) -> State | None:
        known = self.changed.get(stream) or self._batch.states.get(stream)
        return known or super()._load(stream)

    def new_id(self) -> str:
        return new_id()

    def history(self, stream: str) -> Sequence[Recorded]:
        return self._store.history(stream)

    def same(self, top: str, form: Form) -> Sequence[str]:
        return self._batch.similarity(self.identity.space).same(top, form)

    def similar(self, top: str, form: Form, *, at_least: float, limit: int) -> Sequence[Likeness]:
        known = self._batch.similarity(self.identity.space)
        return known.similar(top, form, at_least=at_least, limit=limit)

    def append(
        self, appends: Sequence[Append], pending: Callable[[Any, str, int], Pending]
    ) -> list[Recorded]:
        """Appends what was decided, and keeps the states that come of it."""
        waiting = [
            pending(event, append.stream, append.version + number)
            for append in appends
            for number, event in enumerate(append.events, 1)
        ]
        if not waiting:
            return []
        states = {
            append.stream: self._load(append.stream) if append.version else None
            for append in appends
        }
        recorded = self._store.append(waiting)
        for one in recorded:
            state = states[one.stream] = evolve(states[one.stream], one)
            if state is not None:
                self.changed[one.stream] = state
        self._batch.events += recorded
        return recorded


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
        if turn.error is not None:
            raise turn.error
        assert turn.answers is not None  # noqa: S101 (a turn is settled or has an error)
        return turn.answers

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
        try:
            with self._entered(), self._store.datastore.unit_of_work() as cursor:
                head = self._store.rows.head()
                self._others_write = head.position > self._models.position
                if self._others_write:
                    self._models.catch_up()
                batch = _Batch(self._store, self._models, head, _read(self._clock))
                self._store.rows.expect(head)
                self._note_skew(batch, group[0].identity)
                for turn in group:
                    cursor.execute("SAVEPOINT turn")
                    expected, decided = self._store.rows.expected, len(batch.events)
                    try:
                        answers = self._decide(turn, batch)
                    except sqlite3.Error:
                        raise  # the database failed, not the command: nothing of the batch is kept
                    except Exception as error:  # noqa: BLE001 (it is raised to who asked)
                        cursor.execute("ROLLBACK TO turn")
                        self._store.rows.expect(expected)
                        batch.undo(decided)
                        turn.error = error
                    else:
                        turn.answers = answers
                    cursor.execute("RELEASE turn")
        except StorageFailed as error:
            for turn in group:
                turn.answers, turn.error = None, turn.error or error
            return
        finally:
            self._store.rows.expect(None)
        if batch.skewed_at is not None:
            self._skew_said_at = batch.skewed_at
        self._models.apply(batch.events)
        self._checkpoint(batch)

    def _entered(self) -> AbstractContextManager[object]:
        """In memory a reader waits for the writer, so the writer must not wait for a reader."""
        return self._models.lock if self._store.datastore.in_memory else nullcontext()

    def _decide(self, turn: _Turn[A], batch: _Batch) -> list[A]:
        answers: list[A] = []
        work = _Work(batch, turn.identity, batch.began_at, self._rules)
        for command in turn.commands:
            work.now = _read(self._clock)
            key = command.idempotency_key
            command_id = keyed_command_id(turn.identity, key) if key else new_id()
            recorded = self._earlier(command, command_id) if key else None
            repeated = recorded is not None
            if recorded is None:
                envelope = self._envelope(turn, command, command_id, work.now)
                recorded = work.append(command.decide(work), envelope)
            answers.append(command.answer(Outcome(recorded, work, repeated)))
        batch.states.update(work.changed)
        return answers

    def _earlier(self, command: Answers[A], command_id: str) -> list[Recorded] | None:
        """What a command of this key recorded before; None where it is new."""
        rows = self._store.rows.select_command(command_id)
        if not rows:
            return None
        if not self._store.sealing.asked_the_same(rows[0], command.request()):
            raise Conflict(
                "This idempotency key was used for another request: take a fresh one.",
                code="idempotency_key_reused",
                field="idempotency_key",
            )
        return [self._store.sealing.recorded(row) for row in rows]

    def _envelope(
        self, turn: _Turn[Any], command: Answers[Any], command_id: str, now: datetime
    ) -> Callable[[Any, str, int], Pending]:
        request = command.request() if command.idempotency_key else None
        head = self._store.rows.expected
        recorded_at = _not_before(now, head)

        def pending(event: object, stream: str, version: int) -> Pending:
            return Pending(
                stream,
                version,
                event,
                recorded_at,
                turn.identity.actor,
                turn.identity.space,
                command_id,
                turn.correlation_id,
                None,
                request,
            )

        return pending

    def _note_skew(self, batch: _Batch, identity: Identity) -> None:
        """Records, once an hour, that the clock is behind the log."""
        now = batch.began_at
        behind = _not_before(now, batch.head) - now
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

    def _checkpoint(self, batch: _Batch) -> None:
        position = batch.head.position + len(batch.events)
        if position - self._checkpointed_at >= CHECKPOINT_EVERY:
            self._checkpointed_at = position
            try:
                self._store.datastore.checkpoint()
            except StorageFailed as error:
                # everything is kept already; the write-ahead log only grows until the next time
                _log.warning("checkpoint_put_off", code=error.code, reason=error.message)


def _read(clock: Clock) -> datetime:
    return read_clock(clock())


def _not_before(now: datetime, head: Head | None) -> datetime:
    newest = told_time(head.recorded_at) if head is not None and head.recorded_at else None
    return now if newest is None else max(now, newest)
