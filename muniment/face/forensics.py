"""What an agent was told, where something comes from, whom it reached, and how it is taken back."""

from collections.abc import Iterable
from datetime import datetime
from typing import TYPE_CHECKING

import muniment
from muniment.domain import recall as recalls
from muniment.domain.access import RecallForAnother
from muniment.domain.errors import Invalid, StorageFailed
from muniment.domain.memory.events import Store
from muniment.domain.moments import When
from muniment.domain.rolling_back import Hiding
from muniment.queries.by_words import Mode
from muniment.queries.recall import Recall
from muniment.queries.search import SearchResult

from .base import Face

if TYPE_CHECKING:
    from muniment.queries.plan_undo import PlanUndo


class Forensics(Face):
    """Recall, and what is asked of recalls and of the graph of memories afterwards."""

    def recall(
        self,
        query: str | None = None,
        *,
        session: str,
        agent: str | None = None,
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
        """Search, and record that what was found came into an agent's context.

        ``agent`` is who acts unless it is named; who may write may name another, for which an
        orchestrator recalls. Recalls are recorded a few together, as the settings of ``[recall]``
        say.

        Raises:
            Refused: ``role_refused`` where the role may not name another agent.
            StorageFailed: ``read_only`` where nothing can be recorded: use ``search`` there.
        """
        self._authorise(Recall)
        if agent is not None and agent != self.actor:
            self.require(RecallForAnother.VERB, field="agent")
        asked = Recall.of(
            query=query,
            session=session,
            agent=agent,
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
        )
        if self._engine.store.read_only and self._engine.settings.recall.mode != "off":
            raise StorageFailed(
                "The store is open for reading only, and a recall is recorded: use search.",
                code="read_only",
            )
        result = self._engine.ask(asked, self._identity)
        found = [hit.memory for hit in result.hits]
        recall = recalls.Recall(
            at=self._engine.now(),
            memories=tuple(memory.id for memory in found),
            versions=tuple(memory.version for memory in found),
            scores=tuple(hit.score for hit in result.hits),
        )
        self._engine.recalls.note(
            self._identity,
            asked.session,
            asked.agent or self.actor,
            recalls.Asked(query=asked.query, recall=recall),
        )
        return result

    def knew(self, agent: str, when: When) -> "muniment.KnewReport":
        """Everything that had been recalled into an agent's context by a moment.

        ``when`` is a time or a position of the log. Each memory has the text of the version that
        was recalled; of a purged one there are no words. Where another than the agent said that it
        was recalled, ``recorded_by`` names it. What could be missing is said.
        """
        from muniment.investigating import knew
        from muniment.queries.knew import Knew

        self._authorise(Knew)
        return knew(self._engine, self._identity, Knew.of(agent=agent, when=when))

    def trace(self, id: str | int, *, depth: int = 64, limit: int = 1_000) -> "muniment.Trace":
        """Where a memory, or what the event at a position did, comes from.

        Back over merges, folds, additions and supersedings to the sources, and over what was
        recalled in the same session before it was written, which is marked as possible. At most
        ``depth`` steps and ``limit`` memories; ``truncated`` says that there is more.

        Raises:
            NotFound: There is no such memory, or no event of this space at the position.
            Invalid: ``not_traceable`` where the event is none of a memory or recall.
        """
        from muniment.queries.trace import TraceBack

        self._authorise(TraceBack)
        self._record_recalls()
        query = TraceBack.of(id=id, depth=depth, limit=limit)
        return self._engine.ask(query, self._identity)

    def blast_radius(
        self,
        *,
        memory: str | None = None,
        source: str | None = None,
        actor: str | None = None,
        session: str | None = None,
        since: datetime | str | None = None,
        until: datetime | str | None = None,
    ) -> "muniment.BlastRadius":
        """Which memories, sessions and agents something reached that was written.

        What is given together must hold together. ``source`` is a type such as ``web``, a
        reference, or the beginning of references with a ``*`` behind.

        Raises:
            Invalid: ``selection_required`` where nothing is given.
        """
        from muniment.queries.blast_radius import GetBlastRadius

        self._authorise(GetBlastRadius)
        self._record_recalls()
        query = GetBlastRadius.of(
            memory=memory, source=source, actor=actor, session=session, since=since, until=until
        )
        return self._engine.ask(query, self._identity)

    def rollback(
        self,
        *,
        memory: str | None = None,
        source: str | None = None,
        actor: str | None = None,
        session: str | None = None,
        since: datetime | str | None = None,
        until: datetime | str | None = None,
        reason: str | None = None,
        dry_run: bool = True,
        hide: Hiding = "quarantine",
        undo: str | None = None,
    ) -> "muniment.RollbackReport":
        """Take what was written by a selection, and what descends from it, out of recall.

        What is live is quarantined, or archived by ``hide``; what it had taken in or superseded
        and is not tainted itself comes back, and its count is taken out of what it was part of.
        Nothing is changed or deleted: events are appended, in one commit. A dry run, which it is
        unless told otherwise, says what would be done. ``undo`` takes back the rollback of that id;
        what moved since is left, and counts that were taken out stay out.

        Raises:
            Invalid: ``selection_required``, ``reason_required``.
            NotFound: There is no such memory, or no such rollback.
            Refused: ``already_undone``.
            Conflict: ``rollback_moved``: the memories go on moving.
        """
        from muniment.investigating import RollbackReport, require_reason, roll_back
        from muniment.queries.plan_rollback import PlanRollback
        from muniment.queries.plan_undo import PlanUndo

        self._authorise(PlanRollback)
        if not isinstance(dry_run, bool):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise Invalid("dry_run: say True or False.", code="dry_run_invalid", field="dry_run")
        self._record_recalls()
        if undo is not None:
            return self._undo(PlanUndo.of(undo=undo), reason, dry_run=dry_run)
        query = PlanRollback.of(
            memory=memory,
            source=source,
            actor=actor,
            session=session,
            since=since,
            until=until,
            hide=hide,
        )
        if dry_run:
            steps = self._engine.ask(query, self._identity)
            return RollbackReport(id=None, dry_run=True, steps=steps)
        return roll_back(self._engine, self._identity, query, require_reason(reason))

    def _undo(
        self, query: "PlanUndo", reason: str | None, *, dry_run: bool
    ) -> "muniment.RollbackReport":
        from muniment.investigating import RollbackReport, require_reason, undo_rollback

        if dry_run:
            plan = self._engine.ask(query, self._identity)
            return RollbackReport(id=None, dry_run=True, steps=plan.steps, undone=plan.id)
        return undo_rollback(self._engine, self._identity, query, require_reason(reason))

    def _record_recalls(self) -> None:
        """So that what this process recalled is among what is looked at."""
        if not self._engine.store.read_only:
            self._engine.recalls.flush()
