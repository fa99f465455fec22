"""What is proposed to be remembered, and what became of it."""

from typing import Annotated, ClassVar

from pydantic import Field

from muniment.domain.inputs import Input
from muniment.domain.proposal.events import Made
from muniment.domain.proposal.naming import rivals
from muniment.domain.proposal.state import Proposal, Standing, evolve, view

from .reading import Reading


class Proposals(Input):
    """Proposals of this space by number; a sub-agent sees its own."""

    VERB: ClassVar[str] = "proposals"

    state: Annotated[
        Standing | None,
        Field(
            description="Only those that are pending, in conflict, deferred, committed, rejected or"
            " expired."
        ),
    ] = None

    def answer(self, reading: Reading) -> list[Proposal]:
        """Read from the log, at the reading's moment."""
        asking = reading.identity
        ids = reading.begun(Made.NAME)
        found = reading.states(ids, evolve)
        seen = [
            found[id_]
            for id_ in ids
            if asking.role != "contributor" or found[id_].proposer == asking.actor
        ]
        known = rivals(reading, seen)
        shown = [view(state, known, reading.now) for state in seen]
        return [one for one in shown if self.state in (None, one.state)]
