"""Which memories the retention purge would remove, and which it keeps."""

from dataclasses import dataclass
from typing import ClassVar

from muniment.domain.inputs import Input
from muniment.domain.memory.retiring import is_due, is_protected

from .reading import Reading

_BATCH = 500


@dataclass(frozen=True, slots=True)
class Due:
    """Ids archived for longer than archived ones are kept: to be removed, and protected."""

    removable: tuple[str, ...]
    protected: tuple[str, ...]


class DuePurges(Input):
    """Memories that were archived for longer than archived ones are kept."""

    VERB: ClassVar[str] = "purge"

    def answer(self, reading: Reading) -> Due:
        """Reads every archived and superseded memory of the space."""
        with reading.lock:
            catalog = reading.catalog()
            rows = catalog.every_row()
            rows = rows[catalog.in_condition(rows, "archived", "superseded")]
            ids: list[str] = [catalog.ids[row] for row in rows.tolist()]
        now, retention = reading.now, reading.rules.retention
        removable: list[str] = []
        protected: list[str] = []
        for start in range(0, len(ids), _BATCH):
            for memory in reading.memories(ids[start : start + _BATCH]):
                if is_due(memory, now, retention):
                    kept = is_protected(memory, now, retention)
                    (protected if kept else removable).append(memory.id)
        return Due(tuple(removable), tuple(protected))
