"""The closed list of differences that leave two texts the same."""

from collections import Counter
from typing import Final, NamedTuple

from rapidfuzz.distance import Indel

from . import words
from .operators import NEGATIONS, OPERATORS, UNSCOPED
from .plurals import FALSE_FRIENDS, singular
from .scripts import polite_pair
from .tokens import COLON, COMMA, QUESTION, STOP, Mark


class Side(NamedTuple):
    """One text of two: the keys of its tokens, and a byte of marks for each."""

    keys: list[str]
    marks: bytes


class Block(NamedTuple):
    """A stretch in which two texts differ: ``first[a:b]`` stands where ``second[c:d]`` stands."""

    a: int
    b: int
    c: int
    d: int


_LONGEST_ADJUNCT: Final = 5
# Shorter parts make words by chance: "car pet", "leg end", "kid nap".
_SHORTEST_PART: Final = 4
_UNMOVING: Final = (
    (OPERATORS - UNSCOPED)
    | words.CLAUSE_MAKERS
    | words.MOVING_ADVERBS
    | frozenset((STOP, COMMA, COLON, QUESTION))
)
_UNMOVED: Final = _UNMOVING | words.PREPOSITIONS
_NOT_NOUNS: Final = words.FUNCTION_WORDS | OPERATORS
_AFTER_NOUN: Final = words.PREPOSITIONS | words.CONJUNCTIONS | frozenset((STOP, COMMA))


def blocks_of(first: Side, second: Side) -> list[Block]:
    """The stretches in which two texts differ, in order, longest common subsequence aside."""
    blocks: list[Block] = []
    for op in Indel.opcodes(first.keys, second.keys):
        if op.tag == "equal":
            continue
        if blocks and (blocks[-1].b, blocks[-1].d) == (op.src_start, op.dest_start):
            blocks[-1] = blocks[-1]._replace(b=op.src_end, d=op.dest_end)
        else:
            blocks.append(Block(op.src_start, op.src_end, op.dest_start, op.dest_end))
    return blocks


def proof(first: Side, second: Side) -> str:
    """The rule by which two different token lists say the same, or an empty text.

    It reads one alignment of the two, so the caller fixes which of them comes first.
    """
    if len(first.keys) == len(second.keys) and Counter(first.keys) == Counter(second.keys):
        return _reordered(first, second) or _reordered(second, first)
    blocks = blocks_of(first, second)
    if len(blocks) != 1:
        return ""
    (block,) = blocks
    left, right = first.keys[block.a : block.b], second.keys[block.c : block.d]
    at_end = block.b == len(first.keys) and block.d == len(second.keys)
    if sorted((left, right)) == sorted(([COLON], ["is"])):
        return "colon" if first.keys.count(COLON) + second.keys.count(COLON) == 1 else ""
    if polite_pair("".join(left), "".join(right), first.keys[block.a - 1 : block.a], at_end):
        return "polite ending"
    if len(left) == len(right) == 1:
        return "plural" if _plural(first, block.a) and _plural_pair(first, second, block) else ""
    return "compound" if _compound(first, second, block) else ""


def _reordered(first: Side, second: Side) -> str:
    return _moved(first, second) or _names_swapped(first, second)


def _moved(first: Side, second: Side) -> str:
    """Whether a whole adjunct moved between the ends: "On Mondays it is closed"."""
    for front, back in ((first, second), (second, first)):
        keys = front.keys
        if keys[0] not in words.OPENINGS:
            continue
        for size in range(1, min(_LONGEST_ADJUNCT, len(keys) - 2) + 1):
            rest = keys[size:]
            if back.keys == rest + keys[:size]:
                return "moved adjunct" if _may_move(front, size) else ""
    return ""


