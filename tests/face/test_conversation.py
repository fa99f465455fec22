"""Conversations through the face, and what dreaming reads of them."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from bdd import START, Clock
from work_of import work_of

import muniment
from muniment import Invalid, Muniment
from muniment.domain.conversation.turns import PASSES
from muniment.work.turns import Turns


def talk(m: Muniment, session: str, *said: str) -> list[int]:
    """Turns of user and assistant, by turns; their numbers."""
    return [
        m.conversation.append(session, "assistant" if number % 2 else "user", text).number
        for number, text in enumerate(said)
    ]


def said(m: Muniment, session: str) -> list[str]:
    return [turn.content for turn in m.conversation.turns(session)]


def log_of(m: Muniment) -> Turns:
    return work_of(m).turns


class TestTurns:
    def test_a_turn_keeps_who_said_what_and_when(self, m: Muniment) -> None:
        kept = m.conversation.append("web:7", "user", "  Where do I live?\n")
        assert (kept.session, kept.role, kept.at) == ("web:7", "user", START)
        assert kept.content == "  Where do I live?\n"
        assert m.conversation.turns("web:7") == [kept]
        assert m.conversation.turns("web:8") == []
        assert m.acting_as("manual", space="other").conversation.turns("web:7") == []

    def test_the_last_twenty_are_replayed_oldest_first(self, m: Muniment) -> None:
        talk(m, "a", *(f"turn {number}" for number in range(25)))
        talk(m, "b", "another session")
        assert said(m, "a") == [f"turn {number}" for number in range(5, 25)]

    def test_a_session_that_was_idle_begins_anew(self, m: Muniment, clock: Clock) -> None:
        talk(m, "a", "before")
        clock.advance(minutes=59)
        talk(m, "a", "still there")
        clock.advance(minutes=59, seconds=59)
        assert said(m, "a") == ["before", "still there"]
        clock.advance(seconds=1)
        assert said(m, "a") == []
        talk(m, "a", "back again")
        assert said(m, "a") == ["back again"]
        assert len(m.conversation.search("before")) == 1

    def test_settings_say_how_many_and_how_long(self, clock: Clock) -> None:
        settings = {"conversation": {"max_llm_context_turns": 2, "session_idle_minutes": 1}}
        with muniment.open(":memory:", clock=clock, settings=settings) as m:
            talk(m, "a", "1", "2", "3")
            assert said(m, "a") == ["2", "3"]
            clock.advance(minutes=1)
            assert said(m, "a") == []

    def test_a_restart_keeps_them(self, tmp_path: Path, clock: Clock) -> None:
        with muniment.open(tmp_path, clock=clock) as m:
            talk(m, "a", "hello")
        with muniment.open(tmp_path, clock=clock, read_only=True) as m:
            assert said(m, "a") == ["hello"]


class TestSearch:
    def test_it_finds_what_is_replayed_no_more(self, m: Muniment) -> None:
        talk(m, "a", "The harbour pilot is called Ines", *(f"turn {n}" for n in range(30)))
        assert "The harbour pilot is called Ines" not in said(m, "a")
        (hit,) = m.conversation.search("who is the harbour pilot?")
        assert hit.turn.content == "The harbour pilot is called Ines"
        assert hit.score > 0

    def test_it_is_narrowed_to_a_session_and_a_number(self, m: Muniment) -> None:
        for session in ("a", "b"):
            talk(m, session, *(f"harbour {session} {number}" for number in range(30)))
        assert len(m.conversation.search("harbour")) == 20
        found = m.conversation.search("harbour", session="b", limit=3)
        assert {hit.turn.session for hit in found} == {"b"}
        assert [hit.turn.content for hit in found] == [f"harbour b {n}" for n in (29, 28, 27)]
        assert found.scope.endswith("in session b")

    def test_a_miss_says_where_it_looked_and_where_else_to(self, m: Muniment) -> None:
        talk(m, "a", "hello")
        message = m.conversation.search("zebra").message
        assert message is not None
        assert "the conversation" in message
        assert "not evidence that it was never said or never known" in message
        assert "search_memory" in message
        assert "search_working_memory" in message
        assert "search_conversation_history" not in message

    def test_without_a_query_it_lists_the_newest_first_and_is_no_miss(self, m: Muniment) -> None:
        assert m.conversation.search().message is None
        talk(m, "a", "1", "2", "3")
        found = m.conversation.search(limit=2)
        assert [hit.turn.content for hit in found] == ["3", "2"]


class TestPasses:
    def test_each_pass_reads_on_from_its_own_cursor(self, m: Muniment) -> None:
        numbers = talk(m, "a", "1", "2", "3")
        log = log_of(m)
        log.passed("default", "mining", numbers[1])
        assert [turn.content for turn in log.unread("default", "mining", 10)] == ["3"]
        assert [turn.content for turn in log.unread("default", "episodes", 2)] == ["1", "2"]
        assert log.unread("other", "mining", 10) == []

    def test_a_pass_that_failed_has_lost_nothing(self, m: Muniment) -> None:
        talk(m, "a", "1", "2")
        log = log_of(m)
        offered = log.unread("default", "preferences", 10)
        assert log.unread("default", "preferences", 10) == offered  # it never said that it passed

    def test_a_cursor_never_moves_back(self, m: Muniment) -> None:
        numbers = talk(m, "a", "1", "2", "3")
        log = log_of(m)
        log.passed("default", "mining", numbers[2])
        log.passed("default", "mining", numbers[0])
        assert log.unread("default", "mining", 10) == []

    def test_a_turn_is_deleted_once_every_pass_has_passed_it(
        self, m: Muniment, clock: Clock
    ) -> None:
        numbers = talk(m, "a", "learned", "new")
        log = log_of(m)
        for pass_ in PASSES[:-1]:
            log.passed("default", pass_, numbers[0])
        clock.advance(hours=2)
        assert len(m.conversation.search()) == 2
        log.passed("default", PASSES[-1], numbers[0])
        clock.advance(hours=2)
        assert [hit.turn.content for hit in m.conversation.search()] == ["new"]

    def test_a_session_under_way_keeps_its_turns(self, m: Muniment, clock: Clock) -> None:
        (number,) = talk(m, "a", "learned")
        for pass_ in PASSES:
            log_of(m).passed("default", pass_, number)
        for _ in range(3):
            clock.advance(minutes=50)
            talk(m, "a", "still talking")
        assert said(m, "a") == ["learned", *["still talking"] * 3]

    def test_a_turn_is_deleted_after_its_retention_whoever_has_read_it(
        self, m: Muniment, clock: Clock
    ) -> None:
        talk(m, "a", "old")
        clock.advance(days=29, hours=23)
        talk(m, "a", "new")
        clock.advance(hours=1)
        assert [hit.turn.content for hit in m.conversation.search()] == ["new"]
        assert m.conversation.search("old").hits == ()

    def test_an_unknown_pass_is_refused(self, m: Muniment) -> None:
        with pytest.raises(Invalid) as caught:
            log_of(m).passed("default", "daydreams", 1)
        assert (caught.value.code, caught.value.field) == ("pass_invalid", "pass")


BAD: list[tuple[str, str, Callable[[Any], object]]] = [
    ("session_invalid", "session", lambda m: m.conversation.append("a/b", "user", "x")),
    ("session_invalid", "session", lambda m: m.conversation.append("", "user", "x")),
    ("session_invalid", "session", lambda m: m.conversation.append(7, "user", "x")),
    ("role_invalid", "role", lambda m: m.conversation.append("a", "system", "x")),
    ("content_empty", "content", lambda m: m.conversation.append("a", "user", "\n")),
    ("content_invalid", "content", lambda m: m.conversation.append("a", "user", None)),
    ("control_character", "content", lambda m: m.conversation.append("a", "user", "\x1b")),
    ("invalid_unicode", "content", lambda m: m.conversation.append("a", "user", "\ud800")),
    ("content_too_large", "content", lambda m: m.conversation.append("a", "user", "x" * 2**21)),
    ("session_invalid", "session", lambda m: m.conversation.turns("..")),
    ("session_invalid", "session", lambda m: m.conversation.search("x", session="a b")),
    ("query_too_long", "query", lambda m: m.conversation.search("x" * 4_097)),
    *(
        ("limit_invalid", "limit", lambda m, n=n: m.conversation.search("x", limit=n))
        for n in (0, 201, True, "5")
    ),
]


@pytest.mark.parametrize(("code", "field", "call"), BAD)
def test_a_bad_input_is_told_by_name_and_leaves_nothing(
    m: Muniment, code: str, field: str, call: Callable[[Any], object]
) -> None:
    with pytest.raises(Invalid) as caught:
        call(m)
    assert (caught.value.code, caught.value.field) == (code, field)
    assert m.conversation.search().hits == ()
