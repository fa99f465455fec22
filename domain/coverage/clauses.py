"""Gathers the parts of a text clause by clause, with what each clause affirms or denies.

Where a clause ends is a guess: at a conjunction, a comma, a bracket, if there is a verb on both
sides. Both sides of a merge are read by the same guess.
"""

from dataclasses import dataclass, field
from typing import Final, NamedTuple

from ..duplicates import words
from . import generic
from .chunks import Chunk, Flag
from .parts import Placed


class Clause(NamedTuple):
    """A clause: its parts, what it does with them, and whom it speaks of.

    ``polarity`` holds the bits of ``generic.POLARITY``, ``negators`` the words that set them. The
    first ``leading`` parts stand before its first word of content: its subject. ``inherited`` is
    the subject of an earlier clause, where this one has a pronoun or nothing in its place. Of its
    ``words`` of content those after the first negator, if there are any, are ``turned``.
    """

    parts: tuple[Placed, ...]
    polarity: int
    negators: tuple[tuple[int, str], ...]
    leading: int
    inherited: tuple[Placed, ...]
    words: tuple[str, ...]
    turned: tuple[str, ...]


@dataclass(slots=True)
class _Stretch:
    """What stands between two places where a clause may end."""

    parts: list[Placed] = field(default_factory=list[Placed])
    negators: list[tuple[int, str]] = field(default_factory=list[tuple[int, str]])
    words: list[str] = field(default_factory=list[str])
    leading: int | None = None  # None while nothing but the subject was met
    turned_from: int | None = None  # which of the words is the first behind a negator
    verb: bool = False
    begun: bool = False
    elliptical: bool = False
    pronoun: bool = False
    contrast: bool = False  # "not Bob": a negator, and no verb behind it

    def turn(self, polarity: int, negator: str) -> None:
        """Takes in a negator."""
        self.negators.append((polarity, negator))
        if self.turned_from is None:
            self.turned_from = len(self.words)

    def denies_something(self) -> bool:
        """Whether a word of content or a specific came after the negator."""
        return bool(self.words) or any(placed.part.kind for placed in self.parts[1:])

    def absorb(self, other: "_Stretch") -> None:
        """Takes in a stretch that is no clause of its own."""
        if self.leading is None and other.leading is not None:
            self.leading = len(self.parts) + other.leading
        if self.turned_from is None and other.turned_from is not None:
            self.turned_from = len(self.words) + other.turned_from
        if not self.begun:
            self.elliptical, self.pronoun = other.elliptical, other.pronoun
        self.begun = self.begun or other.begun
        self.parts += other.parts
        self.negators += other.negators
        self.words += other.words
        self.verb = self.verb or other.verb


def _names(placed: Placed) -> bool:
    if placed.part.kind is None:
        return False
    return not (placed.opens and placed.part.spelt.lower() in generic.GENERIC)


# A clause begins behind these: "and she does not".
_CONNECTING: Final = frozenset({"and", "or", "but", "also", "then", "so"})


class Clauses:
    """Collects clauses from chunks in the order of the text."""

    def __init__(self) -> None:
        self.found: list[Clause] = []
        self._stretch = _Stretch()
        self._clause: _Stretch | None = None
        self._first = True
        self._subject: tuple[Placed, ...] = ()

    def add(self, chunk: Chunk, flags: int, parts: tuple[Placed, ...]) -> None:
        """Adds a chunk, with the flags and the parts that it has in its place."""
        stretch = self._stretch
        # "not Bob from Oslo" denies Bob; what a preposition adds belongs to the clause around it.
        past = stretch.contrast and chunk.lower in words.PREPOSITIONS
        if flags & Flag.OPENS or (past and stretch.denies_something()):
            self._close()
            stretch = self._stretch
        if flags == Flag.CONTENT and stretch.begun and stretch.leading is not None:
            stretch.words.append(chunk.lower)  # most words: the rest would do nothing with them
            stretch.parts += parts
            return
        polarity = flags & Flag.POLARITY
        if not stretch.begun and chunk.lower not in _CONNECTING:
            stretch.begun = bool(chunk.core)
            stretch.pronoun = bool(flags & Flag.PRONOUN)
            stretch.elliptical = bool(flags & Flag.VERB)
            stretch.contrast = chunk.lower == "not" and bool(polarity)
        elif flags & Flag.VERB:
            stretch.contrast = False
        if flags & (Flag.VERB | Flag.APART):
            stretch.verb = True
        if polarity:
            stretch.turn(polarity, chunk.core)
        if stretch.leading is None and flags & (Flag.CONTENT | Flag.VERB):
            stretch.leading = len(stretch.parts)
        if flags & Flag.CONTENT:
            stretch.words.append(chunk.lower)
        stretch.parts += parts
        if flags & Flag.ENDS:
            self.end_sentence()
        elif flags & Flag.CLOSES:
            self._close()

    def deny(self, words: str) -> None:
        """Lets a clause begin that is denied by more than one word: "instead of", "rather than"."""
        self._close()
        self._stretch.turn(generic.NOT, words)
        self._stretch.verb = self._stretch.begun = self._stretch.contrast = True
        self._stretch.leading = 0

    def end_sentence(self) -> None:
        """Ends the sentence; what follows is a clause of its own."""
        self._close()
        if self._clause is not None:
            self._emit(self._clause)
        self._clause = None
        self._first = True

    def _close(self) -> None:
        stretch, self._stretch = self._stretch, _Stretch()
        if not (stretch.begun or stretch.parts or stretch.negators):
            return
        if self._clause is None:
            self._clause = stretch
        elif stretch.contrast:
            # It says of the subject so far what it denies; the clause around it goes on.
            self._keep(stretch, tuple(self._clause.parts[: self._clause.leading or 0]))
        elif self._clause.verb and stretch.verb:
            self._emit(self._clause)
            self._first = False
            self._clause = stretch
        else:
            self._clause.absorb(stretch)

    def _emit(self, clause: _Stretch) -> None:
        subject = tuple(clause.parts[: clause.leading])
        named = any(map(_names, subject))
        takes_on = not named and (clause.pronoun or (clause.elliptical and not self._first))
        inherited = self._subject if takes_on else ()
        if not takes_on:
            self._subject = subject if named else ()
        self._keep(clause, inherited)

    def _keep(self, clause: _Stretch, inherited: tuple[Placed, ...]) -> None:
        leading = len(clause.parts) if clause.leading is None else clause.leading
        polarity = 0
        for bit, _ in clause.negators:
            polarity |= bit
        self.found.append(
            Clause(
                parts=tuple(clause.parts),
                polarity=polarity,
                negators=tuple(clause.negators),
                leading=leading,
                inherited=inherited,
                words=tuple(clause.words),
                turned=tuple(clause.words[clause.turned_from or 0 :] or clause.words),
            )
        )
