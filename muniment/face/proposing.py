"""What is put forward to be remembered, and decided on."""

from collections.abc import Iterable

from muniment.commands.decide_proposal import DecideProposal
from muniment.commands.propose import Propose
from muniment.domain.identity import identity
from muniment.domain.memory.events import Store
from muniment.domain.proposal.decisions import Resolution, Verdict, is_committed_at_once
from muniment.domain.proposal.events import Confidence
from muniment.domain.proposal.state import Proposal, Standing
from muniment.queries.proposals import Proposals

from .base import Face

AUTO_COMMIT = "system:auto-commit"


class Proposing(Face):
    """Proposals: made by those who may not write, decided by those who may."""

    def propose(
        self,
        content: str,
        *,
        store: Store = "semantic",
        confidence: Confidence = "medium",
        category: str | None = None,
        tags: Iterable[str] = (),
        trigger: str | None = None,
        core_worthy: bool = False,
        idempotency_key: str | None = None,
    ) -> Proposal:
        """Put something forward to be remembered; it is no memory until somebody commits it.

        What this actor has proposed already, and is still open, is not proposed again. One of high
        confidence is committed at once where ``access.auto_commit_from`` lists the actor.

        Raises:
            Refused: ``too_many_proposals``.
        """
        self._authorise(Propose)
        made = self._engine.run(
            Propose.of(
                content=content,
                store=store,
                confidence=confidence,
                category=category,
                tags=tags,
                trigger=trigger,
                core_worthy=core_worthy,
                idempotency_key=idempotency_key,
            ),
            self._identity,
        )
        if is_committed_at_once(made, self._engine.rules.gate):
            policy = identity(self.space, AUTO_COMMIT)
            return self._engine.run(
                DecideProposal.of(proposal_id=made.id, verdict="commit"), policy
            )
        return made

    def proposals(self, state: Standing | None = None) -> list[Proposal]:
        """Proposals of this space by number; a sub-agent sees its own.

        ``state`` is one of pending, conflict, deferred, committed, rejected and expired.
        """
        self._authorise(Proposals)
        return self._engine.ask(Proposals.of(state=state), self._identity)

    def decide(
        self,
        proposal_id: str | int,
        verdict: Verdict,
        *,
        reason: str | None = None,
        content: str | None = None,
        store: Store | None = None,
        category: str | None = None,
        tags: Iterable[str] | None = None,
        importance: float | None = None,
        resolution: Resolution | None = None,
        idempotency_key: str | None = None,
    ) -> Proposal:
        """Commit a proposal to memory, reject it (with a reason), or defer it.

        A commit goes through the duplicate check, and may override ``content``, ``store``,
        ``category``, ``tags`` and ``importance``. Where another open proposal says otherwise it
        takes a ``resolution``: ``this`` rejects that one, ``both`` keeps both at low confidence.

        Raises:
            Refused: ``own_proposal``.
            Conflict: ``proposal_decided``, ``proposal_expired`` or ``proposals_contradict``.
            Invalid: ``reason_required``; ``override_invalid`` where nothing is committed.
        """
        self._authorise(DecideProposal)
        return self._engine.run(
            DecideProposal.of(
                proposal_id=proposal_id,
                verdict=verdict,
                reason=reason,
                content=content,
                store=store,
                category=category,
                tags=tags,
                importance=importance,
                resolution=resolution,
                idempotency_key=idempotency_key,
            ),
            self._identity,
        )
