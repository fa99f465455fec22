"""Near-duplicates by shingles: how many pairs of texts share so much of their word sequences.

A text is the set of its runs of ``size`` words in a row, lower-cased; two are near-duplicates when
the Jaccard index of their sets reaches a threshold (Broder, "On the resemblance and containment of
documents", 1997). A text of fewer words has no shingle and pairs with none. The count is exact, and
moves with each text that is added or removed: an inverted index finds what shares a shingle.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from hashlib import blake2b
from itertools import pairwise
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

Hashes: TypeAlias = NDArray[np.uint64]

_WORD: Final = re.compile(r"\w+")
_ODD: Final = 0x9E3779B97F4A7C15  # 2^64 over the golden ratio, as good a multiplier as any odd one
_BULK: Final = 512
"""From so many texts at once the postings are sorted anew, and not added to one by one."""


class Vocabulary(dict[str, int]):
    """Words to 64 bits, each computed once."""

    def __missing__(self, word: str) -> int:
        """Of a word that is new here."""
        digest = blake2b(word.encode("utf-8", "surrogatepass"), digest_size=8).digest()
        number = self[word] = int.from_bytes(digest, "little")
        return number

    def of(self, text: str) -> Hashes:
        """The words of a text in order, as numbers."""
        words = _WORD.findall(text.lower())
        return np.fromiter(map(self.__getitem__, words), np.uint64, len(words))


def shingled(texts: Sequence[Hashes], size: int) -> list[Hashes]:
    """The distinct shingles of each text; of one under ``size`` words, none."""
    if not texts:
        return []
    lengths = np.array([len(text) for text in texts])
    words = np.concatenate([*texts, np.zeros(0, np.uint64)])
    owners = np.repeat(np.arange(len(texts)), lengths)
    starts = max(0, len(words) - size + 1)
    numbers = np.zeros(starts, np.uint64)
    for place in range(size):
        numbers += words[place : place + starts] * np.uint64(pow(_ODD, place + 1, 1 << 64))
    whole = owners[:starts] == owners[size - 1 : size - 1 + starts]
    numbers, owners = numbers[whole], owners[:starts][whole]
    if len(np.unique(numbers + owners.astype(np.uint64) * np.uint64(_ODD))) < len(numbers):
        numbers, owners = _distinct(numbers, owners)
    borders: list[int] = np.searchsorted(owners, np.arange(len(texts) + 1)).tolist()
    return [numbers[one:other] for one, other in pairwise(borders)]


def _distinct(numbers: Hashes, owners: NDArray[np.int64]) -> tuple[Hashes, NDArray[np.int64]]:
    """Each shingle of a text once; texts stay in order."""
    order = np.lexsort((numbers, owners))
    numbers, owners = numbers[order], owners[order]
    is_new = np.ones(len(numbers), np.bool_)
    is_new[1:] = (numbers[1:] != numbers[:-1]) | (owners[1:] != owners[:-1])
    return numbers[is_new], owners[is_new]


class Shingles:
    """An index of texts by their shingles, and how many pairs of them are near-duplicates.

    Args:
        threshold: The Jaccard index from which two are.
    """

    def __init__(self, threshold: float) -> None:
        self._threshold = threshold
        self.pairs = 0
        self._numbers: dict[str, int] = {}
        self._ids: list[str] = []
        self._sets: list[Hashes] = []
        self._sizes = np.zeros(0, np.int64)
        self._degrees = np.zeros(0, np.int64)
        self._alive = np.zeros(0, np.bool_)
        self._packed = np.zeros(0, np.uint64), np.zeros(0, np.int64)
        self._recent: defaultdict[int, list[int]] = defaultdict(list)
        self._dead = 0

    def __len__(self) -> int:
        return len(self._numbers)

    @property
    def entries(self) -> int:
        """How many texts have a near-duplicate."""
        return int(np.count_nonzero(self._degrees[: len(self._ids)]))

    def neighbours(self, id_: str) -> list[tuple[str, float]]:
        """The near-duplicates of a text with the index of each, the most alike first."""
        number = self._numbers[id_]
        found, alike = self._alike(number, self._sets[number])
        order = np.argsort(-alike, kind="stable").tolist()
        return [(self._ids[found[one]], float(alike[one])) for one in order]

    def duplicated(self) -> list[str]:
        """The texts that have a near-duplicate, in the order in which they were added."""
        numbers: list[int] = np.flatnonzero(self._degrees[: len(self._ids)]).tolist()
        return [self._ids[number] for number in numbers]

    def add(self, texts: Mapping[str, Hashes]) -> None:
        """Takes in texts by id, as ``shingled`` makes them; the ids are new here."""
        first = len(self._ids)
        self._make_room(first + len(texts))
        for number, (id_, shingles) in enumerate(texts.items(), first):
            self._numbers[id_] = number
            self._ids.append(id_)
            self._sets.append(shingles)
            self._sizes[number] = len(shingles)
            self._alive[number] = True
        if len(texts) < _BULK:
            for number in range(first, len(self._ids)):
                self._join(number, self._alike(number, self._sets[number])[0])
                for shingle in self._sets[number].tolist():
                    self._recent[shingle].append(number)
        else:
            self._pack()
            for number in self._sharing(first):
                found = self._alike(number, self._sets[number])[0]
                # each pair of new ones once; what was here before was paired before
                self._join(number, found[found < number])

    def remove(self, ids: Iterable[str]) -> None:
        """Takes texts out again."""
        for id_ in ids:
            number = self._numbers.pop(id_)
            found, _ = self._alike(number, self._sets[number])
            self.pairs -= len(found)
            self._degrees[found] -= 1
            self._degrees[number] = 0
            self._alive[number] = False
            self._dead += 1
        if self._dead > _BULK and self._dead * 2 > len(self._ids):
            self._renumber()

    def _join(self, number: int, found: NDArray[np.int64]) -> None:
        self.pairs += len(found)
        self._degrees[found] += 1
        self._degrees[number] += len(found)

    def _alike(
        self, number: int, shingles: Hashes
    ) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """The other texts that are near-duplicates of one, and how alike each is."""
        keys, owners = self._packed
        first = np.searchsorted(keys, shingles, "left")
        last = np.searchsorted(keys, shingles, "right")
        parts = [owners[first[hit] : last[hit]] for hit in np.flatnonzero(first < last).tolist()]
        if self._recent:
            held = [one for shingle in shingles.tolist() for one in self._recent.get(shingle, ())]
            parts.append(np.array(held, np.int64))
        if not parts:
            return np.zeros(0, np.int64), np.zeros(0)
        found, shared = np.unique(np.concatenate(parts), return_counts=True)
        kept = self._alive[found] & (found != number)
        found, shared = found[kept], shared[kept]
        alike = shared / (self._sizes[found] + len(shingles) - shared)
        near = alike >= self._threshold
        return found[near], alike[near]

    def _sharing(self, first: int) -> list[int]:
        """The texts from a number on that share a shingle with another."""
        keys, owners = self._packed
        same = keys[1:] == keys[:-1]
        is_shared = np.zeros(len(keys), np.bool_)
        is_shared[1:] |= same
        is_shared[:-1] |= same
        sharing = np.unique(owners[is_shared])
        found: list[int] = sharing[sharing >= first].tolist()
        return found

    def _pack(self) -> None:
        """Sorts the postings of what is alive anew."""
        alive = np.flatnonzero(self._alive[: len(self._ids)])
        sets = [self._sets[number] for number in alive.tolist()]
        keys = np.concatenate([*sets, np.zeros(0, np.uint64)])
        owners = np.repeat(alive, self._sizes[alive])
        order = np.argsort(keys, kind="stable")
        self._packed = keys[order], owners[order]
        self._recent.clear()

    def _renumber(self) -> None:
        """Forgets the texts that were taken out."""
        alive = np.flatnonzero(self._alive[: len(self._ids)])
        numbers: list[int] = alive.tolist()
        self._ids = [self._ids[number] for number in numbers]
        self._sets = [self._sets[number] for number in numbers]
        self._numbers = {id_: number for number, id_ in enumerate(self._ids)}
        self._sizes = self._sizes[alive]
        self._degrees = self._degrees[alive]
        self._alive = self._alive[alive]
        self._dead = 0
        self._pack()

    def _make_room(self, count: int) -> None:
        if count > len(self._sizes):
            more = max(count, 2 * len(self._sizes)) - len(self._sizes)
            self._sizes = np.concatenate([self._sizes, np.zeros(more, np.int64)])
            self._degrees = np.concatenate([self._degrees, np.zeros(more, np.int64)])
            self._alive = np.concatenate([self._alive, np.zeros(more, np.bool_)])
