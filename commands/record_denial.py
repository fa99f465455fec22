"""Record that a role did not allow what was asked for."""

from collections.abc import Sequence
from typing import Annotated

from pydantic import Field

from muniment.domain.denial import Denied
from muniment.domain.ports import Append, Outcome

from .command import Command, Work


class RecordDenial(Command):
    """Record denials of an operation, under the identity that was denied. No caller asks for it."""

    operation: str
    count: Annotated[int, Field(ge=1)]

    def decide(self, work: Work) -> Sequence[Append]:
        """Always: what was denied has happened."""
        denied = Denied(operation=self.operation, role=work.identity.role, count=self.count)
        return [Append(work.new_id(), 0, [denied])]

    def answer(self, outcome: Outcome) -> None:
        """Nothing."""
