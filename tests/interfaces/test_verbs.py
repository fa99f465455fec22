"""Each verb once for people and once as JSON."""

import json
from pathlib import Path

import pytest
from terminal import Terminal


def test_a_save_says_what_became_of_it(muniment: Terminal) -> None:
    first = muniment("save", "User is in Chicago", "--category", "user//place", "--tag", "city")
    assert first.status == 0
    assert "as a new memory." in first.out
    assert "User is in Chicago" in first.out
    assert "note: category 'user//place' was filed as user/place" in first.out
    again = muniment("save", "The user is in Chicago.", "--category", "user/place")
    assert "Known already:" in again.out
    assert "2×" in again.out


def test_a_save_as_json_has_the_fields_of_the_face(muniment: Terminal) -> None:
    saved = muniment(
        *("save", "User is in Chicago", "--importance", "0.75", "--store", "episodic"),
        *("--tag", "a", "--tags", "b", "--metadata", "subjectTime=2026-05", "--metadata", "k=a=b"),
        *(
            "--source",
            "type=web,ref=https://example.org/?a=1,b,session=s",
            "--trust",
            "0",
            "--json",
        ),
    ).json
    assert saved["outcome"] == "created"
    memory = saved["memory"]
    assert memory["content"] == "User is in Chicago"
    assert memory["importance"] == 0.75
    assert memory["store"] == "episodic"
    assert memory["tags"] == ["a", "b"]
    assert memory["metadata"] == {"k": "a=b", "subjectTime": "2026-05"}
    assert memory["source"] == {
        "type": "web",
        "ref": "https://example.org/?a=1,b",
        "session": "s",
        "model": None,
    }
    assert memory["created_at"].endswith("Z")


def test_json_may_be_asked_for_before_the_verb(muniment: Terminal) -> None:
    assert muniment("--json", "save", "User is in Chicago").json["outcome"] == "created"


EDITS: dict[str, tuple[list[str], str, object]] = {
    "revise": (["User is in Lisbon"], "content", "User is in Lisbon"),
    "rescore": (["0.9"], "importance", 0.9),
    "recategorize": (["work/deploys"], "category", "work/deploys"),
    "retag": (["x", "y"], "tags", ["x", "y"]),
    "describe": (["k=v"], "metadata", {"k": "v"}),
    "pin": ([], "pinned", True),
    "unpin": ([], "pinned", False),
    "mark-used": ([], "access_count", 2),
    "archive": (["no more"], "archive_reason", "no more"),
}


@pytest.mark.parametrize("verb", EDITS)
def test_an_edit_prints_the_memory_after_it(muniment: Terminal, verb: str) -> None:
    arguments, field, value = EDITS[verb]
    id_ = muniment.save("User is in Chicago")
    edited = muniment(verb, id_, *arguments, "--json")
    assert edited.json[field] == value
    for_people = muniment(verb, id_[-12:], *arguments)
    assert for_people.status == 0
    assert for_people.out.startswith(id_[-12:])


def test_what_may_be_given_many_times_may_be_given_not_at_all(muniment: Terminal) -> None:
    id_ = muniment.save("User is in Chicago", "--tag", "a", "--metadata", "k=v")
    assert muniment("retag", id_, "--json").json["tags"] == []
    assert muniment("describe", id_, "--json").json["metadata"] == {}


def test_a_blank_category_is_none(muniment: Terminal) -> None:
    id_ = muniment.save("User is in Chicago", "--category", "user")
    assert muniment("recategorize", id_, "", "--json").json["category"] is None


def test_a_restore_tells_what_there_is_to_know(muniment: Terminal) -> None:
    id_ = muniment.save("User is in Chicago")
    muniment("archive", id_, "no more")
    assert muniment("restore", id_, "--json").json["memory"]["state"] == "live"
    assert "note: already_live" in muniment("restore", id_).out


def test_a_memory_is_shown_whole(muniment: Terminal) -> None:
    id_ = muniment.save("User is in Chicago", "--tag", "city", "--metadata", "k=v")
    shown = muniment("show", id_).out
    for told in (id_, "User is in Chicago", "live", "city", "k=v", "owner, trust 3"):
        assert told in shown
    assert muniment("show", id_, "--json").json["id"] == id_


def test_a_search_ranks_and_as_json_has_the_scores(muniment: Terminal) -> None:
    id_ = muniment.save("User is in Chicago", "--category", "user/place")
    muniment.save("Deploys run on Tuesdays")
    found = muniment("search", "chicago")
    assert found.out.splitlines()[0].split()[2] == id_[-12:]
    assert "user/place" in found.out
    result = muniment("search", "chicago", "--explain", "--limit", "1", "--json").json
    assert [hit["memory"]["id"] for hit in result["hits"]] == [id_]
    assert result["hits"][0]["score"] > 0
    assert result["hits"][0]["why"]["terms"]


def test_a_browse_and_a_miss_show_the_categories(muniment: Terminal) -> None:
    muniment.save("User is in Chicago", "--category", "user/place")
    assert "Categories: user/place (1)" in muniment("search").out
    missed = muniment("search", "zebra").out
    assert "Nothing matched" in missed
    assert "Categories: user/place (1)" in missed


