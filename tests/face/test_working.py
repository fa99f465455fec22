"""Working memory through the face."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from bdd import START, Clock
from loopback import Loopback, fails

import muniment
from muniment import Invalid, Muniment, MunimentError, NotFound, Refused


@pytest.fixture
def session(m: Muniment) -> Muniment:
    """A handle of an agent that works in a session."""
    return m.acting_as("bot:main", namespace="session/abc")


class TestEntries:
    def test_an_entry_keeps_who_stored_it_when_and_until_when(
        self, session: Muniment, clock: Clock
    ) -> None:
        saved = session.working.save(
            "inbox", "Forty mails\n  ", ttl=272, category="work//email", tags=["Unread", "unread"]
        )
        assert saved == session.working.get("inbox")
        assert saved.key == "session/abc/inbox"
        assert saved.value == "Forty mails\n  "
        assert saved.writer == "bot:main"
        assert (saved.category, saved.tags) == ("work/email", ("Unread",))
        assert (saved.stored_at, (saved.expires_at - START).total_seconds()) == (START, 272)

    def test_it_is_gone_at_the_moment_when_it_expires(
        self, session: Muniment, clock: Clock
    ) -> None:
        session.working.save("inbox", "Forty mails")
        clock.advance(minutes=5, seconds=-0.001)
        assert session.working.get("inbox").value == "Forty mails"
        clock.advance(seconds=0.001)
        with pytest.raises(NotFound) as caught:
            session.working.get("inbox")
        assert (caught.value.code, caught.value.field) == ("entry_not_found", "key")
        assert session.working.search().hits == ()
        assert session.working.search("mails").hits == ()
        assert session.context("abc", "mails").working == ()

    def test_overwriting_lets_it_live_anew_by_whoever_wrote_last(
        self, m: Muniment, session: Muniment, clock: Clock
    ) -> None:
        session.working.save("inbox", "Forty mails", tags=["a"])
        clock.advance(minutes=4)
        m.working.save("session/abc/inbox", "Two mails")
        clock.advance(minutes=4)
        entry = session.working.get("inbox")
        assert (entry.value, entry.writer, entry.tags) == ("Two mails", "manual", ())
        assert session.working.search("forty").hits == ()
        assert len(session.working.search("two")) == 1

    def test_a_restart_keeps_who_and_when(self, tmp_path: Path, clock: Clock) -> None:
        with muniment.open(tmp_path, clock=clock, actor="bot:main") as m:
            saved = m.working.save("shared/news/today", "Rain", ttl=3_600)
        clock.advance(minutes=30)
        with muniment.open(tmp_path, clock=clock) as m:
            assert m.working.get("shared/news/today") == saved
            clock.advance(minutes=30)
            assert m.working.search().hits == ()

    def test_the_settings_say_how_long_and_how_many(self, clock: Clock) -> None:
        settings = {"working": {"default_ttl_seconds": 60, "max_entries_per_namespace": 1}}
        with muniment.open(":memory:", clock=clock, settings=settings) as m:
            entry = m.working.save("a/b/c", "x")
            assert (entry.expires_at - START).total_seconds() == 60
            with pytest.raises(Refused):
                m.working.save("a/b/d", "x")

    def test_the_end_of_time_is_no_obstacle(self, clock: Clock) -> None:
        clock.now = clock.now.replace(year=9_999)
        with muniment.open(":memory:", clock=clock) as m:
            assert m.working.save("a/b/c", "x", ttl=315_532_800).expires_at.year == 9_999

    def test_another_space_has_none_of_it(self, m: Muniment) -> None:
        m.working.save("shared/news/today", "Rain")
        other = m.acting_as("manual", space="other")
        assert other.working.search().hits == other.working.search("rain").hits == ()
        with pytest.raises(NotFound):
            other.working.get("shared/news/today")


class TestTheLimit:
    def test_a_new_key_at_the_limit_is_refused_and_an_overwrite_is_not(
        self, m: Muniment, session: Muniment, clock: Clock
    ) -> None:
        for number in range(49):
            session.working.save(f"k{number}", "v")
        session.working.save("short", "v", ttl=1)
        with pytest.raises(Refused, match=r"session/abc has 50 entries, and may have 50") as full:
            session.working.save("k50", "v")
        assert (full.value.code, full.value.field) == ("namespace_full", "key")
        assert len(session.working.search()) == 50
        session.working.save("k7", "w")
        assert session.working.get("k7").value == "w"
        m.working.save("session/abcd/x", "another namespace has room")
        clock.advance(seconds=1)  # what has expired takes no room
        session.working.save("k50", "v")


class TestNamespaces:
    def test_another_namespace_is_read_and_not_written(
        self, m: Muniment, session: Muniment
    ) -> None:
        scout = m.acting_as("subagent:scout")
        scout.working.save("found", "Three papers")
        assert session.working.get("subagent/scout/found").value == "Three papers"
        assert session.working.search(namespace="subagent").hits[0].writer == "subagent:scout"
        with pytest.raises(Refused) as caught:
            session.working.save("subagent/scout/found", "None")
        assert caught.value.code == "namespace_refused"
        with pytest.raises(Refused):
            scout.working.save("session/abc/inbox", "spoiled")
        assert m.working.get("subagent/scout/found").value == "Three papers"

    def test_the_same_plain_key_of_two_namespaces_is_two_entries(self, m: Muniment) -> None:
        one, other = (m.acting_as("bot:main", namespace=f"session/{n}") for n in ("ab", "abc"))
        one.working.save("x", "1")
        other.working.save("x", "2")
        assert (one.working.get("x").value, other.working.get("x").value) == ("1", "2")
        assert [hit.key for hit in m.working.search(namespace="session/ab")] == ["session/ab/x"]
        assert [hit.key for hit in one.working.search()] == ["session/ab/x"]

    def test_who_has_a_namespace_lists_it_and_who_has_none_lists_all(
        self, m: Muniment, session: Muniment
    ) -> None:
        session.working.save("x", "1")
        m.working.save("patrol/heartbeat/y", "2")
        assert len(session.working.search()) == 1
        assert len(m.working.search()) == 2
        assert session.namespace == "session/abc"
        assert m.namespace is None

    def test_a_contributor_without_a_namespace_writes_nowhere(self) -> None:
        with muniment.open(":memory:", actor="bot:main", role="contributor") as m:
            with pytest.raises(Refused) as caught:
                m.working.save("shared/news/today", "Rain")
            assert (caught.value.code, caught.value.field) == ("namespace_required", "namespace")
            assert m.working.search().hits == ()

    def test_a_sub_agent_that_opens_the_store_has_its_own(self) -> None:
        with muniment.open(":memory:", actor="subagent:a/b") as m:
            assert m.working.save("x", "1").key == "subagent/a%2Fb/x"


class TestSearch:
    @pytest.mark.parametrize(
        "query",
        ["mails from Ada", "inbox", "emails_inbox", "unread", "work email", "ADA's", "mail"],
    )
    def test_it_is_found_by_key_words_value_tags_and_category(
        self, session: Muniment, query: str
    ) -> None:
        session.working.save(
            "emails_inbox", "Forty mails from Ada", category="work/email", tags=["unread"]
        )
        session.working.save("weather", "Rain until four")
        found = session.working.search(query)
        assert [hit.key for hit in found] == ["session/abc/emails_inbox"]
        assert found[0].score > 0

    def test_a_hit_shows_how_it_begins_and_how_long_it_lives(
        self, session: Muniment, clock: Clock
    ) -> None:
        family = "👩‍👩‍👧"
        session.working.save("page", "harbour\n pilots " + family * 60, ttl=272)
        (hit,) = session.working.search("harbour")
        assert hit.expires_in == "4m32s"
        assert hit.preview is not None
        assert hit.preview.startswith(f"harbour pilots {family}")
        assert len(hit.preview) <= 120
        assert hit.preview.removesuffix("…").endswith(family)
        assert hit.value == session.working.get("page").value

    def test_a_query_finds_twenty_at_most_the_best_first(self, m: Muniment) -> None:
        for number in range(30):
            m.working.save(f"shared/s{number % 2}/k{number}", "harbour " + "sea " * number)
        found = m.working.search("harbour")
        assert len(found) == 20
        assert found[0].key == "shared/s0/k0"
        assert [hit.score for hit in found] == sorted((hit.score for hit in found), reverse=True)
        assert len(m.working.search("harbour", limit=500)) == 20
        assert len(m.working.search("harbour", limit=3)) == 3

    def test_filters_narrow_it_down(self, m: Muniment) -> None:
        m.working.save("patrol/a/x", "harbour", category="findings/sea", tags=["A", "b"])
        m.working.save("patrol/b/x", "harbour", category="findings", tags=["a"])

        def keys_of(**filters: Any) -> list[str]:
            by_words = {hit.key for hit in m.working.search("harbour", **filters)}
            assert by_words == {hit.key for hit in m.working.search(**filters)}
            return sorted(by_words)

        assert keys_of(category="findings") == ["patrol/a/x", "patrol/b/x"]
        assert keys_of(category="findings/sea") == ["patrol/a/x"]
        assert keys_of(tags=["a"]) == ["patrol/a/x", "patrol/b/x"]
        assert keys_of(tags=["a", "B"]) == ["patrol/a/x"]
        assert keys_of(namespace="patrol/b") == ["patrol/b/x"]
        assert keys_of(namespace="patrol/b/x") == ["patrol/b/x"]
        assert keys_of(namespace="patrol/c") == []

    def test_words_are_weighed_among_what_lives_alone(self, m: Muniment, clock: Clock) -> None:
        m.working.save("a/b/kept", "harbour pilots", ttl=3_600)
        alone = m.working.search("harbour")[0].score
        for number in range(9):
            m.working.save(f"a/b/k{number}", "harbour")
        assert m.working.search("harbour", limit=20)[-1].score < alone
        clock.advance(minutes=5)
        assert m.working.search("harbour")[0].score == alone

    def test_without_a_query_it_lists_the_newest_first_without_previews(
        self, m: Muniment, clock: Clock
    ) -> None:
        for number in range(501):
            m.working.save(f"shared/n{number // 50}/k{number}", "v", ttl=3_600)
            clock.advance(seconds=0.001)
        listed = m.working.search()
        assert len(listed) == 500
        assert [hit.key for hit in listed][:2] == ["shared/n10/k500", "shared/n9/k499"]
        assert {hit.preview for hit in listed} == {None}
        assert listed.message is not None
        assert listed.message.startswith("These are the newest 500 of 501")
        assert m.working.search(namespace="shared/n1").message is None
        assert m.working.search(limit=2).message is not None

    @pytest.mark.parametrize("query", [None, "", "  \n", "\u200b"])
    def test_an_empty_listing_is_a_fact_and_no_miss(self, m: Muniment, query: str | None) -> None:
        assert m.working.search(query).message is None

    def test_a_miss_says_where_it_looked_and_where_else_to(self, session: Muniment) -> None:
        message = session.working.search("zebra").message
        assert message is not None
        assert "working memory" in message
        assert "not evidence that it was never said or never known" in message
        assert "search_memory" in message
        assert "search_conversation_history" in message
        assert "search_working_memory" not in message


class TestByMeaning:
    @pytest.fixture
    def service(self) -> Any:
        with Loopback() as running:
            yield running

    def opened(self, service: Loopback) -> Muniment:
        return muniment.open(
            ":memory:",
            settings={
                "embedding": {"endpoint": service.url(), "model": "toy", "query_deadline": 1.0}
            },
        )

    def test_both_rank_and_vectors_are_made_once(self, service: Loopback) -> None:
        with self.opened(service) as m:
            m.working.save("shared/port/pilot", "harbour pilot ships")
            m.working.save("shared/port/cat", "a cat sleeps")
            found = m.working.search("harbour pilot ships")
            assert found[0].key == "shared/port/pilot"
            assert found[0].score == 1.0  # first by both
            assert found.degraded is None
            asked = len(service.requests)
            assert m.working.search("harbour pilot ships").hits[0].score == 1.0
            m.working.save("shared/port/cat", "a dog sleeps")
            m.working.search("harbour pilot ships")
        assert [request.body["input"] for request in service.requests[asked:]] == [
            ["shared port cat\na dog sleeps\n"]
        ]

    def test_words_go_on_where_the_model_fails_and_the_result_says_so(
        self, service: Loopback
    ) -> None:
        service.always = fails(500)
        with self.opened(service) as m:
            m.working.save("shared/port/pilot", "harbour pilot ships")
            found = m.working.search("harbour")
            assert [hit.key for hit in found] == ["shared/port/pilot"]
            assert found.degraded is not None
            assert found.degraded.startswith("keyword search alone")


def saving(**named: Any) -> Callable[[Muniment], object]:
    given: dict[str, Any] = {"key": "shared/a/b", "value": "v", **named}
    return lambda m: m.working.save(given.pop("key"), given.pop("value"), **given)


def searching(**named: Any) -> Callable[[Muniment], object]:
    return lambda m: m.working.search(**named)


NO_LIVES: list[object] = [0, -1, float("nan"), 1e308, "5m", True, []]

BAD: list[tuple[str, str, Callable[[Muniment], object]]] = [
    *(("ttl_invalid", "ttl", saving(ttl=ttl)) for ttl in NO_LIVES),
    ("key_invalid", "key", saving(key="plain")),
    ("key_invalid", "key", saving(key="a/b/../c")),
    ("key_invalid", "key", saving(key=5)),
    ("value_empty", "value", saving(value=" \u200b\n")),
    ("value_too_large", "value", saving(value="x" * 1_048_577)),
    ("value_too_large", "value", saving(value="é" * 524_289)),
    ("control_character", "value", saving(value="a\x00b")),
    ("invalid_unicode", "value", saving(value="\ud800")),
    ("value_invalid", "value", saving(value=b"x")),
    ("category_invalid", "category", saving(category="../x")),
    ("tags_invalid", "tags", saving(tags="abc")),
    ("tags_invalid", "tags", saving(tags=["a\nb"])),
    *(("limit_invalid", "limit", searching(limit=n)) for n in (0, -1, 501, 1.5, "5", True)),
    ("query_too_long", "query", searching(query="x" * 4_097)),
    ("invalid_unicode", "query", searching(query="\ud800")),
    ("query_invalid", "query", searching(query=5)),
    ("namespace_invalid", "namespace", searching(namespace="a//b")),
    ("namespace_invalid", "namespace", searching(namespace="")),
    ("namespace_invalid", "namespace", searching(namespace=5)),
    ("key_invalid", "key", lambda m: m.working.get("a/b")),
    ("key_invalid", "key", lambda m: m.working.get(None)),  # type: ignore[arg-type]
]


@pytest.mark.parametrize(("code", "field", "call"), BAD)
def test_a_bad_input_is_told_by_name_and_leaves_nothing(
    m: Muniment, code: str, field: str, call: Callable[[Muniment], object]
) -> None:
    with pytest.raises(MunimentError) as caught:
        call(m)
    assert isinstance(caught.value, Invalid)
    assert (caught.value.code, caught.value.field) == (code, field)
    assert m.working.search().hits == ()
    assert m.working.save("shared/a/b", "v").value == "v"
