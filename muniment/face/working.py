"""Working memory as a handle has it: ``m.working``."""

from collections.abc import Iterable
from datetime import timedelta

from muniment import telemetry
from muniment.domain.identity import Identity
from muniment.domain.working.entries import WorkingEntry
from muniment.engine import Engine
from muniment.queries.working import GetEntry, SearchWorking, WorkingResult
from muniment.working import SaveEntry

from .base import Face


class WorkingMemory(Face):
    """A scratch space of keys with a time to live, shared by everybody of the space.

    A key is a path; its first two segments are its namespace, such as ``session/abc`` or
    ``patrol/heartbeat``. A handle with a namespace writes into that one, by plain keys; any full
    key can be read.
    """

    def __init__(self, engine: Engine, identity: Identity, namespace: str | None) -> None:
        super().__init__(engine, identity)
        self._namespace = namespace

    def save(
        self,
        key: str,
        value: str,
        *,
        ttl: float | timedelta | None = None,
        category: str | None = None,
        tags: Iterable[str] = (),
    ) -> WorkingEntry:
        """Store a text under a key, in place of what is there; it begins to live anew.

        Args:
            key: A plain key, or a full one of the handle's own namespace; a handle without a
                namespace gives a full one.
            value: Up to 1 MiB, kept verbatim.
            ttl: Seconds until it expires, or a timedelta; at most ten years. None: the setting
                ``working.default_ttl_seconds``, five minutes.
            category: What it is, to filter by.
            tags: To filter by, up to 32.

        Raises:
            Invalid: ``key_invalid``, ``ttl_invalid``, ``value_too_large`` …
            Refused: ``namespace_refused`` where the key is of another namespace, ``namespace_full``
                where that has as many entries as it may.
        """
        self._authorise(SaveEntry)
        command = SaveEntry.of(key=key, value=value, ttl=ttl, category=category, tags=tags)
        with telemetry.operation(SaveEntry, self._identity):
            return command.run(self._engine, self._identity, self._namespace)

    def get(self, key: str) -> WorkingEntry:
        """The entry under a plain key of the handle's namespace, or under any full key.

        Raises:
            NotFound: ``entry_not_found``: there is none, or it has expired.
        """
        self._authorise(GetEntry)
        query = GetEntry.of(key=key)
        with telemetry.operation(GetEntry, self._identity):
            return query.answer(self._engine.work_reading(self._identity, self._namespace))

    def search(
        self,
        query: str | None = None,
        *,
        namespace: str | None = None,
        category: str | None = None,
        tags: Iterable[str] = (),
        limit: int | None = None,
    ) -> WorkingResult:
        """Find entries, up to 20; without a query, list up to 500, the newest first.

        ``namespace`` is a prefix such as ``patrol`` or ``patrol/heartbeat``; unless one is given a
        handle with a namespace looks into its own, any other everywhere.
        """
        self._authorise(SearchWorking)
        asked = SearchWorking.of(
            query=query, namespace=namespace, category=category, tags=tags, limit=limit
        )
        with telemetry.operation(SearchWorking, self._identity) as span:
            return span.answered(
                asked.answer(self._engine.work_reading(self._identity, self._namespace))
            )
