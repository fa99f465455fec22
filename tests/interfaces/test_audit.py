"""``audit`` and ``inbox``: what they print, and how they end."""

import json
from pathlib import Path

import independent
import pytest
from terminal import Terminal


def test_a_run_is_shown_and_read_back(muniment: Terminal) -> None:
    muniment.save("User is in Chicago")
    run = muniment("audit", "run", "--json")
    assert (run.status, run.json["live"], run.json["status"]) == (0, 1, "healthy")
    assert muniment("audit", "latest", "--json").json == run.json
    assert muniment("audit", "trend", "--json").json == [run.json]
    lines = muniment("audit", "trend", "--jsonl").out.splitlines()
    assert [json.loads(line) for line in lines] == [run.json]
    assert "healthy" in muniment("audit", "latest").out
    assert muniment("audit", "at", str(run.json["position"]), "--json").json == run.json
    assert "The last audit of this space was at" in muniment("doctor").out


def test_what_went_well_is_told_by_the_answer_alone(muniment: Terminal) -> None:
    muniment.save("User is in Chicago")
    run = muniment("audit", "run")
    assert (run.status, run.err) == (0, "")
    assert len(run.out.splitlines()) == 2


def test_before_the_first_there_is_nothing_to_show(muniment: Terminal) -> None:
    muniment.save("User is in Chicago")
    run = muniment("audit", "latest", "--json")
    assert (run.status, run.error["code"]) == (3, "no_audit")
    assert muniment("audit", "report").status == 3
    assert "Nothing was said." in muniment("inbox").out
    assert "No audit of this space" in muniment("doctor").out


def test_an_alert_ends_with_1_and_is_told(muniment: Terminal) -> None:
    for number in range(3):
        muniment.save(f"Crane {number} stands at berth {number * 7}", "--store", "episodic")
    muniment("audit", "run")
    independent.tamper(muniment.data, ("DELETE FROM events WHERE position = 2", ()))
    run = muniment("audit", "run")
    assert run.status == 1
    assert "alert    no-hard-delete-outside-purge: Memories that are gone" in run.out
    assert muniment("audit", "latest").status == 1
    assert muniment("audit", "report", "--json").json["findings"]
    assert "## Needs attention" in muniment("audit", "report").out
    (message,) = muniment("inbox", "--json").json
    assert (message["session"], message["status"]) == ("scheduled-system", "alert")
    assert "no-hard-delete-outside-purge" in muniment("inbox").out
    assert muniment("inbox", "--session", "other", "--json").json == []


def test_a_log_that_nobody_audited_has_a_trend(muniment: Terminal) -> None:
    muniment("demo")
    rows = muniment("audit", "trend", "--days", "400", "--json").json
    assert len(rows) > 100
    assert all(row["replayed"] for row in rows)
    assert {row["archived"] for row in rows} >= {0, 1, 3}
    at = muniment("audit", "at", "2026-03-01T00:00:00Z", "--json").json
    assert (at["live"], at["archived"]) == (2, 1)


def test_a_year_has_four_digits_however_early(muniment: Terminal) -> None:
    muniment.save("User is in Chicago")
    assert "0001-01-01 00:00 UTC, 0 events" in muniment("audit", "at", "0001-01-01T00:00:00Z").out


@pytest.mark.parametrize(
    ("arguments", "status", "code"),
    [
        (("at", "yesterday"), 2, "timestamp_invalid"),
        (("at", "99"), 2, "when_invalid"),
        (("trend", "--days", "0"), 2, "days_invalid"),
        (("explain", "nothing"), 3, "invariant_unknown"),
        (("resume", ""), 2, "reason_invalid"),
        (("trend", "--plot", "x.jpeg"), 2, "plot_invalid"),
    ],
)
def test_bad_input_ends_with_what_is_wrong(
    muniment: Terminal, arguments: tuple[str, ...], status: int, code: str
) -> None:
    muniment.save("User is in Chicago")
    run = muniment("audit", *arguments, "--json")
    assert (run.status, run.error["code"]) == (status, code)


def test_a_finding_is_explained(muniment: Terminal) -> None:
    muniment.save("User is in Chicago")
    assert "What to do: " in muniment("audit", "explain", "log-intact").out
    assert muniment("audit", "explain", "log-intact", "--json").json["severity"] == "alert"


def test_consolidation_is_resumed(muniment: Terminal) -> None:
    muniment.save("User is in Chicago")
    assert muniment("audit", "resume", "looked into it", "--json").json["paused"] is False
    assert muniment("--actor", "subagent:scout", "audit", "resume", "why not").status == 4


def test_the_trend_is_drawn(muniment: Terminal, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    muniment.save("User is in Chicago")
    muniment("audit", "run")
    assert muniment("audit", "trend", "--plot", str(tmp_path / "t.svg")).status == 0
    assert b"<svg" in (tmp_path / "t.svg").read_bytes()
