"""The story plays, says what it should, and leaves a store only where it was asked to."""

import tempfile
from pathlib import Path

import pytest
from terminal import Terminal, in_process

LANDMARKS = [
    "bot:assistant   is told and saves",
    "→ created: nothing like it was known",
    "→ reinforced: the same in other words",
    "→ extended: it only adds",
    "→ created: another day is another fact, marked as in conflict with",
    "→ archived:",
    "→ revised: version 2",
    "→ faded: its importance went from 0.60 to 0.28",
    "→ rescored: 0.90",
    "→ refused: Fridays, Lisbon",
    "would be lost, so both stay as they are",
    "→ merged: one for two, with their counts (3×)",
    "→ pending: no search finds it until",
    "→ committed: a memory now",
    "→ purged:",
    "an agent asks “when do deploys start?” and reads",
    "The context that an agent gets for that question, in its session",
    "Recalled from long-term memory (relevant to this message):",
    "(work/deploys): The web shop deploys start on Thursdays at 3 pm, after the standup",
    "- session/web-shop/calendar: expires in 5m00s, tags: team",
    "- patrol/heartbeat/deploys: expires in 4h00m, category: patrol-finding",
    "- user: I am back from Lisbon!",
    "The history of the purged memory",
    "memory.saved: its words were purged",
    "purged: archived on 2026-02-06, kept for 90 days",
    "The log: what happened is all there is",
    "memory.merge_rejected",
    "memory.purge_requested",
    "The log is intact: 19 events",
]


def test_the_story_passes_its_landmarks_in_order(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setenv("MUNIMENT_DATA", str(tmp_path / "the user's own"))
    monkeypatch.setenv("MUNIMENT_MEMORY__DEDUPE_ENABLED", "false")
    assert in_process("demo") == 0
    told = capsys.readouterr().out
    at = [told.index(landmark) for landmark in LANDMARKS]
    assert at == sorted(at)
    assert "conflicts with" not in told[at[0] :].partition("an agent asks")[2]  # it is settled
    assert "written as bot:commit-from:scout" in told
    assert len(told.splitlines()) <= 100
    assert "\x1b" not in told
    assert list(tmp_path.iterdir()) == []


def test_the_story_as_json_has_scenes_and_an_ending(muniment: Terminal) -> None:
    story = muniment("demo", "--json").json
    assert [scene["outcome"].partition(":")[0] for scene in story["scenes"]] == [
        "created",
        "created",
        "reinforced",
        "extended",
        "created",
        "archived",
        "revised",
        "faded",
        "rescored",
        "created",
        "refused",
        "merged",
        "pending",
        "committed",
        "purged",
    ]
    ending = story["ending"]
    assert ending["verification"]["intact"]
    assert ending["log"][-1]["chain"] == ending["verification"]["chain"]


def test_a_store_that_was_named_is_kept_and_never_played_on_again(muniment: Terminal) -> None:
    assert muniment("demo").status == 0
    assert "20 events" in muniment("stats").out
    run = muniment("demo", "--json")
    assert (run.status, run.error["code"]) == (4, "store_not_empty")
    assert "20 events" in muniment("verify").out
