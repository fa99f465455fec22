"""What queries read from."""

from collections.abc import Iterable, Iterator
from threading import RLock
from typing import Protocol

from muniment.domain.memory.state import State
from muniment.domain.ports import Desk
from muniment.domain.recorded import Recorded
from muniment.projections.catalog import Catalog
from muniment.projections.search_index import SearchIndex


class Reading(Desk, Protocol):
    """One query's view of the store, caught up to the head. Hold ``lock`` over projections."""

    @property
    def lock(self) -> RLock:
        """Guards the projections."""
        ...

    def catalog(self) -> Catalog:
        """The space's memories as columns."""
        ...

    def search_index(self) -> SearchIndex:
        """The space's words."""
        ...

    def memories(self, ids: Iterable[str]) -> list[State]:
        """Memories by whole ids, in that order."""
        ...

    def history(self, stream: str) -> list[Recorded]:
        """Every event of a stream, oldest first."""
        ...

    def recorded(self, *, after: int, until: int | None, space: str | None) -> Iterator[Recorded]:
        """Events by position, read as they are asked for."""
        ...

    def head(self) -> int:
        """The position of the newest event; 0 where there is none."""
        ...

    def log_bytes(self) -> int:
        """Bytes that the log takes on the disk or in memory."""
        ...
