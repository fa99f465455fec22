"""The tamper matrix: every way to falsify a log, found by its class and its first position.

The store has 30 events and its own checkpoints of 10, 20 and 30 of them; the one of 30 is also kept
elsewhere. What the checkpoints inside show is asked without it, and what only it can show with it.
"""

import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import independent
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from log_backends import SOAK

import muniment
from muniment import Checkpoint, Verification

START = datetime(2026, 3, 3, 12, 0, 0, tzinfo=UTC)
ROWS = 30
QUIET = {"log": {"checkpoint_events": 0, "checkpoint_minutes": 0.0}}


class Clock:
    def __init__(self) -> None:
        self.now = START

    def __call__(self) -> datetime:
        self.now += timedelta(seconds=1)
        return self.now


@dataclass(frozen=True)
class Kept:
    """A store, an older copy of its database, and what was kept elsewhere."""

    directory: Path
    older: Path
    other: Path
    outside: Checkpoint


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Kept:
    base = tmp_path_factory.mktemp("kept")
    _made(base / "other")
    return Kept(base / "log", base / "older", base / "other", _made(base / "log", base / "older"))


def _made(directory: Path, older: Path | None = None) -> Checkpoint:
    """A store; its newest checkpoint."""
    with muniment.open(directory, clock=Clock(), settings=QUIET) as m:
        for number in range(1, ROWS + 1):
            m.save(f"The feed number {number * 37} sits on drive {number}")
            if number % 10 == 0:
                m.checkpoint()
            if number == 15 and older is not None:
                m.backup(older)
        return m.checkpoint()


@pytest.fixture
def store(kept: Kept, tmp_path: Path) -> Path:
    shutil.copytree(kept.directory, tmp_path / "log")
    return tmp_path / "log"


def verified(directory: Path, against: Checkpoint | None = None) -> Verification:
    with muniment.open(directory, read_only=True) as m:
        return m.verify(against=against)


def found(directory: Path, against: Checkpoint | None = None) -> dict[str, int]:
    answer = verified(directory, against)
    assert answer.intact == (not answer.findings)
    return {finding.kind: finding.position for finding in answer.findings}


Tamper = Callable[[Path, Kept], None]


def sql(*statements: str) -> Tamper:
    def tamper(directory: Path, _: Kept) -> None:
        independent.tamper(directory, *((statement, ()) for statement in statements))

    return tamper


def each(*tampers: Tamper) -> Tamper:
    def tamper(directory: Path, kept: Kept) -> None:
        for one in tampers:
            one(directory, kept)

    return tamper


def rewritten(position: int) -> Tamper:
    return lambda directory, _: rewrite(directory, position)


def without(size: int) -> Tamper:
    return lambda directory, _: checkpoint(directory, size).unlink()


def without_checkpoints(directory: Path, _: Kept) -> None:
    shutil.rmtree(directory / "checkpoints")


def copied(source: str, target: str, *, of_other: bool = False) -> Tamper:
    def tamper(directory: Path, kept: Kept) -> None:
        shutil.copyfile((kept.other if of_other else directory) / source, directory / target)

    return tamper


def replaced(path: str, old: bytes, new: bytes) -> Tamper:
    def tamper(directory: Path, _: Kept) -> None:
        content = (directory / path).read_bytes()
        assert old in content
        (directory / path).write_bytes(content.replace(old, new))

    return tamper


def rewrite(directory: Path, position: int, *, facts: bytes = b'{"forged":1}') -> None:
    """Alters one row, and makes each leaf and link from there on fit again."""
    raw = independent.raw(directory)
    rows = independent.stored(raw)
    raw.close()
    changes: list[tuple[str, Sequence[object]]] = []
    link = independent.genesis(rows_store(directory)) if position == 1 else rows[position - 2].chain
    for row in rows[position - 1 :]:
        altered = facts if row["position"] == position else row.facts
        leaf = independent.leaf(row.envelope, altered, row.payload)
        link = independent.link(link, leaf)
        changes.append(
            (
                "UPDATE events SET facts = ?, leaf = ?, chain = ? WHERE position = ?",
                (altered, leaf, link, row["position"]),
            )
        )
    independent.tamper(directory, *changes)


def rows_store(directory: Path) -> str:
    raw = independent.raw(directory)
    (store_id,) = raw.execute("SELECT id FROM store").fetchone()
    raw.close()
    return str(store_id)


def put_back(directory: Path, database: Path) -> None:
    """Puts another database in place of the log's."""
    for name in ("log.db", "log.db-wal", "log.db-shm"):
        (directory / name).unlink(missing_ok=True)
    shutil.copyfile(database / "log.db", directory / "log.db")


def checkpoint(directory: Path, size: int) -> Path:
    return directory / _NOTE.format(size)


