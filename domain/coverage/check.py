"""The check itself: the specifics of the sources that a merged text loses."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from .. import category as categories
from . import generic
from .clauses import Clause
from .parts import Kind, Part, Placed, Specific
from .reading import Text, read
from .wording import BUILT_IN, Vocabulary


@dataclass(frozen=True, slots=True)
class Source:
    """What a merge replaces: a text, and the category that it is kept under."""

    content: str
    category: str | None = None


def missing(
    sources: Sequence[Source], text: str, vocabulary: Vocabulary = BUILT_IN
) -> tuple[str, ...]:
    """The specifics of the sources that do not survive in a merged text; none: it covers them.

    A specific survives as a token, whatever stands around it, or in an equal notation. A clause
    that is affirmed must stay affirmed, one that is denied must stay denied: of the one its names,
    of the other its negation is missing. Where the reading is in doubt, something is missing: that
    refuses a merge, and the opposite would lose a fact.

    Returns:
        The specifics as the sources spell them, sorted and distinct.
    """
    merged = read(text)
    read_sources = [read(source.content) for source in sources]
    evidence = merged.keys.union(*(each.keys for each in read_sources))
    held = _Held(merged)
    lost: set[str] = set()
    for source, reading in zip(sources, read_sources, strict=True):
        exempt = any(
            categories.within(source.category, each)
            for each in vocabulary.numeric_exempt_categories
        )
        rule = _Rule(vocabulary, evidence, exempt=exempt)
        for clause in reading.clauses:
            lost |= _lost(clause, rule, held)
    return tuple(sorted(lost))


def specifics(
    text: str,
    evidence: Sequence[str] = (),
    vocabulary: Vocabulary = BUILT_IN,
    category: str | None = None,
) -> tuple[Specific, ...]:
    """The specifics of a text, distinct, clause by clause.

    ``evidence`` are the other texts in view: a word that one of them has in small letters is no
    name. What turns a clause around follows the specifics of the clause.
    """
    reading = read(text)
    keys = reading.keys.union(*(read(other).keys for other in evidence))
    exempt = any(categories.within(category, each) for each in vocabulary.numeric_exempt_categories)
    rule = _Rule(vocabulary, keys, exempt=exempt)
    found: dict[Specific, None] = {}
    for clause in reading.clauses:
        for placed in clause.parts:
            if placed.part.kind is not None and rule.is_specific(placed):
                found[Specific(placed.part.spelt, placed.part.kind)] = None
        for _, negator in clause.negators:
            found[Specific(negator, Kind.NEGATION)] = None
    return tuple(found)


@lru_cache(maxsize=16)
def _folded(words: frozenset[str]) -> frozenset[str]:
    return frozenset(word.lower() for word in words)


class _Rule:
    """Which parts of a source are specifics."""

    def __init__(self, vocabulary: Vocabulary, evidence: set[str], *, exempt: bool) -> None:
        self._always = _folded(vocabulary.always_specific_words)
        self._common = _folded(vocabulary.extra_common_words)
        self._evidence = evidence
        self._exempt = exempt

    def is_specific(self, placed: Placed) -> bool:
        part = placed.part
        if part.kind is None:
            return False
        if part.kind is Kind.NUMBER:
            return not self._exempt
        if part.kind is Kind.MONTH or part.kind is Kind.SCRIPT:
            return True
        lower = part.spelt.lower()
        if lower in self._always:
            return True
        if lower in self._common:
            return False
        if part.kind is Kind.ACRONYM:
            return part.spelt not in generic.COMMON_ACRONYMS
        if part.kind is Kind.NAME:
            common = lower in generic.NEVER_NAMES or (placed.opens and lower in generic.GENERIC)
            return not common and f"={lower}" not in self._evidence
        return True

    def needs(self, part: Part) -> tuple[str, ...]:
        return part.bare_needs if self._exempt and part.bare_needs else part.needs


class _Held:
    """What a merged text holds: by key, and by key and polarity the clauses that hold it."""

    def __init__(self, merged: Text) -> None:
        self.keys = merged.keys
        self.affirmed: set[str] = merged.keys
        self._clauses: dict[int, dict[str, set[int]]] = {}
        self._stems: dict[int, set[str]] = {}
        self._together: dict[tuple[int, tuple[tuple[str, ...], ...]], set[int]] = {}
        if any(clause.polarity for clause in merged.clauses):
            self._sort(merged.clauses)

    def _sort(self, clauses: list[Clause]) -> None:
        self.affirmed = set()
        for place, clause in enumerate(clauses):
            keys = [
                key
                for placed in (*clause.parts, *clause.inherited)
                for key in placed.part.gives
            ]  # fmt: skip
            if not clause.polarity & generic.NOT:
                self.affirmed.update(keys)
            for bit in _BITS:
                if clause.polarity & bit:
                    self._stems.setdefault(bit, set()).update(map(_stem, clause.words))
                    holding = self._clauses.setdefault(bit, {})
                    for key in keys:
                        holding.setdefault(key, set()).add(place)

    def denies(self, bit: int, subject: tuple[tuple[str, ...], ...], others: list[Part]) -> bool:
        """Whether each of ``others`` shares a clause of that polarity with the whole subject."""
        holding = self._clauses.get(bit)
        if holding is None:
            return False
        if not subject:
            return all(_holding(holding, part.needs) for part in others)
        known = self._together.get((bit, subject))
        if known is None:
            places = sorted((_holding(holding, needs) for needs in subject), key=len)
            known = places[0].intersection(*places[1:])
            self._together[bit, subject] = known
        if not known:
            return False
        return all(not known.isdisjoint(_holding(holding, part.needs)) for part in others)

    def denies_words(self, bit: int, words: tuple[str, ...]) -> bool:
        """Whether a clause of that polarity shares a word with a clause that has no specific."""
        stems = self._stems.get(bit)
        if stems is None:
            return False
        return not words or any(_stem(word) in stems for word in words)


_BITS: Final = (generic.NOT, generic.ONLY, generic.EXCEPT)
_STEM: Final = 5


def _stem(word: str) -> str:
    return word[:_STEM]


def _holding(holding: dict[str, set[int]], needs: tuple[str, ...]) -> set[int]:
    places = [holding[need] for need in needs if need in holding]
    if not places:
        return set()
    return places[0] if len(places) == 1 else places[0].union(*places[1:])


def _lost(clause: Clause, rule: _Rule, held: _Held) -> set[str]:
    lost: set[str] = set()
    subject: list[tuple[str, ...]] = []
    others: list[Part] = []
    named = False
    for place, placed in enumerate(clause.parts):
        if placed.part.kind is None or not rule.is_specific(placed):
            continue
        named = True
        needs = rule.needs(placed.part)
        if held.keys.isdisjoint(needs):
            lost.add(placed.part.spelt)
            continue
        if not clause.polarity & generic.NOT and held.affirmed.isdisjoint(needs):
            lost.add(placed.part.spelt)
        if clause.polarity and place < clause.leading:
            subject.append(needs)
        elif clause.polarity:
            others.append(placed.part._replace(needs=needs))
    for bit in _BITS:
        if not clause.polarity & bit:
            continue
        if subject or others:
            denied = held.denies(bit, tuple(subject), others)
        else:
            denied = named or held.denies_words(bit, clause.words)
        if not denied:
            lost.update(negator for each, negator in clause.negators if each & bit)
    return lost
