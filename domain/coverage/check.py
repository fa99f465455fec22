"""The check itself: the specifics of the sources that a merged text loses."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from .. import category as categories
from . import chunks, generic, numbers
from .clauses import Clause
from .holding import BITS, Held, Needs
from .parts import Kind, Part, Placed, Specific
from .reading import read
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
    or its words if it has none, of the other its negation is missing. Where the reading is in
    doubt, something is missing: that refuses a merge, and the opposite would lose a fact.

    Returns:
        The specifics as the sources spell them, sorted and distinct.
    """
    merged = read(text)
    read_sources = [read(source.content) for source in sources]
    evidence = merged.keys.union(*(each.keys for each in read_sources))
    held = Held(merged)
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


def forget() -> None:
    """Drops what is remembered of texts; nothing but speed depends on it."""
    chunks.forget()
    numbers.forget()


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


def _lost(clause: Clause, rule: _Rule, held: Held) -> set[str]:
    lost: set[str] = set()
    subject: list[Needs] = []
    others: list[Needs] = []
    named = False
    denies = clause.polarity & generic.NOT
    for place, placed in enumerate(clause.parts):
        if placed.part.kind is None or not rule.is_specific(placed):
            continue
        named = True
        needs = rule.needs(placed.part)
        if held.keys.isdisjoint(needs) or (not denies and held.affirmed.isdisjoint(needs)):
            lost.add(placed.part.spelt)
        elif clause.polarity:
            (subject if place < clause.leading else others).append(needs)
    if named:
        turned = bool(subject or others)  # where all is lost, there is nothing left to turn
    else:
        turned = bool(clause.polarity)
        if not denies and held.denies(clause.words):
            lost.update(clause.words)
    for bit in BITS:
        stands = not turned or not clause.polarity & bit
        if not stands and not held.turns_as(bit, clause, tuple(subject), others):
            lost.update(negator for each, negator in clause.negators if each & bit)
    return lost
