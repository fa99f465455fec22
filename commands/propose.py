"""Put something forward to be remembered, for somebody who may write to decide on."""

from collections.abc import Sequence
from typing import Annotated, ClassVar

from pydantic import Field

from muniment.domain.inputs import Category, Content, Line, Tags
from muniment.domain.memory.events import Store
from muniment.domain.memory.forms import canonical_form
from muniment.domain.ports import Append, Desk, Outcome
from muniment.domain.proposal import decisions
from muniment.domain.proposal.events import Confidence, Made
from muniment.domain.proposal.naming import open_now, rivals
from muniment.domain.proposal.state import Proposal, State, evolve, view

from .command import Command, Work


class Propose(Command):
    """Put something forward to be remembered; it is no memory until somebody commits it.

    What the same actor has proposed already, and is still open, is not proposed again.
    """

    VERB: ClassVar[str] = "propose"
    POSITIONAL: ClassVar[tuple[str, ...]] = ("content",)

    content: Content
    store: Annotated[
        Store,
        Field(description="Facts (semantic), what happened (episodic) or how-to (procedural)."),
    ] = "semantic"
    confidence: Annotated[Confidence, Field(description="How sure the proposer is.")] = "medium"
    category: Category = None
    tags: Tags = ()
    trigger: Annotated[
        Annotated[Line, Field(min_length=1, max_length=2_000)] | None,
        Field(description="What gave rise to it, in a line."),
    ] = None
    core_worthy: Annotated[bool, Field(description="It belongs into every context.")] = False

    def prepare(self) -> None:
        """Makes the canonical form before the command waits for its turn."""
        canonical_form(self.content)

    def decide(self, work: Work) -> Sequence[Append]:
        """The proposal, and a flag on each open one that it contradicts.

        Raises:
            Refused: ``too_many_proposals``.
        """
        pending = open_now(work)
        if self._said_already(pending, work) is not None:
            return []
        against = decisions.contradicting(
            pending, self.content, self.category, now=work.now, check=work.rules.duplicate_check
        )
        events = decisions.propose(
            work.identity,
            number=len(work.begun(Made.NAME)) + 1,
            content=self.content,
            category=self.category,
            tags=self.tags,
            store=self.store,
            confidence=self.confidence,
            trigger=self.trigger,
            core_worthy=self.core_worthy,
            pending=pending,
            contradicts=against,
            now=work.now,
            gate=work.rules.gate,
        )
        id_ = work.new_id()
        flags = [Append(other.id, other.version, decisions.contradict(id_)) for other in against]
        return [Append(id_, 0, events), *flags]

    def answer(self, outcome: Outcome) -> Proposal:
        """The proposal, or the open one that says it already."""
        desk = outcome.desk
        if outcome.recorded:
            id_ = outcome.recorded[0].stream
            state: State | None = desk.states([id_], evolve)[id_]
        else:
            state = self._said_already(open_now(desk), desk)
        assert state is not None  # noqa: S101 (or it would have been proposed)
        return view(state, rivals(desk, [state]), desk.now)

    def _said_already(self, pending: Sequence[State], desk: Desk) -> State | None:
        return decisions.same(pending, desk.identity.actor, self.content, self.store)
