"""Verbs that are asked of the past, and the difference of two moments."""

import pytest
from terminal import Terminal

MOMENT = "2099-01-01T00:00:00Z"


@pytest.fixture
def relay(muniment: Terminal) -> str:
    id_ = muniment.save("The relay runs on Friday", "--category", "ci")
    muniment("revise", id_, "The relay runs on Monday")
    return id_


def test_reading_verbs_answer_as_of_then(muniment: Terminal, relay: str) -> None:
    assert "Friday" in muniment("--as-of", "1", "search", "relay").out
    assert "Monday" in muniment("--as-of", MOMENT, "search", "relay").out
    assert muniment("--as-of", "1", "show", relay, "--json").json["version"] == 1
    assert len(muniment("--as-of", "1", "history", relay, "--json").json) == 1
    assert muniment("--as-of", "1", "log", "--json").out.count("\n") == 1
    assert muniment("--as-of", "1", "stats", "--json").json["head"] == 1
    assert "at all 1 positions" in muniment("--as-of", "1", "prove-invariants").out


def test_ages_are_told_as_of_then(muniment: Terminal, relay: str) -> None:
    assert "first seen today" in muniment("--as-of", "1", "show", relay).out
    assert "first seen 20" in muniment("--as-of", MOMENT, "show", relay).out


def test_an_export_may_be_of_then(muniment: Terminal, relay: str) -> None:
    assert relay
    path = muniment.data.parent / "then.md"
    assert muniment("--as-of", "1", "export", str(path), "--format", "markdown").status == 0
    assert "Friday" in path.read_text()


@pytest.mark.parametrize(
    "arguments",
    [["save", "x"], ["fold"], ["purge"], ["verify"], ["doctor"], ["settings"], ["checkpoint"],
     ["rebuild"], ["backup", "x"], ["keys", "rotate"], ["demo"]],
)  # fmt: skip
def test_a_verb_about_the_present_is_refused(
    muniment: Terminal, relay: str, arguments: list[str]
) -> None:
    assert relay
    run = muniment("--as-of", "1", *arguments, "--json")
    assert run.status == 4
    assert (run.error["code"], run.error["field"]) == ("read_only", "as_of")


@pytest.mark.parametrize("when", ["0", "3", "yesterday", "2026-03-03T12:00:00"])
def test_what_names_no_moment_is_refused(muniment: Terminal, relay: str, when: str) -> None:
    assert relay
    assert muniment("--as-of", when, "search").status == 2
    assert muniment("diff", "1", when).status == 2


def test_a_diff_tells_what_became_of_each_memory(muniment: Terminal, relay: str) -> None:
    out = muniment("diff", "1", "2").out
    assert relay[-12:] in out
    assert "content: The relay runs on Friday → The relay runs on Monday" in out
    assert "rewritten: The relay runs on Monday" in out
    answer = muniment("diff", "2", "1", "--json").json
    assert answer["since"]["position"] == 1
    assert answer["changes"][0]["kinds"] == ["changed"]
    assert "nothing changed" in muniment("diff", "2", "2").out
