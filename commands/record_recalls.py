"""Record what was recalled in a session; the recalls of a month lie in one stream."""

from collections.abc import Sequence

from muniment.domain import recall
from muniment.domain.inputs import ActorName, SessionName
from muniment.domain.ports import Append, Outcome
from muniment.domain.recall import Asked, Recalled

from .command import Command, Work


class RecordRecalls(Command):
    """Record recalls of one session into the context of one agent, oldest first."""

    session: SessionName
    agent: ActorName
    asked: tuple[Asked, ...]

    def decide(self, work: Work) -> Sequence[Append]:
        """One event more of the session's stream of this month, or the first of a new one."""
        stream, version = self._place(work) or (work.new_id(), 0)
        events = recall.record(work.identity.actor, self.agent, self.session, self.asked)
        return [Append(stream, version, events)] if events else []

    def _place(self, work: Work) -> tuple[str, int] | None:
        """The stream and its version; what was decided in the same commit knows it best."""
        month, mine = recall.month(work.now), work.identity.space
        for one in reversed(work.decided()):
            if (
                isinstance(one.event, Recalled)
                and (one.space, one.event.session) == (mine, self.session)
                and (one.event.agent or one.actor) == self.agent
                and recall.month(one.recorded_at) == month
            ):
                return one.stream, one.version
        known = work.recall_log().named(self.session, self.agent, month)
        return None if known is None else (known.id, known.version)

    def answer(self, outcome: Outcome) -> int:
        """How many recalls were recorded."""
        return len(self.asked) if outcome.recorded else 0
