"""What a merged text holds: by key, and by what its clauses affirm and deny."""

from collections.abc import Sequence
from itertools import chain, islice
from typing import Final, TypeAlias

from . import generic
from .clauses import Clause
from .reading import Text

Needs: TypeAlias = tuple[str, ...]

BITS: Final = (generic.NOT, generic.ONLY, generic.EXCEPT)

_NOWHERE: Final[frozenset[int]] = frozenset()
_STEM: Final = 5
_MOST_COMPARED: Final = 256


class _Turned:
    """The clauses of one polarity: by the keys that they give, and by their words."""

    def __init__(self) -> None:
        self._by_key: dict[str, set[int]] = {}
        self._by_stem: dict[str, list[int]] = {}
        self._by_stems: dict[frozenset[str], set[int]] = {}
        self._stems: dict[int, frozenset[str]] = {}
        self._together: dict[tuple[Needs, ...], set[int]] = {}

    def add(self, place: int, clause: Clause, keys: Sequence[str]) -> None:
        stems = frozenset(map(_stem, clause.words))
        self._stems[place] = stems
        self._by_stems.setdefault(frozenset(map(_stem, clause.turned)), set()).add(place)
        for stem in stems:
            self._by_stem.setdefault(stem, []).append(place)
        for key in keys:
            self._by_key.setdefault(key, set()).add(place)

    def stems(self) -> set[str]:
        return set(self._by_stem)

    def together(self, subject: tuple[Needs, ...]) -> set[int]:
        """The clauses that give the whole subject."""
        known = self._together.get(subject)
        if known is None:
            places = sorted((self._giving(needs) for needs in subject), key=len)
            known = set(places[0].intersection(*places[1:]))
            self._together[subject] = known
        return known

    def holds(self, subject: tuple[Needs, ...], others: Sequence[Needs]) -> bool:
        """Whether each of ``others`` shares a clause with the whole subject."""
        if not subject:
            return all(self._giving(needs) for needs in others)
        known = self.together(subject)
        return all(not known.isdisjoint(self._giving(needs)) for needs in others)

    def says(self, subject: tuple[Needs, ...], words: Sequence[str]) -> bool:
        """Whether a clause that gives the subject has more than half of some words."""
        known = self.together(subject) if subject else self._stems.keys()
        stems = frozenset(map(_stem, words))
        if not stems or not known:
            return bool(known)
        if not known.isdisjoint(self._by_stems.get(stems, _NOWHERE)):
            return True
        # A clause with more than half of the words has one of any half of them: the rarest.
        rarest = sorted((self._by_stem.get(stem, []) for stem in stems), key=len)
        compared = chain.from_iterable(rarest[: (len(stems) + 1) // 2])
        return any(
            2 * len(stems & self._stems[place]) > len(stems)
            for place in islice(compared, _MOST_COMPARED)
            if place in known
        )

    def _giving(self, needs: Needs) -> set[int] | frozenset[int]:
        places = [self._by_key[need] for need in needs if need in self._by_key]
        if not places:
            return _NOWHERE
        return places[0] if len(places) == 1 else places[0].union(*places[1:])


class Held:
    """What a merged text holds.

    ``keys`` are all keys that it gives, ``affirmed`` those that a clause gives which denies
    nothing.
    """

    def __init__(self, merged: Text) -> None:
        self.keys = merged.keys
        self.affirmed: set[str] = merged.keys
        self._turned: dict[int, _Turned] = {}
        self._affirmed_stems: set[str] = set()
        if any(clause.polarity for clause in merged.clauses):
            self._sort(merged.clauses)

    def _sort(self, clauses: Sequence[Clause]) -> None:
        self.affirmed = set()
        for place, clause in enumerate(clauses):
            keys: list[str] = []
            for placed in clause.parts + clause.inherited:
                keys += placed.part.gives
            if not clause.polarity & generic.NOT:
                self.affirmed.update(keys)
                self._affirmed_stems.update(map(_stem, clause.words))
            for bit in BITS:
                if clause.polarity & bit:
                    self._turned.setdefault(bit, _Turned()).add(place, clause, keys)

    def turns_as(
        self, bit: int, clause: Clause, subject: tuple[Needs, ...], others: Sequence[Needs]
    ) -> bool:
        """Whether the text turns what a clause turns by one of ``BITS``.

        It does so in a clause that names the whole subject and one of the other specifics, for
        each of these. Where there is none, the words that are denied must recur.
        """
        turned = self._turned.get(bit)
        if turned is None:
            return False
        if others:
            return turned.holds(subject, others)
        if subject and bit != generic.NOT:
            return bool(turned.together(subject))
        return turned.says(subject, clause.turned)

    def denies(self, words: Sequence[str]) -> bool:
        """Whether the text denies all of some words, and affirms none of them."""
        turned = self._turned.get(generic.NOT)
        stems = set(map(_stem, words))
        if turned is None or not stems:
            return False
        return stems <= turned.stems() and stems.isdisjoint(self._affirmed_stems)


def _stem(word: str) -> str:
    return word.removesuffix("s")[:_STEM]
