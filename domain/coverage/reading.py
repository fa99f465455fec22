"""Reads a text for its specifics: lines into chunks, chunks into parts, parts into clauses.

Nothing is read across a blank line, so that a text which holds another between blank lines reads
it alike.
"""

import re
from dataclasses import dataclass
from typing import Final

from ..duplicates import units, words
from ..duplicates.characters import settle
from . import generic, numbers
from .chunks import Chunk, Flag, whole
from .chunks import read as read_chunk
from .clauses import Clause, Clauses
from .parts import Placed

_CODE: Final = re.compile(r"(?<!`)(`{1,3})(?!`)([^`\n]++)\1(?!`)")
_BULLET: Final = re.compile(r"[-*+•‣▪–>#|]++|(?:[0-9]{1,2}|[a-z])[.)]|\[?[xX]?\]")
_DASH_IN_NUMBERS: Final = re.compile(r"(?<![0-9-])([0-9]++)–(?=[0-9]++(?!-))")


@dataclass(frozen=True, slots=True)
class Text:
    """A text, read: its clauses in order, and the keys that it gives (``Part.gives``)."""

    clauses: list[Clause]
    keys: set[str]


def read(text: str) -> Text:
    """Reads a text; any string is one."""
    return _Reader().read(text)


class _Reader:
    def __init__(self) -> None:
        self._clauses = Clauses()
        self._given: list[str] = []
        self._opens = True
        self._english = True

    def read(self, text: str) -> Text:
        for line in text.splitlines():
            if not line[:1].islower():
                self._end_sentence()
            self._line(line)
        self._end_sentence()
        return Text(self._clauses.found, set(self._given))

    def _end_sentence(self) -> None:
        self._clauses.end_sentence()
        self._opens = True

    def _line(self, line: str) -> None:
        if "`" not in line:
            chunks = _chunks(line)
            self._english = _is_english(chunks)
            self._take(chunks, at_start=True)
            return
        pieces = list(_CODE.finditer(line))
        between = _CODE.split(line)[::3]
        self._english = _is_english([chunk for text in between for chunk in _chunks(text)])
        for place, text in enumerate(between):
            self._take(_chunks(text), at_start=place == 0)
            if place < len(pieces):
                self._code(pieces[place])

    def _code(self, match: re.Match[str]) -> None:
        inner = match[2].strip()
        part = whole(f"`{inner}`")
        gives = list(part.gives)
        chunks = _chunks(inner)
        if len(chunks) == 1:
            part = part._replace(needs=(*part.needs, f"={inner}"))
            gives.append(f"={inner}")
        for at, chunk in enumerate(chunks):
            gives += chunk.gives
            value = self._value(chunks, at) if chunk.flags & Flag.VALUE else None
            gives += [key for found in (value.parts if value else ()) for key in found.gives]
        self._given += gives
        placed = Placed(part._replace(gives=tuple(dict.fromkeys(gives))), opens=False)
        self._clauses.add(_QUOTED, 0, (placed,))
        self._opens = False

    def _take(self, chunks: list[Chunk], *, at_start: bool) -> None:
        at = _bullets(chunks) if at_start and self._opens else 0
        previous = ""
        while at < len(chunks):
            chunk = chunks[at]
            flags = chunk.flags
            if self._opens and _begins_a_name(chunks, at):
                self._opens = False
            parts = chunk.opening if self._opens else chunk.inside
            value = self._value(chunks, at) if flags & Flag.VALUE else None
            at += 1
            if value:
                taken = chunks[at - 1 : at - 1 + value.length]
                parts = self._valued(value, taken)
                at += value.length - 1
                flags = flags & ~_BORDER | taken[-1].flags & _BORDER
            else:
                self._given += chunk.gives
            if flags & Flag.POLARITY:
                after = chunks[at].core if at < len(chunks) else ""
                if _turns_nothing(chunk, previous, after):
                    flags &= ~Flag.POLARITY
            elif previous in _DENYING and chunk.lower == _DENYING[previous]:
                self._clauses.deny(f"{previous} {chunk.lower}")
            self._clauses.add(chunk, flags, parts)
            self._opens = bool(flags & Flag.ENDS) or (self._opens and not chunk.core)
            previous = chunk.lower

    def _valued(self, value: numbers.Value, taken: list[Chunk]) -> tuple[Placed, ...]:
        parts = tuple(Placed(part, self._opens) for part in value.parts)
        if value.parts and value.parts[0].kind is None:
            parts += taken[0].opening if self._opens else taken[0].inside
            for chunk in taken[1:]:
                parts += chunk.inside
        for placed in parts:
            self._given += placed.part.gives
        return parts

    def _value(self, chunks: list[Chunk], at: int) -> numbers.Value | None:
        return numbers.value(chunks, at, english=self._english)


_QUOTED: Final = Chunk((), (), (), 0, "`", "`", "")
_BORDER: Final = Flag.CLOSES | Flag.ENDS
_DENYING: Final = {"instead": "of", "rather": "than"}


def _chunks(line: str) -> list[Chunk]:
    line = settle(line)
    if "–" in line:
        line = _DASH_IN_NUMBERS.sub(r"\1-", line).replace("–", " – ")
    return [read_chunk(chunk) for chunk in line.split()]


def _bullets(chunks: list[Chunk]) -> int:
    """How many chunks only mark a line as one of a list."""
    at = 0
    while at + 1 < len(chunks) and at < 2:
        written = chunks[at].core + chunks[at].tail
        if chunks[at + 1].lower in units.MONTHS or not _BULLET.fullmatch(written):
            break
        at += 1
    return at


def _begins_a_name(chunks: list[Chunk], at: int) -> bool:
    if chunks[at].lower not in generic.BEGINNERS or at + 1 == len(chunks):
        return False
    return not chunks[at].tail and chunks[at + 1].core[:1].isupper()


def _is_english(chunks: list[Chunk]) -> bool:
    found = [chunk.lower for chunk in chunks]
    if words.FOREIGN.isdisjoint(found):
        return True
    foreign = sum(word in words.FOREIGN for word in found)
    return sum(word in words.ENGLISH for word in found) > foreign


def _turns_nothing(chunk: Chunk, previous: str, after: str) -> bool:
    """Whether a negator is none where it stands: "No. 5", "not only"."""
    if chunk.lower == "no":
        return chunk.tail == "." or after[:1].isdigit()
    if chunk.lower == "not":
        return after.lower() in generic.FOCUS
    return previous == "not" and chunk.lower in generic.FOCUS
