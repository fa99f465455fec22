"""Keyword search at any position: every text that a memory of one space ever had, dead ones too.

It is an index of its own, which only questions about the past load and read, so that those about
the present pay nothing for what is over. Documents are never moved or dropped but by a purge, and
each has the position that it is from: the past is a mask over the postings, and nothing is rebuilt.
"""

from collections.abc import Callable
from hashlib import sha256
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from muniment.domain.memory.events import PurgeRequested
from muniment.domain.recorded import Recorded
from muniment.domain.words import QueryTerms

from .documents import Documents, Said, State
from .parts import Part, Parts, Unfit
from .periods import NONE, Periods
from .postings import Slots
from .search_index import SearchIndex


class PastIndex(SearchIndex):
    """What was found by which words, at every position; about 0.4 KB a text of 25 words."""

    NAME: ClassVar[str] = "past-index"
    VERSION: ClassVar[int] = 1

    def __init__(self, *, k1: float = 0.9, b: float = 0.4, merge_at: int = 4_096) -> None:
        super().__init__(k1=k1, b=b, merge_at=merge_at)
        self._documents = Versions()

    @property
    def versions(self) -> "Versions":
        """Its documents."""
        assert isinstance(self._documents, Versions)  # noqa: S101 (made so, and loaded so)
        return self._documents

    def apply(self, recorded: Recorded) -> None:
        """One event more; one at or before ``position`` is left out."""
        if recorded.position <= self.position:
            return
        self.versions.position = recorded.position
        super().apply(recorded)
        row = self.rows.get(recorded.stream)
        if row is not None and isinstance(recorded.event, PurgeRequested):
            self.versions.forget_past(row)

    def at(self, position: int, live: NDArray[np.bool_]) -> SearchIndex:
        """The index as it was at a position; ``live`` says by row which memories were, then.

        It is good until the next event is applied. Of a memory whose words were removed since,
        there is a document without terms, so that it still counts where documents are counted.
        """
        self._list_recent()
        return _Then(self, position, live)

    def holding(self, term: int) -> list[Slots]:
        """The slots of the documents that hold a term, at any time."""
        recent = self._recent.of(term)
        return [self._base.of(term)[0], *([] if recent is None else [recent[0]])]


class Versions(Documents):
    """Documents that stay when a memory comes to say something else.

    ``position`` is that of the event which is being applied.
    """

    def __init__(self) -> None:
        super().__init__()
        self.position = 0
        self.periods = Periods()

    def rewrite(self, row: int, said: Said) -> None:
        """A memory comes to say something else; what it said stays, as what it was until now."""
        state = State(self.states.get(self.slot(row)))
        self._slots.set(row, len(self))
        self._write(row, said, state)

    def forget_past(self, row: int) -> None:
        """Only what a memory says now may stay."""
        for slot in self.periods.of(row):
            if slot != self.slot(row):
                self._turn(slot, State.DEAD)

    def drop(self, kept: NDArray[np.bool_]) -> None:
        """Forgets documents that are dead; those that are kept move up, in unchanged order."""
        super().drop(kept)
        self.periods.drop(kept)

    def digest(self) -> bytes:
        """Equal for two exactly if every memory says and said the same, from the same positions."""
        slots = np.flatnonzero(self.states.view != State.DEAD)
        held = sha256(self._digest(slots))
        held.update(self.periods.rows.view[slots].tobytes())
        held.update(self.periods.since.view[slots].tobytes())
        return held.digest()

    def dump(self) -> dict[str, Part]:
        """All that is here; nothing is dead."""
        return {**super().dump(), **self.periods.dump()}

    @classmethod
    def load(cls, parts: Parts) -> "Versions":
        """The documents that were put away as ``parts``."""
        versions = cls()
        versions._take(parts)
        versions.periods = Periods.load(parts)
        if len(versions.periods) != len(versions):
            raise Unfit("periods")
        return versions

    def _write(self, row: int, said: Said, state: State) -> None:
        super()._write(row, said, state)
        self.periods.add(row, self.position)


class _Standing(Documents):
    """The documents that stood at a position: what is asked is asked of them alone."""

    def __init__(
        self,
        versions: Versions,
        position: int,
        live: NDArray[np.bool_],
        holding: Callable[[int], list[Slots]],
    ) -> None:
        vars(self).update(vars(versions))  # the same columns, not copied
        self._holding = holding
        self._standing = versions.periods.at(position, len(live))
        slots = self._standing[self._standing != NONE]
        slots = slots[self.states.view[slots] != State.DEAD]
        shown = slots[live[self.rows.view[slots]]]
        # a memory whose document is gone counts all the same, as one without terms
        self._all = len(live), int(self.lengths.view[slots].sum())
        self._shown = int(np.count_nonzero(live)), int(self.lengths.view[shown].sum())
        self._is_all, self._is_shown = self._marked(slots), self._marked(shown)

    def _marked(self, slots: Slots) -> NDArray[np.bool_]:
        marks = np.zeros(len(self), np.bool_)
        marks[slots] = True
        return marks

    def size(self, *, hidden: bool) -> tuple[int, int]:
        """How many documents were searched, and how many terms they had together."""
        return self._all if hidden else self._shown

    def holders(self, term: int, *, hidden: bool) -> int:
        """How many of the documents that were searched hold a term."""
        return sum(
            int(np.count_nonzero(self.searched(slots, hidden=hidden)))
            for slots in self._holding(term)
        )

    def searched(self, slots: Slots, *, hidden: bool) -> NDArray[np.bool_]:
        """Which of the slots were searched."""
        return (self._is_all if hidden else self._is_shown)[slots]

    def slot(self, row: int) -> int:
        """The slot of what a memory said then."""
        return int(self._standing[row])


class _Then(SearchIndex):
    """A past index at one position."""

    def __init__(self, past: PastIndex, position: int, live: NDArray[np.bool_]) -> None:
        vars(self).update(vars(past))  # the same postings, not copied
        self._documents = _Standing(past.versions, position, live, past.holding)

    def _scored(self, wanted: QueryTerms, *, hidden: bool) -> tuple[Slots, NDArray[np.float64]]:
        """The documents that were searched alone: later memories are unknown to who asks."""
        slots, scores = super()._scored(wanted, hidden=hidden)
        searched = self._documents.searched(slots, hidden=hidden)
        return slots[searched], scores[searched]
