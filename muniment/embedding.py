"""Making vectors in the background: never in the way of a save, whatever the model does."""

import threading
import time
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple, Protocol, TypeAlias

import structlog

from .domain.embedding import REFUSED, BreakerState, Embedder, Vectors
from .domain.errors import MunimentError, Unavailable

_log = structlog.get_logger(__name__)

MAX_BATCH: Final = 64
"""How many texts are embedded at a time."""


class Passage(NamedTuple):
    """A text that wants a vector: what a model reads of a memory, in a version, from 1."""

    space: str
    memory_id: str
    text_version: int
    text: str

    @property
    def key(self) -> "Key":
        """What tells it from others."""
        return self.memory_id, self.text_version


Key: TypeAlias = tuple[str, int]
"""The id of a memory, and the version of its text."""


class Backlog(Protocol):
    """What is to be embedded, and where vectors go; asked on the worker's thread but for one."""

    def waiting(self) -> int:
        """How many texts have no vector; asked by whichever thread wants the status."""
        ...

    def next(self, limit: int, besides: Collection[Key]) -> Sequence[Passage]:
        """Up to ``limit`` texts that have no vector, but for some that are not to be tried now."""
        ...

    def arrived(self, passages: Sequence[Passage], vectors: Vectors) -> None:
        """Takes in unit vectors, one a passage; from then on these have one, or want none."""
        ...


@dataclass(frozen=True, slots=True)
class Status:
    """How the embedding of a store goes.

    ``pending`` texts have no vector yet; ``refused`` of them the model turned down, and they are
    not tried again for a while. ``done`` vectors came since the store was opened, ``failed`` calls
    did not succeed. ``last_error`` is that of the last call, None where it succeeded.
    """

    pending: int
    done: int
    failed: int
    refused: int
    breaker: BreakerState
    last_error: str | None


class _Refusal(NamedTuple):
    wait: float
    until: float


