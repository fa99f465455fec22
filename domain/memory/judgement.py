"""What a new observation is to what is known: a repetition, an addition, or something else.

Similarity decides nothing; it only says which memories are worth comparing. A repetition needs
proof of sameness, an addition proof that it only adds; everything else is kept as a memory of its
own, because a false repetition loses a fact and a false newcomer costs a duplicate.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, TypeAlias

from ..duplicates import Form, Relation, relate
from ..rules import DuplicateCheck
from .decisions import Likeness, Observation, extended_length
from .events import Measure
from .state import State

Verdict: TypeAlias = Literal["created", "reinforced", "extended"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A live memory worth comparing, by one of its statements."""

    memory: State
    form: Form
    said_at: datetime
    similarity: float
    measure: Measure

    @property
    def likeness(self) -> Likeness:
        """How it compared."""
        return Likeness(similarity=self.similarity, measure=self.measure)


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """What is to be done: with ``memory``, where it is not a new one.

    ``likeness`` is how the nearest memory compared. ``resembles`` names similar ones, and
    ``conflicts_with`` those of them that say something else about the same.
    """

    verdict: Verdict
    memory: State | None = None
    likeness: Likeness | None = None
    resembles: tuple[str, ...] = ()
    conflicts_with: tuple[str, ...] = ()


def judge(
    observation: Observation,
    form: Form,
    candidates: Sequence[Candidate],
    *,
    now: datetime,
    check: DuplicateCheck,
) -> Judgement:
    """Compares an observation with candidates, best first.

    The first candidate that says the same is reinforced; failing that, the first that the
    observation only adds to is extended, if it is near enough, trusted no more than the observation
    and does not grow over the bound.
    """
    relations: list[tuple[Candidate, Relation]] = []
    for candidate in candidates:
        relation = relate(
            candidate.form, form, same_day=candidate.said_at.date() == now.date()
        ).relation
        if relation is Relation.SAME:
            return Judgement(
                verdict="reinforced", memory=candidate.memory, likeness=candidate.likeness
            )
        relations.append((candidate, relation))
    for candidate, relation in relations:
        if relation is Relation.ADDS and _may_extend(candidate, observation, check):
            return Judgement(
                verdict="extended", memory=candidate.memory, likeness=candidate.likeness
            )
    near = [
        (candidate, relation)
        for candidate, relation in relations
        if candidate.similarity >= check.resembling
    ]
    return Judgement(
        verdict="created",
        likeness=near[0][0].likeness if near else None,
        resembles=tuple(dict.fromkeys(candidate.memory.id for candidate, _ in near)),
        conflicts_with=tuple(
            dict.fromkeys(
                candidate.memory.id
                for candidate, relation in near
                if relation is Relation.CONFLICTS
            )
        ),
    )


def _may_extend(candidate: Candidate, observation: Observation, check: DuplicateCheck) -> bool:
    memory = candidate.memory
    return (
        candidate.similarity >= check.lexical_threshold
        and observation.trust >= memory.trust
        and extended_length(memory, observation.content) <= check.max_extended
    )
