"""How much there is."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from muniment.domain.inputs import Input
from muniment.domain.memory.state import Condition

from .reading import Reading


@dataclass(frozen=True, slots=True)
class Stats:
    """Memories of the space by condition, live ones by category, and where the whole log ends."""

    space: str
    memories: Mapping[Condition, int]
    categories: Mapping[str, int]
    head: int
    log_bytes: int


class GetStats(Input):
    """Counts, sizes and the head position."""

    VERB: ClassVar[str] = "stats"

    def answer(self, reading: Reading) -> Stats:
        """What the catalog counts, and the size of the log."""
        with reading.lock:
            catalog = reading.catalog()
            counts, taxonomy = catalog.counts(), catalog.taxonomy()
        return Stats(reading.identity.space, counts, taxonomy, reading.head(), reading.log_bytes())