class BackgroundEmbedding:
    """Embeds the texts of a backlog on one thread, which starts when it is first woken.

    A batch that the model refuses is tried again in halves, so that one bad text is found and set
    aside and the others are not held up. While the model fails, nothing is lost and little is
    asked.

    Args:
        embedder: The model; closed with this.
        backlog: What to embed.
        gather: Seconds that further texts are waited for once there is one, so that a stream of
            saves is embedded in batches.
        pause: Seconds to wait after a failure; they double with each further one.
        longest_pause: Seconds that they grow to.
        set_aside: Seconds after which a refused text is tried again, at the most; at first it is
            ``longest_pause``, which doubles each time that the text is refused again.
        clock: Tells seconds that never fall.
    """

    def __init__(
        self,
        embedder: Embedder,
        backlog: Backlog,
        *,
        gather: float = 0.05,
        pause: float = 1.0,
        longest_pause: float = 60.0,
        set_aside: float = 3_600.0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._embedder = embedder
        self._backlog = backlog
        self._gather = gather
        self._first_pause = pause
        self._longest_pause = longest_pause
        self._set_aside_for = set_aside
        self._clock = clock
        self._changed = threading.Condition()
        self._thread: threading.Thread | None = None
        self._is_closed = False
        self._asked = 0
        self._settled = 0
        self._awaited = 0
        self._size = MAX_BATCH
        self._in_a_row = 0
        self._refused: dict[Key, _Refusal] = {}
        self._done = 0
        self._failed = 0
        self._last_error: str | None = None

    def wake(self) -> None:
        """Says that there may be something to do; returns at once."""
        with self._changed:
            if self._is_closed:
                return
            self._asked += 1
            if self._thread is None:
                self._thread = threading.Thread(
                    target=self._run, name="muniment-embedding", daemon=True
                )
                self._thread.start()
            self._changed.notify_all()

    def drain(self, timeout: float) -> bool:
        """Waits until all that is pending now has its vector or is refused; whether that is so.

        Gives up after ``timeout`` seconds, and when this is closed.
        """
        with self._changed:
            self._awaited += 1
        self.wake()
        with self._changed:
            wanted = self._asked
            self._changed.wait_for(
                lambda: self._settled >= wanted or self._is_closed, max(0.0, timeout)
            )
            self._awaited -= 1
            return self._settled >= wanted and not self._is_closed

    def status(self) -> Status:
        """How it goes."""
        pending = self._backlog.waiting()
        breaker = self._embedder.health().state
        with self._changed:
            return Status(
                pending=pending,
                done=self._done,
                failed=self._failed,
                refused=len(self._set_aside()),
                breaker=breaker,
                last_error=self._last_error,
            )

    def close(self, timeout: float = 1.0) -> None:
        """Gives up what is under way, closes the embedder, and waits for the thread to end.

        Args:
            timeout: Seconds to wait for it; an embedder that cannot be interrupted may take longer,
                and its vectors then go nowhere.
        """
        with self._changed:
            self._is_closed = True
            thread = self._thread
            self._changed.notify_all()
        self._embedder.close()
        if thread is not None and thread is not threading.current_thread():
            thread.join(timeout)

    def _run(self) -> None:
        while not self._is_closed:
            try:
                wait = self._step()
            except Exception as error:  # noqa: BLE001 (one failure must not end all embedding)
                wait = self._note(error)
            if wait is not None:
                self._sleep(wait)

    def _step(self) -> float | None:
        """One batch; how many seconds to leave the model alone then, None: none."""
        with self._changed:
            asked = self._asked
            besides = frozenset(self._set_aside())
        passages = self._backlog.next(self._size, besides)
        if not passages:
            self._await_more(asked)
            return None
        retry_in = self._embedder.health().retry_in
        if retry_in > 0:
            return retry_in
        try:
            vectors = self._embedder.embed([passage.text for passage in passages])
        except Unavailable as error:
            return self._turned_down(passages, error)
        if self._is_closed:
            return None
        self._backlog.arrived(passages, vectors)
        with self._changed:
            for passage in passages:
                self._refused.pop(passage.key, None)
            self._done += len(passages)
            self._in_a_row = 0
            self._last_error = None
        self._size = min(MAX_BATCH, 2 * self._size)
        return None

    def _turned_down(self, passages: Sequence[Passage], error: Unavailable) -> float | None:
        if self._is_closed:
            return None
        is_divisible = error.code == REFUSED and len(passages) > 1
        pause = self._note(error, in_a_row=not is_divisible)
        if is_divisible:
            self._size = len(passages) // 2
            return None
        if error.code != REFUSED:
            return pause
        key = passages[0].key
        with self._changed:
            before = self._refused.get(key)
            wait = self._longest_pause if before is None else 2 * before.wait
            wait = min(wait, self._set_aside_for)
            self._refused[key] = _Refusal(wait, self._clock() + wait)
        return pause

    def _set_aside(self) -> dict[Key, float]:
        """The texts that are not to be tried now, and when they are."""
        now = self._clock()
        return {key: each.until for key, each in self._refused.items() if each.until > now}

    def _note(self, error: Exception, *, in_a_row: bool = True) -> float:
        """Counts a failure; how long to pause after it, the longer the more there were in a row."""
        said = error.message if isinstance(error, MunimentError) else type(error).__name__
        code = error.code if isinstance(error, MunimentError) else type(error).__name__
        _log.warning("embedding_failed", code=code, reason=said)
        with self._changed:
            self._failed += 1
            self._in_a_row += in_a_row
            self._last_error = said
            growth = 2.0 ** min(max(self._in_a_row - 1, 0), 32)
        return min(self._first_pause * growth, self._longest_pause)

    def _await_more(self, asked: int) -> None:
        """Waits until it is woken again or a refused text is due."""
        with self._changed:
            self._settled = asked
            self._changed.notify_all()
            due = min(self._set_aside().values(), default=None)
            self._changed.wait_for(
                lambda: self._asked > asked or self._is_closed,
                None if due is None else max(0.0, due - self._clock()),
            )
            self._changed.wait_for(lambda: self._awaited or self._is_closed, self._gather)

    def _sleep(self, seconds: float) -> None:
        with self._changed:
            self._changed.wait_for(lambda: self._is_closed, seconds)
