"""Verification and the proof of invariants over a long log, each in a process of its own.

A tenth of the log is measured first and the whole of it after: what a process grows by shows
whether memory depends on the length of the log.
"""

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import NamedTuple

import uuid_utils

import muniment
from muniment.domain.memory import events as e
from muniment.engine import Engine
from muniment.log.rows import Pending

from .corpus import texts
from .hashing import bare
from .measuring import Report, at_least, timed

EVENTS_A_MEMORY = 10
PART = 1_000
"""How many memories are appended in one transaction."""

_ACTOR, _SPACE = "bot:bench", "default"


class Read(NamedTuple):
    """One reading of a log: microseconds of processor time, and MiB that the process grew by."""

    cpu: float
    grown: float


def run(path: Path, events: int) -> Report:
    """Makes a log of so many events in ``path``, then verifies it and proves its invariants."""
    report = Report(f"Verification, {events:,} events")
    memories = events // EVENTS_A_MEMORY
    _append(path, range(memories // 10))
    small = {what: _in_child(path, what) for what in _READINGS}
    _append(path, range(memories // 10, memories))
    for what, target in (("verify", 200_000), ("prove_invariants", 50_000)):
        whole = _in_child(path, what)
        speed = events / whole.cpu * 1e6
        report.add(what, speed, "events/s", at_least(target))
        if what == "verify":
            report.beside("bare SHA-256", events / bare(path) * 1e6, speed, "events/s")
        report.add(f"{what}: memory", whole.grown, "MiB")
        report.beside("a tenth of the events:", small[what].grown, whole.grown, "MiB")
    return report


def _append(path: Path, memories: range) -> None:
    """Straight into the log: there is nothing to decide about them."""
    said = [text for text, _ in texts(PART)]
    engine = Engine(path)
    store = engine.store
    try:
        for first in memories[::PART]:
            part = range(first, min(first + PART, memories.stop))
            store.keys.reserve(len(part))
            with store.datastore.unit_of_work():
                store.append([one for number in part for one in _told(number, said[number % PART])])
            store.datastore.checkpoint()
    finally:
        engine.close()


def _told(number: int, text: str) -> Iterator[Pending]:
    """The events of one memory: said once, and then again and again."""
    stream = str(uuid_utils.uuid7())
    at = datetime(2026, 1, 1, tzinfo=UTC) + timedelta(seconds=number)
    said = e.Saved(
        content=text,
        chars=len(text),
        importance=0.5,
        trust=1,
        source_type="agent",
        store="semantic",
    )
    again = e.Reinforced(importance=0.5, trust=1, source_type="agent", counted=True)
    for version in range(1, EVENTS_A_MEMORY + 1):
        command = str(uuid_utils.uuid7())
        event = said if version == 1 else again
        yield Pending(stream, version, event, at, _ACTOR, _SPACE, command, None, None, None)


def _in_child(path: Path, what: str) -> Read:
    ran = subprocess.run(
        [sys.executable, "-m", "benchmarks.verifying", str(path), what],
        check=True,
        stdout=subprocess.PIPE,
        text=True,
    )
    return Read(*json.loads(ran.stdout.splitlines()[-1]))


def _verify(store: muniment.Muniment) -> None:
    if not store.verify().intact:
        sys.exit("the log that was made for this does not verify")


def _prove(store: muniment.Muniment) -> None:
    if not store.prove_invariants().holds:
        sys.exit("the log that was made for this breaks an invariant")


_READINGS: dict[str, Callable[[muniment.Muniment], None]] = {
    "verify": _verify,
    "prove_invariants": _prove,
}


def _measure(path: Path, what: str) -> Read:
    with muniment.open(path, read_only=True) as store:
        before = _peak()
        spent = timed(lambda: _READINGS[what](store)).cpu
        return Read(spent, _peak() - before)


def _peak() -> float:
    """The most memory that this process has had at once, in MiB; Linux says it, elsewhere it is 0.

    The figure of ``getrusage`` will not do: a child begins with its parent's.
    """
    with suppress(OSError):
        for line in Path("/proc/self/status").read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) / 2**10
    return 0.0


if __name__ == "__main__":
    print(json.dumps(_measure(Path(sys.argv[1]), sys.argv[2])))
