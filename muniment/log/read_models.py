"""The read models of a store: loaded when they are first asked for, each alone, then kept up.

Every projection of every space that is loaded stands at one position, ``position``. A query catches
up to the head first; the writer moves them when its batch is committed, never before.
"""

import threading
from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Protocol, TypeVar

from muniment.domain.memory.forms import canonical_form
from muniment.domain.recorded import Recorded
from muniment.projections.catalog import Catalog
from muniment.projections.search_index import SearchIndex
from muniment.projections.similarity import Similarity

from .store import Store


class Projection(Protocol):
    """A read model of one space: disposable, and the same however often an event is applied."""

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


P = TypeVar("P", bound=Projection)


@dataclass(frozen=True, slots=True)
class Ranking:
    """What ranking is done with: BM25's two constants."""

    k1: float = 0.9
    b: float = 0.4


class ReadModels:
    """The projections over ``store``. Hold ``lock`` while using one."""

    def __init__(self, store: Store, ranking: Ranking) -> None:
        self.lock = threading.RLock()
        self.position = 0
        self._store = store
        self._makers: dict[type[Projection], Callable[[], Projection]] = {
            Catalog: Catalog,
            SearchIndex: lambda: SearchIndex(k1=ranking.k1, b=ranking.b),
            Similarity: lambda: Similarity(canonical_form),
        }
        self._loaded: dict[str, dict[type[Projection], Projection]] = defaultdict(dict)

    def catalog(self, space: str) -> Catalog:
        """The memories of a space by id, state, category, tag and time."""
        return self._current(space, Catalog)

    def search_index(self, space: str) -> SearchIndex:
        """The words of a space's memories."""
        return self._current(space, SearchIndex)

    def similarity(self, space: str) -> Similarity:
        """The canonical forms of a space's live memories."""
        return self._current(space, Similarity)

    def _current(self, space: str, kind: type[P]) -> P:
        with self.lock:
            found = self._loaded[space].get(kind)
            if found is None:
                found = self._load(space, kind)
                self._loaded[space][kind] = found
            assert isinstance(found, kind)  # noqa: S101 (what was made for it)
            return found

    def _load(self, space: str, kind: type[P]) -> Projection:
        made = self._makers[kind]()
        for recorded in self._store.recorded(until=self.position, space=space):
            made.apply(recorded)
        return made

    def catch_up(self) -> None:
        """Takes in what was committed since, by whichever process."""
        with self.lock:
            head = self._store.rows.head().position
            if head <= self.position:
                return
            if not self._loaded:
                self.position = head
                return
            self.apply(self._store.recorded(after=self.position, until=head))
            self.position = head

    def apply(self, events: Iterable[Recorded]) -> None:
        """Moves every loaded projection over committed events, in order of position."""
        with self.lock:
            for recorded in events:
                if recorded.position <= self.position:
                    continue
                for projection in self._loaded.get(recorded.space, {}).values():
                    projection.apply(recorded)
                self.position = recorded.position

    def replace(self, space: str, kind: type[Projection]) -> bool:
        """Makes a projection of a space anew and puts it in place; whether the old one differed."""
        with self.lock:
            old = self._current(space, kind)
            new = self._loaded[space][kind] = self._load(space, kind)
            return old.digest() != new.digest()
