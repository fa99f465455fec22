"""What is said, and with which status it ends, when something cannot be done."""

import os
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
from terminal import Terminal, program

INVALID: dict[str, tuple[list[str], str, str | None]] = {
    "a number that is none": (
        ["save", "x", "--importance", "abc"],
        "importance_invalid",
        "importance",
    ),
    "a truth for a number": (
        ["save", "x", "--importance", "true"],
        "importance_invalid",
        "importance",
    ),
    "no number at all": (["save", "x", "--importance", "nan"], "importance_invalid", "importance"),
    "digits with underscores": (["search", "--limit", "1_0"], "limit_invalid", "limit"),
    "half an item": (["search", "--limit", "1.5"], "limit_invalid", "limit"),
    "a number without end": (["search", "--limit", "9" * 40], "limit_invalid", "limit"),
    "an unknown choice": (["search", "x", "--mode", "magic"], "mode_invalid", "mode"),
    "a day for a time": (
        ["search", "--created-after", "2026-01-01"],
        "timestamp_invalid",
        "created_after",
    ),
    "a pair without a value": (["save", "x", "--metadata", "k"], "metadata_invalid", "metadata"),
    "an unknown source": (["save", "x", "--source", "rumour"], "source_invalid", "source.type"),
    "nothing to save": (["save", " "], "content_empty", "content"),
    "a path for a category": (["save", "x", "--category", "../x"], "category_invalid", "category"),
    "an impossible space": (["--space", "a b", "save", "x"], "space_invalid", "space"),
    "an impossible actor": (["--actor", "nobody", "save", "x"], "actor_invalid", "actor"),
    "no id": (["show", "zz"], "id_invalid", "id"),
    "an unknown format": (["import", "mbox", "x"], "format_unknown", "format"),
    "an unknown verb": (["frobnicate"], "usage", None),
    "an unknown option": (["search", "--frobnicate"], "usage", None),
    "a verb without its argument": (["show"], "usage", "id"),
}


@pytest.mark.parametrize("case", INVALID)
def test_bad_input_is_told_by_code_and_field(muniment: Terminal, case: str) -> None:
    arguments, code, field = INVALID[case]
    muniment.save("User is in Chicago")
    run = muniment("--json", *arguments)
    assert run.status == 2
    assert (run.error["code"], run.error["field"]) == (code, field)
    for_people = muniment(*arguments)
    assert for_people.status == 2
    assert for_people.err.startswith("Error: ")
    assert f"[{code}]" in for_people.err
    assert len(muniment("log").out.splitlines()) == 1


def test_what_is_not_there_ends_with_3(muniment: Terminal) -> None:
    muniment.save("User is in Chicago")
    run = muniment("show", "deadbeefdead", "--json")
    assert (run.status, run.error["code"]) == (3, "not_found")


def test_what_a_role_forbids_ends_with_4(muniment: Terminal) -> None:
    run = muniment("--actor", "system:clock", "--json", "save", "x")
    assert (run.status, run.error["code"]) == (4, "role_refused")


def test_what_moved_meanwhile_ends_with_5(muniment: Terminal) -> None:
    id_ = muniment.save("User is in Chicago")
    run = muniment("pin", id_, "--expected-version", "7", "--json")
    assert (run.status, run.error["code"]) == (5, "version_conflict")


@pytest.mark.parametrize(
    "arguments",
    [
        *(["search", "x"], ["show", "deadbeef"], ["log"], ["stats"]),
        *(["verify"], ["prove-invariants"], ["rebuild"]),
    ],
    ids=lambda arguments: arguments[0],
)
def test_reading_a_missing_store_says_what_to_do_and_makes_none(
    muniment: Terminal, arguments: list[str]
) -> None:
    run = muniment(*arguments, "--json")
    # verify has three answers: intact, not intact, and cannot be read
    status = 2 if arguments == ["verify"] else 6
    assert (run.status, run.error["code"]) == (status, "missing")
    assert "'muniment save' makes one" in run.error["message"]
    assert not muniment.data.exists()


def test_editing_a_missing_store_makes_none(muniment: Terminal) -> None:
    assert muniment("pin", "deadbeefdead", "--json").error["code"] == "missing"
    assert not muniment.data.exists()