def _may_move(front: Side, size: int) -> bool:
    adjunct, rest = front.keys[:size], front.keys[size:]
    if (size == 1) != (adjunct[0] in words.MOVING_ADVERBS):
        return False
    if not _UNMOVED.isdisjoint(adjunct[1:]):
        return False
    if not _UNMOVING.isdisjoint(rest) or any(_may_be_verbal(key) for key in rest):
        return False
    times = [_is_time(key, front.marks[at]) for at, key in enumerate(adjunct)]
    if adjunct[0] in words.TIMED_OPENINGS:
        return all(times[1:])
    return any(times) or words.PREPOSITIONS.isdisjoint(rest)


def _may_be_verbal(key: str) -> bool:
    # "Ann mentioned leaving on Monday": the adjunct could belong to the gerund.
    return key.endswith("ing") and len(key) > 5


def _is_time(key: str, mark: int) -> bool:
    return (
        bool(mark & Mark.VALUE)
        or key.removesuffix("s") in words.CALENDAR
        or key in words.MOVING_ADVERBS
    )


def _names_swapped(first: Side, second: Side) -> str:
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
    # The first word has a capital whether or not it is a name: "Ask Ann and Bob".
    starts = (0, 1) if start == 0 and end == len(keys) else (start,)
    return "swapped names" if any(_swapped(first, second, s, at, end) for s in starts) else ""


def _swapped(first: Side, second: Side, start: int, at: int, end: int) -> bool:
    keys = first.keys
    if start >= at or end == at + 1 or (start > 0 and end < len(keys)):
        return False
    swapped = keys[:start] + keys[at + 1 : end] + ["and"] + keys[start:at] + keys[end:]
    return swapped == second.keys and all(
        _is_name(second, place) for place in range(start, end) if second.keys[place] != "and"
    )


def _is_name(side: Side, at: int) -> bool:
    mark = side.marks[at]
    return bool(mark & Mark.CAPITAL) and not mark & (Mark.POSSESSIVE | Mark.DETERMINED)


def _plural_pair(first: Side, second: Side, block: Block) -> bool:
    left, right = first.keys[block.a], second.keys[block.c]
    one = singular(left)
    return (
        one == singular(right)
        and one in {left, right}
        and one not in FALSE_FRIENDS
        and _plural(second, block.c)
    )


def _plural(side: Side, at: int) -> bool:
    """Whether the noun here is bare, so that its number states nothing.

    Bare: small letters, after a small word, before the end or a function word, with no article,
    number or possessive before it.
    """
    key, mark = side.keys[at], side.marks[at]
    if at < 2 or mark or len(key) < 3 or not key.isalpha() or key in words.FUNCTION_WORDS:
        return False
    before = side.keys[at - 1]
    if side.marks[at - 1] or not before.isalpha() or before in _NOT_NOUNS:
        return False
    after = side.keys[at + 1] if at + 1 < len(side.keys) else STOP
    if after not in _AFTER_NOUN:
        return False
    counted = Mark.DETERMINED | Mark.VALUE | Mark.POSSESSIVE
    return not any(
        (side.marks[place] & counted and place > 0) or side.keys[place] in words.DETERMINERS
        for place in range(max(0, at - 3), at - 1)
    )


def _compound(first: Side, second: Side, block: Block) -> bool:
    """Whether the differing tokens are two spellings of one compound: "sea shell", "seashell"."""
    left, right = first.keys[block.a : block.b], second.keys[block.c : block.d]
    if sorted((len(left), len(right))) != [1, 2] or "".join(left) != "".join(right):
        return False
    # A capital inside a sentence makes a name, and a name has one spelling.
    opens = block.a == block.c == 0
    allowed = Mark.DETERMINED | (Mark.CAPITAL if opens else 0)
    marks = first.marks[block.a : block.b] + second.marks[block.c : block.d]
    if any(mark & ~allowed for mark in marks):
        return False
    parts, capital = (left, first.marks) if len(left) == 2 else (right, second.marks)
    if opens and capital[1] & Mark.CAPITAL:
        return False
    return all(
        len(part) >= _SHORTEST_PART
        and part.isalpha()
        and part not in _NO_PARTS
        and not part.endswith("ly")
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
