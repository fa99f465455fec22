"""Decide on a proposal: commit it to memory, reject it, or leave it to be thought about."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated, ClassVar

from pydantic import BeforeValidator, Field

from muniment.domain.errors import Invalid
from muniment.domain.identity import TRUST, Identity, commits_for
from muniment.domain.inputs import Category, Content, Importance, Line, Tags
from muniment.domain.memory.events import Saved, Source, Store
from muniment.domain.ports import Append, Outcome
from muniment.domain.proposal import decisions
from muniment.domain.proposal.decisions import IMPORTANCE, Resolution, Verdict
from muniment.domain.proposal.events import Confidence
from muniment.domain.proposal.naming import named, rivals
from muniment.domain.proposal.state import Proposal, State, evolve, view

from .command import Command, Work
from .save_memory import SaveMemory


def _name(value: object) -> object:
    """Its number is a name of it; one that no log can hold is none."""
    is_number = isinstance(value, int) and not isinstance(value, bool) and abs(value) < 2**63
    return str(value) if is_number else value


ProposalName = Annotated[
    Line,
    BeforeValidator(_name),
    Field(min_length=1, max_length=64, description="Its number, its id, or the end of that."),
]


class DecideProposal(Command):
    """Commit a proposal to memory, reject it, or leave it to be thought about.

    A commit goes through the duplicate check like anything that is saved. Text, store, category,
    tags and importance may be other ones than were proposed.
    """

    VERB: ClassVar[str] = "decide"
    USES_SIMILARITY: ClassVar[bool] = True
    POSITIONAL: ClassVar[tuple[str, ...]] = ("proposal_id", "verdict")

    proposal_id: ProposalName
    verdict: Annotated[Verdict, Field(description="commit, reject or defer.")]
    reason: Annotated[
        Annotated[Line, Field(min_length=1, max_length=2_000)] | None,
        Field(description="Why; a rejection says so."),
    ] = None
    content: Annotated[Content | None, Field(description="Another text to commit.")] = None
    store: Annotated[Store | None, Field(description="Another store to commit to.")] = None
    category: Annotated[Category, Field(description="Another category.")] = None
    tags: Annotated[Tags | None, Field(description="Other tags.")] = None
    importance: Importance | None = None
    resolution: Annotated[
        Resolution | None,
        Field(
            description="Where another says otherwise: this (and reject that), or both at low"
            " confidence."
        ),
    ] = None

    def decide(self, work: Work) -> Sequence[Append]:
        """What becomes of the proposal, of those that contradict it, and of memory.

        Raises:
            Invalid: ``reason_required``, or ``override_invalid`` where nothing is committed.
        """
        state = named(work, self.proposal_id)
        decisions.require_decidable(state, work.identity.actor, work.now)
        if self.verdict == "commit":
            return self._commit(state, work)
        self._require_bare()
        if self.verdict == "defer":
            events = decisions.defer(state, self.reason or "")
            return [Append(state.id, state.version, events)] if events else []
        if self.reason is None:
            raise Invalid(
                "reason: say why it is not to be remembered.",
                code="reason_required",
                field="reason",
            )
        return [Append(state.id, state.version, decisions.reject(self.reason))]

    def _require_bare(self) -> None:
        for name in ("content", "store", "category", "tags", "importance", "resolution"):
            if getattr(self, name) is not None:
                raise Invalid(
                    f"{name}: only what is committed can differ from what was proposed.",
                    code="override_invalid",
                    field=name,
                )

    def _commit(self, state: State, work: Work) -> list[Append]:
        against = list(rivals(work, [state]).values())
        confidence, beaten = decisions.settle(state, against, self.resolution, work.now)
        beside = [rival.memory for rival in against if rival.memory is not None]
        observed, *rest = self._observation(state, confidence, work).decide(work)
        observed = replace(
            observed,
            events=[_linked(event, beside) for event in observed.events],
            actor=commits_for(state.proposer),
            correlation_id=state.id,
        )
        return [
            observed,
            *rest,
            Append(state.id, state.version, decisions.commit(observed.stream)),
            *(Append(rival.id, rival.version, decisions.reject_for(state)) for rival in beaten),
        ]

    def _observation(self, state: State, confidence: Confidence, work: Work) -> SaveMemory:
        """What is said by it: another text is the decider's, not the proposer's.

        Where the text is the one's and the filing the other's, it is trusted as the lesser is.
        """
        decider = work.identity.source_type
        is_own_text = self.content is None or self.content == state.content
        said_by = state.source_type if is_own_text else decider
        is_filed_anew = self.category is not None or self.tags is not None
        worth = IMPORTANCE[confidence]
        return _Committed.of(
            content=state.content if self.content is None else self.content,
            category=state.category if self.category is None else self.category,
            tags=state.tags if self.tags is None else self.tags,
            store=state.store if self.store is None else self.store,
            importance=worth if self.importance is None else self.importance,
            source=Source(type=said_by, ref=state.proposer),
            trust=min(TRUST[said_by], TRUST[decider]) if is_filed_anew else None,
        )

    def answer(self, outcome: Outcome) -> Proposal:
        """The proposal as it is after the command."""
        desk = outcome.desk
        id_ = named(desk, self.proposal_id).id
        state = desk.states([id_], evolve)[id_]
        return view(state, rivals(desk, [state]), desk.now)


class _Committed(SaveMemory):
    """What a proposal says: whose words they are is on record, and nobody's claim."""

    def require_vouched(self, identity: Identity) -> None:
        """Whoever proposed it vouches for it."""


def _linked(event: object, beside: Sequence[str]) -> object:
    """A new memory also names those of the proposals that say otherwise."""
    if isinstance(event, Saved) and beside:
        both = dict.fromkeys((*event.conflicts_with, *beside))
        return replace(event, conflicts_with=tuple(both))
    return event