def test_another_programs_file_is_refused(muniment: Terminal) -> None:
    muniment.data.mkdir()
    (muniment.data / "log.db").write_bytes(b"no database" * 100)
    run = muniment("save", "x", "--json")
    assert (run.status, run.error["code"]) == (6, "not_a_log")


def test_a_log_that_was_tampered_with_ends_with_1(muniment: Terminal) -> None:
    muniment.save("User is in Chicago")
    with sqlite3.connect(muniment.data / "log.db") as connection:
        connection.execute("DROP TRIGGER events_no_update")
        connection.execute("UPDATE events SET actor = 'bot:evil'")
    connection.close()
    run = muniment("verify")
    assert run.status == 1
    assert "The log is not intact." in run.out
    assert "leaf from position 1 on" in run.out
    assert muniment("verify", "--json").json["intact"] is False


def test_a_bug_is_a_sentence_and_in_debugging_a_traceback(
    muniment: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_self: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr("muniment.handle.Muniment.stats", fail)
    muniment.save("User is in Chicago")
    run = muniment("stats")
    assert run.status == 70
    assert "Please report it" in run.err
    assert "Traceback" not in run.err
    monkeypatch.setenv("MUNIMENT_DEBUG", "1")
    assert "Traceback" in muniment("stats").err


def test_an_interrupt_ends_with_130_and_says_nothing(
    muniment: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(_self: object) -> None:
        raise KeyboardInterrupt

    muniment.save("User is in Chicago")
    monkeypatch.setattr("muniment.handle.Muniment.stats", interrupt)
    run = muniment("stats")
    assert (run.status, run.out, run.err) == (130, "", "")


def test_a_reader_that_goes_away_is_nothing_to_talk_about(tmp_path: Path) -> None:
    store = ["--data", str(tmp_path / "store")]
    assert program(*store, "save", "User is in Chicago").status == 0
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run(
        [sys.executable, "-m", "muniment", *store, "log"],
        stdout=writer,
        stderr=subprocess.PIPE,
        check=False,
        timeout=60,
    )
    os.close(writer)
    assert (done.returncode, done.stderr) == (141, b"")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="the system has no full device")
def test_an_output_that_is_full_is_told(tmp_path: Path) -> None:
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "muniment", "--data", str(tmp_path / "store"), "save", "x"],
            stdout=full,
            stderr=subprocess.PIPE,
            check=False,
            timeout=60,
        )
    assert done.returncode == 6
    assert b"[output_failed]" in done.stderr
    assert b"Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        (("rollback", "--source", "web", "--yes"), "--reason: say why; it is not needed without"),
        (("knew", "bot:x", "--at", "then"), "--at is no RFC 3339 time"),
        (("--as-of", "yesterday", "search", "x"), "--as-of is no RFC 3339 time"),
        (("save", "Hello there", "--importance", "7"), "--importance: "),
        (("report", "--from", "a", "--to", "b"), "--from is no RFC 3339 time"),
        (("audit", "at", "yesterday"), "when is no RFC 3339 time"),
        (("rollback",), "--memory, --source, --by, --session, --since, --until"),
        (("blast-radius",), "--memory, --source, --by, --session, --since, --until"),
        (("--role", "king", "stats"), "one of owner, main, contributor, service, auditor, admin."),
        (("token", "list"), "A person asks as one by --role admin before the verb."),
    ],
)
def test_an_error_names_what_the_command_line_calls_it(
    muniment: Terminal, asked: tuple[str, ...], said: str
) -> None:
    muniment.save("Rack 12 is full")
    run = muniment(*asked)
    assert (run.out, run.status) == ("", 4 if asked[0] == "token" else 2)
    assert said in run.err
    assert "dry" not in run.err


def test_an_agent_is_not_told_to_take_another_role(muniment: Terminal) -> None:
    muniment.save("Rack 12 is full")
    assert "--role" not in muniment("--actor", "subagent:scout", "token", "list").err


def test_now_is_a_moment(muniment: Terminal) -> None:
    id_ = muniment.save("Rack 12 is full")
    assert (
        muniment("--as-of", "now", "search", "rack", "--json").json["hits"][0]["memory"]["id"]
        == id_
    )
    assert muniment("knew", "bot:x", "--at", "now").status == 0
    assert muniment("audit", "at", "now").status == 0
