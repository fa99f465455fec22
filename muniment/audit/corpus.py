"""What the memories of one space say: their word sequences and their categories, as numbers go.

It is the one part of an audit that needs keys. Of a memory that was purged it holds nothing.
"""

from collections.abc import Iterable
from typing import Any, Final

import numpy as np

from muniment.domain.memory import events as e
from muniment.log.rows import Row

from .reader import Reader
from .shingles import Hashes, Shingles, Vocabulary, shingled

_WHOLE: Final = frozenset([e.Saved.NAME, e.Imported.NAME, e.Merged.NAME, e.Revised.NAME])
_FILED: Final = frozenset([e.Saved.NAME, e.Imported.NAME, e.Merged.NAME, e.Recategorized.NAME])
_WORDY: Final = _WHOLE | {e.Extended.NAME, e.Recategorized.NAME}
_NO_WORDS: Final[Hashes] = np.zeros(0, np.uint64)


class Corpus:
    """The words of a space up to ``position``; rows are taken in by ``take``, in order.

    Of what was purged by now no word can be read, however long ago one looks: that is no fault.

    Args:
        reader: Opens words, and says what was purged.
        size: Words in a shingle.
        threshold: The Jaccard index from which two texts are near-duplicates.
    """

    def __init__(self, reader: Reader, *, size: int, threshold: float) -> None:
        self.position = 0
        self.sealed: dict[int, str] = {}
        self.category: dict[str, str | None] = {}
        self._former: dict[str, set[str]] = {}
        self._reader = reader
        self._removed = reader.removed()
        self._size = size
        self._vocabulary = Vocabulary()
        self._texts: dict[str, Hashes] = {}
        self._indexed: dict[str, Hashes] = {}
        self._shingles = Shingles(threshold)

    def take(self, row: Row) -> None:
        """Takes in one row; one that it has seen changes nothing."""
        if row.position <= self.position:
            return
        self.position = row.position
        stream = str(row.stream)
        if row.name == e.PurgeRequested.NAME:
            self._forget(stream)
        elif row.name in _WORDY and row.schema == 1:
            words = self._reader.words(row)
            if words == "sealed":
                if stream not in self._removed:
                    self.sealed[row.position] = stream
                return
            if row.name in _FILED:
                self._file(stream, words.get("category"))
            self._say(stream, row.name, words)

    def _forget(self, stream: str) -> None:
        self._texts.pop(stream, None)
        self.category.pop(stream, None)
        self._former.pop(stream, None)
        for position in [one for one, of in self.sealed.items() if of == stream]:
            del self.sealed[position]

    def _file(self, stream: str, category: str | None) -> None:
        before = self.category.get(stream)
        if before is not None and before != category:
            self._former.setdefault(stream, set()).add(before)
        self.category[stream] = category

    def _say(self, stream: str, name: str, words: dict[str, Any]) -> None:
        if name == e.Extended.NAME:
            added = self._vocabulary.of(words.get("addition", ""))
            self._texts[stream] = np.concatenate([self._texts.get(stream, _NO_WORDS), added])
        elif name in _WHOLE:
            said = [words.get("content", ""), *words.get("additions", ())]
            self._texts[stream] = self._vocabulary.of("\n\n".join(said))

    def index(self, live: Iterable[str]) -> Shingles:
        """The near-duplicates among some memories; what moved since it was last asked is moved."""
        wanted = {id_: self._texts[id_] for id_ in live if id_ in self._texts}
        gone = [id_ for id_, text in self._indexed.items() if wanted.get(id_) is not text]
        new = [id_ for id_, text in wanted.items() if self._indexed.get(id_) is not text]
        self._shingles.remove(gone)
        sets = shingled([wanted[id_] for id_ in new], self._size)
        self._shingles.add(dict(zip(new, sets, strict=True)))
        self._indexed = wanted
        return self._shingles

    def left_behind(self) -> set[str]:
        """Categories that some memory was filed under, and no memory is any more."""
        former = set[str]().union(*self._former.values())
        return former - {category for category in self.category.values() if category is not None}
