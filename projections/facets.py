"""The memories of one space as columns, at any position: a facet a change of what they are.

The rules of what an event changes are the catalog's own: a facet is the memory's row in it after
the event. What the catalog was at a position is gathered from the facets that stood then.
"""

from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import Any, ClassVar, TypeAlias

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ValidationError

from muniment.domain.memory import events
from muniment.domain.memory.state import Condition

from .catalog import CONDITIONS, Catalog
from .columns import Column
from .parts import Part, Parts, Unfit, ids, packed_ids, used, value
from .periods import NONE, Periods

_Subject: TypeAlias = tuple[tuple[str, str], ...]

_NAMED = ("category", "tags", "subject")
"""The columns that hold numbers of names; all of them are somebody's words."""


class _Names(BaseModel):
    """The parts that are words."""

    categories: list[str | None]
    tag_sets: list[tuple[str, ...]]
    subjects: list[tuple[tuple[str, str], ...]]


class Facets(Catalog):
    """The catalog of one space, and what it was at every position before.

    About 70 bytes a facet, besides what the catalog takes.
    """

    NAME: ClassVar[str] = "facets"
    VERSION: ClassVar[int] = 1

    def __init__(self) -> None:
        super().__init__()
        self._periods = Periods()
        self._subjects: list[_Subject] = [()]
        self._subject_numbers: dict[_Subject, int] = {(): 0}
        self._history: dict[str, Column[Any]] = {
            name: Column(column.view.dtype.type) for name, column in self._columns().items()
        }
        self._history["subject"] = Column(np.int32)

    def at(self, position: int, *, still_doubted: bool = False) -> Catalog:
        """The catalog as it was once the event at ``position`` had been applied.

        Of a memory whose words were removed since, category, tags and subject times are gone here
        too. ``still_doubted``: what is quarantined now is so there as well. ``rows`` of the answer
        numbers later memories besides.
        """
        memories = 1 + int(self._periods.rows.view[: self._periods.begun(position)].max(initial=-1))
        then = Catalog()
        then.position = position
        then.ids, then.rows = self.ids[:memories], self.rows
        columns = self._standing(position, memories)
        if still_doubted:
            quarantined = CONDITIONS.index("quarantined")
            now = self._condition.view[:memories] == quarantined
            columns["condition"][now] = quarantined
        then.fill(columns, self._categories, self._tag_sets, self._told(columns))
        return then

    def _standing(self, position: int, memories: int) -> dict[str, NDArray[Any]]:
        """Every column as it was at a position, with an entry a row."""
        standing = self._periods.at(position, memories)
        return {name: column.view[standing] for name, column in self._history.items()}

    def _told(self, columns: Mapping[str, NDArray[Any]]) -> dict[int, dict[str, str]]:
        """The subject times of each row that has any."""
        numbers = columns["subject"]
        return {
            row: dict(self._subjects[int(numbers[row])]) for row in np.flatnonzero(numbers).tolist()
        }

    # folding

    def _begin(self, stream: str, event: events.Beginning, condition: Condition, at: int) -> None:
        super()._begin(stream, event, condition, at)
        self._note(self.rows[stream])

    def _change(self, row: int, event: events.Event, at: int) -> None:
        super()._change(row, event, at)
        if isinstance(event, events.PurgeRequested):
            for number in self._periods.of(row):
                self._history["category"].set(number, self._category.get(row))
                self._history["tags"].set(number, self._tags.get(row))
                self._history["subject"].set(number, 0)
        self._note(row)

    def _note(self, row: int) -> None:
        """Adds a facet where the memory is another than by its latest."""
        values = {name: column.view[row] for name, column in self._columns().items()}
        values["subject"] = np.int32(self._subject_number(self._subject.get(row, {})))
        latest = self._periods.latest(row)
        # as bytes, since a number that is none (NaN) is not equal to itself
        if latest == NONE or any(
            self._history[name].view[latest].tobytes() != known.tobytes()
            for name, known in values.items()
        ):
            self._periods.add(row, self.position)
            for name, known in values.items():
                self._history[name].append(known)

    def _subject_number(self, told: Mapping[str, str]) -> int:
        subject = tuple(sorted(told.items()))
        number = self._subject_numbers.get(subject)
        if number is None:
            number = self._subject_numbers[subject] = len(self._subjects)
            self._subjects.append(subject)
        return number

    # comparing and putting away

    def digest(self) -> bytes:
        """Equal for two exactly if they hold the same; a facet that repeats the one before is none.

        A purge leaves such: what had told two apart is gone, and was never there when made anew.
        """
        before = self._periods.before
        telling = before == NONE
        for column in self._history.values():
            bits = column.view.view(f"u{column.view.dtype.itemsize}")
            telling |= bits != bits[before]
        held = sha256(repr(self.ids).encode())
        held.update(self._periods.rows.view[telling].tobytes())
        held.update(self._periods.since.view[telling].tobytes())
        for name, column in self._history.items():
            if name not in _NAMED:
                held.update(column.view[telling].tobytes())
        named: list[Sequence[object]] = [self._categories, self._tag_sets, self._subjects]
        for name, names in zip(_NAMED, named, strict=True):
            numbers: list[int] = self._history[name].view[telling].tolist()
            held.update(repr([names[number] for number in numbers]).encode())
        return held.digest()

    def anew(self) -> "Facets":
        """An empty one that is made alike."""
        return Facets()

    def dump(self) -> dict[str, Part]:
        """All that it holds, and no category, tag or subject time that no facet has any more."""
        parts: dict[str, Part] = {
            "position": self.position,
            "ids": packed_ids(self.ids),
            **self._periods.dump(),
        }
        for name, column in self._history.items():
            parts[name] = column.view.copy()
        categories, parts["category"] = used(self._history["category"].view, self._categories)
        tag_sets, parts["tags"] = used(self._history["tags"].view, self._tag_sets)
        # its number 0 stays that of nothing told
        told = np.append(0, self._history["subject"].view)
        subjects, numbers = used(told, self._subjects)
        parts["subject"] = numbers[1:]
        parts["categories"] = list(categories)
        parts["tag_sets"] = [list(tags) for tags in tag_sets]
        parts["subjects"] = [[list(pair) for pair in subject] for subject in subjects]
        return parts

    @classmethod
    def load(cls, parts: Parts) -> "Facets":
        """The facets that were put away as ``parts``.

        Raises:
            Unfit: They are not those of facets.
        """
        facets = cls()
        facets.position = value(parts, "position", int)
        facets.ids = ids(parts, "ids")
        facets.rows = dict(zip(facets.ids, range(len(facets.ids)), strict=True))
        facets._periods = Periods.load(parts)
        for name, column in facets._history.items():
            column.take(parts, name)
        try:
            names = _Names.model_validate(parts)
        except ValidationError as error:
            raise Unfit("categories, tag_sets, subjects") from error
        columns = facets._standing(facets.position, len(facets.ids))
        facets._name(names.categories, names.tag_sets)
        facets._subjects = names.subjects
        facets._subject_numbers = {told: number for number, told in enumerate(names.subjects)}
        facets.fill(columns, names.categories, names.tag_sets, facets._told(columns))
        return facets
