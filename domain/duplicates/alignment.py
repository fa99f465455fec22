"""How two canonical forms relate: the same, an addition, a conflict, or something else."""

import re
from collections import Counter
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from . import words
from .canonical import Form
from .equivalence import Block, Side, blocks_of, proof
from .operators import HARMLESS_IN_ADDITIONS, OPERATORS, SCRIPT_OPERATORS
from .tokens import COLON, COMMA, DASH, QUESTION, STOP, Mark


class Relation(StrEnum):
    """What a candidate is to an existing text."""

    SAME = "same"
    ADDS = "adds"
    CONFLICTS = "conflicts"
    DIFFERS = "differs"


@dataclass(frozen=True, slots=True)
class Verdict:
    """A relation and, in short stable words, the rule that decided it."""

    relation: Relation
    reason: str


_DATE: Final = re.compile(r"(?:[0-9]{4}|----)-[0-9]{2}-[0-9]{2}")
_NO_YEAR: Final = "-----"
_OPERATORS_IN_ADDITIONS: Final = OPERATORS - HARMLESS_IN_ADDITIONS
_SENTENCE_PUNCTUATION: Final = frozenset((COMMA, STOP, COLON, QUESTION, DASH, "(", ")"))
_LONGEST_SLOT: Final = 3
_MOST_SLOTS: Final = 2


def jaccard(a: tuple[str, ...], b: tuple[str, ...]) -> float:
    """The share of terms in common, 0.0 to 1.0; two texts without terms have nothing in common."""
    if not a or not b:
        return 0.0
    common = len(set(a).intersection(b))
    return common / (len(a) + len(b) - common)


def relate(existing: Form, candidate: Form, *, same_day: bool) -> Verdict:
    """Says what the candidate is to the existing text; only a proof makes it the same.

    ``same_day``: both were said on one day. A deictic text is another fact the day after.
    SAME holds in both directions. The rest looks from the existing text to the candidate.
    """
    if not same_day and (existing.deictic or candidate.deictic):
        return Verdict(Relation.DIFFERS, "another day")
    if existing.key == candidate.key:
        return Verdict(Relation.SAME, "equal")
    if not existing.marks or not candidate.marks:
        return Verdict(Relation.DIFFERS, "verbatim")
    old = Side(existing.tokens, existing.marks)
    new = Side(candidate.tokens, candidate.marks)
    if old.keys.count(QUESTION) != new.keys.count(QUESTION):
        return Verdict(Relation.DIFFERS, "question")
    # Sameness is read off one alignment whichever text came first, so that it is symmetric.
    reason = proof(old, new) if existing.key < candidate.key else proof(new, old)
    return Verdict(Relation.SAME, reason) if reason else _difference(old, new)


def _difference(old: Side, new: Side) -> Verdict:
    if Counter(old.keys) == Counter(new.keys):
        return Verdict(Relation.CONFLICTS, "order")
    size, shared = len(old.keys), min(len(old.keys), len(new.keys))
    # Where one text goes on after the other, the difference is its end, however else they align.
    goes_on = old.keys[:shared] == new.keys[:shared]
    blocks = [Block(shared, size, shared, len(new.keys))] if goes_on else blocks_of(old, new)
    gone = [at for block in blocks for at in range(block.a, block.b)]
    come = [at for block in blocks for at in range(block.c, block.d)]
    if (size - len(gone)) * 2 < shared:
        return Verdict(Relation.DIFFERS, "unrelated")
    if _only_signs(old, gone) and _only_signs(new, come):
        return Verdict(Relation.CONFLICTS, "sign")
    operators = _OPERATORS_IN_ADDITIONS if goes_on else OPERATORS
    if _operates(old, gone, operators) or _operates(new, come, operators):
        return Verdict(Relation.CONFLICTS, "operator")
    if not gone:
        return _addition(old, new, blocks)
    if not come:
        return Verdict(Relation.DIFFERS, "says less")
    return _replacement(old, new, blocks)


def _only_signs(side: Side, places: list[int]) -> bool:
    return all(
        side.marks[at] & Mark.PUNCTUATION and side.keys[at] not in _SENTENCE_PUNCTUATION
        for at in places
    )


def _operates(side: Side, places: list[int], operators: frozenset[str]) -> bool:
    if any(side.keys[at] in operators for at in places):
        return True
    script = "".join(side.keys[at] for at in places if side.marks[at] & Mark.SCRIPT)
    return bool(script) and any(operator in script for operator in SCRIPT_OPERATORS)


def _addition(old: Side, new: Side, blocks: list[Block]) -> Verdict:
    if any(new.marks[at] & Mark.SCRIPT for block in blocks for at in range(block.c, block.d)):
        return Verdict(Relation.DIFFERS, "says more in a script without spaces")
    if all(_adds(old, new, block) for block in blocks):
        return Verdict(Relation.ADDS, "pure addition")
    return Verdict(Relation.DIFFERS, "says more inside")


def _adds(old: Side, new: Side, block: Block) -> bool:
    """Whether an insertion leaves what stands around it as it was."""
    if all(mark & Mark.PUNCTUATION for mark in new.marks[block.c : block.d]):
        return False
    before, first, last = block.a - 1, new.keys[block.c], new.keys[block.d - 1]
    if (
        before >= 0
        and new.marks[block.c - 1] & Mark.POSSESSIVE > old.marks[before] & Mark.POSSESSIVE
    ):
        return False
    connected = first in words.CONNECTORS or first in {COMMA, STOP, COLON, DASH, "("}
    if block.a == len(old.keys):
        return connected
    if last in words.FUNCTION_WORDS or last in words.CONNECTORS:
        return False
    if new.marks[block.c] & old.marks[block.a] & Mark.DETERMINED:
        return True  # between an article and its noun
    if block.a == 0:
        return last == COMMA or first in words.OPENING_PREPOSITIONS
    names = new.marks[block.c - 1] & new.marks[block.c] & new.marks[block.d - 1] & Mark.CAPITAL
    return connected or bool(names)


def _replacement(old: Side, new: Side, blocks: list[Block]) -> Verdict:
    slots = [block for block in blocks if block.a < block.b and block.c < block.d]
    if len(blocks) == 1:
        a, b, c, d = blocks[0]
        if _refines(old.keys[a:b], new.keys[c:d]):
            return Verdict(Relation.DIFFERS, "date in more detail")
    for mark, reason in ((Mark.VALUE, "value"), (Mark.CAPITAL, "name"), (Mark.CODE, "name")):
        for block in slots:
            if _marked(old, block.a, block.b, mark) and _marked(new, block.c, block.d, mark):
                return Verdict(Relation.CONFLICTS, reason)
    short = len(slots) == len(blocks) <= _MOST_SLOTS and all(
        max(block.b - block.a, block.d - block.c) <= _LONGEST_SLOT for block in slots
    )
    if short:
        return Verdict(Relation.CONFLICTS, "slot")
    return Verdict(Relation.DIFFERS, "other")


def _refines(one: list[str], other: list[str]) -> bool:
    """Whether one date only leaves open what the other tells: its year, or its day."""
    if len(one) != 1 or len(other) != 1:
        return False
    for short, long in ((one[0], other[0]), (other[0], one[0])):
        if _DATE.fullmatch(long) and (
            long.startswith(f"{short}-") or short == f"{_NO_YEAR}{long[5:]}"
        ):
            return True
    return False


def _marked(side: Side, start: int, end: int, mark: int) -> bool:
    return any(side.marks[at] & mark for at in range(start, end))
