"""The audit of one store: what it looks at, what it keeps beside the log, and whom it tells."""

import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from functools import cached_property, partial
from pathlib import Path
from typing import Any, Final, TypeVar

import structlog

from .adapters.webhook import Webhook
from .audit import messages
from .audit.answers import AuditReport
from .audit.auditor import Audited, Auditor, Outside
from .audit.corpus import Corpus
from .audit.evidence import Shown
from .audit.fold import Fold
from .audit.ledger import Ledger
from .audit.options import AuditOptions
from .audit.reader import Reader, Run
from .audit.report import TREND_RUNS, Reports, report
from .audit.row import Figures, Growth, Row, as_row
from .audit.schedule import Cron
from .domain import audit
from .domain.audit import Completed, Spoken
from .domain.coverage.generic import GENERIC
from .domain.errors import Invalid, MunimentError
from .domain.evaluation import Evaluated
from .log.datastore import fetch_all, typed_errors
from .log.read_models import ReadModels
from .log.store import Store
from .log.verify import verify
from .meaning import Meaning
from .settings import Settings

T = TypeVar("T")

_log = structlog.get_logger(__name__)

WEBHOOK: Final = "webhook"
DEFAULT_SPACE: Final = "default"

MOST_COMPARED: Final = 10_000
"""Live memories up to which vectors are compared each with each."""


