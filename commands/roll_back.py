"""Take what a selection wrote out of recall, and bring back what it had taken in."""

from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Annotated, ClassVar, TypeAlias

from pydantic import Field

from muniment.domain import rollback
from muniment.domain.errors import Conflict, NotFound
from muniment.domain.inputs import Line
from muniment.domain.memory import decisions as memories
from muniment.domain.memory import merging, retiring
from muniment.domain.memory.events import Event, MergeRetracted, Released, Restored, SourceType
from muniment.domain.memory.state import State
from muniment.domain.ports import Append, Outcome
from muniment.domain.rolling_back import Hiding, Step

from .command import Command, Work

Reason: TypeAlias = Annotated[
    Line, Field(min_length=1, max_length=2_000, description="Why, in a line.")
]


class Drafts:
    """Events of several streams in the order of their decisions; a stream may come again."""

    def __init__(self, work: Work, states: Iterable[State]) -> None:
        self._work = work
        self._states = {state.id: state for state in states}
        self._versions = {state.id: state.version for state in self._states.values()}
        self.appends: list[Append] = []

    def state(self, id_: str) -> State | None:
        """A memory as it was before all of this; None where the space has none of that id."""
        if id_ not in self._states:
            try:
                known = self._work.memory(id_)
            except NotFound:
                return None
            self._states[id_], self._versions[id_] = known, known.version
        return self._states[id_]

    def add(self, id_: str, events: Sequence[Event]) -> None:
        """Events more of a memory; what later steps are decided by moves with them."""
        if not events:
            return
        self.appends.append(Append(id_, self._versions[id_], events))
        self._versions[id_] += len(events)
        state = self._states[id_]
        for event in events:
            match event:
                case Released():
                    state = state._replace(condition="live")
                case Restored():
                    state = state._replace(condition="live", merged_into=None)
                case MergeRetracted():
                    left = max(1, state.reinforcement_count - event.count)
                    state = state._replace(reinforcement_count=left)
                case _:
                    pass  # no later step is decided by it
        self._states[id_] = state

    def bring_back(self, id_: str) -> State:
        """Restores a memory, and takes its count out of what it was part of."""
        memory = self._states[id_]
        taken_out = list(merging.retractions(memory, self.state))
        self.add(id_, memories.restore(memory))
        for result, events in taken_out:
            self.add(result.id, events)
        return self._states[id_]


def drafts(work: Work, steps: Sequence[Step]) -> Drafts:
    """The memories that steps were decided on, read together.

    Raises:
        Conflict: ``rollback_moved`` where one of them is at another version.
    """
    states = work.memories(step.id for step in steps)
    versions = {state.id: state.version for state in states}
    for step in steps:
        if versions.get(step.id) != step.version:
            raise Conflict(
                f"{step.id} moved since the plan was made: look at a new one.",
                code="rollback_moved",
                field="id",
            )
    return Drafts(work, states)


class RollBack(Command):
    """Do the steps of a plan in one commit, as long as nothing of it has moved."""

    VERB: ClassVar[str] = "rollback"

    steps: tuple[Step, ...]
    reason: Reason
    hide: Hiding = "quarantine"
    memory: str | None = None
    actor: str | None = None
    source_type: SourceType | None = None
    source_ref: str | None = None
    session: str | None = None
    since: datetime | None = None
    until: datetime | None = None

    def decide(self, work: Work) -> Sequence[Append]:
        """The rollback as a whole, and then step by step; nothing where there is nothing to do."""
        steps = [step for step in self.steps if step.action in ("hide", "restore", "withdraw")]
        if not steps:
            return []
        made = drafts(work, steps)
        for step in steps:
            match step.action:
                case "hide":
                    made.add(step.id, self._hidden(made.state(step.id), work))
                case "restore":
                    made.bring_back(step.id)
                case _:
                    made.add(step.id, self._hidden(made.bring_back(step.id), work))
        return [Append(work.new_id(), 0, [self._applied(steps)]), *made.appends]

    def _hidden(self, memory: State | None, work: Work) -> Sequence[Event]:
        assert memory is not None  # noqa: S101 (it was read as a step's)
        if self.hide == "quarantine":
            return retiring.quarantine(memory, self.reason, "request")
        now, decay = work.now, work.rules.decay
        return memories.archive(memory, self.reason, now=now, decay=decay, by_policy=False)

    def _applied(self, steps: Sequence[Step]) -> rollback.Applied:
        counts = Counter(step.action for step in steps)
        return rollback.Applied(
            hidden=counts["hide"],
            restored=counts["restore"],
            withdrawn=counts["withdraw"],
            memory=self.memory,
            actor=self.actor,
            source_type=self.source_type,
            source_ref=self.source_ref,
            session=self.session,
            since=self.since,
            until=self.until,
            reason=self.reason,
        )

    def answer(self, outcome: Outcome) -> str | None:
        """The id of the rollback, which undoes it; None where nothing was done."""
        return outcome.recorded[0].stream if outcome.recorded else None


class UndoRollback(Command):
    """Take a rollback back in one commit, as long as nothing of the plan has moved."""

    VERB: ClassVar[str] = "rollback"

    id: str
    version: int
    steps: tuple[Step, ...]
    reason: Reason

    def decide(self, work: Work) -> Sequence[Append]:
        """That it is undone, and then step by step."""
        made = drafts(work, [step for step in self.steps if step.action != "leave"])
        left = 0
        for step in self.steps:
            memory = made.state(step.id)
            if memory is None or step.action == "leave":
                left += 1
            else:
                made.add(step.id, self._taken_back(step, memory, made, work))
        undone = rollback.Undone(left=left, reason=self.reason)
        return [Append(self.id, self.version, [undone]), *made.appends]

    def _taken_back(self, step: Step, memory: State, made: Drafts, work: Work) -> Sequence[Event]:
        now, decay = work.now, work.rules.decay
        match step.action:
            case "release":
                return retiring.release(memory)
            case "restore":
                return memories.restore(memory)
            case "supersede":
                by = None if step.by is None else made.state(step.by)
                if by is not None and by.condition == "live" and not memory.pinned:
                    return merging.supersede(memory, by, now=now, decay=decay)
            case _:
                pass  # it is put away
        freed = retiring.release(memory)
        live = memory._replace(condition="live")
        archived = memories.archive(live, self.reason, now=now, decay=decay, by_policy=False)
        return [*freed, *archived]

    def answer(self, outcome: Outcome) -> str:
        """The id of the rollback."""
        return outcome.recorded[0].stream
