"""Is the store in good order, and the machine good for it? Each finding says what to do."""

import os
import platform
import sqlite3
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Literal, TypeAlias

from muniment._release import __version__
from muniment.domain.errors import MunimentError, StorageFailed
from muniment.domain.evaluation import Evaluated
from muniment.domain.moments import minute, second, told_time
from muniment.domain.recorded import Fault
from muniment.engine import Engine
from muniment.log.store import REMOVALS
from muniment.log.verify import verify

from .console import Line, line

Standing: TypeAlias = Literal["fine", "risk", "broken"]

AHEAD = timedelta(minutes=5)
"""How far the newest event may lie ahead of the clock."""

LARGE_WAL = 64 << 20

_WAL_RESET_BUG = ((3, 7, 0), (3, 51, 2))
_STYLES: dict[Standing, str] = {"fine": "green", "risk": "yellow", "broken": "bold red"}
_FAULTS: dict[Fault, str] = {
    "key_missing": "Restore keys/ from its backup: the log has no removal of these on record.",
    "unreadable": "Their bytes are damaged: compare with a backup; the others are not touched.",
    "newer_release": "Upgrade Muniment: until then they can be read by the newer release alone.",
}


@dataclass(frozen=True, slots=True)
class Check:
    """One finding: what was looked at, how it stands, what was found, and what to do."""

    name: str
    standing: Standing
    found: str
    advice: str | None = None


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """Every finding; ``healthy`` as long as nothing is broken. A risk is not broken yet."""

    healthy: bool
    checks: tuple[Check, ...]


def diagnose(directory: Path, space: str, now: datetime) -> Diagnosis:
    """Looks at everything, and changes nothing."""
    checks = list(_checks(directory, space, now))
    return Diagnosis(all(check.standing != "broken" for check in checks), tuple(checks))


def report(diagnosis: Diagnosis) -> Iterator[Line]:
    """The findings for people."""
    for check in diagnosis.checks:
        yield line(
            (f"{check.standing:<6}  ", _STYLES[check.standing]),
            (f"{check.name:<10}  ", "bold"),
            check.found,
        )
        if check.advice:
            yield line(f"{'':<20}→ {check.advice}")


def _checks(directory: Path, space: str, now: datetime) -> Iterator[Check]:
    yield Check("versions", "fine", f"Muniment {__version__}, Python {platform.python_version()}.")
    yield _sqlite(sqlite3.sqlite_version_info)
    if not os.path.lexists(directory / "log.db"):
        yield Check(
            "data",
            "fine",
            f"There is no store in {directory} yet.",
            "'muniment save' makes one; --data or MUNIMENT_DATA names another directory.",
        )
        return
    yield Check("data", "fine", f"The data directory is {directory} (space {space}).")
    try:
        yield from _files(directory)
        engine = Engine(directory, read_only=True)
        try:
            yield from _log(engine, now)
            yield _audited(engine, space)
        finally:
            engine.close()
    except MunimentError as error:
        yield Check("store", "broken", error.message)
    except OSError as error:
        yield Check("store", "broken", f"{error.filename} cannot be looked at ({error.strerror}).")


def _sqlite(version: tuple[int, ...]) -> Check:
    spelt = ".".join(map(str, version))
    first, last = _WAL_RESET_BUG
    if not first <= version <= last:
        return Check("sqlite", "fine", f"SQLite {spelt}.")
    return Check(
        "sqlite",
        "risk",
        f"SQLite {spelt} has the WAL-reset bug (3.7.0 to 3.51.2), which can damage a database that"
        " is written and checkpointed at once. Muniment serialises its writes and checkpoints by a"
        " lock of its own, so it does not meet the bug.",
        "Let no other program write to log.db; a newer SQLite is free of it.",
    )


