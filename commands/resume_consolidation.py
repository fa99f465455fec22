"""Let consolidation go on after an audit paused it."""

from collections.abc import Sequence
from typing import Annotated, ClassVar

from pydantic import Field

from muniment.domain import consolidation
from muniment.domain.consolidation import Consolidation
from muniment.domain.inputs import Line
from muniment.domain.ports import Append, Outcome

from .command import Command, Work


class ResumeConsolidation(Command):
    """Let consolidation go on; only a person does, after a look at the cause."""

    VERB: ClassVar[str] = "resume_consolidation"

    reason: Annotated[Line, Field(min_length=1, max_length=2_000, description="Why it may go on.")]

    def decide(self, work: Work) -> Sequence[Append]:
        """One event, or none where it is not paused."""
        stream = consolidation.stream(work.identity.space)
        history = work.history(stream)
        resumed = consolidation.resume(consolidation.fold(history), self.reason)
        return [Append(stream, len(history), resumed)] if resumed else []

    def answer(self, outcome: Outcome) -> Consolidation:
        """The state from here on."""
        return Consolidation()
