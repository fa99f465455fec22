"""The doctor finds what is wrong and what is risky, and says what to do."""

import sqlite3
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from terminal import Terminal

import muniment as package
from muniment.interfaces.cli import doctor
from muniment.log.schema import SCHEMA


def findings(muniment: Terminal) -> dict[str, Any]:
    run = muniment("doctor", "--json")
    diagnosis = run.json
    assert run.status == (0 if diagnosis["healthy"] else 1)
    return {check["name"]: check for check in diagnosis["checks"]}


def test_a_store_in_good_order_is_said_to_be(muniment: Terminal) -> None:
    muniment.save("User is in Chicago")
    run = muniment("doctor")
    assert run.status == 0
    assert f"Muniment {package.__version__}, Python {sys.version.split()[0]}" in run.out
    assert f"SQLite {sqlite3.sqlite_version}" in run.out
    assert str(muniment.data) in run.out
    assert f"schema {SCHEMA}, 1 events" in run.out
    assert "The log verifies" in run.out
    assert "Every memory can be read." in run.out
    assert "The master key lies beside the log" in run.out
    assert "broken" not in run.out


def test_without_a_store_it_says_how_to_make_one(muniment: Terminal) -> None:
    found = findings(muniment)
    assert "no store" in found["data"]["found"]
    assert "muniment save" in found["data"]["advice"]
    assert not muniment.data.exists()


@pytest.mark.parametrize(
    ("version", "standing"),
    [((3, 6, 23), "fine"), ((3, 7, 0), "risk"), ((3, 51, 2), "risk"), ((3, 51, 3), "fine")],
)
def test_a_sqlite_with_the_wal_reset_bug_is_a_risk(
    muniment: Terminal,
    monkeypatch: pytest.MonkeyPatch,
    version: tuple[int, ...],
    standing: str,
) -> None:
    monkeypatch.setattr(sqlite3, "sqlite_version_info", version)
    found = findings(muniment)["sqlite"]
    assert found["standing"] == standing
    if standing == "risk":
        assert "serialises its writes and checkpoints by a lock of its own" in found["found"]


def test_files_that_others_may_read_are_a_risk(muniment: Terminal) -> None:
    muniment.save("User is in Chicago")
    assert findings(muniment)["modes"]["standing"] == "fine"
    key = muniment.data / "keys" / "master.key"
    key.chmod(0o644)
    found = findings(muniment)["modes"]
    assert found["standing"] == "risk"
    assert found["advice"] == f"chmod 600 {key}"


def test_a_log_that_does_not_verify_is_broken(muniment: Terminal) -> None:
    muniment.save("User is in Chicago")
    with sqlite3.connect(muniment.data / "log.db") as connection:
        connection.execute("DROP TRIGGER events_no_delete")
    connection.close()
    assert findings(muniment)["verified"]["standing"] == "broken"


def test_memories_without_their_key_are_broken(muniment: Terminal) -> None:
    muniment.save("User is in Chicago")
    with sqlite3.connect(muniment.data / "keys" / "keys.db") as connection:
        connection.execute("DELETE FROM keys")
    connection.close()
    found = findings(muniment)["memories"]
    assert (found["standing"], found["found"]) == (
        "broken",
        "1 cannot be read in full (key_missing).",
    )


def test_a_store_that_cannot_be_opened_is_broken(muniment: Terminal) -> None:
    muniment.save("User is in Chicago")
    (muniment.data / "keys" / "master.key").unlink()
    found = findings(muniment)["store"]
    assert found["standing"] == "broken"
    assert "master key" in found["found"]


def test_a_log_ahead_of_the_clock_is_a_risk(tmp_path: Path) -> None:
    now = datetime(2026, 5, 1, tzinfo=UTC)
    with package.open(tmp_path / "store", clock=lambda: now) as store:
        store.save("User is in Chicago")
    for earlier, standing in ((timedelta(minutes=5), "fine"), (timedelta(minutes=6), "risk")):
        diagnosis = doctor.diagnose(tmp_path / "store", "default", now - earlier)
        assert diagnosis.healthy
        assert {one.name: one.standing for one in diagnosis.checks}["clock"] == standing


def test_what_is_no_directory_has_nothing_to_look_at(muniment: Terminal) -> None:
    run = muniment("--data", "postgresql://x", "doctor", "--json")
    assert (run.status, run.error["code"]) == (2, "target_invalid")
