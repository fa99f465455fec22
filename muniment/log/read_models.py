"""The read models of a store: loaded when they are first asked for, each alone, then kept up.

Every projection of every space that is loaded stands at one position, ``position``. A query catches
up to the head first; the writer moves them when its batch is committed, never before.

What a projection was can be kept (``keep``): it is then loaded from there, and only what came after
is read from the log.
"""

import threading
from collections import defaultdict
from collections.abc import Callable, Collection, Generator, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import ClassVar, Final, Protocol, Self, TypeVar

from muniment.domain.errors import StorageFailed
from muniment.domain.memory.forms import canonical_form
from muniment.domain.recorded import Recorded
from muniment.projections.catalog import Catalog
from muniment.projections.facets import Facets
from muniment.projections.parts import Part, Parts, Unfit
from muniment.projections.passages import Passages
from muniment.projections.past_index import PastIndex
from muniment.projections.provenance import Provenance
from muniment.projections.recall_log import RecallLog
from muniment.projections.search_index import SearchIndex
from muniment.projections.similarity import Similarity

from .kept import KeptStates
from .store import Store


class Projection(Protocol):
    """A read model of one space: disposable, and the same however often an event is applied."""

    NAME: ClassVar[str]
    VERSION: ClassVar[int]

    @property
    def position(self) -> int:
        """The position of the newest event that it has seen."""
        ...

    def apply(self, recorded: Recorded) -> None:
        """Takes in one event; one that it has seen changes nothing."""
        ...

    def digest(self) -> bytes:
        """Equal for two of a kind exactly if they hold the same."""
        ...

    def anew(self) -> Self:
        """An empty one that is made alike, so that the digests of both can be compared."""
        ...

    def dump(self) -> dict[str, Part]:
        """All that it holds, to be put away; no answer changes by it."""
        ...


P = TypeVar("P", bound=Projection)


@dataclass(frozen=True, slots=True)
class Ranking:
    """What ranking is done with: BM25's two constants."""

    k1: float = 0.9
    b: float = 0.4


@dataclass(frozen=True, slots=True)
class _Kind:
    """How a projection comes to be: empty, or from the parts that it was put away as.

    ``reads`` are patterns of the names of events that mean something to it; None: all do.
    """

    make: Callable[[], Projection]
    load: Callable[[Parts], Projection]
    reads: tuple[str, ...] | None = None


@dataclass(slots=True)
class _Held:
    """A projection in use, and how many events it has taken in since its state was last kept."""

    projection: Projection
    unkept: int = 0

    def take_in(self, events: Iterable[Recorded]) -> None:
        for recorded in events:
            self.projection.apply(recorded)
            self.unkept += 1


