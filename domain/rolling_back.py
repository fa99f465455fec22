"""What is to be done so that what a selection wrote is out of recall, and nothing else is.

The selection's writes taint the text that they are in, a merge of a tainted text is tainted, and a
text that somebody else rewrote from then on is not. Everything is decided on plain values.
"""

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias, get_args

from .memory.events import Archived, Event, Quarantined, Restored
from .memory.state import State

Action: TypeAlias = Literal[
    "hide", "release", "restore", "withdraw", "archive", "supersede", "leave", "review"
]
"""What a rollback, or its undoing, does with a memory.

``hide``: it is taken out of recall. ``restore``: it is brought back, as what had taken it in is
hidden. ``withdraw``: it was folded into a memory that is not tainted, and no longer counts there.
``leave``: it is tainted and out of recall already. ``review``: nothing is done, but look at it.
Undoing it, ``release`` and ``restore`` bring back what was hidden, ``archive`` and ``supersede``
put away what was brought back, and what moved since is left.
"""

_ORDER: Final[tuple[Action, ...]] = get_args(Action)

_HIDDEN = ("live", "quarantined")
"""What a tainted memory that took others in has to be in: hidden by this, or for the like of it."""

Hiding: TypeAlias = Literal["quarantine", "archive"]
"""How a rollback takes what is live out of recall."""

Part: TypeAlias = Literal["whole", "part", "merge", "repetition", "vouching"]
"""What a write is to the text of its memory.

``whole``: all of it; ``part``: something more; ``merge``: all of it, out of other memories;
``repetition``: nothing; ``vouching``: nothing, but the memory is trusted for it.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """A write to a memory; whether it is the selection's, and for a merge what it was made of."""

    memory: str
    position: int
    version: int
    part: Part
    is_selected: bool
    actor: str
    sources: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """What is done with a memory, and why. ``version`` and ``state`` are what it was decided on.

    ``by`` is what it is superseded by.
    """

    id: str
    action: Action
    why: str
    state: str
    version: int
    pinned: bool
    held: bool
    by: str | None = None


def tainted(writes: Iterable[Written]) -> tuple[dict[str, str], dict[str, str]]:
    """The memories whose text is the selection's or descends from it, each with why.

    The second are those that the selection touched and that are not: what it only repeated, and
    what somebody rewrote since.
    """
    found: dict[str, str] = {}
    touched: dict[str, str] = {}
    for write in sorted(writes, key=lambda write: write.position):
        before = found.get(write.memory)
        why = _taint(write, found)
        if why is not None:
            found.setdefault(write.memory, why)
        elif write.part in ("whole", "merge") and before is not None:
            del found[write.memory]
            touched[write.memory] = f"{before}; rewritten by {write.actor} since"
        elif write.is_selected and before is None:
            touched[write.memory] = f"only said again by {write.actor}: its text is another's"
    return found, {id_: why for id_, why in touched.items() if id_ not in found}


def _taint(write: Written, known: Mapping[str, str]) -> str | None:
    made = {
        "whole": "written",
        "merge": "merged",
        "part": "extended",
        "vouching": "vouched for",
    }
    if write.is_selected and write.part in made:
        return f"{made[write.part]} by {write.actor} at position {write.position:,}"
    sources = [source for source in write.sources if source in known]
    if sources:
        return f"merged at position {write.position:,} from {', '.join(_tails(sources))}"
    return None


def _tails(ids: Sequence[str]) -> list[str]:
    return [id_[-12:] for id_ in ids]


def plan(
    tainted: Mapping[str, str],
    touched: Mapping[str, str],
    states: Mapping[str, State],
    folds: Container[tuple[str, str]],
) -> list[Step]:
    """The steps: what is hidden, brought back, withdrawn, left, to be looked at, each by id.

    Args:
        tainted: Ids of memories that are, with why.
        touched: Ids of memories to be looked at, with why.
        states: Of both, of what they absorbed or superseded, and of what absorbed them.
        folds: Which copy was folded into which memory.
    """
    steps = [
        _of_tainted(states[id_], why, tainted, folds)
        for id_, why in tainted.items()
        if id_ in states
    ]
    taken_in = {
        source: id_ for id_ in tainted if id_ in states for source in states[id_].merged_from
    }
    for id_, state in states.items():
        if id_ not in tainted:
            step = _of_clean(state, touched.get(id_) or _parted(state, taken_in), tainted, states)
            steps += [] if step is None else [step]
    return sorted(steps, key=lambda step: (_ORDER.index(step.action), step.id))


