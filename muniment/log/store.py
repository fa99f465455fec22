"""The log as one thing: opened or made, read by stream and by position, appended to."""

import os
import secrets
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, TypeVar

from eventsourcing.application import AggregateNotFoundError, Application, LocalNotificationLog
from eventsourcing.persistence import (
    InfrastructureFactory,
    JSONTranscoder,
    Transcoder,
)
from eventsourcing.sqlite import SQLiteFactory
from eventsourcing.utils import Environment

from muniment.domain import recall
from muniment.domain.erasure.events import WordsPurged, WordsPurgeRequested
from muniment.domain.errors import StorageFailed
from muniment.domain.memory import forms
from muniment.domain.memory.events import Purged, PurgeRequested
from muniment.domain.memory.state import State, evolve, without_words
from muniment.domain.recorded import Recorded

from . import schema
from .datastore import Datastore, raw_connection, typed_errors, uri
from .keys import Keys
from .lock import LogLock
from .mapper import SealingMapper
from .recorder import Recorder
from .rows import Pending, StoredRow
from .signing import Signing
from .vault_file import Named

S = TypeVar("S")

REMOVALS = frozenset(
    [
        *(PurgeRequested.NAME, Purged.NAME),
        *(recall.PurgeRequested.NAME, recall.Purged.NAME),
        *(WordsPurgeRequested.NAME, WordsPurged.NAME),
    ]
)
"""The events from which on the words of their stream count as gone."""


def _prepare_directory(directory: Path, *, read_only: bool) -> None:
    log = directory / "log.db"
    with typed_errors():
        if directory.exists() and not directory.is_dir():
            raise StorageFailed(
                f"{directory} is no directory: name one that is, or one to be made.",
                code="not_a_directory",
            )
        if read_only:
            if not log.is_file():
                raise StorageFailed(
                    f"There is no log in {directory}: open it for writing once, or name another.",
                    code="missing",
                )
            return
        directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        if log.is_dir():
            raise StorageFailed(f"{log} is a directory, not a log.", code="not_a_log")
        is_empty = not log.exists() or (
            log.stat().st_size == 0 and not log.with_name("log.db-wal").exists()
        )
        if is_empty:
            if (directory / "keys" / "keys.db").exists():
                raise StorageFailed(
                    f"{log} is gone or empty, but its keys are here: restore it from a backup, or"
                    " name another directory to begin anew.",
                    code="log_missing",
                )
            # SQLite would make it readable by others
            os.close(os.open(log, os.O_CREAT | os.O_RDWR, 0o600))


class _Factory(SQLiteFactory):
    """The library's factory around a datastore that is already open."""

    def __init__(self, env: Environment, datastore: Datastore) -> None:
        # the parent's own would open a datastore of its own
        super(SQLiteFactory, self).__init__(env)
        self.datastore = datastore


