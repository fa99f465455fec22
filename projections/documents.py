"""The forward index: what each document says, as numbers, from which all postings are derived.

A memory has a row, numbered from 0 in the order of the memories' first events. What it says at one
time is a document, which has a slot; slots are numbered in the order in which they were written,
and a memory that comes to say something else gets a new slot. Nothing of a slot ever changes but
its state.
"""

from array import array
from enum import IntEnum
from hashlib import sha256
from itertools import compress
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from muniment.domain.words import words

from .columns import Column
from .parts import Part, Parts, ranked, texts, value
from .parts import array as array_of
from .postings import BREAK, Latest, Slots

_LISTS_KEPT = 4_096


class State(IntEnum):
    """LIVE documents are searched, HIDDEN ones on demand, DEAD ones were replaced."""

    LIVE = 0
    HIDDEN = 1
    DEAD = 2


class Said(NamedTuple):
    """What a document says: its content, its tags and its category, each as a run of numbers.

    A term with a place in the order of its text is its number n, one without is ~n.
    """

    content: list[int]
    tags: list[int]
    category: list[int]


class _Vocabulary(dict[str, int]):
    """Term → number, from 1. Looked up by ``[]`` an unknown term is numbered, by ``get`` it isn't.

    A term that no document holds any longer does no harm, and goes when the index is put away.
    """

    def __missing__(self, term: str) -> int:
        number = self[term] = len(self) + 1
        return number

    def pairs_with(self, character: str) -> list[str]:
        """The terms of two characters that have this one, in order; it looks at every term."""
        return sorted(term for term in self if len(term) == 2 and character in term)


class _Tally:
    """How many documents of one state there are, their terms together, and the holders of each."""

    def __init__(self) -> None:
        self.documents = 0
        self.terms = 0
        self.holders = array("i", (0,))

    def count(self, terms: set[int], length: int, *, vocabulary: int, step: int) -> None:
        self.documents += step
        self.terms += step * length
        holders = self.holders
        if len(holders) <= vocabulary:
            holders.extend([0] * (vocabulary + 1 - len(holders)))
        for term in terms:
            holders[term] += step