def test_a_search_goes_on_where_the_page_before_ended(muniment: Terminal) -> None:
    for name in ("Ada", "Berta", "Cora"):
        muniment.save(f"{name} plays chess on Mondays")
    first = muniment("search", "chess", "--limit", "2", "--json").json
    second = muniment("search", "chess", "--limit", "2", "--cursor", first["cursor"], "--json").json
    assert len({hit["memory"]["id"] for hit in first["hits"] + second["hits"]}) == 3
    assert f"--cursor {first['cursor']}" in muniment("search", "chess", "--limit", "2").out


def test_what_an_agent_reads_is_printed_as_it_is(muniment: Terminal) -> None:
    id_ = muniment.save("User is in Chicago")
    read = muniment("search", "chicago", "--agent").out
    assert read.startswith(f"- [{id_[-12:]}] (general) importance 0.50, first seen today:\n")
    assert muniment("search", "chicago", "--agent", "--json").json == {"text": read[:-1]}


def test_a_history_tells_each_event(muniment: Terminal) -> None:
    id_ = muniment.save("User is in Chicago")
    muniment("rescore", id_, "0.9")
    told = muniment("history", id_).out.splitlines()
    assert "saved by owner" in told[0]
    assert "importance set to 0.9" in told[1]
    names = [entry["name"] for entry in muniment("history", id_, "--json").json]
    assert names == ["memory.saved", "memory.rescored"]


def test_the_log_is_an_event_a_line(muniment: Terminal) -> None:
    for text in ("User is in Chicago", "Deploys run on Tuesdays"):
        muniment.save(text)
    assert len(muniment("log").out.splitlines()) == 2
    entries = [json.loads(line) for line in muniment("log", "--json").out.splitlines()]
    assert [entry["position"] for entry in entries] == [1, 2]
    assert entries[1]["data"]["content"] == "Deploys run on Tuesdays"
    assert len(muniment("log", "--after", "1", "--space", "*").out.splitlines()) == 1
    assert muniment("log", "--actor", "bot:x").out == ""


def test_the_options_before_a_verb_say_where_and_as_whom(muniment: Terminal) -> None:
    saved = muniment("--space", "acme", "--actor", "bot:x", "save", "Hello there", "--json").json
    assert saved["memory"]["space"] == "acme"
    assert saved["memory"]["source"]["type"] == "agent"
    assert muniment("show", saved["id"]).status == 3
    assert muniment("--space", "acme", "show", saved["id"]).status == 0


def test_figures_are_counted_by_space(muniment: Terminal) -> None:
    muniment.save("User is in Chicago", "--category", "user/place")
    assert "Space default: 1 live" in muniment("stats").out
    stats = muniment("stats", "--json").json
    assert stats["categories"] == {"user/place": 1}
    assert stats["head"] == 1


def test_a_log_that_is_whole_verifies(muniment: Terminal) -> None:
    muniment.save("User is in Chicago")
    verified = muniment("verify")
    assert (verified.status, verified.out[:19]) == (0, "The log is intact: ")
    assert muniment("verify", "--json").json["events"] == 1


def test_projections_agree_with_the_log(muniment: Terminal) -> None:
    muniment.save("User is in Chicago")
    assert "agree with the log" in muniment("rebuild").out
    assert muniment("rebuild", "--json").json == {"position": 1, "differing": []}


def test_an_import_reports_what_came_in_and_what_did_not(
    muniment: Terminal, tmp_path: Path
) -> None:
    file = tmp_path / "memory.jsonl"
    entity = {"type": "entity", "name": "Ada", "entityType": "person", "observations": ["is kind"]}
    file.write_text(json.dumps(entity) + "\n{torn\n")
    report = muniment("import", "mcp-memory", str(file), "--json").json
    assert (report["imported"], len(report["skipped"])) == (1, 1)
    again = muniment("import", "mcp-memory", str(file)).out
    assert "Imported 0 memories from mcp-memory; 1 were here already, 1 were left out." in again
    assert "left out: line 2" in again


