"""The composition root: one store, its read models, its writer, made once and shared by handles."""

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Protocol, TypeVar

import structlog

from . import settings as configuration
from ._release import __version__
from .commands.command import Answers
from .denials import Denials
from .domain.errors import Invalid, MunimentError, StorageFailed
from .domain.identity import Identity
from .domain.memory.state import State
from .domain.ports import Clock
from .domain.recorded import Recorded
from .log.checkpoints import Checkpoints
from .log.desk import LogDesk, read_clock
from .log.kept import KeptStates
from .log.read_models import ReadModels
from .log.store import Store
from .log.writer import Writer
from .meaning import Meaning, SpaceMeaning, embedder, folder, vector_cache
from .projections.catalog import Catalog
from .projections.search_index import SearchIndex
from .queries.reading import Reading
from .settings import Settings

A = TypeVar("A")
A_co = TypeVar("A_co", covariant=True)

_log = structlog.get_logger(__name__)

IN_MEMORY = ":memory:"


class Asks(Protocol[A_co]):
    """A query as the engine sees it."""

    def answer(self, reading: Reading) -> A_co:
        """The answer, read from what the store holds."""
        ...


def system_clock() -> datetime:
    """The machine's time."""
    return datetime.now(UTC)


class Engine:
    """What the handles on one store share.

    Args:
        target: A directory, made where it is missing, or ``:memory:``.
        clock: Tells the time to everything that reads it.
        settings: Settings, or sections by name that win over file and environment.
        read_only: Whether to open for reading alone.
    """

    def __init__(
        self,
        target: str | os.PathLike[str],
        *,
        clock: Clock | None = None,
        settings: Settings | Mapping[str, Any] | None = None,
        read_only: bool = False,
    ) -> None:
        if not structlog.is_configured():
            # the output belongs to the host, which may be speaking a protocol on it
            structlog.configure(logger_factory=lambda *_: structlog.PrintLogger(sys.stderr))
        self.directory = _directory(target)
        self.clock = clock or system_clock
        read_clock(self.clock())
        self.settings = (
            settings
            if isinstance(settings, Settings)
            else configuration.load(self.directory, settings)
        )
        self.rules = self.settings.rules
        self.store = Store(
            self.directory,
            release=__version__,
            busy_timeout=self.settings.log.busy_timeout,
            key_batch=self.settings.log.key_batch,
            read_only=read_only,
        )
        self.models = ReadModels(self.store, self.settings.ranking, self._kept_states())
        self._writer = Writer(self.store, self.models, self.clock, self.rules)
        self.checkpoints = Checkpoints(
            self.store, self.settings.cadence, self.clock, self.settings.log.busy_timeout
        )
        self._denials = Denials(self._writer.run, lambda: read_clock(self.clock()))
        try:
            self.meaning = self._meaning()
        except BaseException:
            self.store.close()
            raise

    def run(self, command: Answers[A | MunimentError], identity: Identity) -> A:
        """Decides a command; answers once it is on the disk."""
        answer = self._writer.run(command, identity)
        self._appended(identity)
        return answer

    def run_all(self, commands: Sequence[Answers[A]], identity: Identity) -> list[A]:
        """Decides commands in one commit, all or none."""
        answers = self._writer.run_all(commands, identity)
        self._appended(identity)
        return answers

    def _appended(self, identity: Identity) -> None:
        self._wake(identity)
        self.checkpoints.appended(self.models.position)

    def _wake(self, identity: Identity) -> None:
        if self.meaning is not None:
            self.meaning.wake(identity.space)

    def ask(self, query: Asks[A], identity: Identity) -> A:
        """Answers a query from everything that was committed before."""
        answer = query.answer(_StoreReading(self, identity, read_clock(self.clock())))
        self._wake(identity)
        return answer

    def denied(self, identity: Identity, operation: str) -> None:
        """Counts that a role did not allow an operation; a handle that only reads does not."""
        if not self.store.read_only:
            self._denials.note(identity, operation)

    def close(self) -> None:
        """Ends the store; read models that are far ahead of their kept state are kept first."""
        if self.meaning is not None:
            self.meaning.close()
        if self.store.datastore.is_own_process and not self.store.datastore.pool.closed:
            self._denials.close()
            try:
                self.models.keep(self.settings.log.keep_state_after)
            except StorageFailed as error:
                # a cache is not worth a failure: the next one to open replays more of the log
                _log.warning("state_not_kept", code=error.code, reason=error.message)
            self.checkpoints.close()
        self.store.close()

    def _meaning(self) -> Meaning | None:
        settings, memory = self.settings.embedding, self.settings.memory
        model = None if self.store.read_only else embedder(settings)
        if model is None:
            return None
        return Meaning(
            model,
            vector_cache(self.directory, self.store.keys),
            self.models,
            self.store.memories,
            folder(self._writer.run),
            min_similarity=settings.min_similarity_threshold,
            repetition_from=memory.dedupe_similarity_threshold if memory.dedupe_enabled else None,
            query_deadline=settings.query_deadline,
        )

    def _kept_states(self) -> KeptStates | None:
        if self.directory is None:
            return None
        return KeptStates(
            self.store,
            self.directory,
            release=__version__,
            lock_timeout=self.settings.log.busy_timeout,
            is_on=self.settings.log.keep_state,
        )


class _StoreReading(LogDesk):
    """One query's view of the store."""

    def __init__(self, engine: Engine, identity: Identity, now: datetime) -> None:
        super().__init__(engine.store, identity, now, engine.rules)
        self._models = engine.models
        self._is_caught_up = False
        self.lock = engine.models.lock
        self.meaning = SpaceMeaning(engine.meaning, identity.space) if engine.meaning else None

    def catalog(self) -> Catalog:
        return self._current(self._models.catalog)

    def search_index(self) -> SearchIndex:
        return self._current(self._models.search_index)

    def _current(self, model: Callable[[str], A]) -> A:
        self._store.require_own_process()
        if not self._is_caught_up:
            # once a query: what is committed meanwhile is for the next one
            self._models.catch_up()
            self._is_caught_up = True
        return model(self.identity.space)

    def memories(self, ids: Iterable[str]) -> list[State]:
        wanted = list(ids)
        found = self._store.memories(wanted)
        return [found[id_] for id_ in wanted if id_ in found]

    def history(self, stream: str) -> list[Recorded]:
        return self._store.history(stream)

    def recorded(self, *, after: int, until: int | None, space: str | None) -> Iterator[Recorded]:
        self._is_caught_up = False  # who reads on has come to a later moment
        return self._store.recorded(after=after, until=until, space=space)

    def head(self) -> int:
        return self._store.rows.head().position

    def log_bytes(self) -> int:
        return self._store.rows.size_in_bytes()


def _directory(target: str | os.PathLike[str]) -> Path | None:
    try:
        text = os.fsdecode(target)
    except TypeError:
        text = ""
    if not text or "\0" in text:
        raise Invalid(
            "target: name a directory, or ':memory:'.", code="target_invalid", field="target"
        )
    if text == IN_MEMORY:
        return None
    if "://" in text:
        raise Invalid(
            f"target: this release opens directories, not {text.partition('://')[0]}:// stores.",
            code="target_unsupported",
            field="target",
        )
    try:
        return Path(text).expanduser()
    except RuntimeError as error:
        raise Invalid(
            f"target: {text!r} names nobody's home: name a directory, or ':memory:'.",
            code="target_invalid",
            field="target",
        ) from error
