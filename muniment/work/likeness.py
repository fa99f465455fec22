"""Working memory by meaning: vectors of its entries, made when they are first searched.

They are held in memory alone, by number, and go with their entries: an entry lives for minutes, so
that nothing is made ahead of need.
"""

import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import Final

import numpy as np

from muniment.domain.embedding import Vectors
from muniment.domain.errors import Unavailable
from muniment.domain.fusion import fused

from .searching import Load, Text

AT_ONCE: Final = 64
"""Entries that a search has vectors made of at most, those that were stored last."""

_HELD: Final = 4_096

Embed = Callable[[Sequence[str]], Vectors]


class Likeness:
    """Compares a query with entries by cosine.

    Args:
        vector: Makes the unit vector of a query, or raises Unavailable.
        embed: Makes unit vectors of texts, or raises Unavailable.
        min_similarity: The least cosine that says two texts have to do with each other.
    """

    def __init__(
        self, vector: Callable[[str], Vectors], embed: Embed, min_similarity: float
    ) -> None:
        self._vector = vector
        self._embed = embed
        self._min_similarity = min_similarity
        self._lock = threading.Lock()
        self._vectors: OrderedDict[int, Vectors] = OrderedDict()

    def ranked(
        self,
        query: str,
        words: list[tuple[int, float]],
        among: Sequence[int],
        load: Load,
        limit: int,
    ) -> tuple[list[tuple[int, float]], str | None]:
        """The best of ``among`` by words and meaning, and why less was done than could be.

        Args:
            query: What is looked for.
            words: What the words found, with BM25.
            among: The numbers of entries, newest first.
            load: Reads texts.
            limit: How many at most.
        """
        try:
            near_to, missing = self._known(query, among, load)
        except Unavailable as error:
            return words[:limit], f"keyword search alone: the embedder failed ({error.code})"
        said = dict(words)
        alike = {number for number, cosine in near_to.items() if cosine >= self._min_similarity}
        hits = [number for number in among if number in said or number in alike]
        scores = fused(
            np.array([said.get(number, 0.0) for number in hits], np.float64),
            np.array([near_to.get(number, np.nan) for number in hits], np.float64),
            least=min(near_to.values(), default=0.0),
        ).scores
        order = np.argsort(-scores, kind="stable")[:limit]  # of equals the one stored last
        ranked = [(hits[at], float(scores[at])) for at in order.tolist()]
        degraded = f"{missing:,} older entries were compared by words alone" if missing else None
        return ranked, degraded

    def _known(self, query: str, among: Sequence[int], load: Load) -> tuple[dict[int, float], int]:
        """The cosine of each entry that has a vector, and how many have none."""
        with self._lock:
            lacking = [number for number in among if number not in self._vectors]
        wanted = self._vector(query)
        texts = load(lacking[:AT_ONCE])
        made = self._embed([_said(text) for text in texts.values()]) if texts else ()
        with self._lock:
            self._vectors.update(zip(texts, made, strict=True))
            while len(self._vectors) > _HELD:
                self._vectors.popitem(last=False)
            held = {number: self._vectors[number] for number in among if number in self._vectors}
        cosines = {number: float(wanted @ vector) for number, vector in held.items()}
        return cosines, max(0, len(lacking) - AT_ONCE)


def _said(text: Text) -> str:
    return "\n".join([*text.parts, *text.tags, text.category or ""])
