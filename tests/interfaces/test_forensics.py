"""``recall``, ``knew``, ``trace``, ``blast-radius`` and ``rollback`` on the command line; SARIF."""

import json
from datetime import UTC, datetime
from typing import Any

import independent
import pytest
from handwritten import NOBODY
from making import pending, saved
from terminal import Run, Terminal

from muniment.log.store import Store

PAGE = "type=web,ref=https://pumps.example/4,session=reading"


@pytest.fixture
def story(muniment: Terminal) -> dict[str, str]:
    wrong = muniment.save("The pump at station 4 runs at 9 bar", "--source", PAGE)
    other = muniment.save("Olga keeps the spare key")
    text = "The pump at station 4 runs at 9 bar. Olga keeps the spare key"
    merged = muniment("merge", wrong, other, text, "--json").json["id"]
    muniment("recall", "pump", "--session", "plan", "--agent", "bot:scout")
    return {"wrong": wrong, "other": other, "merged": merged}


LATER = "2999-01-01T00:00:00Z"


def test_a_recall_prints_what_search_prints_and_is_recorded(
    muniment: Terminal, story: dict[str, str]
) -> None:
    recalled = muniment("recall", "pump", "--session", "s")
    assert recalled.out.splitlines()[0] == muniment("search", "pump").out.splitlines()[0]
    assert "session.recalled" in muniment("log").out
    assert story["merged"][-12:] in recalled.out


def test_knew_tells_the_words_the_session_and_what_may_be_lacking(
    muniment: Terminal, story: dict[str, str]
) -> None:
    told = muniment("knew", "bot:scout", "--at", LATER)
    assert told.status == 0
    assert "session plan" in told.out
    assert "for 'pump'" in told.out
    assert "recorded by manual" in told.out
    assert "The pump at station 4 runs at 9 bar" in told.out
    assert "What this may lack:" in told.out
    (known,) = muniment("knew", "bot:scout", "--at", LATER, "--json").json["known"]
    assert (known["memory"], known["version"]) == (story["merged"], 1)
    assert "nothing that is recorded" in muniment("knew", "bot:x", "--at", "1").out


def test_a_trace_in_every_form(muniment: Terminal, story: dict[str, str]) -> None:
    text = muniment("trace", story["merged"])
    assert text.status == 0
    assert "← merged " in text.out
    assert "from web https://pumps.example/4 session reading" in text.out
    forms = {"dot": "digraph muniment {", "mermaid": "flowchart LR", "timeline": "# Timeline"}
    for form, first in forms.items():
        run = muniment("trace", story["merged"][-12:], "--format", form)
        assert run.out.splitlines()[0] == first
        assert story["wrong"][-12:] in run.out
    document = muniment("trace", story["merged"], "--format", "json").json
    assert document == muniment("trace", story["merged"], "--json").json
    assert {edge["source"] for edge in document["edges"]} == {story["wrong"], story["other"]}
    assert muniment("trace", story["merged"], "--format", "svg", "--json").error["code"] == (
        "format_unknown"
    )


def test_a_blast_radius_names_memories_sessions_and_agents(
    muniment: Terminal, story: dict[str, str]
) -> None:
    run = muniment("blast-radius", "--source", "https://pumps.example/*")
    assert run.out.splitlines()[0] == ("1 written, 2 memories reached, 1 session, 1 agent.")
    assert "bot:scout, session plan" in run.out
    found = muniment("blast-radius", "--by", "manual", "--source", "web", "--json").json
    assert found["memories"] == [story["wrong"], story["merged"]]
    assert "flowchart" in muniment("blast-radius", "--source", "web", "--format", "mermaid").out
    assert muniment("blast-radius", "--json").error["code"] == "selection_required"


def test_a_rollback_is_shown_done_and_undone(muniment: Terminal, story: dict[str, str]) -> None:
    shown = muniment("rollback", "--source", "web")
    assert (shown.status, "Nothing was done" in shown.out) == (0, True)
    assert muniment("show", story["merged"], "--json").json["state"] == "live"
    assert muniment("rollback", "--source", "web", "--yes", "--json").error["code"] == (
        "reason_required"
    )
    done = muniment("rollback", "--source", "web", "--yes", "--reason", "wrong", "--json").json
    actions = {step["id"]: step["action"] for step in done["steps"]}
    assert actions == {
        story["merged"]: "hide",
        story["other"]: "restore",
        story["wrong"]: "leave",
    }
    assert muniment("show", story["merged"], "--json").json["state"] == "quarantined"
    undone = muniment("rollback", "--undo", done["id"], "--yes", "--reason", "right")
    assert "Undone: 2 memories moved." in undone.out
    assert muniment("show", story["merged"], "--json").json["state"] == "live"
    again = muniment("rollback", "--undo", done["id"], "--json")
    assert (again.status, again.error["code"]) == (4, "already_undone")


def test_a_rollback_says_how_to_take_it_back(muniment: Terminal, story: dict[str, str]) -> None:
    del story
    done = muniment("rollback", "--source", "web", "--yes", "--reason", "wrong").out
    (undo,) = [line for line in done.splitlines() if "--undo" in line]
    id_ = undo.split("--undo ")[1].split("'")[0]
    assert muniment("rollback", "--undo", id_).status == 0


# SARIF: the properties that its schema requires, and those that viewers go by


def require_sarif(run: Run) -> list[Any]:
    """The results of a document, which has what SARIF 2.1.0 requires."""
    document = json.loads(run.out)
    assert document["version"] == "2.1.0"
    assert "sarif-schema-2.1.0" in document["$schema"]
    (found,) = document["runs"]
    driver = found["tool"]["driver"]
    assert isinstance(driver["name"], str)
    for rule in driver["rules"]:
        assert isinstance(rule["id"], str)
        assert isinstance(rule["shortDescription"]["text"], str)
        assert rule["defaultConfiguration"]["level"] in ("none", "note", "warning", "error")
    results: list[Any] = found["results"]
    for result in results:
        assert isinstance(result["message"]["text"], str)
        assert driver["rules"][result["ruleIndex"]]["id"] == result["ruleId"]
        assert result["level"] == "error"
        assert result["occurrenceCount"] >= 1
        (location,) = result["locations"]
        assert location["physicalLocation"]["artifactLocation"]["uri"] == "log.db"
        assert location["logicalLocations"][0]["name"].isdecimal()
    return results


def test_findings_of_verify_as_sarif(muniment: Terminal) -> None:
    muniment.save("User is in Chicago")
    muniment.save("Anna has a boat in Oslo")
    clean = muniment("verify", "--sarif")
    assert (clean.status, require_sarif(clean)) == (0, [])
    independent.tamper(muniment.data, ("UPDATE events SET actor = 'bot:x' WHERE position = 2", ()))
    run = muniment("verify", "--sarif")
    assert run.status == 1
    (result,) = [one for one in require_sarif(run) if one["ruleId"] == "leaf"]
    assert result["locations"][0]["logicalLocations"][0]["fullyQualifiedName"] == "events/2"


def test_broken_invariants_as_sarif(muniment: Terminal) -> None:
    muniment.save("User is in Chicago")
    assert require_sarif(muniment("prove-invariants", "--sarif")) == []
    store = Store(muniment.data, release="test")
    store.append([pending(saved("Nora", resembles=(NOBODY,)), at=datetime.now(UTC))])
    store.close()
    run = muniment("prove-invariants", "--sarif")
    assert run.status == 1
    (result,) = require_sarif(run)
    assert result["ruleId"] == "no-hard-delete-outside-purge"
    assert "position 2" in result["message"]["text"]