class Auditing:
    """What the handles on one store share of its audit; made when it is first asked for.

    Args:
        store: The log.
        models: The read models, compared with it.
        settings: The options, and the retention that the purge goes by.
        directory: Holds ``audit/`` and ``state/``; None: a store in memory.

    Raises:
        Invalid: ``endpoint_invalid``, ``endpoint_refused`` or ``webhook_secret_invalid``.
    """

    def __init__(
        self, store: Store, models: ReadModels, settings: Settings, directory: Path | None
    ) -> None:
        self.options = settings.audit
        self._store = store
        self._models = models
        self._directory = directory
        self._settings = settings
        self._lock = threading.RLock()
        self._growth: dict[str, tuple[Growth, ...]] = {}
        self._ledger: Ledger | None = None
        self._webhook = None if store.read_only else _webhook(settings.audit)

    @cached_property
    def reader(self) -> Reader:
        """The log."""

        def select(statement: str, values: Sequence[object]) -> list[tuple[Any, ...]]:
            self._store.require_own_process()
            with typed_errors(), self._store.datastore.transaction(commit=False) as cursor:
                return fetch_all(
                    cursor, statement, values, damaged=lambda text: text.decode(errors="replace")
                )

        return Reader(select, self._store.keys.get)

    @cached_property
    def auditor(self) -> Auditor:
        """Measures."""
        vocabulary = self._settings.rules.vocabulary
        size = len(GENERIC | vocabulary.extra_common_words)
        return Auditor(self.reader, Figures(self.options, self._settings.rules.retention, size))

    @property
    def ledger(self) -> Ledger:
        """What there was at the last run; opened by whoever writes."""
        with self._lock:
            if self._ledger is None:
                directory = None if self._directory is None else self._directory / "state"
                self._ledger = Ledger(directory)
            return self._ledger

    def reports(self, space: str) -> Reports:
        """Where the reports of a space are kept."""
        shared = self.options.shared_report_directory
        is_shared = shared is not None and self.options.copy_report_to_shared
        return Reports(
            None if self._directory is None else _of_space(self._directory / "audit", space),
            _of_space(Path(shared), space) if shared is not None and is_shared else None,
            self.options.snapshot_retention,
        )

    def told(self, space: str) -> tuple[int, Spoken | None]:
        """The version that the audits of a space are at, and what people know by then."""
        version = self.reader.version(space)
        return version, audit.known(run.said for run in self.reader.runs(space))

    def measure(
        self, space: str, meaning: Meaning | None, *, taken_at: datetime, snapshot_id: str
    ) -> Audited:
        """A run as of now, which nobody has recorded yet."""
        position, shown, clusters = self._shown(space, meaning)
        outside = Outside(
            position=position,
            shown=shown,
            faults=verify(self._store).findings,
            embedding_dup_clusters=clusters,
        )
        if position:
            self._store.keys.warm()
        with self._lock:
            audited = self.auditor.now(
                space, outside, self.ledger, taken_at=taken_at, snapshot_id=snapshot_id
            )
        evaluated = self.evaluated(space)
        summary = None if evaluated is None else evaluated.summary
        return audited._replace(run=replace(audited.run, eval=summary))

    def known(self, space: str, ask: Callable[[Fold, Corpus], T]) -> T:
        """What ``ask`` makes of all that the log says of a space, and of its words."""
        self._store.keys.warm()
        with self._lock:
            return ask(*self.auditor.known(space, self.reader.head().position))

    def evaluated(self, space: str, until: datetime | None = None) -> Evaluated | None:
        """The last evaluation of a space, up to a moment if one is given; None: there is none."""
        read = [
            one
            for one in self.reader.evaluations(space)
            if one is not None and (until is None or one.evaluated_at <= until)
        ]
        return read[-1] if read else None

    def _shown(self, space: str, meaning: Meaning | None) -> tuple[int, Shown | None, int | None]:
        """What is searched, and the position that it is as of; where it cannot be read, the end."""
        try:
            with self._models.lock:
                self._models.catch_up()
                conditions = self._models.catalog(space).conditions()
                searchable = self._models.search_index(space).searchable
                clusters = None if meaning is None else self._clusters(space, meaning, conditions)
                return self._models.position, Shown(conditions, searchable), clusters
        except Exception as error:  # noqa: BLE001 (whatever is broken in there is what is found)
            _log.warning("read_models_unreadable", space=space, reason=repr(error))
            return self.reader.head().position, None, None

    def _clusters(self, space: str, meaning: Meaning, conditions: dict[str, Any]) -> int | None:
        live = [id_ for id_, condition in conditions.items() if condition == "live"]
        if len(live) > MOST_COMPARED:
            return None
        at_least = self._settings.memory.dedupe_similarity_threshold
        return meaning.passages(space).clusters(live, at_least)

    def row(self, audited: Audited) -> Row:
        """The row of a run that was just measured."""
        self._growth[audited.run.snapshot_id] = audited.growth
        return as_row(audited.run, audited.growth)

    def keep(self, space: str, audited: Audited, recorded: int, row: Row) -> None:
        """Puts what a recorded run leaves behind in its places, and tells of it.

        What fails is said in the log and does not undo the run.
        """
        line, figures = messages.headline(row)
        _log.info(line, space=space, **figures)
        steps: tuple[Callable[[], None], ...] = (
            partial(self.auditor.keep, space, self.ledger, recorded, audited),
            partial(self.write_report, space, row),
            partial(self._post, space, audited.run, row),
        )
        for step in steps:
            try:
                step()
            except MunimentError as error:
                _log.warning("audit_not_kept", code=error.code, reason=error.message)

    def write_report(self, space: str, row: Row) -> None:
        """Writes the report of a run.

        Raises:
            StorageFailed: ``report_not_written``.
        """
        day = datetime.fromisoformat(row["takenAt"]).astimezone(self.options.zone).date()
        self.reports(space).keep(self._report(space, row), day)

    def refresh_report(self, space: str) -> None:
        """Writes the report of the last run again: samples were evaluated since.

        What fails is said in the log: the verdicts are recorded all the same.
        """
        row = self.latest(space)
        if row is not None:
            try:
                self.write_report(space, row)
            except MunimentError as error:
                _log.warning("audit_not_kept", code=error.code, reason=error.message)

    def _report(
        self, space: str, row: Row, until: datetime | None = None, *, with_words: bool = False
    ) -> str:
        """The report of a run, with what samples had come to by a moment; None: by now."""
        evaluated = self.evaluated(space, until)
        return report(row, self._rows(space, until=row), evaluated, with_words=with_words)

    def _rows(self, space: str, until: Row) -> list[Row]:
        """The last runs up to one, without their categories."""
        runs = [run for run in self.reader.runs(space) if run.said.position <= until["position"]]
        return [as_row(run.said, ()) for run in runs[-TREND_RUNS:]]

    def _post(self, space: str, run: Completed, row: Row) -> None:
        if self._webhook is None or not self.options.alert_on_attention:
            return
        spoken = self.ledger.delivered(space, WEBHOOK)
        told = audit.tell(run, spoken, repeat_after=self.options.alert_repeat_interval)
        if told is not None:
            body = messages.posted(
                "audit.alert",
                space,
                row,
                occasion=told.occasion,
                new=told.new,
                cleared=told.cleared,
                findings=messages.findings(run),
            )
            self._webhook.post(run.snapshot_id, run.taken_at, body)
        self.ledger.deliver(space, WEBHOOK, audit.after(spoken, replace(run, told=told)))

    def post_digest(self, space: str, row: Row, now: datetime) -> None:
        """Posts the whole report of a run.

        Raises:
            Unavailable: ``webhook_failed``.
        """
        if self._webhook is not None:
            text = self._report(space, row)
            body = messages.posted("audit.digest", space, row, report=text)
            self._webhook.post(f"{row['snapshotId']}-digest", now, body)

    # reading

    def latest(self, space: str) -> Row | None:
        """The row of the last run; None where there is none."""
        runs = self.reader.runs(space)
        if not runs:
            return None
        return self._with_growth(space, runs, runs[-1:])[0]

    def _with_growth(self, space: str, runs: Sequence[Run], some: Sequence[Run]) -> list[Row]:
        """The rows of some of all runs; how categories moved is known of those measured here."""
        if any(run.said.snapshot_id not in self._growth for run in some):
            grown = self.auditor.growth(space, runs)
            for run, growth in zip(runs, grown, strict=True):
                self._growth[run.said.snapshot_id] = growth
        return [as_row(run.said, self._growth[run.said.snapshot_id]) for run in some]

    def digested_at(self, space: str) -> datetime | None:
        """When a report was last told because it was time to; None: never."""
        told = self.reader.digests(space)
        return told[-1][1] if told else None

    def trend(self, space: str, days: float, now: datetime, *, replayed: bool | None) -> list[Row]:
        """The rows of so many days, oldest first.

        ``replayed``: what would have been recorded had every scheduled audit run; None: that, where
        no audit is recorded at all.
        """
        since = now - timedelta(days=min(days, self.options.snapshot_retention_days))
        runs = self.reader.runs(space)
        if replayed or (replayed is None and not runs):
            return list(self._replayed(space, since, now))
        shown = [run for run in runs if run.said.taken_at >= since]
        return self._with_growth(space, runs, shown)

    def _replayed(self, space: str, since: datetime, now: datetime) -> Iterator[Row]:
        begun = self.reader.begun_at(space)
        if begun is None:
            return
        moments = list(_times(self.options.cron_schedule, begun, now, self.options.zone))
        shown = [moment for moment in moments if moment >= since]
        first = max(0, len(moments) - len(shown) - 1)  # the run before gives the first its deltas
        for audited in self.auditor.replayed(space, moments[first:]):
            if audited.run.taken_at >= since:
                yield as_row(audited.run, audited.growth, is_replayed=True)

    def at(self, space: str, when: datetime | int) -> Row:
        """The row that a run at a moment or position wrote, or would have written.

        Raises:
            Invalid: ``when_invalid``: the log has no such position.
        """
        for run in self.reader.runs(space):
            if when in (run.said.position, run.said.taken_at):
                audited = self._then(space, run.said.position, run.said.taken_at)
                said = replace(audited.run, snapshot_id=run.said.snapshot_id)
                return as_row(said, audited.growth)
        if isinstance(when, datetime):
            position, taken_at = self.reader.position_at(when), when
        else:
            position, taken_at = when, self._time_of(when)
        audited = self._then(space, position, taken_at)
        return as_row(audited.run, audited.growth, is_replayed=True)

    def _time_of(self, position: int) -> datetime:
        head = self.reader.head().position
        at = self.reader.time_of(position) if 0 < position <= head else None
        if at is None:
            raise Invalid(
                f"when: the log has no such position; it ends at {head:,}.",
                code="when_invalid",
                field="when",
            )
        return datetime.fromisoformat(at)

    def _then(self, space: str, position: int, taken_at: datetime) -> Audited:
        faults = verify(self._store).findings
        return self.auditor.then(space, position=position, taken_at=taken_at, faults=faults)

    def report(self, space: str) -> AuditReport | None:
        """The last run with its report; None where there is none."""
        row = self.latest(space)
        if row is None:
            return None
        run = self.reader.runs(space)[-1].said
        text = self._report(space, row, with_words=True)
        return AuditReport(row, text, messages.findings(run) or None)

    def inbox(self, space: str, paused_by: frozenset[str]) -> list[messages.Message]:
        """What was told of audits, oldest first; ``paused_by``: runs that paused consolidation."""
        runs = self.reader.runs(space)
        found = [
            messages.alert(run.said, told, is_paused=run.said.snapshot_id in paused_by)
            for run in runs
            if (told := run.said.told) is not None
        ]
        by_id = {run.said.snapshot_id: run for run in runs}
        for snapshot_id, sent_at in self.reader.digests(space):
            if snapshot_id in by_id:
                run = by_id[snapshot_id]
                (row,) = self._with_growth(space, runs, [run])
                text = self._report(space, row, sent_at)
                found.append(messages.digest(run.said, sent_at, text))
        return sorted(found, key=lambda one: one.sent_at)

    def forget(self, space: str) -> None:
        """Leaves no word of what was purged: not in memory, and not in the reports."""
        with self._lock:
            if "auditor" in self.__dict__:
                self.auditor.forget()
            self._growth.clear()
        self.reports(space).redact()

    def close(self) -> None:
        """Gives files and connections back."""
        with self._lock:
            if self._ledger is not None:
                self._ledger.close()
        if self._webhook is not None:
            self._webhook.close()


def _webhook(options: AuditOptions) -> Webhook | None:
    """Where findings are posted to, if anywhere."""
    url, secret = options.webhook_url, options.webhook_secret
    if url is None:
        return None
    return Webhook(url, None if secret is None else secret.get_secret_value())


def _of_space(directory: Path, space: str) -> Path:
    return directory if space == DEFAULT_SPACE else directory / f"space-{space}"


def _times(cron: str, begun: str, now: datetime, zone: Any) -> Iterator[datetime]:
    """When scheduled audits were due, from the beginning of the log on."""
    at = Cron(cron).next(datetime.fromisoformat(begun), zone)
    while at <= now:
        yield at
        at = Cron(cron).next(at, zone)