class Store(Application[str]):
    """The event log in ``directory``, or a volatile one in memory where that is None.

    Args:
        directory: Holds ``log.db``, ``log.lock`` and ``keys/``; made with mode 0700 where missing.
        release: The release that opens it, kept by the one that makes it.
        busy_timeout: Seconds to wait for other processes.
        key_batch: How many keys are minted at a time.
        read_only: Whether to open for reading alone; nothing is made then.

    Raises:
        StorageFailed: ``missing``, ``not_a_directory``, ``not_a_log``, ``newer_schema``,
            ``wal_unavailable``, ``read_only``, ``busy``, ``keys_missing`` …
    """

    log_section_size = 5_000

    def __init__(
        self,
        directory: Path | None,
        *,
        release: str,
        busy_timeout: float = 10.0,
        key_batch: int = 256,
        read_only: bool = False,
    ) -> None:
        schema.require_sqlite()
        self.read_only = read_only
        self.directory = directory
        if directory is not None:
            _prepare_directory(directory, read_only=read_only)
        self.keys: Keys
        with typed_errors():
            lock = LogLock(
                None if directory is None or read_only else directory / "log.lock", busy_timeout
            )
            name = (
                f"file:muniment-{secrets.token_hex(8)}?cache=shared"
                if directory is None
                else uri(directory / "log.db")
            )
            self.datastore = Datastore(
                name if directory is not None else name + "&mode=memory",
                lock,
                busy_timeout=busy_timeout,
                read_only=read_only,
            )
        try:
            self.id = self._establish(release)
            self.rows = Recorder(self.datastore, self.id)
            self.keys = Keys(
                None if directory is None else directory / "keys",
                batch=key_batch,
                busy_timeout=busy_timeout,
                read_only=read_only,
                named=Named(self.id, self.rows.names_keys, self.rows.select_key_ids),
            )
        except BaseException:
            self.datastore.close(patiently=False)
            raise
        self.signing = Signing(directory, self.id)
        self.sealing = SealingMapper(self.keys, self.rows.key_of)
        super().__init__()

    def _establish(self, release: str) -> str:
        with typed_errors():
            if self.read_only:
                with self.datastore.get_connection(commit=False) as connection:
                    raw = raw_connection(connection)
                    if schema.check(raw) == 0:
                        raise StorageFailed("There is no log here.", code="missing")
                    return schema.store_id(raw)
            with self.datastore.exclusive() as raw:
                schema.migrate(raw, release)
                return schema.store_id(raw)

    # the library's wiring

    def construct_env(self, name: str, env: Any = None) -> Environment:
        """Nothing from outside: our settings are arguments."""
        return Environment(name, dict(env or {}))

    def construct_factory(self, env: Environment) -> InfrastructureFactory[Any]:
        """Around the datastore that is already open."""
        return _Factory(env, self.datastore)

    def construct_recorder(self) -> Recorder:
        """Over our table."""
        return self.rows

    def construct_mapper(self) -> SealingMapper:
        """With our stored form."""
        return self.sealing

    def construct_transcoder(self) -> Transcoder:
        """Unused: our mapper has a codec of its own."""
        return JSONTranscoder()

    def construct_notification_log(self) -> LocalNotificationLog:
        """The library's own, over our recorder."""
        return LocalNotificationLog(self.recorder, section_size=self.log_section_size)

    # reading

    def memory(self, stream: str, *, version: int | None = None) -> State | None:
        """The memory of a stream, folded from its events; None where there are none."""
        self.require_own_process()
        try:
            return self.repository.get(stream, version=version, projector_func=_fold)
        except AggregateNotFoundError:
            return None

    def memories(self, streams: Iterable[str], *, until: int | None = None) -> dict[str, State]:
        """The memories of several streams, by their names; those without events are left out.

        ``until`` leaves out what was recorded past a position; of a memory whose words were to be
        removed later, there are the facts of then without them.
        """
        self.require_own_process()
        states: dict[str, State] = {}
        doomed: set[str] = set()
        for row in self.rows.select_streams_events(list(streams)):
            if until is not None and row.position > until:
                if row.name == PurgeRequested.NAME:
                    doomed.add(row.stream)
                continue
            state = evolve(states.get(row.stream), self.sealing.recorded(row))
            if state is not None:
                states[row.stream] = state
        for stream in doomed & states.keys():
            states[stream] = without_words(states[stream])
        return states

    def folded(
        self, streams: Iterable[str], evolve: Callable[[S | None, Recorded], S | None]
    ) -> dict[str, S]:
        """What several streams of any kind stand for, by their names; their words as in history."""
        self.require_own_process()
        states: dict[str, S] = {}
        rows = self.rows.select_streams_events(list(streams))
        doomed = {row.stream for row in rows if row.name in REMOVALS}
        for row in rows:
            recorded = self.sealing.recorded(row, is_doomed=row.stream in doomed)
            state = evolve(states.get(row.stream), recorded)
            if state is not None:
                states[row.stream] = state
        return states

    def history(self, stream: str) -> list[Recorded]:
        """Every event of a stream, oldest first; without words once their removal was asked for."""
        rows = self.rows.select_streams_events([stream])
        is_doomed = any(row.name in REMOVALS for row in rows)
        return [self.sealing.recorded(row, is_doomed=is_doomed) for row in rows]

    def recorded(
        self,
        *,
        after: int = 0,
        until: int | None = None,
        space: str | None = None,
        names: Sequence[str] | None = None,
    ) -> Iterator[Recorded]:
        """Events by position, read as they are asked for; ``names`` as for the rows."""
        self.require_own_process()
        if after == 0 and names is None:
            self.keys.warm()
        # the key of a memory may be back, from an old copy
        doomed = self.rows.removals.streams()
        doomed.update(stream for stream, _ in self.rows.removals.unfinished_recalls())
        opened = self.sealing.recorded
        for row in self.rows.rows(after=after, until=until, space=space, names=names):
            if row.name in REMOVALS:
                # another process destroys the key: no copy of it may live on in this one
                doomed.add(row.stream)
                self.keys.forget([key] if (key := self.rows.key_of(row.stream)) else [])
                forms.forget()
            yield opened(row, is_doomed=row.stream in doomed)

    def facts(self, space: str, names: Sequence[str]) -> Iterator[Recorded]:
        """A space's events of some names, by position; their words read blank."""
        self.require_own_process()
        for row in self.rows.select_named(space, names):
            yield self.sealing.recorded(row, is_doomed=True)

    def require_own_process(self) -> None:
        """Refuses to go on in a child of the process that opened the store.

        Raises:
            StorageFailed: ``forked``.
        """
        self.datastore.require_own_process()

    # writing

    def append(self, pending: Sequence[Pending]) -> list[Recorded]:
        """Appends within the open unit of work, and says what was recorded.

        Raises:
            Conflict: ``version_conflict`` where a stream is not at the version that was decided on.
        """
        # the library's event store would make two more objects of each event
        rows = [self.sealing.to_stored_event(one) for one in pending]
        positions = self.rows.insert_events(rows) or ()
        return [
            _recorded(one, stored, position)
            for one, stored, position in zip(pending, rows, positions, strict=True)
        ]

    def close(self) -> None:
        """Ends the store; the write-ahead log is moved into the database.

        In a child of the process that opened it, nothing: it is its parent's.
        """
        if self.datastore.is_own_process:
            super().close()
            if hasattr(self, "keys"):
                self.keys.close()

    def __del__(self) -> None:
        """Nothing: who opened a store closes it."""


def _recorded(pending: Pending, stored: StoredRow, position: int) -> Recorded:
    return Recorded(
        position,
        pending.originator_id,
        pending.originator_version,
        stored.row.name,
        stored.row.schema,
        pending.recorded_at,
        pending.actor,
        pending.space,
        pending.command_id,
        pending.correlation_id,
        pending.causation_id,
        pending.event,
    )


def _fold(state: State | None, events: Iterable[Any]) -> State | None:
    for recorded in events:
        state = evolve(state, recorded)
    return state
