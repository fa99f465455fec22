"""One handle's view of working memory and conversations, at one moment: what queries read from."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime

from muniment.domain.conversation.turns import Turn
from muniment.domain.working.entries import Heading, WorkingEntry

from .likeness import Likeness
from .searching import Text
from .store import WorkStore


class WorkReading:
    """Reads of a space.

    Args:
        store: What is read.
        space: Whose.
        namespace: Of the handle; None: it has none.
        now: The moment.
        likeness: Compares by meaning; None where no model is configured.
    """

    def __init__(
        self,
        store: WorkStore,
        space: str,
        namespace: str | None,
        now: datetime,
        likeness: Likeness | None,
    ) -> None:
        self._store = store
        self._space = space
        self._likeness = likeness
        self._headings: Mapping[int, Heading] | None = None
        self.namespace = namespace
        self.now = now

    def entry(self, key: str) -> WorkingEntry | None:
        """The entry under a full key."""
        return self._store.entries.get(self._space, key, self.now)

    @property
    def headings(self) -> Mapping[int, Heading]:
        """Every entry by its number, newest first; read once."""
        if self._headings is None:
            self._headings = self._store.entries.headings(self._space, self.now)
        return self._headings

    def values(self, numbers: Iterable[int]) -> Mapping[int, str]:
        """Values by number."""
        return self._store.entries.values(self._space, numbers)

    def ranked(
        self, query: str, among: Mapping[int, Heading], limit: int
    ) -> tuple[list[tuple[int, float]], str | None]:
        """By words, and by meaning too where a model is configured."""
        headings = self.headings

        def load(numbers: Sequence[int]) -> Mapping[int, Text]:
            return {
                number: _text(headings[number], value)
                for number, value in self.values(numbers).items()
            }

        words = self._store.entry_words.matches(
            self._space,
            query,
            everything=headings,
            wanted=among,
            load=load,
            limit=len(among) if self._likeness else limit,
        )
        if self._likeness is None:
            return words, None
        return self._likeness.ranked(query, words, list(among), load, limit)

    def replayed(self, session: str) -> Sequence[Turn]:
        """The latest turns of a session, oldest first."""
        return self._store.sessions.standing(self._space, session, self.now).turns

    def numbers(self, session: str | None) -> Sequence[int]:
        """The numbers of all turns, or of a session's, newest first."""
        return self._store.turns.numbers(self._space, session)

    def turns(self, numbers: Iterable[int]) -> Mapping[int, Turn]:
        """Turns by number."""
        return self._store.turns.get_many(self._space, numbers)

    def matching(self, query: str, among: Sequence[int], limit: int) -> Sequence[tuple[int, float]]:
        """The best of some turns by words."""
        return self._store.turn_words.matches(
            self._space,
            query,
            everything=self.numbers(None),
            wanted=among,
            load=lambda numbers: {
                number: Text((turn.content,)) for number, turn in self.turns(numbers).items()
            },
            limit=limit,
        )


def _text(heading: Heading, value: str) -> Text:
    # a key is searched by its words: email_inbox is found by inbox
    return Text(
        (heading.key.replace("/", " ").replace("_", " "), value), heading.tags, heading.category
    )
