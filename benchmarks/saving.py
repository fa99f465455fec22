"""Saves, alone, in bulk and by many at once, beside a bare SQLite transaction."""

import os
import sqlite3
import tempfile
import threading
from collections.abc import Callable, Generator
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from pathlib import Path

from muniment import Muniment
from muniment.domain.identity import identity
from muniment.engine import Engine
from muniment.log.datastore import prepare

from .corpus import texts
from .measuring import Report, Taken, at_least, at_most, median, quantile, timed
from .stores import Filling

ALONE = 500
SAVERS = 64
EACH = 60
ROUNDS = 3


def run(path: Path, filling: list[Filling]) -> Report:
    """Saves more into the filled store of ``path``."""
    report = Report("Writing")
    rate = median(part.saves / part.wall for part in filling)
    report.add("save_many", rate, "saves/s", at_least(5_000), f"parts of {filling[0].saves:,}")
    report.add("save_many, processor", median(p.cpu / p.saves * 1e6 for p in filling), "µs")
    engine = Engine(path)
    with Muniment(engine, identity("default", "manual")) as store:
        store.save("The first save loads what saves are compared with.")
        _alone(report, store, path.parent)
        _together(report, store, engine)
    return report


def _alone(report: Report, store: Muniment, folder: Path) -> None:
    fresh = list(texts(ALONE * 2, seed=3))
    alone = [
        timed(partial(store.save, text, category=category)) for text, category in fresh[ALONE:]
    ]
    report.add("a lone save, processor p50", median(t.cpu for t in alone), "µs", at_most(450))
    report.add("a lone save, processor p99", quantile((t.cpu for t in alone), 0.99), "µs")
    ours: list[Taken] = []
    theirs: list[Taken] = []
    with _bare(folder) as bare:
        for text, category in fresh[:ALONE]:
            ours.append(timed(partial(store.save, text, category=category)))
            theirs.append(timed(partial(bare, text)))
    cpu, bare_cpu = median(t.cpu for t in ours), median(t.cpu for t in theirs)
    report.add("a lone save in turns with a bare one, processor p50", cpu, "µs")
    report.beside("bare transaction", bare_cpu, cpu, "µs")
    wall = median(t.wall for t in ours)
    report.add("a lone save in turns with a bare one, clock p50", wall, "µs")
    report.beside("bare transaction", median(t.wall for t in theirs), wall, "µs")


@contextmanager
def _bare(folder: Path) -> Generator[Callable[[str], None], None, None]:
    """Keeps one row of the same size durably, with the pragmas of the log and nothing else."""
    with tempfile.TemporaryDirectory(dir=folder) as place:
        connection = sqlite3.connect(Path(place) / "bare.db", isolation_level=None)
        prepare(connection, in_memory=False, read_only=False)
        connection.execute("CREATE TABLE rows (id INTEGER PRIMARY KEY, body BLOB)")

        def commit(text: str) -> None:
            body = text.encode() + os.urandom(350)
            connection.execute("BEGIN IMMEDIATE")
            connection.execute("INSERT INTO rows (body) VALUES (?)", (body,))
            connection.execute("COMMIT")

        try:
            yield commit
        finally:
            connection.close()


class _Counted:
    """Counts the units of work of a store."""

    def __init__(self, engine: Engine) -> None:
        self.commits = 0
        self._datastore = engine.store.datastore
        self._begin = self._datastore.unit_of_work

    def __enter__(self) -> "_Counted":
        setattr(self._datastore, "unit_of_work", self._counted)  # noqa: B010 (it is a method)
        return self

    def __exit__(self, *_: object) -> None:
        delattr(self._datastore, "unit_of_work")

    def _counted(
        self, undone: Callable[[], None] | None = None
    ) -> AbstractContextManager[sqlite3.Cursor]:
        self.commits += 1
        return self._begin(undone)


def _together(report: Report, store: Muniment, engine: Engine) -> None:
    fresh = list(texts(EACH * (SAVERS + 1) * ROUNDS, seed=4))
    ratios: list[float] = []
    rates: list[float] = []
    cpu: list[float] = []
    shares: list[float] = []

    def save(part: list[tuple[str, str]]) -> None:
        for text, category in part:
            store.save(text, category=category)

    for number in range(ROUNDS):
        given = fresh[number::ROUNDS]
        one = EACH / timed(partial(save, given[:EACH])).wall * 1e6
        with _Counted(engine) as counted:
            taken = timed(partial(_at_once, save, given[EACH:]))
        saves = EACH * SAVERS
        rates.append(saves / taken.wall * 1e6)
        ratios.append(rates[-1] / one)
        cpu.append(taken.cpu / saves)
        shares.append(saves / counted.commits)
    grouped = f"groups of {median(shares):.0f}"
    report.add(f"{SAVERS} savers at once", median(rates), "saves/s", at_least(4_500))
    report.add(f"{SAVERS} savers at once, times one saver", median(ratios), "×", at_least(2.3))
    report.add(f"{SAVERS} savers, processor a save", median(cpu), "µs", at_most(200), grouped)
    report.add(f"{SAVERS} savers, saves a commit", median(shares), "", at_least(8))


def _at_once(save: Callable[[list[tuple[str, str]]], None], given: list[tuple[str, str]]) -> None:
    threads = [
        threading.Thread(target=save, args=(given[number::SAVERS],)) for number in range(SAVERS)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
