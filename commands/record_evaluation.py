"""Record what a judge said of samples."""

from collections.abc import Sequence
from typing import ClassVar

from muniment.domain import evaluation
from muniment.domain.errors import Conflict, NotFound
from muniment.domain.evaluation import Evaluated
from muniment.domain.ports import Append, Outcome

from .command import Command, Work


class RecordEvaluation(Command):
    """Append an evaluation; while a judge was asked, nothing that it was shown may have gone."""

    VERB: ClassVar[str] = "audit evaluate"

    evaluated: Evaluated

    def decide(self, work: Work) -> Sequence[Append]:
        """One event, on a stream of its own.

        Raises:
            Conflict: ``evaluation_overtaken``: another was recorded meanwhile, or words that went
                into this one were removed.
        """
        stream = evaluation.stream(work.identity.space, self.evaluated.number)
        if work.history(stream):
            raise Conflict(
                "Another evaluation was recorded meanwhile: read that.", code="evaluation_overtaken"
            )
        for id_ in self.evaluated.derived_from:
            if _is_gone(work, id_):
                raise Conflict(
                    f"The words of {id_} were removed while they were judged: evaluate again.",
                    code="evaluation_overtaken",
                )
        return [Append(stream, 0, [self.evaluated])]

    def answer(self, outcome: Outcome) -> None:
        """Nothing."""


def _is_gone(work: Work, id_: str) -> bool:
    try:
        return work.memory(id_).condition == "purged"
    except NotFound:
        return True
