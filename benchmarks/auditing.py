"""The audit: a first run, later ones in the same process and in another, and one of long ago."""

from functools import partial
from pathlib import Path

import muniment
from muniment.engine import Engine
from muniment.log.verify import verify

from .corpus import texts
from .measuring import Report, at_most, timed

FEW = 100


def run(path: Path, memories: int) -> Report:
    """Audits the filled store of ``path``; figures are in seconds on the clock."""
    report = Report(f"Audit, {memories:,} memories")
    scale = memories / 100_000
    note = "the target is in proportion" if scale != 1 else ""
    with muniment.open(path) as store:
        first = timed(store.audit.run)
        report.add("first run", first.wall / 1e6, "s", at_most(30 * scale), note)
        report.add("the same, processor", first.cpu / 1e6, "s")
        _save(store, 7)
        again = timed(store.audit.run)
        report.add("the next, in the same process", again.wall / 1e6, "s", at_most(5 * scale), note)
        report.add("the same, processor", again.cpu / 1e6, "s")
    with muniment.open(path) as store:
        _save(store, 8)
        later = timed(store.audit.run)
        report.add("the next, in another process", later.wall / 1e6, "s", at_most(5 * scale), note)
        report.add("the same, processor", later.cpu / 1e6, "s")
        position = store.audit.trend(1)[0]["position"]
        report.add(
            "as of the first, processor", timed(partial(store.audit.at, position)).cpu / 1e6, "s"
        )
    engine = Engine(path, read_only=True)
    try:
        report.add("verify alone, processor", timed(partial(verify, engine.store)).cpu / 1e6, "s")
    finally:
        engine.close()
    return report


def _save(store: muniment.Muniment, seed: int) -> None:
    store.save_many(
        [{"content": text, "category": category} for text, category in texts(FEW, seed)]
    )
