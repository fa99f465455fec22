"""The composition root: one store, its read models, its writer, made once and shared by handles."""

import os
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

import structlog

from . import settings as configuration
from . import telemetry
from ._release import __version__
from .commands.command import Answers
from .denials import Denials
from .domain.errors import Invalid, MunimentError, StorageFailed
from .domain.identity import Identity
from .domain.memory.state import State
from .domain.moments import Point
from .domain.ports import Clock, Erasable
from .domain.recorded import Recorded
from .erasables import AuditsOf, ProcessTexts, ReadModelsOf, VectorsOf, WorkOf
from .log.checkpoints import Checkpoints
from .log.desk import LogDesk, read_clock
from .log.kept import KeptStates
from .log.points import point
from .log.read_models import ReadModels
from .log.store import Store
from .log.tail import Head
from .log.writer import Writer
from .once import Once
from .paths import IN_MEMORY
from .queries.reading import Reading
from .recalling import Recalls
from .services import embedder, language_model
from .settings import Settings

if TYPE_CHECKING:
    from .auditing import Auditing
    from .evaluating import Evaluating
    from .meaning import Meaning
    from .projections.catalog import Catalog
    from .projections.provenance import Provenance
    from .projections.recall_log import RecallLog
    from .projections.search_index import SearchIndex
    from .work.forgetting import Forgetting
    from .work.likeness import Likeness
    from .work.reading import WorkReading
    from .work.store import WorkStore

A = TypeVar("A")
A_co = TypeVar("A_co", covariant=True)

_log = structlog.get_logger(__name__)


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
        self._denials = Denials(self._writer.run, self.now)
        self.recalls = Recalls(self.settings.recall, self.run, self.models)
        self._auditing = Once(self._make_auditing)
        self._evaluating = Once(self._make_evaluating)
        self._work: WorkStore | None = None
        self._work_likeness: Likeness | None = None
        self._opening_work = threading.Lock()
        try:
            self._judge = None if read_only else language_model(self.settings.model)
            self.meaning = self._meaning()
            if self.settings.audit.webhook_url is not None:
                self._auditing()  # an address that cannot be used is told of at once
        except BaseException:
            self.store.close()
            raise
        self.erasables: Sequence[Erasable] = (
            ProcessTexts(),
            ReadModelsOf(self.models),
            VectorsOf(self.directory, self.store.keys, self.meaning),
            AuditsOf(self._auditing),
            WorkOf(self.forgetting),
        )

    def run(self, command: Answers[A | MunimentError], identity: Identity) -> A:
        """Decides a command; answers once it is on the disk."""
        answer = self.record(self._screened(command), identity)
        self._wake(identity)
        return answer

    def record(self, command: Answers[A | MunimentError], identity: Identity) -> A:
        """The same for a command that is about no memory: no vectors are made after it."""
        answer = self._writer.run(command, identity)
        self.checkpoints.appended(self.models.position)
        return answer

    def run_all(self, commands: Sequence[Answers[A]], identity: Identity) -> list[A]:
        """Decides commands in one commit, all or none.

        Raises:
            MunimentError: One is refused: ``number`` says which.
        """
        screened: list[Answers[A]] = []
        for number, command in enumerate(commands):
            try:
                screened.append(self._screened(command))
            except MunimentError as error:
                error.number = number
                raise
        answers = self._writer.run_all(screened, identity)
        self._wake(identity)
        self.checkpoints.appended(self.models.position)
        return answers

    def _screened(self, command: Answers[A]) -> Answers[A]:
        return command.screened(self.settings.memory.secrets)

    def _wake(self, identity: Identity) -> None:
        if self.meaning is not None:
            self.meaning.wake(identity.space)

    def ask(self, query: Asks[A], identity: Identity) -> A:
        """Answers a query from everything that was committed before."""
        with telemetry.operation(type(query), identity) as span:
            answer = span.answered(query.answer(StoreReading(self, identity, self.now())))
        self._wake(identity)
        return answer

    def denied(self, identity: Identity, operation: str) -> None:
        """Counts that a role did not allow an operation; a handle that only reads does not."""
        if not self.store.read_only:
            self._denials.note(identity, operation)

    def now(self) -> datetime:
        """The moment, in UTC."""
        return read_clock(self.clock())

    def work(self, now: datetime) -> "WorkStore":
        """What is kept beside the log for a while, opened when it is first asked for, and swept."""
        from .work.likeness import Likeness
        from .work.store import WorkStore

        self.store.require_own_process()
        with self._opening_work:
            if self._work is None:
                if self.store.datastore.pool.closed:
                    raise StorageFailed("The store was closed: open it again.", code="closed")
                self._work = WorkStore(
                    self.directory,
                    self.store.keys,
                    self.rules,
                    self.settings.ranking,
                    busy_timeout=self.settings.log.busy_timeout,
                    read_only=self.store.read_only,
                )
                if self.meaning is not None:
                    self._work_likeness = Likeness(
                        self.meaning.vector, self.meaning.vectors, self.meaning.min_similarity
                    )
        self._work.sweep_if_due(now)
        return self._work

    def forgetting(self) -> "Forgetting | None":
        """What erases from beside the log; None where nothing was ever kept there."""
        from .work.schema import FILE

        is_there = self.directory is not None and (self.directory / FILE).is_file()
        if self._work is None and not is_there:
            return None
        return self.work(self.now()).forgetting

    def work_reading(self, identity: Identity, namespace: str | None = None) -> "WorkReading":
        """One handle's view of working memory and conversations, as of now."""
        from .work.reading import WorkReading

        now = self.now()
        work = self.work(now)
        return WorkReading(work, identity.space, namespace, now, self._work_likeness)

    def admit(self, operation: type) -> None:
        """Whether an operation makes sense here: at the head of the log, every one does."""

    @property
    def point(self) -> Point | None:
        """Where in the log it stands; None: at the head, wherever that is."""
        return None

    def head(self) -> Head:
        """Where the log ends."""
        return self.store.rows.head()

    def close(self) -> None:
        """Ends the store; read models that are far ahead of their kept state are kept first."""
        is_ours = self.store.datastore.is_own_process and not self.store.datastore.pool.closed
        if is_ours:
            self.recalls.close()
        if self.meaning is not None:
            self.meaning.close()
        if is_ours:
            self._denials.close()
            try:
                self.models.keep(self.settings.log.keep_state_after)
            except StorageFailed as error:
                # a cache is not worth a failure: the next one to open replays more of the log
                _log.warning("state_not_kept", code=error.code, reason=error.message)
            self.checkpoints.close()
        if self._work is not None:
            self._work.close()
        if self.store.datastore.is_own_process:
            if self._judge is not None:
                self._judge.close()
            if self._auditing.made is not None:
                self._auditing.made.close()
        self.store.close()

    @property
    def auditing(self) -> "Auditing":
        """What the handles share of the audit."""
        return self._auditing()

    @property
    def evaluating(self) -> "Evaluating":
        """What the handles share of evaluations."""
        return self._evaluating()

    def _make_auditing(self) -> "Auditing":
        from .auditing import Auditing

        return Auditing(self.store, self.models, self.settings, self.directory)

    def _make_evaluating(self) -> "Evaluating":
        from .evaluating import Evaluating

        return Evaluating(self.auditing, self._judge, self.rules.vocabulary, self.directory)

    def _meaning(self) -> "Meaning | None":
        settings, memory = self.settings.embedding, self.settings.memory
        model = None if self.store.read_only else embedder(settings)
        if model is None:
            return None
        from .meaning import Meaning, folder, vector_cache

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


