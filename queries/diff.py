"""What became of the memories between two moments."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, ClassVar, Final, Literal, TypeAlias

from pydantic import Field

from muniment.domain.inputs import Input, When
from muniment.domain.memory.state import State
from muniment.domain.memory.view import Memory, view
from muniment.domain.moments import Point

from .history import HistoryEntry, entries
from .reading import Reading

Kind: TypeAlias = Literal[
    "created",
    "merged",
    "changed",
    "archived",
    "superseded",
    "quarantined",
    "restored",
    "released",
    "purged",
    "touched",
]

_COMPARED: Final = (
    "content",
    "category",
    "tags",
    "metadata",
    "base_importance",
    "trust",
    "pinned",
    "held",
    "reinforcement_count",
    "access_count",
)
_STANDING: Final = ("state", "merged_into", "superseded_by")
"""What kinds of change tell of, and besides them these fields."""


@dataclass(frozen=True, slots=True)
class FieldChange:
    """A field by its name in ``Memory``, as it was at the earlier moment and at the later one."""

    field: str
    old: object
    new: object


@dataclass(frozen=True, slots=True)
class Change:
    """What became of one memory: the difference of two moments, and every event between.

    ``touched`` is the kind of what was changed and changed back, or of what moved nothing that is
    compared, such as a merge that was refused. ``memory`` is as at the later moment. Of a memory
    whose words were removed, whenever that was, there are facts alone.
    """

    id: str
    kinds: tuple[Kind, ...]
    fields: tuple[FieldChange, ...]
    memory: Memory
    events: tuple[HistoryEntry, ...]


@dataclass(frozen=True, slots=True)
class Difference:
    """What became of a space's memories after ``since`` and until ``until``, points of the log.

    ``changes`` are in the order in which the memories were first touched. ``cursor`` asks for the
    next page; None where there is none.
    """

    since: Point
    until: Point
    changes: tuple[Change, ...]
    cursor: int | None

    def of(self, kind: Kind) -> tuple[Change, ...]:
        """The changes of one kind on this page."""
        return tuple(change for change in self.changes if kind in change.kinds)


class Diff(Input):
    """What became of the memories between two moments, whichever of them is named first."""

    VERB: ClassVar[str] = "diff"
    POSITIONAL: ClassVar[tuple[str, ...]] = ("one", "other")

    one: When
    other: When
    limit: Annotated[
        int, Field(ge=1, le=10_000, description="How many memories at most, 1 to 10,000.")
    ] = 1_000
    cursor: Annotated[
        Annotated[int, Field(ge=1, lt=2**63)] | None,
        Field(description="Where the page before ended."),
    ] = None

    def answer(self, reading: Reading) -> Difference:
        """Compares each memory that was touched between, at both points."""
        since, until = sorted((reading.point(self.one), reading.point(self.other)))
        touched = reading.touched(
            after=since.position,
            until=until.position,
            begun_after=self.cursor or since.position,
            limit=self.limit + 1,
        )
        page = touched[: self.limit]
        ids = [id_ for id_, _ in page]
        before = {state.id: state for state in reading.memories(ids, until=since.position)}
        after = {state.id: state for state in reading.memories(ids, until=until.position)}
        return Difference(
            since,
            until,
            tuple(
                _change(reading, before.get(id_), after[id_], since, until)
                for id_ in ids
                if id_ in after
            ),
            cursor=page[-1][1] if len(touched) > self.limit else None,
        )


def _change(
    reading: Reading, before: State | None, after: State, since: Point, until: Point
) -> Change:
    decay = reading.rules.decay
    now = view(after, until.at, decay)
    then = None if before is None else view(before, since.at, decay)
    between = [
        recorded
        for recorded in reading.history(after.id)
        if since.position < recorded.position <= until.position
    ]
    fields = () if then is None else tuple(_differing(then, now))
    return Change(
        after.id,
        tuple(_kinds(then, now, fields)) or ("touched",),
        fields,
        now,
        tuple(entries(between, is_purged=after.is_wordless)),
    )


def _differing(then: Memory, now: Memory) -> Iterator[FieldChange]:
    for field in (*_COMPARED, *_STANDING):
        old, new = getattr(then, field), getattr(now, field)
        if old != new:
            yield FieldChange(field, old, new)


def _kinds(then: Memory | None, now: Memory, fields: tuple[FieldChange, ...]) -> Iterator[Kind]:
    if then is None:
        yield "created"
    if (then is None and now.merged_from) or any(one.field == "merged_into" for one in fields):
        yield "merged"
    if any(one.field in _COMPARED for one in fields):
        yield "changed"
    was = "live" if then is None else then.state
    if was != now.state:
        if now.state != "live":
            yield now.state
        else:
            yield "released" if was == "quarantined" else "restored"
