"""A memory as it was once: folded from its history up to a version."""

from collections.abc import Sequence

from muniment.domain.access import PEOPLE, reads_words
from muniment.domain.identity import Role
from muniment.domain.memory.events import Extended, PurgeRequested, Revised
from muniment.domain.memory.state import State, evolve
from muniment.domain.recorded import Recorded

from .reading import Reading


class Past:
    """One memory through its history, as far as a role may read it.

    Args:
        history: Its events, oldest first; none where the space has no such memory.
        role: Who reads: words of what is quarantined today are for people alone.
        with_words: Whether the role reads words at all.
    """

    def __init__(self, history: Sequence[Recorded], role: Role, *, with_words: bool) -> None:
        self.history = history
        self._is_purged = any(isinstance(one.event, PurgeRequested) for one in history)
        self._now = self.at(version=len(history))
        self._with_words = with_words
        self._with_doubts = role in PEOPLE
        self._texts: dict[int, str | None] = {}

    @property
    def state(self) -> str:
        """What it is in today; ``absent`` where there is none."""
        return "absent" if self._now is None else self._now.condition

    def at(self, *, version: int) -> State | None:
        """The memory after its event of a version; None before it began."""
        state: State | None = None
        for recorded in self.history[:version]:
            state = evolve(state, recorded)
        return state

    def text(self, version: int) -> str | None:
        """Its text at a version; None where it was purged since, or is not to be read."""
        if version not in self._texts:
            self._texts[version] = self._text(version)
        return self._texts[version]

    def _text(self, version: int) -> str | None:
        state = self.at(version=version)
        if state is None or self._is_purged or state.condition == "purged":
            return None
        is_doubted = self._now is not None and self._now.condition == "quarantined"
        if not self._with_words or (is_doubted and not self._with_doubts):
            return None
        return state.content

    def said_at(self, version: int) -> str | None:
        """What its event of a version said; None where that is no text, or not to be read."""
        if self.text(version) is None:
            return None
        match self.history[version - 1].event:
            case Extended() as event:
                return event.addition
            case Revised() as event:
                return event.content
            case _:
                return None

    def version_at(self, position: int) -> int:
        """The version that its newest event up to a position made it; 0 before the first."""
        return max((one.version for one in self.history if one.position <= position), default=0)

    def position_of(self, version: int) -> int:
        """The position of the event of a version; 0 where there is none."""
        return next((one.position for one in self.history if one.version == version), 0)


def past(reading: Reading, id_: str) -> Past:
    """A memory of the space through its history."""
    history = [one for one in reading.history(id_) if one.space == reading.identity.space]
    role = reading.identity.role
    return Past(history, role, with_words=reads_words(role, reading.rules.access))
