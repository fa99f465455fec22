"""The store as it stood at a point of the log: the same questions, asked of the past.

Nothing is rebuilt. The catalog and the search index of the point are cut out of read models that
know the whole past, and memories are folded from their events up to there.
"""

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from functools import lru_cache
from typing import ClassVar, NoReturn, TypeVar

from . import telemetry
from .commands.command import Answers
from .domain.access import PEOPLE
from .domain.errors import MunimentError, Refused, StorageFailed
from .domain.identity import Identity
from .domain.memory.state import State
from .domain.moments import Point, rfc3339
from .domain.recorded import Recorded
from .engine import Asks, Engine, StoreReading
from .exporting import Export
from .log.tail import Head
from .meaning import Meaning, SpaceMeaning
from .projections.catalog import Catalog
from .projections.facets import Facets
from .projections.passages import Passages
from .projections.past_index import PastIndex
from .projections.search_index import SearchIndex
from .proving import ProveInvariants
from .queries.diff import Diff
from .queries.get_memory import Get, GetMany
from .queries.history import History
from .queries.log import Log
from .queries.search import Search
from .queries.standpoint import AsOf
from .queries.stats import GetStats

A = TypeVar("A")


class PastEngine(Engine):
    """An engine at a point of the log; all that it stands on is that of the engine it is made of.

    It never changes anything: whatever is not a question about that point is refused.
    """

    ANSWERED: ClassVar[frozenset[type]] = frozenset(
        [Search, Get, GetMany, History, Log, GetStats, Diff, AsOf, Export, ProveInvariants]
    )

    def __init__(self, engine: Engine, point: Point) -> None:
        vars(self).update(vars(engine))
        self._point = point
        self.clock = lambda: point.at
        self._cuts: dict[tuple[str, bool], _Cut] = {}

    @property
    def point(self) -> Point:
        """Where in the log it stands."""
        return self._point

    def admit(self, operation: type) -> None:
        """Whether an operation is about this point.

        Raises:
            Refused: ``read_only``: it is not.
        """
        if operation not in self.ANSWERED:
            self._refuse()

    def run(self, command: Answers[A | MunimentError], identity: Identity) -> A:  # noqa: ARG002
        """Refused: the past is what it is."""
        self._refuse()

    def record(self, command: Answers[A | MunimentError], identity: Identity) -> A:  # noqa: ARG002
        """Refused: the past is what it is."""
        self._refuse()

    def run_all(self, commands: Sequence[Answers[A]], identity: Identity) -> list[A]:  # noqa: ARG002
        """Refused: the past is what it is."""
        self._refuse()

    def _refuse(self) -> NoReturn:
        raise Refused(
            f"This is the store as of {rfc3339(self.point.at)}, and nothing can be changed there:"
            " use a handle on the present.",
            code="read_only",
        )

    def ask(self, query: Asks[A], identity: Identity) -> A:
        """Answers a query as it would have been answered then."""
        with telemetry.operation(type(query), identity) as span:
            return span.answered(query.answer(_PastReading(self, identity)))

    def head(self) -> Head:
        """Where the log ended then."""
        chain = self.store.rows.chain_at(self.point.position)
        if chain is None:
            raise StorageFailed(
                f"Position {self.point.position:,} is missing: run verify.", code="log_not_intact"
            )
        return Head(self.point.position, chain, self.store.rows.recorded_at(self.point.position))

    def cut(self, identity: Identity) -> "_Cut":
        """What who asks may see of their space at this point."""
        key = identity.space, identity.role in PEOPLE
        return self._cuts.setdefault(key, _Cut(self.point.position, still_doubted=not key[1]))

    def close(self) -> None:
        """Ends nothing: the store is the other engine's."""


class _Cut:
    """The read models of a space at a position: made when asked for, and again as the log grows."""

    def __init__(self, position: int, *, still_doubted: bool) -> None:
        self._position = position
        self._still_doubted = still_doubted
        self._catalog = lru_cache(1)(self._catalog_of)
        self._index = lru_cache(1)(self._index_of)

    def catalog(self, facets: Facets) -> Catalog:
        return self._catalog(facets, facets.position)

    def index(self, past: PastIndex, catalog: Catalog) -> SearchIndex:
        return self._index(past, past.position, catalog)

    def _catalog_of(self, facets: Facets, _: int) -> Catalog:
        return facets.at(self._position, still_doubted=self._still_doubted)

    def _index_of(self, past: PastIndex, _: int, catalog: Catalog) -> SearchIndex:
        return past.at(self._position, catalog.in_condition(catalog.every_row(), "live"))


class _PastReading(StoreReading):
    """One query's view of the store at a point."""

    is_past = True

    def __init__(self, engine: PastEngine, identity: Identity) -> None:
        super().__init__(engine, identity, engine.point.at)
        self._point = engine.point
        self._cut = engine.cut(identity)
        if engine.meaning is not None:
            self.meaning = _PastMeaning(engine.meaning, identity.space, engine.point.position)

    def catalog(self) -> Catalog:
        return self._cut.catalog(self._current(self._models.facets))

    def search_index(self) -> SearchIndex:
        return self._cut.index(self._current(self._models.past_index), self.catalog())

    def memories(self, ids: Iterable[str], *, until: int | None = None) -> list[State]:
        return super().memories(ids, until=self._bounded(until))

    def _load(self, stream: str) -> State | None:
        state = self._store.memories([stream], until=self._point.position).get(stream)
        if state is None or self.identity.role in PEOPLE:
            return state
        now = self._store.memory(stream)
        is_doubted = now is not None and now.condition == "quarantined"
        return state._replace(condition="quarantined") if is_doubted else state

    def history(self, stream: str) -> list[Recorded]:
        return [one for one in super().history(stream) if one.position <= self._point.position]

    def recorded(self, *, after: int, until: int | None, space: str | None) -> Iterator[Recorded]:
        return super().recorded(after=after, until=self._bounded(until), space=space)

    def touched(
        self, *, after: int, until: int, begun_after: int, limit: int
    ) -> list[tuple[str, int]]:
        return super().touched(
            after=after, until=self._bounded(until), begun_after=begun_after, limit=limit
        )

    def point(self, when: datetime | int) -> Point:
        return min(super().point(when), self._point)

    def head(self) -> int:
        return self._point.position

    def _bounded(self, until: int | None) -> int:
        return self._point.position if until is None else min(until, self._point.position)


class _PastMeaning(SpaceMeaning):
    """What a space knew by meaning, as far as the texts of then have vectors now."""

    def __init__(self, meaning: Meaning, space: str, position: int) -> None:
        super().__init__(meaning, space)
        self._position = position

    def passages(self) -> Passages:
        return super().passages().at(self._position)
