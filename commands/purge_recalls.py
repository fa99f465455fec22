"""Remove the words of recalls that are older than recalls are kept.

As with memories: it is asked for, then the key is destroyed, then that is recorded.
"""

from collections.abc import Sequence

from muniment.domain import recall
from muniment.domain.errors import NotFound
from muniment.domain.ports import Append, Outcome
from muniment.domain.recall import Stream

from .command import Command, Work


class _OfStream(Command):
    stream: str

    def _standing(self, work: Work) -> Stream:
        found = work.recall_log().stream(self.stream)
        if found is None:
            raise NotFound(f"There is no stream of recalls {self.stream!r}.", field="stream")
        return found

    def answer(self, outcome: Outcome) -> str | None:
        """The stream, or None where nothing was left to do."""
        return outcome.recorded[0].stream if outcome.recorded else None


class RequestRecallPurge(_OfStream):
    """Ask for the key of a stream of recalls to be destroyed, if it is due."""

    retention_days: float

    def decide(self, work: Work) -> Sequence[Append]:
        """Decides anew, at the moment of the append, whether it is due."""
        stream = self._standing(work)
        if any(one.stream == stream.id for one in work.decided()):
            return []  # something came in meanwhile: it is looked at the next time
        events = recall.request_purge(stream, work.now, self.retention_days)
        return [Append(stream.id, stream.version, events)] if events else []


class CompleteRecallPurge(_OfStream):
    """Record that the key of a stream of recalls has been destroyed."""

    def decide(self, work: Work) -> Sequence[Append]:
        """Nothing where it is recorded already."""
        stream = self._standing(work)
        if any(one.stream == stream.id for one in work.decided()):
            return []
        events = recall.complete_purge(stream)
        return [Append(stream.id, stream.version, events)] if events else []
