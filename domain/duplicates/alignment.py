"""How two canonical forms relate: the same, an addition, a conflict, or something else."""

from collections import Counter
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, NamedTuple

from rapidfuzz.distance import Indel

from . import words
from .canonical import Form
from .operators import NEGATIONS, OPERATORS, SCRIPT_OPERATORS
from .plurals import FALSE_FRIENDS, singular
from .tokens import COLON, COMMA, QUESTION, STOP, Mark


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


class _Side(NamedTuple):
    keys: list[str]
    marks: bytes


class _Block(NamedTuple):
    """A stretch in which two texts differ: ``first[a:b]`` stands where ``second[c:d]`` stands."""

    a: int
    b: int
    c: int
    d: int


_SAME: Final = Relation.SAME
_LONGEST_SLOT: Final = 3
_MOST_SLOTS: Final = 2
_LONGEST_ADJUNCT: Final = 5


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
        return Verdict(_SAME, "equal")
    if not existing.marks or not candidate.marks:
        return Verdict(Relation.DIFFERS, "verbatim")
    old = _Side(existing.tokens, existing.marks)
    new = _Side(candidate.tokens, candidate.marks)
    if old.keys.count(QUESTION) != new.keys.count(QUESTION):
        return Verdict(Relation.DIFFERS, "question")
    # Sameness is read off one alignment whichever text came first, so that it is symmetric.
    reason = _same(old, new) if existing.key < candidate.key else _same(new, old)
    return Verdict(_SAME, reason) if reason else _difference(old, new)


def _blocks(first: _Side, second: _Side) -> list[_Block]:
    blocks: list[_Block] = []
    for op in Indel.opcodes(first.keys, second.keys):
        if op.tag == "equal":
            continue
        if blocks and (blocks[-1].b, blocks[-1].d) == (op.src_start, op.dest_start):
            blocks[-1] = blocks[-1]._replace(b=op.src_end, d=op.dest_end)
        else:
            blocks.append(_Block(op.src_start, op.src_end, op.dest_start, op.dest_end))
    return blocks


def _same(first: _Side, second: _Side) -> str:
    """The rule by which two different token lists say the same, or an empty text."""
    if len(first.keys) == len(second.keys) and Counter(first.keys) == Counter(second.keys):
        return _reordered(first, second) or _reordered(second, first)
    blocks = _blocks(first, second)
    if len(blocks) != 1:
        return _moved(first, second)
    (block,) = blocks
    left, right = first.keys[block.a : block.b], second.keys[block.c : block.d]
    if sorted((left, right)) == sorted(([COLON], ["is"])):
        return "colon" if first.keys.count(COLON) + second.keys.count(COLON) == 1 else ""
    if len(left) == len(right) == 1:
        return "plural" if _plural(first, block.a) and _plural_pair(first, second, block) else ""
    return "compound" if _compound(first, second, block) else ""


def _reordered(first: _Side, second: _Side) -> str:
    return _moved(first, second) or _names_swapped(first, second)


def _moved(first: _Side, second: _Side) -> str:
    """Whether a whole adjunct moved between the ends: "On Mondays it is closed"."""
    for front, back in ((first, second), (second, first)):
        keys = front.keys
        if keys[0] not in words.OPENING_PREPOSITIONS | words.MOVING_ADVERBS:
            continue
        for size in range(1, min(_LONGEST_ADJUNCT, len(keys) - 2) + 1):
            rest = keys[size:]
            if back.keys == rest + keys[:size]:
                return "moved adjunct" if _may_move(front, size) else ""
    return ""


def _may_move(front: _Side, size: int) -> bool:
    adjunct, rest = front.keys[:size], front.keys[size:]
    if (size == 1) != (adjunct[0] in words.MOVING_ADVERBS):
        return False
    if not words.PREPOSITIONS.isdisjoint(adjunct[1:]):
        return False
    unsafe = OPERATORS | words.CLAUSE_MAKERS | words.MOVING_ADVERBS | {STOP, COMMA, COLON, QUESTION}
    if not unsafe.isdisjoint(adjunct[1:]) or not unsafe.isdisjoint(rest):
        return False
    if any(key.endswith("ing") and len(key) > 5 for key in rest):
        return False
    timed = any(_is_time(key, front.marks[at]) for at, key in enumerate(adjunct))
    return timed or words.PREPOSITIONS.isdisjoint(rest)


def _is_time(key: str, mark: int) -> bool:
    return (
        bool(mark & Mark.VALUE)
        or key.removesuffix("s") in words.CALENDAR
        or (key in words.MOVING_ADVERBS)
    )


def _names_swapped(first: _Side, second: _Side) -> str:
    """Whether "A and B" of two names became "B and A" at an end of the text."""
    keys = first.keys
    if keys.count("and") != 1 or COMMA in keys or STOP in keys:
        return ""
    unsafe = OPERATORS | words.SEQUENCE_WORDS
    if not unsafe.isdisjoint(keys) or any(key.startswith("#") for key in keys):
        return ""
    at = keys.index("and")
    start, end = at, at + 1
    while start > 0 and _is_name(first, start - 1):
        start -= 1
    while end < len(keys) and _is_name(first, end):
        end += 1
    if start == at or end == at + 1 or (start > 0 and end < len(keys)):
        return ""
    swapped = keys[:start] + keys[at + 1 : end] + ["and"] + keys[start:at] + keys[end:]
    moved = range(start, start + end - start)
    if swapped != second.keys or not all(
        _is_name(second, place) for place in moved if second.keys[place] != "and"
    ):
        return ""
    return "swapped names"


