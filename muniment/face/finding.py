"""What is asked of the memories and of the log."""

from collections.abc import Iterable, Iterator
from datetime import datetime

from muniment.domain.memory.events import Store
from muniment.domain.memory.view import Memory
from muniment.queries.agent_text import agent_text
from muniment.queries.by_words import Mode
from muniment.queries.get_memory import Get, GetMany
from muniment.queries.history import History, HistoryEntry
from muniment.queries.log import Log, LogEntry
from muniment.queries.search import Search, SearchResult
from muniment.queries.stats import GetStats, Stats

from .base import Face, listed


class Finding(Face):
    """Search, single memories, their history, and the log."""

    def search(
        self,
        query: str | None = None,
        *,
        category: str | None = None,
        tags: Iterable[str] = (),
        limit: int = 8,
        mode: Mode = "hybrid",
        store: Store | None = None,
        created_after: datetime | str | None = None,
        created_before: datetime | str | None = None,
        subject_from: datetime | str | None = None,
        subject_to: datetime | str | None = None,
        include_archived: bool = False,
        min_trust: int | None = None,
        explicit: bool = False,
        explain: bool = False,
        cursor: str | None = None,
    ) -> SearchResult:
        """Find memories; without a query, browse the latest and see which categories there are."""
        self._authorise(Search)
        return self._engine.ask(
            Search.of(
                query=query,
                category=category,
                tags=tags,
                limit=limit,
                mode=mode,
                store=store,
                created_after=created_after,
                created_before=created_before,
                subject_from=subject_from,
                subject_to=subject_to,
                include_archived=include_archived,
                min_trust=min_trust,
                explicit=explicit,
                explain=explain,
                cursor=cursor,
            ),
            self._identity,
        )

    def agent_text(self, result: SearchResult) -> str:
        """A search result as an agent reads it."""
        return agent_text(result, self._engine.clock())

    def get(self, id: str) -> Memory:
        """One memory by id, archived ones too; of a purged one only the tombstone."""
        self._authorise(Get)
        return self._engine.ask(Get.of(id=id), self._identity)

    def get_many(self, ids: Iterable[str]) -> list[Memory]:
        """Several memories by id, in the order asked for; at most 1,000."""
        self._authorise(GetMany)
        return self._engine.ask(GetMany.of(ids=tuple(listed(ids, "ids"))), self._identity)

    def history(self, id: str) -> list[HistoryEntry]:
        """Every event of a memory, oldest first."""
        with self._authorised(History):
            return self._engine.ask(History.of(id=id), self._identity)

    def log(
        self,
        *,
        after: int = 0,
        limit: int | None = None,
        space: str | None = None,
        name: str | None = None,
        actor: str | None = None,
        since: datetime | str | None = None,
        until: datetime | str | None = None,
        follow: bool = False,
    ) -> Iterator[LogEntry]:
        """The log by position, read as it is iterated; ``space="*"`` means all spaces.

        With ``follow`` it waits at the end for what comes, until the handle is closed.
        """
        with self._authorised(Log):
            return self._engine.ask(
                Log.of(
                    after=after,
                    limit=limit,
                    space=space,
                    name=name,
                    actor=actor,
                    since=since,
                    until=until,
                    follow=follow,
                ),
                self._identity,
            )

    def stats(self) -> Stats:
        """Counts, sizes and the head position."""
        self._authorise(GetStats)
        return self._engine.ask(GetStats.of(), self._identity)
