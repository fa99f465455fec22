"""A process of its own that opens a store, asks once, and says what it took.

Seconds are counted from ``open`` to the answer, without the start of Python. Bytes are what the
process grew by until all read models that searches and saves need were loaded (resident, what was
freed given back first); Linux says them, elsewhere they are 0.
"""

import ctypes
import gc
import json
import os
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import muniment
from muniment.domain.identity import identity
from muniment.engine import Engine

from .corpus import queries


class Opened(NamedTuple):
    """Seconds of clock and processor until the first answer; bytes for the read models."""

    wall: float
    cpu: float
    resident: int


def in_child(path: Path, *, keep_state: bool) -> Opened:
    """Opens the store of ``path`` in a process of its own."""
    ran = subprocess.run(
        [sys.executable, "-m", "benchmarks.opening", str(path), str(int(keep_state))],
        check=True,
        stdout=subprocess.PIPE,
        text=True,
    )
    return Opened(*json.loads(ran.stdout.splitlines()[-1]))


def _measure(path: Path, *, keep_state: bool) -> Opened:
    query = queries(1)[0]
    with muniment.open(":memory:") as small:  # loads what is loaded but once
        small.save("The harbour opens at nine.", category="general")
        small.search(query)
    before = resident()
    clock, cpu = time.perf_counter(), time.process_time()
    engine = Engine(path, read_only=True, settings={"log": {"keep_state": keep_state}})
    with muniment.Muniment(engine, identity("default", "manual")) as store:
        store.search(query)
        waited, spent = time.perf_counter() - clock, time.process_time() - cpu
        engine.models.similarity("default")
        return Opened(waited, spent, resident() - before)


def resident() -> int:
    """Bytes of this process that lie in memory, once what was freed is given back."""
    gc.collect()
    with suppress(OSError, AttributeError):
        ctypes.CDLL("libc.so.6").malloc_trim(0)
        pages = int(Path("/proc/self/statm").read_text().split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE")
    return 0


if __name__ == "__main__":
    print(json.dumps(_measure(Path(sys.argv[1]), keep_state=sys.argv[2] == "1")))