_NOTE = "checkpoints/{:012}.checkpoint"
_COPY = (
    "INSERT INTO events SELECT {position}, {stream}, {version}, name, schema, recorded_at, actor,"
    " space, command_id, correlation_id, causation_id, key_id, facts, payload, leaf, chain"
    " FROM events WHERE position = {of}"
)
_SWAP_PAYLOADS = (
    "UPDATE events SET payload = CASE position"
    " WHEN 6 THEN (SELECT payload FROM events WHERE position = 7)"
    " ELSE (SELECT payload FROM events WHERE position = 6) END WHERE position IN (6, 7)"
)

INSIDE: Sequence[tuple[str, Tamper, dict[str, int]]] = (
    (
        "a byte of a payload",
        sql("UPDATE events SET payload = CAST(payload || x'00' AS BLOB) WHERE position = 12"),
        {"leaf": 12},
    ),
    (
        "a byte of the envelope",
        sql("UPDATE events SET command_id = command_id || 'x' WHERE position = 12"),
        {"leaf": 12},
    ),
    ("two payloads swapped", sql(_SWAP_PAYLOADS), {"leaf": 6}),
    (
        "a row in the middle deleted",
        sql("DELETE FROM events WHERE position = 12"),
        {"position_gap": 12, "chain": 13, "rewritten": 11, "cut_off": 30},
    ),
    (
        "a row in the middle deleted and the rest moved up and rewritten",
        each(
            sql(
                "DELETE FROM events WHERE position = 12",
                "UPDATE events SET position = position - 1 WHERE position > 12",
            ),
            rewritten(12),
        ),
        {"rewritten": 11, "cut_off": 30},
    ),
    ("the tail deleted", sql("DELETE FROM events WHERE position > 25"), {"cut_off": 26}),
    (
        "the tail deleted down to a checkpoint",
        sql("DELETE FROM events WHERE position > 20"),
        {"cut_off": 21},
    ),
    ("everything deleted", sql("DELETE FROM events"), {"cut_off": 1}),
    (
        "a row inserted",
        sql(
            "UPDATE events SET position = -position WHERE position > 12",
            "UPDATE events SET position = 1 - position WHERE position < 0",
            _COPY.format(position=13, stream="'new'", version=1, of=12),
        ),
        {"leaf": 13, "chain": 13, "rewritten": 11},
    ),
    (
        "a row twice",
        sql(_COPY.format(position=31, stream="stream", version=2, of=30)),
        {"leaf": 31, "chain": 31},
    ),
    (
        "two rows in the other order",
        sql(
            "UPDATE events SET position = -1 WHERE position = 6",
            "UPDATE events SET position = 6 WHERE position = 7",
            "UPDATE events SET position = 7 WHERE position = -1",
        ),
        {"leaf": 6, "chain": 6, "time_fell": 7, "rewritten": 1},
    ),
    (
        "another name",
        sql("UPDATE events SET name = 'memory.imported' WHERE position = 4"),
        {"leaf": 4},
    ),
    (
        "another actor",
        sql("UPDATE events SET actor = 'bot:x' WHERE position = 4"),
        {"leaf": 4},
    ),
    (
        "another time",
        sql("UPDATE events SET recorded_at = '2026-03-03T12:00:00.000000Z' WHERE position = 4"),
        {"leaf": 4, "time_fell": 4},
    ),
    (
        "a row rewritten and the chain from there on recomputed",
        rewritten(14),
        {"rewritten": 11},
    ),
    (
        "the first row rewritten and the whole chain recomputed",
        rewritten(1),
        {"rewritten": 1},
    ),
    (
        "an older copy put in place",
        lambda directory, kept: put_back(directory, kept.older),
        {"cut_off": 16},
    ),
    (
        "the log of another store put in place",
        lambda directory, kept: put_back(directory, kept.other),
        {"other_store": 1},
    ),
    (
        "the newest checkpoint replaced by a shorter one",
        copied(_NOTE.format(20), _NOTE.format(30)),
        {"checkpoint_misplaced": 30},
    ),
    ("the newest checkpoint taken away", without(30), {"checkpoint_missing": 30}),
    (
        "the newest checkpoint taken away with the events after the one before",
        each(without(30), sql("DELETE FROM events WHERE position > 20")),
        {"checkpoint_missing": 30},
    ),
    (
        "a checkpoint of another store",
        copied(_NOTE.format(20), _NOTE.format(20), of_other=True),
        {"other_store": 1},
    ),
    (
        "a digit of a checkpoint",
        replaced(_NOTE.format(20), b"T12:", b"T13:"),
        {"checkpoint_signature": 20},
    ),
    (
        "a checkpoint that is no text",
        replaced(_NOTE.format(20), b"muniment", b"\xff"),
        {"checkpoint_malformed": 20},
    ),
    (
        "another signing key",
        copied("keys/signing.key", "keys/signing.key", of_other=True),
        {"checkpoint_signature": 10},
    ),
)


def forge(directory: Path, _: Kept) -> None:
    """Signs the log as it is with a key of the forger's, and takes everything else away."""
    shutil.rmtree(directory / "checkpoints")
    (directory / "keys" / "signing.key").unlink()
    with muniment.open(directory, settings=QUIET) as m:
        m.checkpoint()


def exchange(directory: Path, kept: Kept) -> None:
    shutil.rmtree(directory)
    shutil.copytree(kept.other, directory)