def _is_name(side: _Side, at: int) -> bool:
    mark = side.marks[at]
    return bool(mark & Mark.CAPITAL) and not mark & (Mark.POSSESSIVE | Mark.DETERMINED)


def _plural_pair(first: _Side, second: _Side, block: _Block) -> bool:
    left, right = first.keys[block.a], second.keys[block.c]
    one = singular(left)
    return (
        one == singular(right)
        and one in {left, right}
        and one not in FALSE_FRIENDS
        and _plural(second, block.c)
    )


def _plural(side: _Side, at: int) -> bool:
    """Whether the noun here is bare, so that its number states nothing.

    Bare: small letters, after a small word, before the end or a function word, with no article,
    number or possessive before it.
    """
    key, mark = side.keys[at], side.marks[at]
    if at < 2 or mark or len(key) < 3 or not key.isalpha() or key in words.FUNCTION_WORDS:
        return False
    before = side.keys[at - 1]
    if side.marks[at - 1] or not before.isalpha() or before in words.FUNCTION_WORDS | OPERATORS:
        return False
    after = side.keys[at + 1] if at + 1 < len(side.keys) else STOP
    if after not in words.PREPOSITIONS | words.CONJUNCTIONS | {STOP, COMMA}:
        return False
    counted = Mark.DETERMINED | Mark.VALUE | Mark.POSSESSIVE
    return not any(
        (side.marks[place] & counted and place > 0) or side.keys[place] in words.DETERMINERS
        for place in range(max(0, at - 3), at - 1)
    )


def _compound(first: _Side, second: _Side, block: _Block) -> bool:
    """Whether the differing tokens are two spellings of one compound: "sea shell", "seashell"."""
    left, right = first.keys[block.a : block.b], second.keys[block.c : block.d]
    if sorted((len(left), len(right))) != [1, 2] or "".join(left) != "".join(right):
        return False
    marks = first.marks[block.a : block.b] + second.marks[block.c : block.d]
    if any(mark & ~(Mark.CAPITAL | Mark.DETERMINED) for mark in marks):
        return False
    parts = left if len(left) == 2 else right
    return all(
        len(part) > 2 and part.isalpha() and part not in _NO_PARTS and not part.endswith("ly")
        for part in parts
    )


# An adjective, particle or prefix in front may be meant word by word: "a green house", "a part".
_NO_PARTS: Final = (
    words.FUNCTION_WORDS
    | OPERATORS
    | NEGATIONS
    | words.listed("""
    anti pre non pro sub super semi multi micro macro mini mega over under out inter intra trans
    ultra counter extra hyper mis dis fore self black white green red blue brown grey gray yellow
    gold silver hot cold warm cool dark light bright high low big small short long tall deep wide
    broad narrow hard soft free sweet sour wild tame grand great good bad best fine fair full
    empty dry wet flat round sharp blunt strong weak loose tight thick thin heavy easy rough
    smooth clean dirty fresh raw ripe sick mad poor rich nice safe dead live open close closed
    shut quick fast slow early late near far left right real true same double single triple main
    common public private human man some any every body thing where time day way ward wards
    """)
)


def _difference(old: _Side, new: _Side) -> Verdict:
    if Counter(old.keys) == Counter(new.keys):
        return Verdict(Relation.CONFLICTS, "order")
    blocks = _blocks(old, new)
    gone = [at for block in blocks for at in range(block.a, block.b)]
    come = [at for block in blocks for at in range(block.c, block.d)]
    kept = len(old.keys) - len(gone)
    if kept * 2 < min(len(old.keys), len(new.keys)):
        return Verdict(Relation.DIFFERS, "unrelated")
    if _operates(old, gone) or _operates(new, come):
        return Verdict(Relation.CONFLICTS, "operator")
    if not gone:
        return _addition(old, new, blocks)
    if not come:
        return Verdict(Relation.DIFFERS, "says less")
    return _replacement(old, new, blocks)


def _operates(side: _Side, places: list[int]) -> bool:
    if any(side.keys[at] in OPERATORS for at in places):
        return True
    script = "".join(side.keys[at] for at in places if side.marks[at] & Mark.SCRIPT)
    return bool(script) and any(operator in script for operator in SCRIPT_OPERATORS)


def _addition(old: _Side, new: _Side, blocks: list[_Block]) -> Verdict:
    if any(new.marks[at] & Mark.SCRIPT for block in blocks for at in range(block.c, block.d)):
        return Verdict(Relation.DIFFERS, "says more in a script without spaces")
    if all(_adds(old, new, block) for block in blocks):
        return Verdict(Relation.ADDS, "pure addition")
    return Verdict(Relation.DIFFERS, "says more inside")


def _adds(old: _Side, new: _Side, block: _Block) -> bool:
    """Whether an insertion leaves what stands around it as it was."""
    if all(mark & Mark.PUNCTUATION for mark in new.marks[block.c : block.d]):
        return False
    before, first, last = block.a - 1, new.keys[block.c], new.keys[block.d - 1]
    if (
        before >= 0
        and new.marks[block.c - 1] & Mark.POSSESSIVE > old.marks[before] & Mark.POSSESSIVE
    ):
        return False
    connected = first in words.CONNECTORS or first in {COMMA, STOP, COLON, "(", "\u2013"}
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


def _replacement(old: _Side, new: _Side, blocks: list[_Block]) -> Verdict:
    slots = [block for block in blocks if block.a < block.b and block.c < block.d]
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


def _marked(side: _Side, start: int, end: int, mark: int) -> bool:
    return any(side.marks[at] & mark for at in range(start, end))
