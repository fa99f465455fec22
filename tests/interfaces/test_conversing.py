"""Working memory, conversations, contexts and feedback on the command line."""

from pathlib import Path

from terminal import Terminal


def test_an_entry_is_stored_read_found_and_listed(muniment: Terminal) -> None:
    stored = muniment(
        *("working", "save", "session/abc/inbox", "Forty mails\nfrom Ada"),
        *("--ttl", "272.5", "--tag", "unread", "--category", "email"),
    )
    assert stored.status == 0
    assert stored.out.startswith("session/abc/inbox  expires in 4m3")
    assert "by manual, category: email, tags: unread" in stored.out
    read = muniment("working", "get", "session/abc/inbox")
    assert read.out.splitlines()[1:] == ["    Forty mails", "    from Ada"]
    found = muniment("working", "search", "ada", "--json").json
    assert [hit["key"] for hit in found["hits"]] == ["session/abc/inbox"]
    assert found["hits"][0]["preview"] == "Forty mails from Ada"
    assert "Forty mails from Ada" in muniment("working", "search", "ada").out
    listed = muniment("working", "search", "--namespace", "session/abc")
    assert listed.out.startswith("session/abc/inbox")
    assert len(listed.out.splitlines()) == 1
    assert "not evidence" in muniment("working", "search", "zebra").out


def test_a_sub_agent_has_its_namespace_here_too(muniment: Terminal) -> None:
    scout = ("--actor", "subagent:scout", "working", "save")
    assert muniment(*scout, "found", "Three papers", "--json").json["key"] == "subagent/scout/found"
    refused = muniment(*scout, "session/abc/inbox", "spoiled", "--json")
    assert (refused.status, refused.error["code"]) == (4, "namespace_refused")


def test_a_value_comes_from_a_file_too(muniment: Terminal, tmp_path: Path) -> None:
    (tmp_path / "page.txt").write_text("A whole page\n", encoding="utf-8")
    muniment("working", "save", "shared/pages/one", f"@{tmp_path / 'page.txt'}")
    assert muniment("working", "get", "shared/pages/one", "--json").json["value"] == "A whole page"


def test_a_bad_time_to_live_is_told(muniment: Terminal) -> None:
    for ttl in ("0", "-1", "nan", "1e308", "5m"):
        run = muniment("working", "save", "a/b/c", "v", "--ttl", ttl, "--json")
        assert (run.status, run.error["code"], run.error["field"]) == (2, "ttl_invalid", "ttl")


def test_a_conversation_is_kept_replayed_and_found(muniment: Terminal) -> None:
    assert muniment("conversation", "turns", "abc").status == 6
    muniment("conversation", "append", "abc", "user", "Where do I live?")
    muniment("conversation", "append", "abc", "assistant", "In Chicago.")
    assert muniment("conversation", "turns", "abc").out.splitlines() == [
        "user       Where do I live?",
        "assistant  In Chicago.",
    ]
    turns = muniment("conversation", "turns", "abc", "--json").json
    assert [turn["number"] for turn in turns] == [1, 2]
    assert muniment("conversation", "turns", "new", "--json").json == []
    found = muniment("conversation", "search", "chicago")
    assert "abc" in found.out.splitlines()[0]
    assert found.out.splitlines()[1] == "assistant  In Chicago."
    assert "not evidence" in muniment("conversation", "search", "zebra").out


def test_a_context_is_printed_as_a_model_reads_it(muniment: Terminal) -> None:
    muniment.save("User is in Chicago", "--category", "user")
    muniment("working", "save", "session/abc/inbox", "v", "--ttl", "3600")
    told = muniment("context", "abc", "where am I?").out.splitlines()
    assert told[0].startswith("<memory-context>")
    assert told[1] == "Recalled from long-term memory (relevant to this message):"
    assert told[2].endswith("(user): User is in Chicago")
    assert told[-1] == "</memory-context>"
    again = muniment("context", "abc", "where am I, and since when, and why?", "--json").json
    assert again["recalled"] == []
    assert (
        muniment("context", "abc", "where am I?")
        .out.splitlines()[-1]
        .startswith("Nothing was looked up: of messages of at most 30 characters")
    )
    assert [one["key"] for one in again["working"]] == ["session/abc/inbox"]
    assert again["text"].count("\n") == 3


def test_feedback_is_taken_down_in_the_log(muniment: Terminal) -> None:
    id_ = muniment.save("User is in Chicago")
    given = muniment("feedback", "correction", "No, in Lisbon", "--memory-id", id_[-12:])
    assert given.out == f"Taken down as correction, about {id_[-12:]}.\n"
    assert muniment("feedback", "praise", "Well done").out == "Taken down as praise.\n"
    assert "feedback.given" in muniment("log").out
    rant = muniment("feedback", "rant", "x", "--json")
    assert (rant.status, rant.error["code"]) == (2, "kind_invalid")


def test_the_settings_have_the_names_of_the_seed(muniment: Terminal) -> None:
    by_name = {one["name"]: one for one in muniment("settings", "--json").json}
    seeds = {
        "working.default_ttl_seconds": (300.0, "WorkingMemory:DefaultTtl"),
        "working.max_entries_per_namespace": (50, "WorkingMemory:MaxEntriesPerNamespace"),
        "conversation.max_llm_context_turns": (20, "MaxLlmContextTurns"),
    }
    assert {name: (by_name[name]["value"], by_name[name]["seed"]) for name in seeds} == seeds
