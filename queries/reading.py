"""What queries read from."""

from collections.abc import Iterable, Iterator
from datetime import datetime
from threading import RLock
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from muniment.domain.memory.state import State
from muniment.domain.moments import Point
from muniment.domain.ports import Desk
from muniment.domain.recorded import Recorded
from muniment.projections.catalog import Catalog
from muniment.projections.passages import Passages
from muniment.projections.provenance import Provenance
from muniment.projections.recall_log import RecallLog
from muniment.projections.search_index import SearchIndex


class Meaning(Protocol):
    """What a space knows by meaning, where a model makes vectors of texts."""

    @property
    def model(self) -> str:
        """The name of the model."""
        ...

    @property
    def min_similarity(self) -> float:
        """The least cosine that says two texts have to do with each other."""
        ...

    def vector(self, text: str) -> NDArray[np.float32]:
        """The unit vector of a query. Do not hold the lock: a service is asked.

        Raises:
            Unavailable: The service does not answer.
        """
        ...

    def passages(self) -> Passages:
        """The vectors of the space's memories."""
        ...


class Reading(Desk, Protocol):
    """One query's view of the store, caught up to the head. Hold ``lock`` over projections."""

    @property
    def lock(self) -> RLock:
        """Guards the projections."""
        ...

    @property
    def is_past(self) -> bool:
        """Whether it is of a point of the log after which nothing comes."""
        ...

    @property
    def meaning(self) -> Meaning | None:
        """What the space knows by meaning; None where no model is configured."""
        ...

    def catalog(self) -> Catalog:
        """The space's memories as columns."""
        ...

    def search_index(self) -> SearchIndex:
        """The space's words."""
        ...

    def recall_log(self) -> RecallLog:
        """What was recalled in the space."""
        ...

    def provenance(self) -> Provenance:
        """Where the words of the space's memories come from."""
        ...

    def memories(self, ids: Iterable[str], *, until: int | None = None) -> list[State]:
        """Memories by whole ids, in that order, as of the position ``until``.

        One that began later is left out; of one whose words were removed later there are the facts.
        """
        ...

    def recorded(self, *, after: int, until: int | None, space: str | None) -> Iterator[Recorded]:
        """Events by position, read as they are asked for."""
        ...

    def spaces(self) -> list[str]:
        """Every space that something was recorded in, by name."""
        ...

    def touched(
        self, *, after: int, until: int, begun_after: int, limit: int
    ) -> list[tuple[str, int]]:
        """The space's memories with events past a position and up to another, first touched first.

        Each with the position of the first of those events; only such past ``begun_after``.
        """
        ...

    def point(self, when: datetime | int) -> Point:
        """The point of the log that an aware moment or a position names.

        Raises:
            Invalid: ``position_unknown``.
        """
        ...

    def head(self) -> int:
        """The position of the newest event; 0 where there is none."""
        ...

    def log_bytes(self) -> int:
        """Bytes that the log takes on the disk or in memory."""
        ...
