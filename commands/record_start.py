"""Record that a process began to serve the store: restarts are counted by the audit."""

from collections.abc import Sequence

from muniment.domain.ports import Append, Outcome
from muniment.domain.process import Kind, Started

from .command import Command, Work


class RecordStart(Command):
    """Say that a process of ``release`` serves the store. No caller asks for it."""

    kind: Kind
    release: str

    def decide(self, work: Work) -> Sequence[Append]:
        """Always: each start is one."""
        return [Append(work.new_id(), 0, [Started(kind=self.kind, release=self.release)])]

    def answer(self, outcome: Outcome) -> int:
        """The position of the record."""
        return outcome.recorded[0].position
