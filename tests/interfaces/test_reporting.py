"""The verb of reviewers."""

import json
import sqlite3
import stat
from pathlib import Path
from typing import Any

import pytest
from terminal import Terminal, program
from typer.core import TyperGroup

from muniment.interfaces.cli.program import whole
from muniment.reporting.questions import QUESTIONS

LATER = "2026-03-02T00:00:00Z"
PERIOD = ("--from", "2020-01-01T00:00:00Z", "--to", "2099-01-01T00:00:00Z")


def test_it_is_printed_as_markdown_or_as_json(muniment: Terminal) -> None:
    muniment.save("The relay runs on Monday.")
    told = muniment("report", *PERIOD)
    assert told.status == 0
    assert told.out.startswith("# Report on the memory of the space default\n")
    assert told.out.count("\n## ") == 12
    assert list(muniment("report", *PERIOD, "--json").json["answers"]) == list(QUESTIONS)


@pytest.mark.parametrize(
    "line", sorted({line for one in QUESTIONS.values() for line in one.commands})
)
def test_every_command_that_a_report_names_is_one_of_the_program(line: str) -> None:
    program_, *words = line.split()
    assert program_ == "muniment"
    verb: Any = whole()
    while words and isinstance(verb, TyperGroup):
        if words[0].startswith("--"):
            assert words[0] in options(verb)
            del words[:2]
        else:
            verb = verb.commands[words.pop(0)]
    assert not isinstance(verb, TyperGroup)
    assert {word for word in words if word.startswith("--")} <= options(verb)


def options(verb: Any) -> set[str]:
    return {spelt for parameter in verb.params for spelt in parameter.opts}


def test_both_forms_are_written_for_the_owner_alone(muniment: Terminal, tmp_path: Path) -> None:
    muniment.save("The relay runs on Monday.")
    out = tmp_path / "reports" / "march.md"
    done = muniment("report", *PERIOD, "--out", str(out))
    assert done.status == 0
    assert str(out) in done.out
    beside = out.with_suffix(".json")
    assert out.read_text(encoding="utf-8").count("\n## ") == 12
    assert list(json.loads(beside.read_text(encoding="utf-8"))["answers"]) == list(QUESTIONS)
    assert [stat.S_IMODE(one.stat().st_mode) for one in (out, beside)] == [0o600, 0o600]


@pytest.mark.parametrize("name", ["march.md", "march.json"])
def test_a_file_that_is_there_stays_unless_it_is_said(
    muniment: Terminal, tmp_path: Path, name: str
) -> None:
    muniment.save("The relay runs on Monday.")
    (tmp_path / name).write_text("mine", encoding="utf-8")
    out = ("--out", str(tmp_path / "march.md"))
    refused = muniment("report", *PERIOD, *out, "--json")
    assert (refused.status, refused.error["code"]) == (4, "target_exists")
    assert (tmp_path / name).read_text(encoding="utf-8") == "mine"
    assert len(list(tmp_path.glob("march.*"))) == 1
    assert muniment("report", *PERIOD, *out, "--overwrite").status == 0
    assert (tmp_path / name).read_text(encoding="utf-8") != "mine"


@pytest.mark.parametrize(
    ("given", "code", "field"),
    [
        (
            ("--from", LATER, "--to", "2026-03-01T00:00:00Z"),
            "period_invalid",
            "since",
        ),
        (
            ("--from", "2026-03-02T00:00:00", "--to", "2026-03-03T00:00:00Z"),
            "timezone_required",
            "since",
        ),
        ((*PERIOD, "--against", "nowhere"), "checkpoint_unreadable", "against"),
        ((*PERIOD, "--out", "march.txt"), "out_invalid", "out"),
        ((*PERIOD, "--subject", ""), "subject_invalid", "subject"),
    ],
)
def test_what_is_wrong_is_said(
    muniment: Terminal, given: tuple[str, ...], code: str, field: str
) -> None:
    muniment.save("The relay runs on Monday.")
    refused = muniment("report", *given, "--json")
    assert refused.status == 2
    assert (refused.error["code"], refused.error["field"]) == (code, field)


def test_an_altered_log_ends_it_with_1(muniment: Terminal) -> None:
    muniment.save("The relay runs on Monday.")
    with sqlite3.connect(muniment.data / "log.db") as db:
        triggers = db.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall()
        for (name,) in triggers:
            db.execute(f"DROP TRIGGER {name}")
        db.execute("UPDATE events SET actor = 'bot:forged' WHERE position = 1")
    db.close()
    told = muniment("report", *PERIOD, "--json")
    assert told.status == 1
    whole = told.json["answers"]["whole"]
    assert whole["figures"]["intact"] is False
    assert {row["what"] for row in whole["rows"]} >= {"leaf", "unguarded"}


def test_the_program_itself_reports_against_a_checkpoint(tmp_path: Path) -> None:
    data = ("--data", str(tmp_path / "store"))
    assert program(*data, "save", "The relay runs on Monday.").status == 0
    kept = program(*data, "checkpoint").out.encode()
    done = program(*data, "report", *PERIOD, "--against", "-", "--json", stdin=kept)
    assert done.status == 0
    assert done.json["answers"]["whole"]["figures"]["kept_elsewhere_of"] == 1
    assert done.json["is_covered"] is True
    assert program(*data, "--role", "main", "report", *PERIOD).status == 4
