"""Saves, alone, in bulk and by many at once, beside a bare SQLite transaction."""

import os
import sqlite3
import tempfile
import threading
import time
from functools import partial
from pathlib import Path

import muniment

from .corpus import texts
from .measuring import Report, cpu_each, quantile, wall_each

SAVERS = 64
ALONE = 400


def run(memories: int) -> Report:
    """Fills a store of ``memories`` and measures saves on it."""
    report = Report(f"Writing, at {memories:,} memories")
    with tempfile.TemporaryDirectory() as folder:
        given = [{"content": text, "category": category} for text, category in texts(memories)]
        with muniment.open(Path(folder) / "store") as store:
            before, clock = time.process_time(), time.perf_counter()
            store.save_many(given)
            spent, waited = time.process_time() - before, time.perf_counter() - clock
            report.add("save_many, processor", spent / memories * 1e6, "µs")
            report.add("save_many", memories / waited, "saves/s")
            _alone(report, store, Path(folder))
            _together(report, store)
    return report


def _alone(report: Report, store: muniment.Muniment, folder: Path) -> None:
    fresh = list(texts(ALONE * 2, seed=3))
    calls = [partial(store.save, text, category=category) for text, category in fresh[:ALONE]]
    cpu = cpu_each(calls)
    report.add("a lone save, processor p50", quantile(cpu, 0.5), "µs")
    report.add("a lone save, processor p99", quantile(cpu, 0.99), "µs")
    bare = _bare_transaction(folder)
    ours: list[float] = []
    theirs: list[float] = []
    for text, category in fresh[ALONE:]:
        ours += wall_each([partial(store.save, text, category=category)])
        theirs += wall_each([partial(bare, text)])
    report.add(
        "a lone save, clock p50",
        quantile(ours, 0.5),
        "µs",
        "bare one-row transaction",
        quantile(theirs, 0.5),
    )


def _bare_transaction(folder: Path):  # type: ignore[no-untyped-def]
    connection = sqlite3.connect(folder / "bare.db", isolation_level=None)
    for pragma in ("journal_mode=WAL", "synchronous=FULL", "secure_delete=ON"):
        connection.execute(f"PRAGMA {pragma}").fetchall()
    connection.execute("CREATE TABLE rows (id INTEGER PRIMARY KEY, body BLOB)")

    def commit(text: str) -> None:
        connection.execute("BEGIN IMMEDIATE")
        connection.execute("INSERT INTO rows (body) VALUES (?)", (text.encode() + os.urandom(256),))
        connection.execute("COMMIT")

    return commit


def _together(report: Report, store: muniment.Muniment) -> None:
    each = 40
    fresh = list(texts(each * (SAVERS + 1), seed=4))

    def save(part: list[tuple[str, str]]) -> None:
        for text, category in part:
            store.save(text, category=category)

    clock = time.perf_counter()
    save(fresh[:each])
    one = each / (time.perf_counter() - clock)
    threads = [
        threading.Thread(target=save, args=(fresh[each * n : each * (n + 1)],))
        for n in range(1, SAVERS + 1)
    ]
    before, clock = time.process_time(), time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    waited, spent = time.perf_counter() - clock, time.process_time() - before
    saves = each * SAVERS
    report.add(f"{SAVERS} savers at once", saves / waited, "saves/s", "one saver", one)
    report.add(f"{SAVERS} savers at once, processor", spent / saves * 1e6, "µs")
