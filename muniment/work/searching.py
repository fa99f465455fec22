"""Keyword search over words of ``work.db``, by the index that memories are searched with.

Nothing of it is written. An index is made of a space's texts when it is first asked, follows them
by their numbers (a text that is changed gets a fresh one), and is dropped when words were erased.
"""

import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from muniment.log.read_models import Ranking
from muniment.projections.search_index import SearchIndex

from .database import Database

_AT_ONCE: Final = 256


class Text(NamedTuple):
    """What a text is found by: its words in parts, its tags, its category."""

    parts: tuple[str, ...]
    tags: tuple[str, ...] = ()
    category: str | None = None


Load = Callable[[Sequence[int]], Mapping[int, Text]]
"""The texts of some numbers; those that are gone are left out."""


@dataclass(slots=True)
class _Index:
    """The index of a space, and the numbers of the texts in it that have not been dropped."""

    words: SearchIndex
    live: set[int] = field(default_factory=set[int])

    def follow(self, everything: Iterable[int], load: Load) -> None:
        """Takes in what is new, and drops what is gone."""
        there = set(everything)
        for number in self.live - there:
            self.words.drop(str(number))
        new = sorted(there - self.live)
        self.live &= there
        for start in range(0, len(new), _AT_ONCE):
            for number, text in load(new[start : start + _AT_ONCE]).items():
                self.words.add(str(number), text.parts, text.tags, text.category)
                self.live.add(number)

    @property
    def is_worn(self) -> bool:
        """Whether most of what it went through is gone."""
        return len(self.words.ids) > _AT_ONCE + 4 * len(self.live)


class Searching:
    """The indexes of one kind of text, one a space. Safe to use from several threads."""

    def __init__(self, database: Database, ranking: Ranking) -> None:
        self._database = database
        self._ranking = ranking
        self._lock = threading.Lock()
        self._indexes: dict[str, _Index] = {}
        self._erasures = 0

    def matches(
        self,
        space: str,
        query: str,
        *,
        everything: Iterable[int],
        wanted: Iterable[int],
        load: Load,
        limit: int,
    ) -> list[tuple[int, float]]:
        """The numbers of the best ``limit`` with their BM25, best first; ties: the newest first.

        Args:
            space: Whose texts.
            query: Words.
            everything: The numbers of all texts that there are: those that words are weighed among.
            wanted: Of these, the ones that may be found.
            load: Reads texts.
            limit: How many at most.
        """
        erasures = self._erasures_now()
        with self._lock:
            if erasures != self._erasures:
                self._indexes.clear()
                self._erasures = erasures
            index = self._indexes.get(space)
            if index is None or index.is_worn:
                index = _Index(SearchIndex(k1=self._ranking.k1, b=self._ranking.b))
                self._indexes[space] = index
            index.follow(everything, load)
            words = index.words
            rows = {words.rows[str(number)] for number in index.live.intersection(wanted)}

            def keep(some: NDArray[np.int32]) -> NDArray[np.bool_]:
                return np.array([row in rows for row in some.tolist()], np.bool_)

            found = words.matches(query, limit=limit, keep=keep)
            order = np.lexsort((-found.rows, -found.scores, ~found.exact))[:limit]
            return [
                (int(words.ids[found.rows[at]]), float(found.scores[at])) for at in order.tolist()
            ]

    def vocabulary(self, space: str) -> frozenset[str]:
        """The terms that are held of a space, which erasure is checked by."""
        with self._lock:
            index = self._indexes.get(space)
            return frozenset() if index is None else index.words.vocabulary

    def _erasures_now(self) -> int:
        with self._database.reading() as connection:
            (number,) = connection.execute(
                "SELECT value FROM marks WHERE name = 'erasures'"
            ).fetchone()
            return int(number)
