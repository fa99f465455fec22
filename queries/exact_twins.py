"""Which memories are exact repetitions of each other."""

from collections import defaultdict
from typing import ClassVar

from muniment.domain.inputs import Input
from muniment.domain.memory.merging import fold_key

from .reading import Reading

_BATCH = 500


class ExactTwins(Input):
    """Live memories of the same category and text, once white space is collapsed."""

    VERB: ClassVar[str] = "fold"

    def answer(self, reading: Reading) -> list[tuple[str, ...]]:
        """Groups of two or more ids. Texts are compared by hash here, and again when folded."""
        with reading.lock:
            catalog = reading.catalog()
            rows = catalog.every_row()
            rows = rows[catalog.in_condition(rows, "live")]
            ids: list[str] = [catalog.ids[row] for row in rows.tolist()]
        groups: defaultdict[int, list[str]] = defaultdict(list)
        for start in range(0, len(ids), _BATCH):
            for memory in reading.memories(ids[start : start + _BATCH]):
                key = fold_key(memory)
                if key is not None:
                    groups[hash(key)].append(memory.id)
        return [tuple(group) for group in groups.values() if len(group) > 1]