class StoreReading(LogDesk):
    """One query's view of the store."""

    is_past = False

    def __init__(self, engine: Engine, identity: Identity, now: datetime) -> None:
        super().__init__(engine.store, identity, now, engine.rules)
        self._models = engine.models
        self._is_caught_up = False
        self.lock = engine.models.lock
        self.meaning = engine.meaning.of(identity.space) if engine.meaning else None

    def catalog(self) -> "Catalog":
        """The space's memories as columns."""
        return self._current(self._models.catalog)

    def search_index(self) -> "SearchIndex":
        """The space's words."""
        return self._current(self._models.search_index)

    def recall_log(self) -> "RecallLog":
        """What was recalled in the space."""
        return self._current(self._models.recall_log)

    def provenance(self) -> "Provenance":
        """Where the words of the space's memories come from."""
        return self._current(self._models.provenance)

    def _current(self, model: Callable[[str], A]) -> A:
        self._store.require_own_process()
        if not self._is_caught_up:
            # once a query: what is committed meanwhile is for the next one
            self._models.catch_up()
            self._is_caught_up = True
        return model(self.identity.space)

    def memories(self, ids: Iterable[str], *, until: int | None = None) -> list[State]:
        """Memories by whole ids, in that order, as of the position ``until``."""
        wanted = list(ids)
        found = self._store.memories(wanted, until=until)
        return [found[id_] for id_ in wanted if id_ in found]

    def recorded(self, *, after: int, until: int | None, space: str | None) -> Iterator[Recorded]:
        """Events by position, read as they are asked for."""
        self._is_caught_up = False  # who reads on has come to a later moment
        return self._store.recorded(after=after, until=until, space=space)

    def spaces(self) -> list[str]:
        """Every space that something was recorded in, by name."""
        return self._store.rows.spaces()

    def touched(
        self, *, after: int, until: int, begun_after: int, limit: int
    ) -> list[tuple[str, int]]:
        """The space's memories with events between two positions, first touched first."""
        return self._store.rows.select_touched(
            self.identity.space, after=after, until=until, begun_after=begun_after, limit=limit
        )

    def point(self, when: datetime | int) -> Point:
        """The point of the log that an aware moment or a position names."""
        return point(self._store.rows, when)

    def head(self) -> int:
        """The position of the newest event; 0 where there is none."""
        return self._store.rows.head().position

    def log_bytes(self) -> int:
        """Bytes that the log takes on the disk or in memory."""
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
