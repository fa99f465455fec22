"""The memories of one space as columns: what filters and ranks, a row a memory.

Rows are numbered from 0 in the order of the memories' first events. Content is not here: it stays
in the log and is read for the few memories that are answered with.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ValidationError

from muniment.domain import category as categories
from muniment.domain import subject_time
from muniment.domain.importance import Decay
from muniment.domain.memory import events
from muniment.domain.memory.events import Store
from muniment.domain.memory.state import Condition, beginning
from muniment.domain.recorded import Recorded

from .columns import Column
from .parts import Part, Parts, Unfit, ids, packed_ids, used, value

CONDITIONS: tuple[Condition, ...] = ("live", "archived", "superseded", "quarantined", "purged")
_LIVE = CONDITIONS.index("live")
STORES: tuple[Store, ...] = ("semantic", "episodic", "procedural")

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
_DAY_US = 86_400_000_000

Rows = NDArray[np.int32]


def microseconds(moment: datetime) -> int:
    """Microseconds since 1970, UTC."""
    return (moment - _EPOCH) // _MICROSECOND


class _Named(BaseModel):
    """The parts of a catalog that are words."""

    categories: list[str | None]
    tag_sets: list[tuple[str, ...]]
    subject: list[tuple[int, dict[str, str]]]


class Catalog:
    """Folds the events of one space into columns; ``position`` is that of the newest it has seen.

    Columns of moments are in microseconds since 1970.
    """

    NAME: ClassVar[str] = "catalog"
    VERSION: ClassVar[int] = 1
    """Rises when what is put away would be misread, or when the same events come to mean other."""

    def __init__(self) -> None:
        self.position = 0
        self.ids: list[str] = []
        self.rows: dict[str, int] = {}
        self._condition = Column(np.uint8)
        self._store = Column(np.uint8)
        self._trust = Column(np.uint8)
        self._pinned = Column(np.uint8)
        self._created = Column(np.int64)
        self._last_seen = Column(np.int64)
        self._scored = Column(np.int64)
        self._base = Column(np.float64)
        self._archived_base = Column(np.float64)
        self._category = Column(np.int32)
        self._tags = Column(np.int32)
        self._categories: list[str | None] = []
        self._category_numbers: dict[str | None, int] = {}
        self._tag_sets: list[tuple[str, ...]] = []
        self._tag_set_numbers: dict[tuple[str, ...], int] = {}
        self._subject: dict[int, dict[str, str]] = {}
        self._live: Counter[int] | None = None  # by category; None: nobody has asked yet

    def __len__(self) -> int:
        return len(self.ids)

    # folding

    def apply(self, recorded: Recorded) -> None:
        """Takes in one event; one that it has seen changes nothing."""
        if recorded.position <= self.position:
            return
        self.position = recorded.position
        event: events.Event | None = recorded.event
        at = microseconds(recorded.recorded_at)
        row = self.rows.get(recorded.stream)
        if row is None:
            begun = beginning(recorded)
            if begun is not None:
                self._begin(recorded.stream, *begun, at)
                self._count(self.rows[recorded.stream], 1)
        elif event is not None:
            self._count(row, -1)
            self._change(row, event, at)
            self._count(row, 1)

    def _begin(self, stream: str, event: events.Beginning, condition: Condition, at: int) -> None:
        row = self.rows[stream] = len(self.ids)
        self.ids.append(stream)
        imported = event if isinstance(event, events.Imported) else None
        dated = None if isinstance(event, events.Saved) else event
        self._condition.append(CONDITIONS.index(condition))
        self._store.append(STORES.index(event.store))
        self._trust.append(event.trust)
        self._pinned.append(imported.pinned if imported else False)
        self._created.append(microseconds(dated.created_at) if dated else at)
        self._last_seen.append(microseconds(dated.last_seen_at) if dated else at)
        self._scored.append(microseconds(imported.scored_at) if imported else at)
        self._base.append(event.importance)
        worth = imported.archive_importance if imported else None
        self._archived_base.append(np.nan if worth is None else worth)
        has_words = condition != "purged"
        self._category.append(self._category_number(event.category if has_words else None))
        self._tags.append(self._tag_set_number(event.tags if has_words else ()))
        self._describe(row, event.metadata if has_words else {})

    def _change(self, row: int, event: events.Event, at: int) -> None:  # noqa: PLR0912, PLR0915
        match event:
            case events.Reinforced():
                if event.lifts_trust:
                    self._trust.set(row, event.trust)
                if event.counted:
                    self._observe(row, event, at)
            case events.Extended():
                if event.counted:
                    self._observe(row, event, at)
                else:
                    self._gather(row, event)
            case events.Revised():
                if event.trust is not None:
                    self._trust.set(row, event.trust)
            case events.Recategorized():
                self._category.set(row, self._category_number(event.category))
            case events.Retagged():
                self._tags.set(row, self._tag_set_number(event.tags))
            case events.Rescored():
                self._base.set(row, event.importance)
                self._scored.set(row, at)
            case events.Described():
                self._describe(row, event.metadata)
            case events.Pinned():
                self._pinned.set(row, 1)
            case events.Unpinned():
                self._pinned.set(row, 0)
            case events.Folded():
                self._gather(row, event)
                self._base.set(row, event.importance)
                self._scored.set(row, at)
                self._trust.set(row, event.trust)
                self._created.set(row, microseconds(event.created_at))
                self._last_seen.set(row, microseconds(event.last_seen_at))
            case events.Archived():
                self._condition.set(row, CONDITIONS.index("archived"))
                self._archived_base.set(row, event.importance)
            case events.Superseded():
                self._condition.set(row, CONDITIONS.index("superseded"))
                self._archived_base.set(row, event.importance)
            case events.Restored():
                self._condition.set(row, CONDITIONS.index("live"))
                self._archived_base.set(row, np.nan)
            case events.Quarantined():
                self._condition.set(row, CONDITIONS.index("quarantined"))
            case events.Released():
                self._condition.set(row, CONDITIONS.index("live"))
            case events.PurgeRequested():
                self._condition.set(row, CONDITIONS.index("purged"))
                self._category.set(row, self._category_number(None))
                self._tags.set(row, self._tag_set_number(()))
                self._describe(row, {})
            case _:
                pass  # its text, use or reading moves none of these columns

    def _observe(self, row: int, event: events.Reinforced | events.Extended, at: int) -> None:
        self._base.set(row, event.importance)
        self._scored.set(row, at)
        self._last_seen.set(row, max(self._last_seen.get(row), at))
        self._gather(row, event)

    def _gather(self, row: int, event: events.Reinforced | events.Extended | events.Folded) -> None:
        if event.tags_added:
            tags = (*self._tag_sets[self._tags.get(row)], *event.tags_added)
            self._tags.set(row, self._tag_set_number(tags))
        if event.metadata_added:
            self._describe(row, {**self._subject.get(row, {}), **event.metadata_added})

    def _describe(self, row: int, metadata: Mapping[str, str]) -> None:
        kept = {key: metadata[key] for key in subject_time.KEYS if key in metadata}
        if kept:
            self._subject[row] = kept
        else:
            self._subject.pop(row, None)

    def _count(self, row: int, step: int) -> None:
        """Counts a memory among those of its category, or out of them, if it is live."""
        if self._live is not None and self._condition.get(row) == _LIVE:
            self._live[self._category.get(row)] += step

    def _category_number(self, category: str | None) -> int:
        number = self._category_numbers.get(category)
        if number is None:
            number = self._category_numbers[category] = len(self._categories)
            self._categories.append(category)
        return number

    def _tag_set_number(self, tags: Iterable[str]) -> int:
        folded = tuple(sorted({tag.casefold() for tag in tags}))
        number = self._tag_set_numbers.get(folded)
        if number is None:
            number = self._tag_set_numbers[folded] = len(self._tag_sets)
            self._tag_sets.append(folded)
        return number

    # asking; every answer has an entry a row

    def every_row(self) -> Rows:
        """All rows, in order."""
        return np.arange(len(self.ids), dtype=np.int32)

    def those_in(self, ids: Iterable[str], *conditions: Condition) -> frozenset[str]:
        """Which of some ids are memories in one of the conditions."""
        rows = np.array([self.rows[id_] for id_ in ids if id_ in self.rows], dtype=np.int32)
        found: list[int] = rows[self.in_condition(rows, *conditions)].tolist()
        return frozenset(self.ids[row] for row in found)

    def in_condition(self, rows: Rows, *conditions: Condition) -> NDArray[np.bool_]:
        """Which of ``rows`` are in one of the conditions."""
        is_wanted = np.array([condition in conditions for condition in CONDITIONS])
        return is_wanted[self._condition.view[rows]]

    def within(self, rows: Rows, category: str) -> NDArray[np.bool_]:
        """Which of ``rows`` are filed at or under a category."""
        wanted = [
            number
            for number, known in enumerate(self._categories)
            if categories.within(known, category)
        ]
        return np.isin(self._category.view[rows], wanted)

    def tagged(self, rows: Rows, tags: Iterable[str]) -> NDArray[np.bool_]:
        """Which of ``rows`` have all of the tags, without regard to case."""
        asked = {tag.casefold() for tag in tags}
        wanted = [number for number, known in enumerate(self._tag_sets) if asked.issubset(known)]
        return np.isin(self._tags.view[rows], wanted)

    def in_store(self, rows: Rows, store: Store) -> NDArray[np.bool_]:
        """Which of ``rows`` are in a store."""
        kept: NDArray[np.bool_] = self._store.view[rows] == STORES.index(store)
        return kept

    def trusted(self, rows: Rows, at_least: int) -> NDArray[np.bool_]:
        """Which of ``rows`` are trusted at least so far."""
        trusted: NDArray[np.bool_] = self._trust.view[rows] >= at_least
        return trusted

    def created(
        self, rows: Rows, after: datetime | None, before: datetime | None
    ) -> NDArray[np.bool_]:
        """Which of ``rows`` were first seen between two moments, both included."""
        created = self._created.view[rows]
        kept = np.ones(len(rows), np.bool_)
        if after is not None:
            kept &= created >= microseconds(after)
        if before is not None:
            kept &= created <= microseconds(before)
        return kept

    def about(self, rows: Rows, start: datetime | None, end: datetime | None) -> NDArray[np.bool_]:
        """Which of ``rows`` say when their subject happened, and may have within two moments."""
        matching = [
            row
            for row, metadata in self._subject.items()
            if (span := subject_time.span(metadata)) is not None
            and (start is None or span.end >= start)
            and (end is None or span.start <= end)
        ]
        return np.isin(rows, matching)

    def importance(self, rows: Rows, now: datetime, decay: Decay) -> NDArray[np.float64]:
        """Importance of ``rows`` at ``now``: ``decisions.importance_now``, column by column."""
        base = self._base.view[rows]
        archived = self._archived_base.view[rows]
        if decay.half_life_days <= 0:
            faded = base
        else:
            grace = round(decay.grace_days * _DAY_US)
            anchor = np.maximum(self._last_seen.view[rows] + grace, self._scored.view[rows])
            days = np.maximum(0, microseconds(now) - anchor) / _DAY_US
            faded = np.maximum(decay.floor, base * 0.5 ** (days / decay.half_life_days))
            still = (base <= decay.floor) | (self._pinned.view[rows] == 1)
            faded = np.where(still, base, faded)
        return np.where(np.isnan(archived), faded, archived)

    def last_seen(self, rows: Rows) -> NDArray[np.int64]:
        """When ``rows`` were last said."""
        return self._last_seen.view[rows]

    def taxonomy(self) -> dict[str, int]:
        """How many live memories each category holds, by name; no category counts as general."""
        if self._live is None:
            live = self._category.view[self._condition.view == _LIVE]
            counts: list[int] = np.bincount(live).tolist()
            self._live = Counter(dict(enumerate(counts)))
        found: dict[str, int] = {}
        for number, count in self._live.items():
            if count:
                name = self._categories[number] or categories.GENERAL
                found[name] = found.get(name, 0) + count
        return dict(sorted(found.items()))

    def conditions(self) -> dict[str, Condition]:
        """The condition of every memory by its id."""
        numbers: list[int] = self._condition.view.tolist()
        return {id_: CONDITIONS[number] for id_, number in zip(self.ids, numbers, strict=True)}

    def counts(self) -> dict[Condition, int]:
        """How many memories are in each condition."""
        counted = np.bincount(self._condition.view, minlength=len(CONDITIONS)).tolist()
        return dict(zip(CONDITIONS, counted, strict=True))

    # comparing and putting away

    def digest(self) -> bytes:
        """Equal for two catalogs exactly if they hold the same."""
        numbers: list[int] = self._category.view.tolist()
        filed = [self._categories[number] for number in numbers]
        numbers = self._tags.view.tolist()
        tagged = [self._tag_sets[number] for number in numbers]
        held = sha256(repr((self.ids, filed, tagged, sorted(self._subject.items()))).encode())
        for column in self._plain_columns().values():
            held.update(column.view.tobytes())
        return held.digest()

    def anew(self) -> "Catalog":
        """An empty one that is made alike."""
        return Catalog()

    def dump(self) -> dict[str, Part]:
        """All that it holds, and no category or tag that no memory has any more."""
        categories_, filed = used(self._category.view, self._categories)
        tag_sets, tagged = used(self._tags.view, self._tag_sets)
        parts: dict[str, Part] = {
            "position": self.position,
            "ids": packed_ids(self.ids),
            "category": filed,
            "tags": tagged,
            "categories": list(categories_),
            "tag_sets": [list(tags) for tags in tag_sets],
            "subject": [[row, dict(kept)] for row, kept in self._subject.items()],
        }
        for name, column in self._plain_columns().items():
            parts[name] = column.view.copy()
        return parts

    @classmethod
    def load(cls, parts: Parts) -> "Catalog":
        """The catalog that was put away as ``parts``.

        Raises:
            Unfit: They are not those of a catalog.
        """
        catalog = cls()
        catalog.position = value(parts, "position", int)
        catalog.ids = ids(parts, "ids")
        catalog.rows = dict(zip(catalog.ids, range(len(catalog.ids)), strict=True))
        for name, column in catalog._plain_columns().items():
            column.take(parts, name)
        catalog._category.take(parts, "category")
        catalog._tags.take(parts, "tags")
        try:
            named = _Named.model_validate(parts)
        except ValidationError as error:
            raise Unfit("categories, tag_sets, subject") from error
        catalog._name(named.categories, named.tag_sets)
        catalog._subject = dict(named.subject)
        return catalog

    def fill(
        self,
        columns: Mapping[str, NDArray[Any]],
        categories_: list[str | None],
        tag_sets: list[tuple[str, ...]],
        subject: dict[int, dict[str, str]],
    ) -> None:
        """Other rows in place of all; who gives the names goes on to share them."""
        for name, column in self._columns().items():
            column.replace(columns[name])
        self._live = None
        self._categories, self._tag_sets, self._subject = categories_, tag_sets, subject

    def _name(self, categories_: list[str | None], tag_sets: list[tuple[str, ...]]) -> None:
        """Says what the numbers of categories and tag sets stand for."""
        self._categories, self._tag_sets = categories_, tag_sets
        self._category_numbers = {name: number for number, name in enumerate(categories_)}
        self._tag_set_numbers = {tags: number for number, tags in enumerate(tag_sets)}

    def _columns(self) -> dict[str, Column[Any]]:
        """Every column that has an entry a row."""
        return {**self._plain_columns(), "category": self._category, "tags": self._tags}

    def _plain_columns(
        self,
    ) -> dict[str, Column[np.uint8] | Column[np.int64] | Column[np.float64]]:
        """The columns whose values mean the same in every catalog."""
        return {
            "condition": self._condition,
            "store": self._store,
            "trust": self._trust,
            "pinned": self._pinned,
            "created": self._created,
            "last_seen": self._last_seen,
            "scored": self._scored,
            "base": self._base,
            "archived_base": self._archived_base,
        }