def _files(directory: Path) -> Iterator[Check]:
    keys = directory / "keys"
    expected = {directory: 0o700, keys: 0o700}
    expected |= {path: 0o600 for path in sorted(keys.glob("*")) if path.is_file()}
    for files in ("log.*", "work.*"):
        expected |= {path: 0o600 for path in sorted(directory.glob(files)) if path.is_file()}
    open_ = [
        (path, mode, path.stat().st_mode & 0o777)
        for path, mode in expected.items()
        if path.exists() and path.stat().st_mode & 0o777 & ~mode
    ]
    for path, mode, found in open_:
        yield Check(
            "modes",
            "risk",
            f"{path} has mode {found:04o}: others than its owner may use it.",
            f"chmod {mode:o} {path}",
        )
    if not open_:
        yield Check("modes", "fine", "Only their owner may use the store and its keys.")
    if (keys / "master.key").exists():
        yield Check(
            "master key",
            "risk",
            "The master key lies beside the log, in keys/: whoever has a copy of the whole"
            " directory can read every word.",
            "Back up keys/ apart from log.db, to another place.",
        )


def _log(engine: Engine, now: datetime) -> Iterator[Check]:
    store = engine.store
    with store.datastore.transaction(commit=False) as cursor:
        cursor.execute("PRAGMA user_version")
        (schema,) = cursor.fetchone()
    head = store.rows.head()
    yield Check("log", "fine", f"Store {store.id}, schema {schema}, {head.position:,} events.")
    if engine.directory is not None:
        yield _wal(engine.directory / "log.db-wal")
    newest = told_time(head.recorded_at or "")
    if newest is not None:  # where it is no time, the log does not verify
        yield _clock(newest, now)
    verified = verify(store)
    if verified.intact:
        yield Check(
            "verified",
            "fine",
            f"The log verifies: all {verified.events:,} events were read and hashed anew.",
        )
    else:
        first = verified.findings[0]
        yield Check(
            "verified",
            "broken",
            f"The log does not verify: {first.message} (from position {first.position:,} on).",
            "'muniment verify' lists everything; restore from a backup, keep this as evidence.",
        )
    try:
        store.keys.require()
    except StorageFailed as error:
        yield Check("keys", "broken", error.message)
    else:
        yield from _memories(engine)


def _wal(path: Path) -> Check:
    size = path.stat().st_size if path.exists() else 0
    found = f"{size:,} bytes wait in the write-ahead log."
    if size <= LARGE_WAL:
        return Check("wal", "fine", found)
    return Check(
        "wal", "risk", found, "Some reader holds it: end long-running readers, then write once."
    )


def _clock(newest: datetime, now: datetime) -> Check:
    if newest - now <= AHEAD:
        return Check("clock", "fine", f"The newest event is of {second(newest)} UTC.")
    return Check(
        "clock",
        "risk",
        f"The newest event is {(newest - now).total_seconds():,.0f} s ahead of this clock.",
        "Set the clock: until it has caught up, new events carry the time of the newest one.",
    )


def _audited(engine: Engine, space: str) -> Check:
    at = engine.auditing.reader.audited_at(space)
    if at is None:
        return Check("audit", "fine", "No audit of this space was recorded: 'muniment audit run'.")
    return Check("audit", "fine", f"The last audit of this space was at {minute(at)} UTC.")


def _memories(engine: Engine) -> Iterator[Check]:
    faults, removed = set[tuple[Fault, str]](), set[str]()
    evaluations = dict[str, tuple[str, ...]]()
    for recorded in engine.store.recorded():
        if recorded.fault is not None:
            faults.add((recorded.fault, recorded.stream))
        if recorded.name in REMOVALS:
            removed.add(recorded.stream)
        elif isinstance(recorded.event, Evaluated):
            evaluations[recorded.stream] = recorded.event.derived_from
    # the answers of a judge go with the words that went into them
    removed |= {one for one, ids in evaluations.items() if not removed.isdisjoint(ids)}
    lost: list[Fault] = [
        fault for fault, one in faults if fault != "key_missing" or one not in removed
    ]
    for fault, count in sorted(Counter(lost).items()):
        standing: Standing = "risk" if fault == "newer_release" else "broken"
        yield Check(
            "memories", standing, f"{count:,} cannot be read in full ({fault}).", _FAULTS[fault]
        )
    if not lost:
        yield Check("memories", "fine", "Every memory can be read.")
    if removed:
        yield Check(
            "removed", "fine", f"The words of {len(removed):,} were removed, as the log says."
        )