class Documents:
    """All documents of a space by slot, and the slot of what each memory says, by row."""

    def __init__(self) -> None:
        self.vocabulary = _Vocabulary()
        self.rows: Column[np.int32] = Column(np.int32)
        self.lengths: Column[np.int32] = Column(np.int32)
        self.states: Column[np.uint8] = Column(np.uint8)
        self._slots: Column[np.int32] = Column(np.int32)
        self._runs: Column[np.int32] = Column(np.int32)
        self._starts: Column[np.int64] = Column(np.int64)
        self._starts.append(0)
        self._contents: Column[np.int32] = Column(np.int32)
        self._tags: Column[np.int32] = Column(np.int32)
        self._tallies = {State.LIVE: _Tally(), State.HIDDEN: _Tally()}
        self._lists: dict[tuple[str, ...], list[int]] = {}

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def dead(self) -> int:
        """How many documents were replaced and still have a slot."""
        return len(self) - sum(tally.documents for tally in self._tallies.values())

    def size(self, *, hidden: bool) -> tuple[int, int]:
        """How many documents are searched, and how many terms they have together."""
        tallies = [self._tallies[state] for state in _searched(hidden=hidden)]
        return sum(tally.documents for tally in tallies), sum(tally.terms for tally in tallies)

    def holders(self, term: int, *, hidden: bool) -> int:
        """How many of the documents that are searched hold a term."""
        tallies = [self._tallies[state] for state in _searched(hidden=hidden)]
        return sum(tally.holders[term] for tally in tallies if term < len(tally.holders))

    def searched(self, slots: Slots, *, hidden: bool) -> NDArray[np.bool_] | None:
        """Which of the slots are searched; None where nothing is, by number, left out."""
        if not self.dead and (hidden or not self._tallies[State.HIDDEN].documents):
            return None
        return self.states.view[slots] <= (State.HIDDEN if hidden else State.LIVE)

    def numbered(self, text: str) -> list[int]:
        """A text as a run of numbers; its terms are numbered where they had no number yet."""
        number = self.vocabulary
        sequence, wholes = words(text)
        run = [BREAK]
        run += [number[term] for term in sequence]
        run += [~number[term] for term in wholes]
        return run

    def numbered_list(self, texts: tuple[str, ...]) -> list[int]:
        """Some short texts that come again and again, as one run of numbers."""
        run = self._lists.get(texts)
        if run is None:
            if len(self._lists) >= _LISTS_KEPT:
                self._lists.clear()
            run = self._lists[texts] = [number for text in texts for number in self.numbered(text)]
        return run

    def says(self, row: int) -> Said:
        """What a memory says."""
        slot = self._slots.get(row)
        run = self.run(slot)
        content, tags = self._contents.get(slot), self._tags.get(slot)
        return Said(run[:content], run[content : content + tags], run[content + tags :])

    def run(self, slot: int) -> list[int]:
        """All numbers of a document."""
        first, past = self._starts.get(slot), self._starts.get(slot + 1)
        run: list[int] = self._runs.view[first:past].tolist()
        return run

    def terms(self, slot: int) -> list[int]:
        """Each occurrence of a term in a document."""
        return _terms(self.run(slot))

    def slot(self, row: int) -> int:
        """The slot of what a memory says."""
        return self._slots.get(row)

    def begin(self, said: Said, *, hidden: bool) -> None:
        """A memory more, in the next row."""
        self._slots.append(len(self))
        self._write(len(self._slots) - 1, said, State.HIDDEN if hidden else State.LIVE)

    def rewrite(self, row: int, said: Said) -> None:
        """A memory comes to say something else; it stays hidden if it was."""
        slot = self._slots.get(row)
        state = State(self.states.get(slot))
        self._turn(slot, State.DEAD)
        self._slots.set(row, len(self))
        self._write(row, said, state)

    def hide(self, row: int) -> None:
        """A memory is searched on demand only."""
        self._turn(self._slots.get(row), State.HIDDEN)

    def show(self, row: int) -> None:
        """A memory is searched again."""
        self._turn(self._slots.get(row), State.LIVE)

    def since(self, slot: int) -> Latest:
        """The documents from a slot on, and which of all are dead, as of this moment."""
        return Latest(
            first=slot,
            runs=self._runs.view,
            starts=self._starts.view,
            lengths=self.lengths.view,
            kept=self.states.view != State.DEAD,
            vocabulary=len(self.vocabulary) + 1,
        )

    def sequences(self, slots: Slots) -> tuple[NDArray[np.int32], NDArray[np.intp]]:
        """The runs of some documents in a row, and for each number the place of its document."""
        starts = self._starts.view[slots]
        sizes = self._starts.view[slots + 1] - starts
        owners = np.repeat(np.arange(len(slots)), sizes)
        offsets = np.arange(len(owners)) + (starts - (np.cumsum(sizes) - sizes))[owners]
        return self._runs.view[offsets], owners

    def digest(self) -> bytes:
        """Equal for two exactly if their memories say the same and the same ones are hidden."""
        return self._digest(self._slots.view)

    def _digest(self, slots: Slots) -> bytes:
        runs, _ = self.sequences(slots)
        numbers, places = np.unique(np.where(runs < 0, ~runs, runs), return_inverse=True)
        every = ["", *self.vocabulary]
        used: list[int] = numbers.tolist()
        names, ranks = ranked([every[number] for number in used])
        held = sha256(repr(names).encode())
        held.update(np.where(runs < 0, ~ranks[places], ranks[places]).tobytes())
        for column in (self._contents, self._tags, self.states):
            held.update(column.view[slots].tobytes())
        return held.digest()

    def drop(self, kept: NDArray[np.bool_]) -> None:
        """Forgets documents that are dead; those that are kept move up, in unchanged order."""
        sizes = np.diff(self._starts.view)
        self._runs.replace(self._runs.view[np.repeat(kept, sizes)])
        self._starts.replace(np.append(0, np.cumsum(sizes[kept])))
        self._slots.replace((np.cumsum(kept) - 1)[self._slots.view].astype(np.int32))
        for column in (self.rows, self.lengths, self._contents, self._tags):
            column.replace(column.view[kept])
        self.states.replace(self.states.view[kept])

    def drop_unused_terms(self) -> NDArray[np.bool_]:
        """Forgets the terms that no document holds, so that those after them get lower numbers.

        Nothing is dead. The answer says which numbers stay, from 0.
        """
        used = np.zeros(len(self.vocabulary) + 1, np.bool_)
        used[BREAK] = True
        for tally in self._tallies.values():
            used[: len(tally.holders)] |= np.array(tally.holders) > 0
        if used.all():
            return used
        after = np.cumsum(used, dtype=np.int32) - np.int32(1)
        runs = self._runs.view
        self._runs.replace(np.where(runs < 0, ~after[~runs], after[runs]))
        terms = list(compress(self.vocabulary, used[1:].tolist()))
        self.vocabulary = _Vocabulary(zip(terms, range(1, len(terms) + 1), strict=True))
        for tally in self._tallies.values():
            kept = np.array(tally.holders)[used[: len(tally.holders)]]
            tally.holders = array("i", kept.tobytes())
        self._lists.clear()
        return used

    def dump(self) -> dict[str, Part]:
        """All that is here; nothing is dead."""
        parts: dict[str, Part] = {"vocabulary": list(self.vocabulary)}
        for name, column in self._columns().items():
            parts[name] = column.view.copy()
        for state, tally in self._tallies.items():
            parts[f"{state.name}.documents"] = tally.documents
            parts[f"{state.name}.terms"] = tally.terms
            parts[f"{state.name}.holders"] = np.array(tally.holders, np.int32)
        return parts

    @classmethod
    def load(cls, parts: Parts) -> "Documents":
        """The documents that were put away as ``parts``."""
        documents = cls()
        documents._take(parts)
        return documents

    def _take(self, parts: Parts) -> None:
        terms = texts(parts, "vocabulary")
        self.vocabulary = _Vocabulary(zip(terms, range(1, len(terms) + 1), strict=True))
        for name, column in self._columns().items():
            column.take(parts, name)
        for state, tally in self._tallies.items():
            tally.documents = value(parts, f"{state.name}.documents", int)
            tally.terms = value(parts, f"{state.name}.terms", int)
            tally.holders = array("i", array_of(parts, f"{state.name}.holders", np.int32).tobytes())

    def _columns(self) -> dict[str, Column[np.int32] | Column[np.uint8] | Column[np.int64]]:
        return {
            "rows": self.rows,
            "lengths": self.lengths,
            "states": self.states,
            "current": self._slots,
            "runs": self._runs,
            "run_starts": self._starts,
            "contents": self._contents,
            "tags": self._tags,
        }

    def _write(self, row: int, said: Said, state: State) -> None:
        run = [*said.content, *said.tags, *said.category]
        terms = _terms(run)
        self.rows.append(row)
        self.lengths.append(len(terms))
        self.states.append(state)
        self._runs.extend(run)
        self._starts.append(len(self._runs))
        self._contents.append(len(said.content))
        self._tags.append(len(said.tags))
        self._tallies[state].count(set(terms), len(terms), vocabulary=len(self.vocabulary), step=1)

    def _turn(self, slot: int, state: State) -> None:
        old = State(self.states.get(slot))
        if old is state:
            return
        terms = set(self.terms(slot))
        length, vocabulary = self.lengths.get(slot), len(self.vocabulary)
        self.states.set(slot, state)
        self._tallies[old].count(terms, length, vocabulary=vocabulary, step=-1)
        if state is not State.DEAD:
            self._tallies[state].count(terms, length, vocabulary=vocabulary, step=1)


def _terms(run: list[int]) -> list[int]:
    return [~number if number < 0 else number for number in run if number != BREAK]


def _searched(*, hidden: bool) -> tuple[State, ...]:
    return (State.LIVE, State.HIDDEN) if hidden else (State.LIVE,)
