"""What may be proposed, and what may be decided about it."""

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from typing import Final, Literal, TypeAlias

from .. import category as categories
from ..duplicates import Relation, jaccard, relate
from ..errors import Conflict, Refused, StorageFailed
from ..identity import Identity
from ..memory.events import Store
from ..memory.forms import canonical_form
from ..moments import day
from ..rules import DuplicateCheck, Gate
from .events import Committed, Confidence, Contradicted, Deferred, Made, Rejected
from .state import Proposal, State

Verdict: TypeAlias = Literal["commit", "reject", "defer"]
Resolution: TypeAlias = Literal["this", "both"]

IMPORTANCE: Final[dict[Confidence, float]] = {"low": 0.3, "medium": 0.5, "high": 0.7}
"""What a memory is worth at first, by the confidence that it was proposed with."""


def same(pending: Iterable[State], proposer: str, content: str, store: Store) -> State | None:
    """What the proposer has proposed in other words or the same already."""
    key = canonical_form(content).key
    for other in pending:
        if (other.proposer, other.store) == (proposer, store) and (
            canonical_form(other.content).key == key
        ):
            return other
    return None


def contradicting(
    pending: Iterable[State],
    content: str,
    category: str | None,
    *,
    now: datetime,
    check: DuplicateCheck,
) -> list[State]:
    """The open proposals that say something else about the same, as memories are said to."""
    form, top = canonical_form(content), categories.top(category)
    found: list[State] = []
    for other in pending:
        if categories.top(other.category) != top:
            continue
        earlier = canonical_form(other.content)
        if jaccard(earlier.terms, form.terms) < check.resembling:
            continue
        same_day = other.made_at.date() == now.date()
        if relate(earlier, form, same_day=same_day).relation is Relation.CONFLICTS:
            found.append(other)
    return found


def propose(
    by: Identity,
    *,
    number: int,
    content: str,
    category: str | None,
    tags: tuple[str, ...],
    store: Store,
    confidence: Confidence,
    trigger: str | None,
    core_worthy: bool,
    pending: Sequence[State],
    contradicts: Sequence[State],
    now: datetime,
    gate: Gate,
) -> list[Made]:
    """Put something forward to be remembered.

    Raises:
        Refused: ``too_many_proposals``: as many of the proposer's are open as may be.
    """
    if sum(other.proposer == by.actor for other in pending) >= gate.max_pending:
        raise Refused(
            f"{by.actor} has {gate.max_pending:,} open proposals: wait until some are decided.",
            code="too_many_proposals",
        )
    return [
        Made(
            number=number,
            store=store,
            confidence=confidence,
            core_worthy=core_worthy,
            source_type=by.source_type,
            chars=len(content),
            expires_at=now + timedelta(days=gate.life_days),
            contradicts=tuple(other.id for other in contradicts),
            content=content,
            category=category,
            tags=tags,
            trigger=trigger,
        )
    ]


def is_committed_at_once(made: Proposal, gate: Gate) -> bool:
    """Whether a proposal waits for nobody: sure, by a listed agent, and uncontradicted."""
    return (
        made.state == "pending" and made.confidence == "high" and made.proposer in gate.auto_commit
    )


def contradict(by: str) -> list[Contradicted]:
    """Flag an open proposal that a new one contradicts."""
    return [Contradicted(by=by)]


def require_decidable(state: State, by: str, now: datetime) -> None:
    """Refuses a decision on what is decided already, has expired, or is one's own.

    Raises:
        Refused: ``own_proposal``.
        Conflict: ``proposal_decided``, ``proposal_erased`` or ``proposal_expired``.
        StorageFailed: Its words cannot be read.
    """
    if state.proposer == by:
        raise Refused(
            "It is your own proposal: somebody else decides on it.",
            code="own_proposal",
            field="proposal_id",
        )
    if state.verdict in ("committed", "rejected"):
        raise Conflict(
            f"It was {state.verdict} by {state.decided_by} already.",
            code="proposal_decided",
            field="proposal_id",
        )
    if state.is_erased:
        raise Conflict(
            "Its words were erased: have it proposed again, if it may be known.",
            code="proposal_erased",
            field="proposal_id",
        )
    if not state.is_open(now):
        raise Conflict(
            f"It expired on {day(state.expires_at)}: have it proposed again.",
            code="proposal_expired",
            field="proposal_id",
        )
    if state.fault is not None:
        raise StorageFailed(
            "Its stored events cannot be read in full: run `muniment verify`.",
            code=state.fault,
            field="proposal_id",
        )


def settle(
    state: State, rivals: Sequence[State], resolution: Resolution | None, now: datetime
) -> tuple[Confidence, list[State]]:
    """How a contradiction comes out once this proposal is to be committed.

    While a rival is open it takes a resolution. ``this``: the rivals are rejected. ``both``: this
    one is committed at low confidence, and so is a rival that is committed after it.

    Returns:
        The confidence that it is committed with, and the rivals that are rejected with it.

    Raises:
        Conflict: ``proposals_contradict``.
    """
    still_open = [rival for rival in rivals if rival.is_open(now)]
    if still_open and resolution is None:
        numbers = ", ".join(f"#{rival.number}" for rival in still_open)
        raise Conflict(
            f"{numbers} says otherwise: give resolution 'this' to reject that, or 'both' to keep"
            " both at low confidence; or defer it, and ask.",
            code="proposals_contradict",
            field="resolution",
        )
    if still_open and resolution == "this":
        return state.confidence, still_open
    is_beside = bool(still_open) or any(rival.verdict == "committed" for rival in rivals)
    return "low" if is_beside else state.confidence, []


def commit(memory: str) -> list[Committed]:
    """It went into a memory."""
    return [Committed(memory=memory)]


def reject(reason: str) -> list[Rejected]:
    """It is not to be remembered."""
    return [Rejected(cause="request", reason=reason)]


def reject_for(winner: State) -> list[Rejected]:
    """It is not to be remembered, because one that contradicts it is."""
    return [Rejected(cause="contradiction", by=winner.id)]


def defer(state: State, reason: str) -> list[Deferred]:
    """Leave it to be thought about; said again, it does nothing."""
    is_said = state.verdict == "deferred" and state.reason == (reason or None)
    return [] if is_said else [Deferred(reason=reason)]
