"""Which proposals a space has, and which one is meant."""

import re
from collections.abc import Sequence
from datetime import timedelta

from .. import identifier
from ..errors import Invalid, NotFound
from ..ports import Desk
from .events import Made
from .state import State, evolve

_NUMBER = re.compile(r"#?([0-9]{1,7})")


def named(desk: Desk, name: str) -> State:
    """The proposal of a number (``7`` or ``#7``), of an id, or of the end of one.

    Raises:
        NotFound: The space has none of that name.
        Invalid: ``id_invalid``, or ``id_ambiguous`` where several ids end so.
    """
    made = desk.begun(Made.NAME)
    number = _NUMBER.fullmatch(name.strip())
    if number:
        found = made[int(number[1]) - 1 : int(number[1])] if int(number[1]) else []
    else:
        found = identifier.ending(made, identifier.digits(name, "proposal_id"))
    if not found:
        raise NotFound(f"There is no proposal {name!r} in this space.", field="proposal_id")
    if len(found) > 1:
        raise Invalid(
            f"{len(found)} proposals end in {name!r}: give its number.",
            code="id_ambiguous",
            field="proposal_id",
        )
    return desk.states(found, evolve)[found[0]]


def open_now(desk: Desk) -> list[State]:
    """The proposals of the space that can still be decided on, oldest first."""
    since = desk.now - timedelta(days=desk.rules.gate.life_days)
    ids = desk.begun(Made.NAME, since=since)
    found = desk.states(ids, evolve)
    return [found[id_] for id_ in ids if found[id_].is_open(desk.now)]


def rivals(desk: Desk, states: Sequence[State]) -> dict[str, State]:
    """The proposals that contradict some, by id."""
    return desk.states(
        list(dict.fromkeys(id_ for state in states for id_ in state.contradicts)), evolve
    )
