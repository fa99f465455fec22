"""Feedback, which is in the log, and reports of tool calls, which are not."""

from datetime import timedelta
from typing import Any

import pytest
from bdd import START, Clock
from work_of import engine_of, work_of

from muniment import Conflict, Invalid, Muniment, NotFound
from muniment.domain.conversation.turns import ToolReport
from muniment.domain.feedback import KINDS


def reports(m: Muniment) -> list[ToolReport]:
    return work_of(m).reports.since(m.space, START - timedelta(days=1))


class TestFeedback:
    @pytest.mark.parametrize("kind", KINDS)
    def test_it_is_an_event_of_its_own_stream(self, m: Muniment, kind: str) -> None:
        about = m.save("User is in Chicago")
        given = m.acting_as("subagent:scout").feedback(
            kind, "  No, in Lisbon ", session="web:7", memory_ids=[about.id[-12:], about.id]
        )
        assert given.kind == kind
        assert (given.text, given.session) == ("No, in Lisbon", "web:7")
        assert given.memory_ids == (about.id,)
        assert (given.given_at, given.actor) == (START, "subagent:scout")
        (entry,) = m.log(name="feedback.given")
        assert (entry.stream, entry.version) == (given.id, 1)
        assert entry.data == {
            "kind": kind,
            "text": "No, in Lisbon",
            "session": "web:7",
            "memory_ids": (about.id,),
        }
        assert m.verify().intact
        assert m.prove_invariants().holds

    def test_its_words_are_encrypted_and_its_facts_are_not(self, m: Muniment) -> None:
        given = m.feedback("praise", "Zebra well done", session="web:zebra")
        rows = engine_of(m).store.rows.select_streams_events([given.id])
        assert b"praise" in rows[0].facts
        assert b"ebra" not in rows[0].facts + (rows[0].payload or b"")

    def test_it_is_no_memory(self, m: Muniment) -> None:
        given = m.feedback("complaint", "It took too long")
        assert m.search("long").hits == ()
        assert set(m.stats().memories.values()) == {0}
        with pytest.raises(NotFound):
            m.get(given.id)

    def test_a_retry_is_the_same_feedback(self, m: Muniment) -> None:
        one = m.feedback("suggestion", "Use grep", idempotency_key="f-1")
        assert m.feedback("suggestion", "Use grep", idempotency_key="f-1") == one
        with pytest.raises(Conflict):
            m.feedback("suggestion", "Use sed", idempotency_key="f-1")
        assert m.stats().head == 1

    def test_it_is_about_memories_of_its_own_space(self, m: Muniment) -> None:
        elsewhere = m.acting_as("manual", space="other").save("User is in Chicago")
        with pytest.raises(NotFound):
            m.feedback("praise", "Well done", memory_ids=[elsewhere.id])
        assert m.stats().head == 1


class TestToolReports:
    def test_a_report_keeps_what_was_called_and_how_it_went(self, m: Muniment) -> None:
        failed = m.report_tool_call("web:7", "mail.list", {"b": [1, None], "a": "é"}, False, "no")
        assert failed.arguments == '{"a": "é", "b": [1, null]}'
        assert (failed.session, failed.tool, failed.ok) == ("web:7", "mail.list", False)
        assert (failed.error, failed.at) == ("no", START)
        worked = m.report_tool_call("web:7", "mail.list", {}, True)
        assert reports(m) == [failed, worked]
        assert m.stats().head == 0
        assert reports(m.acting_as("manual", space="other")) == []

    def test_it_is_kept_for_seven_days(self, m: Muniment, clock: Clock) -> None:
        m.report_tool_call("a", "old", {}, True)
        clock.advance(days=6, hours=23)
        m.report_tool_call("a", "new", {}, True)
        assert len(reports(m)) == 2
        clock.advance(hours=1)
        assert [report.tool for report in reports(m)] == ["new"]


REPORT: dict[str, Any] = {"session": "a", "tool": "t", "arguments": {}, "ok": True}
FEEDBACK: dict[str, Any] = {"kind": "praise", "text": "x"}


@pytest.mark.parametrize(
    ("verb", "changed", "code", "field"),
    [
        ("feedback", {"kind": "rant"}, "kind_invalid", "kind"),
        ("feedback", {"kind": None}, "kind_invalid", "kind"),
        ("feedback", {"text": "\u200b"}, "content_empty", "text"),
        ("feedback", {"text": "x" * 65_537}, "content_too_large", "text"),
        ("feedback", {"text": 5}, "text_invalid", "text"),
        ("feedback", {"session": "a/b"}, "session_invalid", "session"),
        ("feedback", {"memory_ids": 5}, "memory_ids_invalid", "memory_ids"),
        ("feedback", {"memory_ids": ["?"]}, "id_invalid", "id"),
        ("feedback", {"memory_ids": ["a" * 12] * 51}, "memory_ids_invalid", "memory_ids"),
        ("report_tool_call", {"session": ""}, "session_invalid", "session"),
        ("report_tool_call", {"tool": ""}, "tool_invalid", "tool"),
        ("report_tool_call", {"tool": "x" * 257}, "tool_invalid", "tool"),
        *(
            ("report_tool_call", {"arguments": wrong}, "arguments_invalid", "arguments")
            for wrong in ("text", '{"a": 1}', [1], [("a", 1)], None, 5, {5: "a"}, {"a": {1, 2}})
        ),
        ("report_tool_call", {"arguments": {"a": object()}}, "arguments_invalid", "arguments"),
        ("report_tool_call", {"arguments": {"a": float("nan")}}, "arguments_invalid", "arguments"),
        ("report_tool_call", {"arguments": {"a": "\ud800"}}, "arguments_invalid", "arguments"),
        (
            "report_tool_call",
            {"arguments": {"a": "x" * 65_536}},
            "arguments_too_large",
            "arguments",
        ),
        ("report_tool_call", {"ok": 1}, "ok_invalid", "ok"),
        ("report_tool_call", {"error": "\x00"}, "control_character", "error"),
    ],
)
def test_a_bad_input_is_told_by_name_and_leaves_nothing(
    m: Muniment, verb: str, changed: dict[str, Any], code: str, field: str
) -> None:
    good = FEEDBACK if verb == "feedback" else REPORT
    with pytest.raises(Invalid) as caught:
        getattr(m, verb)(**good | changed)
    assert (caught.value.code, caught.value.field) == (code, field)
    assert m.stats().head == 0
    assert reports(m) == []
