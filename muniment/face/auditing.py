"""The audit, and what it has to say."""

from typing import TYPE_CHECKING, ClassVar

from muniment.audit.messages import SESSION, Message
from muniment.domain import consolidation
from muniment.domain.access import Operation
from muniment.domain.consolidation import Paused

from .base import Face

if TYPE_CHECKING:
    from .audit import Audit


class ReadAudit(Operation):
    """Who may read what audits found."""

    VERB: ClassVar[str] = "audit"


class Auditing(Face):
    """The audit, and the inbox."""

    @property
    def audit(self) -> "Audit":
        """What the system does to its memory, measured: runs, trend, findings."""
        from .audit import Audit

        return Audit(self._engine, self._identity)

    def inbox(self, session: str = SESSION) -> list[Message]:
        """What the system said by itself in a session, oldest first."""
        self._authorise(ReadAudit)
        if session != SESSION:
            return []
        history = self._engine.store.history(consolidation.stream(self.space))
        paused_by = frozenset(
            one.event.snapshot_id for one in history if isinstance(one.event, Paused)
        )
        return self._engine.auditing.inbox(self.space, paused_by)
