"""Search as of a moment beside search now, a tenth of the memories rewritten in between.

Both are asked the same in turn, by one process that holds the read models of both. The memory of a
text version is what a process grows by when the past is loaded, less what it grew by before there
were any, a version; and so is the first question about the past timed, each in its own process.
"""

import json
import subprocess
import sys
import time
from functools import partial
from pathlib import Path
from typing import NamedTuple

import muniment
from muniment import Muniment
from muniment.domain.identity import identity
from muniment.engine import Engine

from .corpus import queries, texts
from .measuring import Report, at_most, cpu_each, median
from .opening import resident

QUERIES = 300
SHARE = 10
"""One memory in so many is rewritten."""


class Loaded(NamedTuple):
    """The first search of the past: seconds on the clock and of the processor; bytes it took."""

    wall: float
    cpu: float
    grown: int


def run(path: Path, memories: int) -> Report:
    """Asks the filled store of ``path`` about now and then; some of it is rewritten for that."""
    report = Report(f"Time travel, processor time, {memories:,} memories, a tenth rewritten")
    with muniment.open(path) as store:
        before = store.stats().head
        alone = median(cpu_each(partial(store.search, query) for query in queries(QUERIES)))
    first = _in_child(path, before, keep_state=False)
    rewritten = _rewrite(path, memories)
    loaded = _in_child(path, before, keep_state=False)
    with muniment.open(path) as store:
        now, then, fresh = _in_turn(store, before)
    kept = _in_child(path, before, keep_state=True)
    report.add("a search now, no past loaded, p50", alone, "µs")
    report.add("a search now, the past loaded, p50", now, "µs")
    report.add("as of before, one handle, p50", then, "µs", at_most(2 * now))
    report.beside("now", now, then, "µs")
    report.add("as of before, a handle each, p50", fresh, "µs")
    report.beside("now", now, fresh, "µs")
    each = (loaded.grown - first.grown) / rewritten
    report.add("memory of a further text version", each, "bytes", at_most(900))
    report.add("memory of the past, a memory", first.grown / memories, "bytes")
    report.add("first search of the past, from the log", loaded.wall, "s", note="on the clock")
    report.add("the same, processor", loaded.cpu, "s")
    report.add("first search of the past, kept state", kept.wall, "s", note="on the clock")
    return report


def _rewrite(path: Path, memories: int) -> int:
    count = memories // SHARE
    with muniment.open(path) as store:
        ids = [entry.stream for entry in store.log(name="memory.saved", limit=count)]
        for id_, (text, _) in zip(ids, texts(count, seed=7), strict=True):
            store.revise(id_, text)
    return count


def _in_turn(store: Muniment, position: int) -> tuple[float, float, float]:
    """Medians: of a search now, of one as of a position, and of one by a handle made for it."""
    past = store.as_of(position)
    for query in queries(20):
        store.search(query)
        past.search(query)
    now: list[float] = []
    then: list[float] = []
    fresh: list[float] = []
    for query in queries(QUERIES):
        now += cpu_each([partial(store.search, query)])
        then += cpu_each([partial(past.search, query)])
        fresh += cpu_each([partial(_ask_anew, store, position, query)])
    return median(now), median(then), median(fresh)


def _ask_anew(store: Muniment, position: int, query: str) -> None:
    store.as_of(position).search(query)


def _in_child(path: Path, position: int, *, keep_state: bool) -> Loaded:
    ran = subprocess.run(
        [sys.executable, "-m", "benchmarks.past", str(path), str(position), str(int(keep_state))],
        check=True,
        stdout=subprocess.PIPE,
        text=True,
    )
    return Loaded(*json.loads(ran.stdout.splitlines()[-1]))


def _measure(path: Path, position: int, *, keep_state: bool) -> Loaded:
    query = queries(1)[0]
    engine = Engine(path, read_only=True, settings={"log": {"keep_state": keep_state}})
    with Muniment(engine, identity("default", "manual")) as store:
        store.as_of(1).get(next(store.log(limit=1)).stream)  # loads what is loaded but once
        before = resident()
        clock, cpu = time.perf_counter(), time.process_time()
        store.as_of(position).search(query)
        waited, spent = time.perf_counter() - clock, time.process_time() - cpu
        return Loaded(waited, spent, resident() - before)


if __name__ == "__main__":
    asked = Path(sys.argv[1]), int(sys.argv[2])
    print(json.dumps(_measure(*asked, keep_state=sys.argv[3] == "1")))
