"""What an agent had been told by a moment: everything that was recalled into its context."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import ClassVar

from muniment.domain.access import reads_words
from muniment.domain.inputs import ActorName, Input, When
from muniment.domain.recall import Recalled, Stream

from .past_text import Past, past
from .reading import Reading


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """A memory as it came into the context: in which version, when, for which query, how ranked.

    ``content`` is the text of that version; None where it was purged since or is not to be read.
    ``session`` and ``query`` are None where their words were purged; ``query`` of a browse too.
    ``position`` is that of the event which says so, ``state`` what the memory is in today.
    ``recorded_by`` is the actor that says so where it is another than the agent.
    """

    memory: str
    version: int
    content: str | None
    state: str
    recalled_at: datetime
    session: str | None
    query: str | None
    score: float
    position: int
    recorded_by: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class KnewReport:
    """What ``agent`` had been told by ``when``, oldest first.

    ``may_lack`` says in sentences what could be missing from it.
    """

    agent: str
    when: datetime
    known: tuple[Known, ...]
    may_lack: tuple[str, ...] = ()


class Knew(Input):
    """Everything that had been recalled into an agent's context by a moment."""

    VERB: ClassVar[str] = "knew"
    POSITIONAL: ClassVar[tuple[str, ...]] = ("agent",)

    agent: ActorName
    when: When

    def answer(self, reading: Reading) -> KnewReport:
        """The recalls of the agent's streams, with the text of the versions that were recalled."""
        at = reading.point(self.when).at
        with reading.lock:
            streams = reading.recall_log().of_agent(self.agent)
        found = [known for stream in streams for known in self._of(reading, stream, at)]
        found.sort(key=lambda known: (known.recalled_at, known.position))
        return KnewReport(agent=self.agent, when=at, known=tuple(found))

    def _of(self, reading: Reading, stream: Stream, at: datetime) -> Iterator[Known]:
        pasts: dict[str, Past] = {}
        with_words = reads_words(reading.identity.role, reading.rules.access)
        for recorded in reading.history(stream.id):
            event = recorded.event
            if not isinstance(event, Recalled):
                continue
            has_words = recorded.fault is None and with_words
            for number, recall in enumerate(event.recalls):
                if recall.at > at:
                    continue
                asks = event.queries if has_words else ()
                asked = asks[number] if number < len(asks) else None
                for id_, version, score in zip(
                    recall.memories, recall.versions, recall.scores, strict=False
                ):
                    known = pasts.get(id_) or pasts.setdefault(id_, past(reading, id_))
                    yield Known(
                        memory=id_,
                        version=version,
                        content=known.text(version),
                        state=known.state,
                        recalled_at=recall.at,
                        session=event.session if has_words else None,
                        query=asked,
                        score=score,
                        position=recorded.position,
                        recorded_by=None if recorded.actor == stream.agent else recorded.actor,
                    )