OUTSIDE: Sequence[tuple[str, Tamper, dict[str, int]]] = (
    (
        "the tail and the checkpoints that tell of it",
        each(without_checkpoints, sql("DELETE FROM events WHERE position > 25")),
        {"cut_off": 26},
    ),
    ("everything", each(without_checkpoints, sql("DELETE FROM events")), {"cut_off": 1}),
    (
        "an older copy of the whole directory",
        each(without_checkpoints, lambda directory, kept: put_back(directory, kept.older)),
        {"cut_off": 16},
    ),
    (
        "the log rewritten and its checkpoints taken away",
        each(without_checkpoints, rewritten(14)),
        {"rewritten": 1},
    ),
    (
        "the log rewritten and signed anew with a forged key",
        each(rewritten(14), forge),
        {"checkpoint_signature": 30},
    ),
    ("the whole of another store", exchange, {"other_store": 1}),
)


def _named(
    rows: Sequence[tuple[str, Tamper, dict[str, int]]],
) -> list[object]:
    return [pytest.param(tamper, expected, id=name) for name, tamper, expected in rows]


@pytest.mark.parametrize(("tamper", "expected"), _named(INSIDE))
def test_each_tampering_is_found_by_its_class_and_first_position(
    store: Path, kept: Kept, tamper: Tamper, expected: dict[str, int]
) -> None:
    tamper(store, kept)
    assert found(store) == expected


@pytest.mark.parametrize(("tamper", "expected"), _named(OUTSIDE))
def test_what_nothing_inside_shows_is_not_ruled_out_and_shown_by_a_checkpoint_kept_elsewhere(
    store: Path, kept: Kept, tamper: Tamper, expected: dict[str, int]
) -> None:
    tamper(store, kept)
    inside = verified(store)
    assert inside.intact
    assert inside.not_ruled_out
    assert found(store, kept.outside) == expected


def test_an_untouched_store_is_intact_and_a_checkpoint_of_its_end_leaves_nothing_open(
    store: Path, kept: Kept
) -> None:
    answer = verified(store, kept.outside)
    assert (answer.findings, answer.not_ruled_out) == ((), ())
    assert answer.checkpoints == 3
    assert answer.root == kept.outside.root


def test_no_checkpoint_is_signed_that_contradicts_an_earlier_one(store: Path, kept: Kept) -> None:
    put_back(store, kept.older)
    with muniment.open(store, settings=QUIET) as m:
        with pytest.raises(muniment.StorageFailed) as error:
            m.checkpoint()
        assert error.value.code == "log_not_intact"
        for number in range(20):
            m.save(f"Somebody said the number {number * 41}")
        with pytest.raises(muniment.StorageFailed):
            m.checkpoint()
    assert found(store) == {"rewritten": 11}


# no false alarm

_step = st.sampled_from(
    ["save", "again", "revise", "pin", "archive", "purge", "checkpoint", "rotate", "reopen", "wait"]
)


@settings(max_examples=50 * SOAK, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(steps=st.lists(_step, min_size=1, max_size=14), every=st.integers(1, 4))
def test_no_clean_run_raises_an_alarm_purges_and_rotations_included(
    tmp_path_factory: pytest.TempPathFactory, steps: list[str], every: int
) -> None:
    directory = tmp_path_factory.mktemp("clean") / "log"
    clock = Clock()
    limits = {
        "log": {"checkpoint_events": every, "checkpoint_minutes": 60.0, "key_batch": 4},
        "dream": {"memory_archive_retention_days": 1.0},
    }

    def opened() -> muniment.Muniment:
        return muniment.open(directory, clock=clock, settings=limits)

    m = opened()
    kept: list[Checkpoint] = []
    ids = [m.save("The Quillmark feed sits on Drive North", importance=0.1).id]
    for number, step in enumerate(steps):
        match step:
            case "save":
                said = f"Machine {number} has {number * 17} discs"
                ids.append(m.save(said, importance=0.1).id)
            case "again":
                m.save("The Quillmark feed sits on Drive North")
            case "revise":
                if m.get(ids[-1]).state == "live":
                    m.revise(ids[-1], f"Machine {number} was given away")
            case "pin":
                if m.get(ids[-1]).state == "live":
                    m.pin(ids[-1])
                    m.unpin(ids[-1])
            case "archive":
                if m.get(ids[-1]).state == "live":
                    m.archive(ids[-1], "old")
            case "purge":
                clock.now += timedelta(days=3)
                m.purge()
            case "checkpoint":
                kept.append(m.checkpoint())
            case "rotate":
                m.keys.rotate_signing()
            case "reopen":
                m.close()
                m = opened()
            case _:
                clock.now += timedelta(minutes=61)
        assert m.verify().findings == ()
    for checkpoint in kept:
        assert m.verify(against=checkpoint).findings == ()
    m.close()
    shutil.rmtree(directory / "keys")
    for checkpoint in kept:
        assert verified(directory, checkpoint).findings == ()
    assert verified(directory).findings == ()
    shutil.rmtree(directory)
