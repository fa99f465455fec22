"""What undoing a rollback would do; nothing is done by asking."""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from muniment.domain.errors import NotFound, Refused
from muniment.domain.inputs import Input, MemoryId
from muniment.domain.memory.state import State, evolve
from muniment.domain.recorded import Recorded
from muniment.domain.rollback import Applied, Undone
from muniment.domain.rolling_back import Done, Step, plan_undo

from .reading import Reading


@dataclass(frozen=True, slots=True)
class Undoing:
    """The rollback's id and version, and the steps that take it back."""

    id: str
    version: int
    steps: tuple[Step, ...]


class PlanUndo(Input):
    """What would be brought back and put away again, so that a rollback is undone."""

    VERB: ClassVar[str] = "rollback"

    undo: MemoryId

    def answer(self, reading: Reading) -> Undoing:
        """The steps, decided on the memories as they are now.

        Raises:
            NotFound: There is no such rollback in this space.
            Refused: ``already_undone``.
        """
        history = [
            one
            for one in reading.history(self.undo.strip().lower())
            if one.space == reading.identity.space
        ]
        if not history or not isinstance(history[0].event, Applied):
            raise NotFound(
                f"There is no rollback {self.undo!r} in this space: give the whole id that it was"
                " answered with.",
                field="undo",
            )
        if any(isinstance(one.event, Undone) for one in history):
            raise Refused("It was undone already.", code="already_undone", field="undo")
        return Undoing(
            history[0].stream, history[-1].version, tuple(plan_undo(_done(reading, history[0])))
        )


def _done(reading: Reading, applied: Recorded) -> Iterator[Done]:
    """What the rollback's command recorded after it, memory by memory."""
    by_memory: defaultdict[str, list[Recorded]] = defaultdict(list)
    for one in reading.recorded(after=applied.position, until=None, space=applied.space):
        if one.command_id != applied.command_id:
            break
        by_memory[one.stream].append(one)
    for id_, recorded in by_memory.items():
        before, now = _before_and_now(reading, id_, recorded[0].version)
        if before is not None and now is not None:
            yield Done(
                events=tuple(one.event for one in recorded),
                version=recorded[-1].version,
                before=before,
                now=now,
            )


def _before_and_now(reading: Reading, id_: str, version: int) -> tuple[State | None, State | None]:
    before: State | None = None
    state: State | None = None
    for one in reading.history(id_):
        if one.version == version:
            before = state
        state = evolve(state, one)
    return before, state