def test_settings_say_where_they_come_from(
    muniment: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MUNIMENT_SEARCH__K1", "1.2")
    lines = muniment("settings").out.splitlines()
    assert lines[0].split() == ["memory.dedupe_enabled", "True", "default"]
    assert "(Memory:DedupeEnabled)" in lines[1]
    by_name = {one["name"]: one for one in muniment("settings", "--json").json}
    assert by_name["search.k1"]["value"] == 1.2
    assert by_name["search.k1"]["origin"] == "environment"


def test_a_merge_takes_the_ids_and_then_the_text(muniment: Terminal) -> None:
    ids = [muniment.save("Rack 12 is full."), muniment.save("Rack 14 holds the Tessera relay.")]
    refused = muniment("merge", *ids, "Rack 12 is full.")
    assert refused.status == 4
    assert "loses 14, Tessera" in refused.err
    both = "Rack 12 is full, rack 14 holds the Tessera relay."
    merged = muniment("merge", ids[0][-12:], ids[1], both, "--tag", "rack")
    assert merged.out.startswith(f"Merged {ids[0][-12:]}, {ids[1][-12:]} into ")
    assert both in merged.out
    assert "seen 2×" in merged.out
    shown = muniment("show", ids[0], "--json").json
    assert muniment("show", shown["merged_into"], "--json").json["tags"] == ["rack"]
    assert "note: live_merge_source" in muniment("restore", ids[0]).out


def test_a_merge_as_json_has_its_sources(muniment: Terminal) -> None:
    ids = [muniment.save("Rack 12 is full."), muniment.save("Rack 14 is empty.")]
    merged = muniment("merge", *ids, "Rack 12 is full, rack 14 is empty.", "--json").json
    assert merged["sources"] == ids
    assert merged["memory"]["reinforcement_count"] == 2
    refused = muniment("--json", "merge", merged["id"], "Rack 12 is full.")
    assert (refused.status, refused.error["code"]) == (2, "merge_needs_two")
    nothing = muniment("merge", "Rack 12 is full.")
    assert nothing.status == 2
    assert "Missing argument" in nothing.err


def test_a_fold_prints_what_it_folded_away(muniment: Terminal) -> None:
    first = muniment.save("Rack 12 is full.")
    assert "Nothing repeats exactly." in muniment("fold").out
    other = muniment.save("Rack 14 is empty.")
    muniment("revise", other, "Rack 12 is full.")
    folded = muniment("fold")
    assert "Folded away 1 memory" in folded.out
    assert other in folded.out
    assert first not in folded.out
    assert muniment("fold", "--json").json == {"folded": []}


def test_a_contradiction_a_doubt_and_a_hold_are_told(muniment: Terminal) -> None:
    old, new = muniment.save("Deploys run on Tuesdays"), muniment.save("Deploys run on Thursdays")
    assert "superseded" in muniment("supersede", old, new[-12:]).out
    assert "quarantined" in muniment("quarantine", new, "who says so?").out
    assert "live" in muniment("release", new).out
    assert muniment("hold", new, "a suit", "--json").json["version"] == 4
    assert muniment("release-hold", new, "--json").json["version"] == 5


def test_a_purge_shows_what_it_would_remove_and_does_it_with_yes(
    muniment: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain, precious = (
        muniment.save("Rack 12 is full."),
        muniment.save("Rack 14 is empty.", "--importance", "0.9"),
    )
    assert "Nothing has been archived for longer" in muniment("purge").out
    for id_ in (plain, precious):
        muniment("archive", id_, "stale")
    monkeypatch.setenv("MUNIMENT_DREAM__MEMORY_ARCHIVE_RETENTION_DAYS", "0.000000001")
    head = muniment("stats", "--json").json["head"]
    shown = muniment("purge").out
    assert "To be purged: 1 memory; --yes does it." in shown
    assert "Kept, for they are protected: 1 memory." in shown
    assert shown.index(plain) < shown.index("Kept") < shown.index(precious)
    assert muniment("purge", "--json").json == {
        "purged": [],
        "kept": [precious],
        "due": [plain],
        "recalls": [],
    }
    assert muniment("stats", "--json").json["head"] == head
    done = muniment("purge", "--yes").out
    assert "Purged 1 memory: their words are gone." in done
    assert plain in done
    assert "[purged]" in muniment("show", plain).out
    assert muniment("purge", "--yes", "--json").json["purged"] == []


def test_tokens_are_issued_listed_and_revoked(muniment: Terminal) -> None:
    muniment.save("User is in Chicago")
    run = muniment("--role", "admin", "token", "issue", "bot:main", "--days", "7", "--json")
    assert run.json["text"].startswith("muniment_")
    (listed,) = muniment("--role", "admin", "token", "list", "--json").json
    assert listed == run.json["token"]
    told = muniment("--role", "admin", "token", "revoke", listed["id"][-8:]).out
    assert "bot:main as main in default" in told
    assert "revoked" in told
    long = muniment("--role", "admin", "token", "issue", "bot:main", "--days", "1e300", "--json")
    assert long.error["code"] == "expires_in_invalid"


def test_spaces_are_listed(muniment: Terminal) -> None:
    muniment.save("User is in Chicago")
    muniment("--space", "other", "save", "User is in Chicago")
    assert muniment("space", "list").out == "default\nother\n"
    assert muniment("space", "list", "--json").json == ["default", "other"]


def test_proposals_are_made_listed_and_decided(muniment: Terminal) -> None:
    run = muniment("--actor", "subagent:scout", "propose", "User is in Chicago", "--json")
    assert (run.json["number"], run.json["state"]) == (1, "pending")
    listed = muniment("proposals").out
    assert listed.startswith("#1  pending  general  medium confidence, by subagent:scout\n")
    assert "    User is in Chicago\n" in listed
    assert muniment("--actor", "subagent:other", "proposals", "--json").json == []
    done = muniment("decide", "1", "commit", "--content", "User lives in Chicago", "--json").json
    assert muniment("show", done["memory"], "--json").json["content"] == "User lives in Chicago"
    assert muniment("proposals", "--state", "gone", "--json").error["code"] == "state_invalid"