class ReadModels:
    """The projections over ``store``, kept in ``kept``. Hold ``lock`` while using one."""

    def __init__(self, store: Store, ranking: Ranking, kept: KeptStates | None = None) -> None:
        self.lock = threading.RLock()
        self.position = 0
        self._store = store
        self._kept = kept
        k1, b = ranking.k1, ranking.b
        self._kinds: Final[dict[type[Projection], _Kind]] = {
            Catalog: _Kind(Catalog, Catalog.load),
            SearchIndex: _Kind(
                lambda: SearchIndex(k1=k1, b=b), lambda parts: SearchIndex.load(parts, k1=k1, b=b)
            ),
            Similarity: _Kind(
                lambda: Similarity(canonical_form),
                lambda parts: Similarity.load(parts, canonical_form),
            ),
            Passages: _Kind(Passages, Passages.load),
            RecallLog: _Kind(RecallLog, RecallLog.load, RecallLog.READS),
            Provenance: _Kind(Provenance, Provenance.load),
            Facets: _Kind(Facets, Facets.load),
            PastIndex: _Kind(
                lambda: PastIndex(k1=k1, b=b), lambda parts: PastIndex.load(parts, k1=k1, b=b)
            ),
        }
        self._loaded: dict[str, dict[type[Projection], _Held]] = defaultdict(dict)

    def catalog(self, space: str) -> Catalog:
        """The memories of a space by id, state, category, tag and time."""
        return self._current(space, Catalog)

    def search_index(self, space: str) -> SearchIndex:
        """The words of a space's memories.

        Raises:
            StorageFailed: ``keys_missing``: it would find none, as if there were none.
        """
        self._store.keys.require()
        return self._current(space, SearchIndex)

    def similarity(self, space: str) -> Similarity:
        """The canonical forms of a space's live memories."""
        return self._current(space, Similarity)

    def passages(self, space: str) -> Passages:
        """Which texts of a space want vectors, and the vectors that have come."""
        return self._current(space, Passages)

    def recall_log(self, space: str) -> RecallLog:
        """What was recalled in a space, to whom and when."""
        return self._current(space, RecallLog)

    def provenance(self, space: str) -> Provenance:
        """Where the words of a space's memories come from."""
        return self._current(space, Provenance)

    def facets(self, space: str) -> Facets:
        """What the catalog of a space was at any position."""
        return self._current(space, Facets)

    def past_index(self, space: str) -> PastIndex:
        """The words that a space's memories had at any position.

        The facets, which it is always asked with, are loaded in the same pass over the log.

        Raises:
            StorageFailed: ``keys_missing``.
        """
        self._store.keys.require()
        return self._current(space, PastIndex, Facets)

    def holds(self, space: str, kind: type[Projection]) -> bool:
        """Whether a projection of a space is loaded."""
        return kind in self._loaded.get(space, {})

    def _current(self, space: str, kind: type[P], *besides: type[Projection]) -> P:
        with self.lock:
            loaded = self._loaded[space]
            if loaded.get(kind) is None:
                self._load(space, kind, *(one for one in besides if one not in loaded))
            found = loaded[kind].projection
            assert isinstance(found, kind)  # noqa: S101 (what was made for it)
            return found

    def _load(self, space: str, *kinds: type[Projection]) -> None:
        """Loads projections in one pass over the log from the oldest of their kept states on."""
        begun = [self._from_kept(space, kind) for kind in kinds]
        if max(position for position, _ in begun) > self.position:
            self.catch_up()
        held = [_Held(projection) for _, projection in begun]
        after = min(position for position, _ in begun)
        for recorded in self._events(space, kinds, after=after, until=self.position):
            for one in held:
                one.take_in([recorded])
        self._loaded[space].update(zip(kinds, held, strict=True))

    def _events(
        self, space: str, kinds: Collection[type[Projection]], *, after: int = 0, until: int
    ) -> Iterator[Recorded]:
        """The events of a space that some kinds of projections read."""
        patterns = {self._kinds[kind].reads for kind in kinds}
        names = patterns.pop() if len(patterns) == 1 else None
        return self._store.recorded(after=after, until=until, space=space, names=names)

    def _from_kept(self, space: str, kind: type[Projection]) -> tuple[int, Projection]:
        """A projection, and the position that it is as of: an empty one where none is kept."""
        kept = None if self._kept is None else self._kept.load(space, kind.NAME, kind.VERSION)
        if self._kept is not None and kept is not None:
            try:
                return kept.position, self._kinds[kind].load(kept.parts)
            except Unfit as error:
                self._kept.left_out(kind.NAME, f"its part {error} does not fit", kept.salt)
        return 0, self._kinds[kind].make()

    def catch_up(self) -> None:
        """Takes in what was committed since, by whichever process."""
        with self.lock:
            head = self._store.rows.head().position
            if head <= self.position:
                return
            if any(self._loaded.values()):
                self.apply(self._store.recorded(after=self.position, until=head))
            self.position = head

    def apply(self, events: Iterable[Recorded]) -> None:
        """Moves every loaded projection over committed events, in order of position."""
        with self.lock:
            for recorded in events:
                if recorded.position <= self.position:
                    continue
                for held in self._loaded.get(recorded.space, {}).values():
                    held.projection.apply(recorded)
                    held.unkept += 1
                self.position = recorded.position

    def drop(self, space: str, kind: type[Projection]) -> None:
        """Forgets a projection, which is loaded anew when it is asked for."""
        with self.lock:
            self._loaded[space].pop(kind, None)

    def replace(self, space: str, kind: type[Projection]) -> bool:
        """Makes a projection of a space anew and puts it in place; whether the old one differed."""
        held = _Held(self._current(space, kind).anew())
        until = self.position
        held.take_in(self._events(space, [kind], until=until))
        with self._standing_still():
            self.catch_up()
            held.take_in(self._events(space, [kind], after=until, until=self.position))
            old = self._current(space, kind)
            self._loaded[space][kind] = held
            differed = old.digest() != held.projection.digest()
        if differed and self._kept is not None and self._kept.may_write:
            # what is kept may be where the difference comes from
            with suppress(StorageFailed), self._kept.locked():
                self._kept.forget(space)
        return differed

    # keeping

    def keep(self, minimum_new_events: int = 1) -> int:
        """Keeps every projection that took in so many events since; how many were kept.

        None where another process is keeping or purging at this moment, in a store that is read
        only, or in memory.

        Raises:
            StorageFailed: ``full``, ``io_error`` …
        """
        kept = self._kept
        if kept is None or not kept.may_write:
            return 0
        with self.lock:
            due = [
                (space, kind)
                for space, loaded in self._loaded.items()
                for kind, held in loaded.items()
                if held.unkept >= minimum_new_events
            ]
        if not due:
            return 0
        try:
            with kept.locked(0.0):
                return sum(self._keep(kept, *one, minimum_new_events) for one in due)
        except StorageFailed as error:
            if error.code == "busy":
                return 0
            raise

    def _keep(
        self, kept: KeptStates, space: str, kind: type[Projection], minimum_new_events: int
    ) -> bool:
        with self._standing_still():
            self.catch_up()
            position, held = self.position, self._loaded[space][kind]
            there = kept.position(space, kind.NAME, kind.VERSION)
            if position - there < minimum_new_events:
                held.unkept = position - there  # another process has kept it
                return False
            unkept, parts = held.unkept, held.projection.dump()
        is_kept = kept.write(space, kind.NAME, kind.VERSION, position, parts)
        if is_kept:
            self._mark_kept(space, kind, unkept)
        return is_kept

    def purge(self, space: str) -> None:
        """Leaves no word of what is purged in the projections of a space.

        In memory they are replaced by what they are put away as, which has none. On the disk the
        cache key of the space is destroyed, and they are kept again under another. Call it once the
        purge is asked for and the keys of the words are destroyed. It takes ``cache.lock`` unless
        this thread has it already.

        Raises:
            StorageFailed: ``busy``, ``read_only``, ``full``, ``io_error`` …
        """
        if self._store.read_only:
            raise StorageFailed("The store is open for reading only.", code="read_only")
        with self._cache_locked():
            if self._kept is not None:
                if self._kept.may_write:
                    self.catch_up()
                    names = self._kept.projections(space)
                    for kind in self._kinds:
                        if kind.NAME in names:  # it is kept again below
                            self._current(space, kind)
                self._kept.forget(space)
            with self._standing_still():
                self.catch_up()
                position = self.position
                parts = {kind: held.projection.dump() for kind, held in self._loaded[space].items()}
                self._loaded[space] = {
                    # nothing of it is kept: so many events at most are to be
                    kind: _Held(self._kinds[kind].load(dumped), unkept=position)
                    for kind, dumped in parts.items()
                }
            if self._kept is not None:
                for kind, dumped in parts.items():
                    if self._kept.write(space, kind.NAME, kind.VERSION, position, dumped):
                        self._mark_kept(space, kind, position)

    def _mark_kept(self, space: str, kind: type[Projection], unkept: int) -> None:
        """So many of the events that a projection has taken in are in a kept state."""
        with self.lock:
            self._loaded[space][kind].unkept -= unkept

    @contextmanager
    def _cache_locked(self) -> Generator[None, None, None]:
        if self._kept is None:
            yield
        else:
            with self._kept.locked():
                yield

    @contextmanager
    def _standing_still(self) -> Generator[None, None, None]:
        """Nothing is applied, asked or decided meanwhile.

        The writer looks duplicates up without ``lock``, but never without the log's.
        """
        if self._store.datastore.in_memory:
            with self.lock:
                yield
        else:
            with self._store.datastore.exclusive(), self.lock:
                yield
