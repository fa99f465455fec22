"""The reviewer's report."""

from datetime import datetime

import muniment
from muniment.domain.access import may, reads_words
from muniment.domain.errors import Refused
from muniment.log.shelf import Against

from .base import Face


class Reporting(Face):
    """The twelve questions of a reviewer, for a period."""

    def report(
        self,
        since: datetime | str,
        until: datetime | str,
        *,
        against: Against | None = None,
        subject: str | None = None,
    ) -> "muniment.Report":
        """Answer a reviewer's twelve questions about what was recorded after a time and by another.

        Reports of adjoining periods add up. The log is verified and its invariants are proven from
        its beginning, whatever the period. ``against`` is a checkpoint that was kept elsewhere, as
        for ``verify``; ``subject`` is whom the last two questions are about, as for
        ``erase_subject``. An answer shows up to 50 rows. Roles that read no words are given none.

        Raises:
            Invalid: ``period_invalid``, ``timestamp_invalid``, ``timezone_required``,
                ``checkpoint_malformed``, ``checkpoint_unreadable`` or ``subject_invalid``.
            Refused: ``role_refused``, also where a role asks about a subject that neither reads
                words nor erases.
        """
        from muniment.queries.period import ReadPeriod
        from muniment.reporting.report import report

        with self._authorised(ReadPeriod):
            query = ReadPeriod.of(since=since, until=until)
            access = self._engine.rules.access
            with_words = reads_words(self._identity.role, access)
            if subject is not None and not with_words:
                self._require_eraser()
            return report(
                self._engine,
                self._identity,
                query,
                against=against,
                subject=subject,
                with_words=with_words,
            )

    def _require_eraser(self) -> None:
        """Refuses to say whose name is in words to who may read none and erase none."""
        if not may(self._identity.role, "erase", self._engine.rules.access):
            raise Refused(
                f"The role {self._identity.role!r} of {self.actor} reads no words, so it may not"
                " ask where a name is: leave the subject out, or grant it the words.",
                code="role_refused",
                field="subject",
            )
