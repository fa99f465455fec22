"""What one turn of a session is told from memory (rules as in RockBot), and how much of it fits."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final, NamedTuple, TypeVar

T = TypeVar("T")

RECALLED: Final = 8
"""Memories that a turn is told at most."""

OPENING: Final = 5
"""Memories that a session begins with where its first message finds none."""

SHORT: Final = 30
"""Characters up to which a message asks for no recall, unless it is a session's first."""

ASKS_FIRST: Final = "requires_user_permission"
"""The metadata of a memory that may be acted on only once the user has said so."""

_PER_TOKEN: Final = 4
_TURNS_A_CONTEXT: Final = 2


class Version(NamedTuple):
    """What a session was shown of a memory: a version of its text, and whether to ask first."""

    text: int
    asks_first: bool


def wants_recall(message: str, *, is_first: bool) -> bool:
    """Whether a message is looked up: every first one of a session, of the others the longer."""
    return is_first or len(message.strip()) > SHORT


def is_out_of_sight(turns_since: int, window: int) -> bool:
    """Whether what was shown so many turns ago has left the replayed turns with its own turn."""
    return turns_since > window


def begins_anew(contexts: int, turns: int, window: int) -> bool:
    """Whether a session that was given so many contexts has them out of its sight.

    Where its host appends no turns, the contexts tell how far it has come: each goes with two, a
    question and its answer. ``turns`` are those that are replayed.
    """
    return not turns and is_out_of_sight(_TURNS_A_CONTEXT * contexts, window)


def unseen(
    found: Iterable[tuple[T, str, Version]], shown: Mapping[str, Version], limit: int
) -> list[T]:
    """The first ``limit`` of what was found (with id and version) that was not shown like that."""
    fresh = (one for one, id_, version in found if shown.get(id_) != version)
    return [one for _, one in zip(range(limit), fresh, strict=False)]


def tokens(text: str) -> int:
    """About how many tokens a model reads: one a 4 characters of ASCII, one for any other.

    It errs on the high side, except for long runs of digits and signs.
    """
    plain = len(text.encode("ascii", "ignore"))
    return -(-plain // _PER_TOKEN) + len(text) - plain


def fitting(texts: Sequence[str], budget: int) -> tuple[int, int]:
    """How many of the first texts fit whole, a line each, and how many tokens they take."""
    taken = 0
    for number, text in enumerate(texts):
        needed = tokens(text + "\n")
        if taken + needed > budget:
            return number, taken
        taken += needed
    return len(texts), taken
