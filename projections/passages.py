"""Which text of each memory of one space wants a vector, and the vectors that have come.

The text is what a model reads: content, category and tags. Its versions count from 1 and rise with
each event that changes any of them.

Rows are those of the catalog. Events say which text is current; vectors come later, from a cache or
a model, and one of an older text is not taken.
"""

from collections.abc import Iterable
from hashlib import sha256
from typing import ClassVar

import numpy as np

from muniment.domain.memory.events import (
    Extended,
    Folded,
    PurgeRequested,
    Recategorized,
    Reinforced,
    Retagged,
    Revised,
)
from muniment.domain.memory.state import beginning
from muniment.domain.recorded import Recorded

from .columns import Column
from .parts import Part, Parts, Unfit, ids, packed_ids, value
from .vector_index import Compared, Vector, VectorIndex

_NOTHING = 0
_EVER = 2**63 - 1


class Passages:
    """Folds events into the texts that are wanted; ``position`` is that of the newest event."""

    NAME: ClassVar[str] = "passages"
    VERSION: ClassVar[int] = 3

    def __init__(self) -> None:
        self.position = 0
        self.ids: list[str] = []
        self._rows: dict[str, int] = {}
        self._versions: Column[np.int32] = Column(np.int32)
        self._since: Column[np.int64] = Column(np.int64)
        self._until = _EVER
        self._index: VectorIndex | None = None

    def apply(self, recorded: Recorded) -> None:
        """Takes in one event; one that it has seen changes nothing."""
        if recorded.position <= self.position:
            return
        self.position = recorded.position
        row = self._rows.get(recorded.stream)
        if row is None:
            if beginning(recorded) is not None:
                self._rows[recorded.stream] = len(self.ids)
                self.ids.append(recorded.stream)
                self._versions.append(0)
                self._since.append(0)
                self._want(len(self.ids) - 1, 1)
            return
        match recorded.event:
            case Extended() | Revised() | Recategorized() | Retagged():
                self._want(row, self._versions.get(row) + 1)
            case Reinforced(counted=True, tags_added=added) | Folded(tags_added=added) if added:
                self._want(row, self._versions.get(row) + 1)
            case PurgeRequested():
                self._versions.set(row, _NOTHING)
                if self._index is not None:
                    self._index.drop(row)
            case _:
                pass  # what it says is as it was

    def _want(self, row: int, version: int) -> None:
        self._versions.set(row, version)
        self._since.set(row, self.position)
        if self._index is not None:
            self._index.expect(row, version)

    def take(self, id_: str, text_version: int, vector: Vector) -> bool:
        """Takes in the unit vector of a text; whether that text is still the current one."""
        row = self._rows.get(id_)
        if row is None or self._versions.get(row) != text_version:
            return False
        index = self._index
        if index is None:
            index = self._index = VectorIndex(len(vector))
            for known, version in enumerate(self._versions.view.tolist()):
                if version != _NOTHING:
                    index.expect(known, version)
        return len(vector) == index.dimension and index.upsert(row, text_version, vector)

    def row(self, id_: str) -> int | None:
        """The row of a memory; None where there is none of that id."""
        return self._rows.get(id_)

    def missing(self) -> list[tuple[str, int]]:
        """Ids, with the versions of their texts, that have no vector yet, the oldest first."""
        versions = self._versions.view
        rows: Iterable[int] = (
            np.flatnonzero(versions != _NOTHING).tolist()
            if self._index is None
            else self._index.missing().tolist()
        )
        return [(self.ids[row], int(versions[row])) for row in rows]

    def at(self, position: int) -> "Passages":
        """Those whose text at a position is still the one they have: of others it has no vector.

        It is good until the next event is applied.
        """
        then = Passages()
        vars(then).update({**vars(self), "_until": position})  # the same columns, not copied
        return then

    def compared(self, query: Vector) -> Compared:
        """All vectors beside that of a query; none where they are of another dimension."""
        index = self._index
        if index is None or len(query) != index.dimension:
            index = VectorIndex(len(query))
        compared = index.compared(query)
        if self._until == _EVER:
            return compared
        return compared.among(lambda rows: self._since.view[rows] <= self._until)

    def clusters(self, ids: Iterable[str], at_least: float) -> int | None:
        """How many groups of two or more memories are as alike as that; None without vectors."""
        if self._index is None:
            return None
        rows = [self._rows[id_] for id_ in ids if id_ in self._rows]
        return self._index.clusters(np.array(rows, np.int32), at_least)

    def anew(self) -> "Passages":
        """An empty one."""
        return Passages()

    def dump(self) -> dict[str, Part]:
        """Which texts are wanted; the vectors have a cache of their own."""
        return {
            "position": self.position,
            "ids": packed_ids(self.ids),
            "versions": self._versions.view.copy(),
            "since": self._since.view.copy(),
        }

    @classmethod
    def load(cls, parts: Parts) -> "Passages":
        """What was put away as ``parts``.

        Raises:
            Unfit: They are not those of passages.
        """
        made = cls()
        made.position = value(parts, "position", int)
        made.ids = ids(parts, "ids")
        made._rows = dict(zip(made.ids, range(len(made.ids)), strict=True))
        made._versions.take(parts, "versions")
        made._since.take(parts, "since")
        if not len(made._versions) == len(made._since) == len(made.ids):
            raise Unfit("versions")
        return made

    def digest(self) -> bytes:
        """Equal for two exactly if they want vectors of the same texts."""
        held = sha256(repr(self.ids).encode())
        held.update(self._versions.view.tobytes())
        held.update(self._since.view.tobytes())
        return held.digest()
