"""The verbs of erasure."""

import json
from pathlib import Path

from terminal import Terminal

FACT = "Anna Karenina lives in Chicago"
OTHER = "Clara met Anna Karenina in Rome"


def about(muniment: Terminal) -> tuple[str, str]:
    """What is about somebody, and what only mentions them."""
    known = muniment.save(FACT, "--metadata", "subject=Anna Karenina")
    return known, muniment.save(OTHER)


def test_without_yes_it_is_only_shown(muniment: Terminal) -> None:
    id_, _ = about(muniment)
    shown = muniment("erase", id_[-12:], "--basis", "gdpr-17")
    assert shown.status == 0
    assert "To be erased: 1 memory; --yes does it." in shown.out
    assert id_ in shown.out
    assert muniment("show", id_, "--json").json["content"] == FACT
    done = muniment("erase", id_[-12:], "--basis", "gdpr-17", "--yes")
    assert "Erased 1 memory: their words are gone." in done.out
    assert "destroy key backups from before by" in done.out
    assert muniment("show", id_, "--json").json["content"] is None
    again = muniment("erase", id_[-12:], "--basis", "gdpr-17", "--yes")
    assert again.out.startswith(
        "What was named was without words before: nothing was erased, and no certificate was made."
    )
    assert f"{id_}  without words before" in again.out


def test_by_subject_with_what_was_confirmed_besides(muniment: Terminal, tmp_path: Path) -> None:
    id_, other = about(muniment)
    letter = tmp_path / "letter.txt"
    letter.write_text("Asked for on 3 March", encoding="utf-8")
    asked = ("erase", "--subject", "anna karenina", "--basis", "gdpr-17")
    shown = muniment(*asked)
    assert f"{other}  mentions the name, left" in shown.out
    assert "the same with their ids after 'erase'" in shown.out
    done = muniment(*asked, other, "--basis-text", f"@{letter}", "--yes", "--json").json
    assert done["erased"] == [id_, other]
    assert done["basis_text"] == "Asked for on 3 March"
    (listed,) = muniment("erasures", "--json").json["erasures"]
    assert (listed["id"], listed["erased"]) == (done["id"], done["erased"])
    told = muniment("erasures").out
    assert "gdpr-17 Asked for on 3 March" in told
    assert done["id"] in told


def test_a_name_that_nothing_is_about_makes_no_certificate(muniment: Terminal) -> None:
    _, other = about(muniment)
    muniment.save("Rack 12 is full")
    for name, mentioned in (("nobody here", ()), ("Clara", (other,))):
        asked = ("erase", "--subject", name, "--basis", "gdpr-17")
        shown, done = muniment(*asked).out, muniment(*asked, "--yes").out
        about_nobody = f"Nothing here is about '{name}': nothing"
        assert shown.startswith(f"{about_nobody} would be erased.\n")
        assert done.startswith(f"{about_nobody} was erased, and no certificate was made.\n")
        for told in (shown, done):
            assert [id_ for id_ in (other,) if id_ in told] == list(mentioned)
            assert "done" not in told
            assert "basis" not in told
    assert "Nothing was erased in this space." in muniment("erasures").out


def test_a_whole_space_is_the_one_that_is_worked_in(muniment: Terminal) -> None:
    kept, _ = about(muniment)
    there = ("--space", "other")
    gone = muniment(*there, "save", "Rack 12 is full", "--json").json["id"]
    done = muniment(*there, "erase", "--whole-space", "--basis", "ended", "--yes", "--json").json
    assert (done["space"], done["erased"]) == ("other", [gone])
    assert muniment("show", kept, "--json").json["content"] == FACT


def test_merges_are_kept_for_a_reason(muniment: Terminal) -> None:
    id_, other = about(muniment)
    whole = muniment("merge", id_, other, f"{FACT}. {OTHER}", "--json").json["id"]
    asked = ("erase", id_, "--basis", "gdpr-17", "--cascade", "keep")
    refused = muniment(*asked, "--json").error
    assert (refused["code"], refused["field"]) == ("cascade_invalid", "cascade")
    done = muniment(*asked, "--reason", "an audit", "--yes")
    assert f"{whole}  kept, derived from it" in done.out
    assert "an audit" in done.out


def test_a_hold_is_told_of_before_and_refused_then(muniment: Terminal) -> None:
    id_, _ = about(muniment)
    muniment("hold", id_, "a suit")
    assert "A legal hold blocks it: 1 memory." in muniment("erase", id_, "--basis", "x").out
    refused = muniment("erase", id_, "--basis", "x", "--yes", "--json")
    assert (refused.status, refused.error["code"]) == (4, "held")


def test_it_has_to_be_said_what(muniment: Terminal) -> None:
    about(muniment)
    for asked in ((), ("--whole-space", "--subject", "Anna"), ("--whole-space", "12345678")):
        refused = muniment("erase", *asked, "--basis", "x", "--json")
        assert (refused.status, refused.error["code"]) == (2, "id_required")
    assert muniment("erase", "12345678").status == 2
    assert "Nothing was erased in this space." in muniment("erasures").out


def test_an_export_of_what_is_held_about_somebody(muniment: Terminal, tmp_path: Path) -> None:
    id_, _ = about(muniment)
    path = tmp_path / "held.jsonl"
    assert muniment("export", str(path), "--subject", "Anna Karenina").out.startswith(
        "Exported 1 memories"
    )
    _, memory, _ = path.read_text(encoding="utf-8").splitlines()
    assert json.loads(memory)["id"] == id_
