"""The store that everything is measured on."""

import time
from pathlib import Path
from typing import NamedTuple

import muniment

from .corpus import queries, texts

PART = 20_000


class Filling(NamedTuple):
    """What one ``save_many`` took: how many it saved, and seconds of processor and clock."""

    saves: int
    cpu: float
    wall: float


def fill(path: Path, memories: int) -> list[Filling]:
    """Saves so many memories, in parts; read models are loaded, and so kept at the end."""
    given = [{"content": text, "category": category} for text, category in texts(memories)]
    taken: list[Filling] = []
    with muniment.open(path) as store:
        store.search(queries(1)[0])
        for start in range(0, memories, PART):
            part = given[start : start + PART]
            cpu, clock = time.process_time(), time.perf_counter()
            store.save_many(part)
            spent, waited = time.process_time() - cpu, time.perf_counter() - clock
            taken.append(Filling(len(part), spent, waited))
    return taken
