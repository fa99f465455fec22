"""Audits of logs that were written by hand, and of days that pass on a store."""

from datetime import datetime, timedelta
from typing import Any

from handwritten import Handwritten
from making import START

from muniment.audit.corpus import Corpus
from muniment.audit.evidence import Before, Evidence
from muniment.audit.fold import Fold
from muniment.audit.options import AuditOptions
from muniment.audit.reader import Reader
from muniment.audit.row import Figures, measured
from muniment.domain.audit import Completed, Violation
from muniment.domain.rules import Retention

OPTIONS = AuditOptions()
FIGURES = Figures(OPTIONS, Retention(), 100)
DAY = timedelta(days=1)


class Bench:
    """Audits a log in the making; each run is measured against the one before."""

    def __init__(self, log: Handwritten, **options: Any) -> None:
        self.log = log
        self.by = Figures(AuditOptions(**options), Retention(), 100)
        self.fold = Fold("default")
        self.corpus = Corpus(Reader(lambda *_: [], log.key), size=6, threshold=0.3)
        self.before: Before | None = None
        self.evidence: Evidence | None = None

    def run(self, at: datetime | None = None, **outside: Any) -> Completed:
        """Measures what was written, a day after the run before unless told otherwise."""
        if at is None:
            at = START if self.before is None else self.before.said.taken_at + DAY
        for row in self.log.rows()[self.fold.position :]:
            self.fold.take(row)
            self.corpus.take(row)
        evidence = Evidence(
            taken_at=at, fold=self.fold, corpus=self.corpus, before=self.before, **outside
        )
        found = measured(evidence, "01980000-0000-7000-8000-00000000aaaa", self.by)
        self.before = Before(found, evidence.conditions)
        self.evidence = evidence
        self.fold.mark(self.fold.position)
        return found


def violation(run: Completed, name: str) -> Violation | None:
    """The violation of a name, if the run has it."""
    return next((one for one in run.invariants if one.name == name), None)