def _of_tainted(
    state: State, why: str, tainted: Mapping[str, str], folds: Container[tuple[str, str]]
) -> Step:
    if state.fault is not None:
        return _step(state, "leave", f"{why}; its words cannot be read")
    if state.condition == "live":
        marks = [mark for mark, is_so in (("pinned", state.pinned), ("held", state.held)) if is_so]
        return _step(state, "hide", "; ".join([why, *marks]))
    into = state.merged_into
    if state.condition == "archived" and into is not None and into not in tainted:
        if (state.id, into) in folds:
            return _step(state, "withdraw", f"{why}; it was folded into {into[-12:]}")
        return _step(state, "leave", f"{why}; {into[-12:]}, which it is in, was rewritten since")
    return _step(state, "leave", f"{why}; it is {state.condition} already")


def _parted(state: State, taken_in: Mapping[str, str]) -> str | None:
    """Why a source of a hidden memory is to be looked at: it was archived by itself since.

    An undone rollback archives what it had brought back, and that names no merge any more.
    """
    into = taken_in.get(state.id)
    if into is None or state.condition != "archived" or state.merged_into is not None:
        return None
    return f"it was taken in by {into[-12:]}, and archived by itself since: restore it if it holds"


def _of_clean(
    state: State, touched: str | None, tainted: Mapping[str, str], states: Mapping[str, State]
) -> Step | None:
    into, by = state.merged_into, state.superseded_by
    is_read = state.fault is None
    if is_read and state.condition == "archived" and into is not None and into in tainted:
        end = _end(state, states)
        is_hidden = end is not None and end.id in tainted and end.condition in _HIDDEN
        said = f"it was taken in by {into[-12:]}"
        if is_hidden:
            return _step(state, "restore", said)
        return _step(state, "review", f"{said}, and is left there")
    if is_read and state.condition == "superseded" and by is not None and by in tainted:
        return _step(state, "restore", f"it was superseded by {by[-12:]}")
    return None if touched is None else _step(state, "review", touched)


def _end(state: State, states: Mapping[str, State]) -> State | None:
    """What a memory is part of today: the last that took it in."""
    seen = {state.id}
    while state.merged_into is not None and state.condition == "archived":
        found = states.get(state.merged_into)
        if found is None or found.id in seen:
            return None
        seen.add(found.id)
        state = found
    return state


@dataclass(frozen=True, slots=True, kw_only=True)
class Done:
    """What a rollback did to a memory: its events; the memory before them, and as it is now."""

    events: tuple[Event, ...]
    version: int
    before: State
    now: State


def plan_undo(done: Iterable[Done]) -> list[Step]:
    """The steps that take a rollback back, in an order in which they can be done.

    Counts that it took out of merges stay out.
    """
    steps = [step for one in done if (step := _undone(one)) is not None]
    return sorted(steps, key=lambda step: (_ORDER.index(step.action), step.id))


def _undone(done: Done) -> Step | None:
    now, kinds = done.now, {type(event) for event in done.events}
    was_hidden, was_restored = kinds & {Quarantined, Archived}, Restored in kinds
    if not was_hidden and not was_restored:
        return None  # it lost a count alone
    if now.version != done.version or now.fault is not None:
        return _step(now, "leave", "it moved since the rollback")
    if was_hidden and was_restored:
        if Archived in kinds:
            return _step(now, "leave", "it is archived, as it was before")
        return _step(now, "archive", "it was archived before")
    if Quarantined in kinds:
        return _step(now, "release", "it was hidden by the rollback")
    if Archived in kinds:
        return _step(now, "restore", "it was hidden by the rollback")
    by = done.before.superseded_by
    if done.before.condition == "superseded" and by is not None:
        return _step(now, "supersede", f"it was superseded by {by[-12:]} before", by)
    into = done.before.merged_into
    said = "it was archived before" if into is None else f"it was a part of {into[-12:]} before"
    return _step(now, "archive", said)


def _step(state: State, action: Action, why: str, by: str | None = None) -> Step:
    return Step(
        id=state.id,
        action=action,
        why=why,
        state=state.condition,
        version=state.version,
        pinned=state.pinned,
        held=state.held,
        by=by,
    )
