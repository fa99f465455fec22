"""Record what an audit measured, what is told of it, and the pause that it may call for."""

from collections.abc import Sequence
from datetime import timedelta
from typing import ClassVar

from muniment.domain import audit, consolidation
from muniment.domain.audit import Completed, Digested, Spoken
from muniment.domain.ports import Append, Outcome

from .command import Command, Work


class RecordAudit(Command):
    """Append a run to the audits of the space, which were at ``version`` when it began.

    ``spoken`` is what people know by then; ``pausing`` names the invariants that, if they failed,
    pause consolidation.
    """

    VERB: ClassVar[str] = "audit run"

    run: Completed
    version: int
    spoken: Spoken | None
    speaks: bool
    repeat_after: timedelta
    pausing: frozenset[str] = frozenset()

    def decide(self, work: Work) -> Sequence[Append]:
        """The run, and the pause in the same append."""
        space = work.identity.space
        completed = audit.complete(
            self.run, self.spoken, speaks=self.speaks, repeat_after=self.repeat_after
        )
        appends = [Append(audit.stream(space), self.version, completed)]
        because = tuple(name for name in self.run.failing if name in self.pausing)
        history = work.history(consolidation.stream(space))
        paused = consolidation.pause(consolidation.fold(history), because, self.run.snapshot_id)
        if paused:
            appends.append(Append(consolidation.stream(space), len(history), paused))
        return appends

    def answer(self, outcome: Outcome) -> tuple[Completed, int]:
        """The run as it was recorded, and the position of the last event that was appended."""
        run = outcome.recorded[0].event
        assert isinstance(run, Completed)  # noqa: S101 (it is what was decided)
        return run, outcome.recorded[-1].position


class RecordDigest(Command):
    """Append that the report of a run was told because it was time to."""

    snapshot_id: str

    def decide(self, work: Work) -> Sequence[Append]:
        """One event on the stream of the audits."""
        stream = audit.stream(work.identity.space)
        digested = Digested(snapshot_id=self.snapshot_id)
        return [Append(stream, len(work.history(stream)), [digested])]

    def answer(self, outcome: Outcome) -> None:
        """Nothing."""
