"""The audit as a handle has it."""

from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import uuid_utils

from muniment import telemetry
from muniment.audit.answers import AuditReport
from muniment.audit.glossary import GLOSSARY
from muniment.audit.invariants import PAUSING
from muniment.audit.plot import plot
from muniment.audit.row import Row
from muniment.audit.schedule import Cron, Pass, Scheduler, Slot
from muniment.audit.verdicts import as_document
from muniment.commands.record_audit import RecordAudit, RecordDigest
from muniment.commands.record_evaluation import RecordEvaluation
from muniment.commands.resume_consolidation import ResumeConsolidation
from muniment.domain import consolidation, moments
from muniment.domain.consolidation import Consolidation
from muniment.domain.errors import Invalid, NotFound, StorageFailed
from muniment.domain.identity import Identity, identity
from muniment.domain.moments import When
from muniment.engine import Engine
from muniment.log.datastore import typed_errors
from muniment.paths import path_of
from muniment.queries.search import MAX_QUERY, Search

from .auditing import ReadAudit
from .base import Face

if TYPE_CHECKING:
    import os

SCHEDULED = "system:audit"
"""Who runs audits that nobody asked for."""


class Audit(Face):
    """The audit of this handle's space: ``m.audit``."""

    def __init__(self, engine: Engine, identity: Identity) -> None:
        super().__init__(engine, identity)
        self._auditing = engine.auditing

    def run(self) -> Row:
        """Audit the space as it is now, record that, and tell who is to be told.

        The row has the names that ``docs/audit.md`` lists; what cannot be measured is left out.

        Raises:
            StorageFailed: ``read_only``, or the disk fails.
            Conflict: ``version_conflict``: another audit was recorded meanwhile.
        """
        self._authorise(RecordAudit)
        self._require_writable()
        options, space = self._auditing.options, self._identity.space
        version, spoken = self._auditing.told(space)
        with telemetry.operation(ReadAudit, self._identity):
            audited = self._auditing.measure(
                space,
                self._engine.meaning,
                taken_at=self._engine.now(),
                snapshot_id=str(uuid_utils.uuid7()),
            )
        command = RecordAudit.of(
            run=audited.run,
            version=version,
            spoken=spoken,
            speaks=options.alert_on_attention,
            repeat_after=options.alert_repeat_interval,
            pausing=PAUSING if options.pause_consolidation_on_alert else frozenset(),
        )
        _, recorded = self._engine.run(command, self._identity)
        row = self._auditing.row(audited)
        self._auditing.keep(space, audited, recorded, row)
        return row

    def latest(self) -> Row | None:
        """The row of the last audit; None before the first."""
        self._authorise(ReadAudit)
        return self._auditing.latest(self._identity.space)

    def trend(self, days: float = 30, *, replayed: bool | None = None) -> list[Row]:
        """The rows of the last so many days, oldest first, as far as the retention goes back.

        With ``replayed`` they are what would have been recorded, had every scheduled audit run;
        unless it is given, that is so where no audit was ever recorded. Such rows say
        ``"replayed": true``.

        Raises:
            Invalid: ``days_invalid`` or ``replayed_invalid``.
        """
        self._authorise(ReadAudit)
        if replayed not in (None, True, False):
            raise Invalid(
                "replayed: say True or False, or leave it out.",
                code="replayed_invalid",
                field="replayed",
            )
        now = self._engine.now()
        return self._auditing.trend(self._identity.space, _days(days), now, replayed=replayed)

    def plot(self, path: "str | os.PathLike[str]", days: float = 30) -> Path:
        """Draw the trend into a file that ends in .png, .svg or .pdf; needs the extra ``plot``.

        Raises:
            Invalid: ``plot_invalid``, ``plot_empty`` or ``days_invalid``.
            Unavailable: ``plot_not_installed``.
        """
        place = path_of(path, "plot")
        plot(self.trend(days), place)
        return place

    def at(self, when: When) -> Row:
        """The row that an audit at a moment, or at a position of the log, would have written.

        It is measured against the audit that was the last one then, and from the log alone: read
        models and vectors of then are nowhere, and what was purged since has neither category nor
        near-duplicates.

        Raises:
            Invalid: ``timestamp_invalid``, ``timezone_required`` or ``when_invalid``.
        """
        self._authorise(ReadAudit)
        return self._auditing.at(self._identity.space, moments.in_past(when, "when"))

    def report(self) -> AuditReport | None:
        """The last audit: its row, its report in Markdown, and its findings explained."""
        self._authorise(ReadAudit)
        return self._auditing.report(self._identity.space)

    def explain(self, name: str) -> dict[str, str]:
        """What a finding means: title, meaning, what to do, severity.

        Raises:
            Invalid: ``name_invalid``: it is no text.
            NotFound: ``invariant_unknown``.
        """
        self._authorise(ReadAudit)
        if not isinstance(name, str):  # pyright: ignore[reportUnnecessaryIsInstance] (callers err)
            raise Invalid("name: give a text.", code="name_invalid", field="name")
        entry = GLOSSARY.get(name)
        if entry is None:
            raise NotFound(
                f"There is no invariant {name[:80]!r}; there are {', '.join(GLOSSARY)}.",
                code="invariant_unknown",
                field="name",
            )
        return {
            "name": name,
            "severity": entry.severity,
            "title": entry.title,
            "meaning": entry.meaning,
            "whatToDo": entry.advice,
        }

    def evaluate(self) -> Row | None:
        """Put samples of what was done to memories before the language model, and record verdicts.

        What was judged before and has not changed is carried over; where nothing has changed at
        all, nobody is asked, and the last evaluation is answered with ``"skipped": true``. None:
        there is nothing to judge, and never was. The last report is written again.

        Raises:
            Unavailable: ``model_not_configured``; or why the model could not be asked.
            Invalid: ``directive_invalid``.
            Conflict: ``evaluation_overtaken``: another was recorded, or words that were judged
                were removed meanwhile.
            StorageFailed: ``read_only``, or the disk fails.
        """
        self._authorise(RecordEvaluation)
        self._require_writable()
        space, now = self._identity.space, self._engine.now()
        evaluated = self._engine.evaluating.evaluate(space, self._neighbours, now)
        if evaluated is None:
            last = self._auditing.evaluated(space)
            return None if last is None else as_document(last, skipped=True)
        self._engine.run(RecordEvaluation.of(evaluated=evaluated), self._identity)
        self._auditing.refresh_report(space)
        return as_document(evaluated)

    def evaluation(self) -> Row | None:
        """The last evaluation of samples with its verdicts; None before the first."""
        self._authorise(ReadAudit)
        last = self._auditing.evaluated(self._identity.space)
        return None if last is None else as_document(last)

    def _neighbours(self, text: str, count: int) -> list[str]:
        """The live memories nearest to a text: by meaning too, where there are vectors."""
        query = Search.of(query=text[:MAX_QUERY], limit=min(count, 200), explicit=True)
        return [hit.memory.id for hit in self._engine.ask(query, self._identity).hits]

    def _require_writable(self) -> None:
        if self._engine.store.read_only:
            raise StorageFailed("The store is open for reading only.", code="read_only")

    @property
    def consolidation(self) -> Consolidation:
        """Whether consolidation is paused, since when and why."""
        self._authorise(ReadAudit)
        stream = consolidation.stream(self._identity.space)
        return consolidation.fold(self._engine.store.history(stream))

    def resume_consolidation(self, reason: str) -> Consolidation:
        """Let consolidation go on after an audit paused it; nothing where it is not paused.

        Raises:
            Refused: ``role_refused``: a person does, or an admin.
        """
        self._authorise(ResumeConsolidation)
        return self._engine.run(ResumeConsolidation.of(reason=reason), self._identity)

    def digest(self) -> None:
        """Tell the report of the last audit, whatever it says; nothing before the first.

        Raises:
            Unavailable: ``webhook_failed``.
        """
        self._authorise(RecordAudit)
        row = self._auditing.latest(self._identity.space)
        if row is not None:
            now = self._engine.now()
            self._auditing.post_digest(self._identity.space, row, now)
            command = RecordDigest.of(snapshot_id=row["snapshotId"])
            self._engine.run(command, self._identity)

    def scheduler(self) -> Scheduler:
        """What runs the audits of all spaces when they are due; it has to be started.

        Raises:
            StorageFailed: ``io_error`` where the file cannot be had by which processes take turns.
        """
        self._authorise(RecordAudit)
        options, directory = self._auditing.options, self._engine.directory
        with typed_errors():
            slot = Slot(None if directory is None else directory / "state" / "passes.lock")
        return Scheduler(
            self._passes,
            clock=self._engine.now,
            zone=options.zone,
            slot=slot,
            initial_delay=timedelta(minutes=options.initial_delay_minutes),
        )

    def _passes(self) -> list[Pass]:
        options = self._auditing.options
        found: list[Pass] = []
        for space in self._auditing.reader.spaces() if options.enabled else ():
            acting = Audit(self._engine, identity(space, SCHEDULED))
            found.append(
                Pass(
                    f"audit {space}",
                    Cron(options.cron_schedule),
                    acting.run,
                    partial(self._auditing.reader.audited_at, space),
                )
            )
            if options.eval_enabled and self._engine.evaluating.has_judge:
                found.append(
                    Pass(
                        f"evaluation {space}",
                        Cron(options.eval_cron_schedule),
                        acting.evaluate,
                        partial(self._engine.evaluating.evaluated_at, space),
                    )
                )
            if options.digest_cron_schedule is not None:
                found.append(
                    Pass(
                        f"digest {space}",
                        Cron(options.digest_cron_schedule),
                        acting.digest,
                        partial(self._auditing.digested_at, space),
                    )
                )
        return found


def _days(days: object) -> float:
    if isinstance(days, bool) or not isinstance(days, int | float) or not 0 < days <= 36_500:
        raise Invalid(
            "days: give a number of days, up to 36,500.", code="days_invalid", field="days"
        )
    return float(days)
