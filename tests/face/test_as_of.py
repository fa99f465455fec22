"""The same questions, asked of the past."""

import json
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from bdd import Clock

import muniment
from muniment import Invalid, Muniment, MunimentError, NotFound, Point, Refused

DAY = timedelta(days=1)


@pytest.fixture
def relay(m: Muniment, clock: Clock) -> str:
    """A memory that was saved, rewritten a day later, filed elsewhere, and archived."""
    id_ = m.save("The relay runs on Friday", category="ci", tags=["ops"]).id
    clock.now += DAY
    m.revise(id_, "The relay runs on Monday")
    clock.now += DAY
    m.recategorize(id_, "servers")
    clock.now += DAY
    m.archive(id_, "over")
    return id_


def purged(m: Muniment, clock: Clock) -> None:
    clock.now += 91 * DAY
    assert m.purge().purged


def found(m: Muniment, query: str | None = None) -> list[str | None]:
    return [hit.memory.content for hit in m.search(query).hits]


class TestWhatWasKnown:
    def test_a_text_is_found_by_the_words_of_then(self, m: Muniment, relay: str) -> None:
        assert relay
        assert found(m.as_of(1), "friday") == ["The relay runs on Friday"]
        assert found(m.as_of(1), "monday") == []
        assert found(m.as_of(2), "monday") == ["The relay runs on Monday"]
        assert found(m.as_of(2), "friday") == []
        assert found(m.as_of(4), "monday") == []

    def test_category_state_and_counts_are_those_of_then(self, m: Muniment, relay: str) -> None:
        assert m.as_of(2).search(category="ci").hits[0].memory.id == relay
        assert m.as_of(3).search(category="ci").hits == ()
        assert [m.as_of(at).search().taxonomy for at in (2, 3, 4)] == [
            {"ci": 1},
            {"servers": 1},
            {},
        ]
        assert m.as_of(3).stats().memories["archived"] == 0
        assert m.as_of(4).stats().memories["archived"] == 1
        assert m.as_of(3).stats().head == 3

    def test_a_memory_and_its_history_end_there(self, m: Muniment, relay: str) -> None:
        then = m.as_of(2)
        memory = then.get(relay[-12:])
        assert (memory.content, memory.category, memory.state, memory.version) == (
            "The relay runs on Monday",
            "ci",
            "live",
            2,
        )
        assert [entry.version for entry in then.history(relay)] == [1, 2]
        assert [entry.position for entry in then.log()] == [1, 2]
        assert then.get_many([relay]) == [memory]

    def test_a_memory_that_came_later_is_not_there(self, m: Muniment, relay: str) -> None:
        later = m.save("Server zebra stands in Lisbon").id
        then = m.as_of(4)
        for ask in (then.get, then.history):
            with pytest.raises(NotFound):
                ask(later)
        with pytest.raises(NotFound):
            then.get_many([relay, later])
        with pytest.raises(NotFound):
            then.get(later[-12:])

    def test_importance_is_what_it_was_worth_then(self, m: Muniment, clock: Clock) -> None:
        id_ = m.save("The relay runs on Friday", importance=0.8).id
        saved_at = clock.now
        clock.now += 300 * DAY
        half = m.as_of(saved_at + 75 * DAY)  # 30 days of grace, then half in 45
        assert half.get(id_).importance == pytest.approx(0.4)
        assert half.search("relay").hits[0].memory.importance == pytest.approx(0.4)
        assert m.as_of(1).get(id_).importance == pytest.approx(0.8)
        assert m.get(id_).importance == pytest.approx(0.1)

    def test_the_time_a_fact_is_about_is_an_axis_of_its_own(self, m: Muniment) -> None:
        id_ = m.save("The fair was held", metadata={"subjectTime": "2019"}).id
        m.describe(id_, {"subjectTime": "2021"})

        def about(then: Muniment, year: int) -> int:
            hits = then.search(
                subject_from=f"{year}-01-01T00:00:00Z", subject_to=f"{year}-12-31T00:00:00Z"
            ).hits
            return len(hits)

        assert [about(m.as_of(1), year) for year in (2019, 2021)] == [1, 0]
        assert [about(m.as_of(2), year) for year in (2019, 2021)] == [0, 1]

    def test_what_an_agent_reads_is_told_as_of_then(self, m: Muniment, relay: str) -> None:
        assert relay
        then = m.as_of(1)
        assert "first seen today" in then.agent_text(then.search("friday"))

    def test_a_page_goes_on_where_the_one_before_ended(self, m: Muniment) -> None:
        for number in range(3):
            m.save(f"Relay number {number} has its own name {number * 7}")
        then = m.as_of(2)
        first = then.search("relay", limit=1)
        second = then.search("relay", limit=1, cursor=first.cursor)
        assert second.cursor is None
        assert {first.hits[0].memory.id, second.hits[0].memory.id} == {
            hit.memory.id for hit in then.search("relay").hits
        }

    def test_what_comes_later_moves_nothing(self, m: Muniment, relay: str, clock: Clock) -> None:
        then = m.as_of(2)
        before = then.search("relay runs"), then.get(relay), list(then.log())
        m.save("The relay runs on Sunday as well")
        m.restore(relay)
        clock.now += DAY
        assert (then.search("relay runs"), then.get(relay), list(then.log())) == before


class TestAPurgeSince:
    def test_the_facts_stay_and_the_words_are_gone(
        self, m: Muniment, relay: str, clock: Clock
    ) -> None:
        then = m.as_of(2)
        assert found(then, "monday") == ["The relay runs on Monday"]
        purged(m, clock)
        for past in (then, m.as_of(2)):
            assert found(past, "monday") == []
            (hit,) = past.search().hits
            assert hit.memory == past.get(relay)
            memory = hit.memory
            assert (memory.content, memory.category, memory.tags) == (None, None, ())
            assert (memory.state, memory.version, memory.fault) == ("live", 2, None)
            assert past.search().taxonomy == {"general": 1}
            assert "[purged]" in past.agent_text(past.search())
            assert past.search("monday|purged|read", mode="regex").hits == ()
            told = [entry.summary for entry in past.history(relay)]
            assert told == [
                "memory.saved: its words were purged",
                "memory.revised: its words were purged",
            ]
        assert m.as_of(m.stats().head).get(relay).state == "purged"

    def test_no_word_of_it_is_in_what_a_diff_says(
        self, m: Muniment, relay: str, clock: Clock
    ) -> None:
        purged(m, clock)
        for pair in ((1, 4), (1, m.stats().head)):
            (change,) = m.diff(*pair).changes
            assert change.id == relay
            assert change.memory.content is None
            assert "relay" not in repr(change).lower().replace(relay, "")
            assert "Friday" not in repr(change)

    def test_an_export_of_then_says_what_is_missing(
        self, m: Muniment, relay: str, clock: Clock, tmp_path: Path
    ) -> None:
        m.save("Server zebra stands in Lisbon")
        purged(m, clock)
        report = m.as_of(5).export(tmp_path / "native")
        assert (report.memories, report.unreadable, report.head) == (2, 1, 5)
        lines = [json.loads(line) for line in (tmp_path / "native").read_text().splitlines()]
        assert {line["id"]: line.get("fault") for line in lines[1:-1]}[relay] == "purged"
        report = m.as_of(2).export(tmp_path / "markdown", format="markdown")
        assert (report.memories, report.unreadable) == (0, 1)


class TestQuarantine:
    def test_what_is_doubted_now_is_kept_from_agents_in_the_past_too(
        self, m: Muniment, relay: str
    ) -> None:
        m.restore(relay)
        m.quarantine(relay, "odd")
        agent = m.acting_as("bot:main").as_of(2)
        assert found(agent, "monday") == []
        assert found(agent) == []
        with pytest.raises(Refused) as refused:
            agent.get(relay)
        assert refused.value.code == "quarantined"
        assert [entry.data for entry in agent.log()] == [{}, {}]
        assert found(m.as_of(2), "monday") == ["The relay runs on Monday"]
        assert m.as_of(2).get(relay).state == "live"


class TestMoments:
    def test_a_moment_is_the_last_position_recorded_by_then(
        self, m: Muniment, relay: str, clock: Clock
    ) -> None:
        assert relay
        times = [entry.recorded_at for entry in m.log()]
        for position, at in enumerate(times, 1):
            for when, expected in (
                (at, position),
                (at + DAY / 2, position),
                (at - timedelta(microseconds=1), position - 1),
            ):
                assert m.as_of(when).point == Point(expected, when)
                assert m.as_of(when.isoformat()).point == Point(expected, when)
            assert m.as_of(position).point == Point(position, at)
        assert m.as_of(clock.now + 99 * DAY).point == Point(4, clock.now + 99 * DAY)
        assert m.point is None

    def test_of_events_at_one_time_all_are_known(self, m: Muniment) -> None:
        m.save_many([{"content": f"Relay {number} stands alone"} for number in range(5)])
        first = m.as_of(1).point
        assert first is not None
        assert m.as_of(first.at).point == Point(5, first.at)

    def test_before_the_first_event_the_store_is_empty(self, m: Muniment, relay: str) -> None:
        then = m.as_of("1999-01-01T00:00:00Z")
        assert then.search().hits == then.search("relay").hits == ()
        assert then.search().taxonomy == {}
        assert list(then.log()) == []
        assert then.stats().head == 0
        assert then.prove_invariants().positions == 0
        with pytest.raises(NotFound):
            then.get(relay)

    def test_an_empty_store_has_a_past_too(self, m: Muniment) -> None:
        assert m.as_of("1999-01-01T00:00:00Z").search("relay").hits == ()
        with pytest.raises(Invalid) as refused:
            m.as_of(1)
        assert refused.value.code == "position_unknown"

    @pytest.mark.parametrize(
        ("when", "code"),
        [
            (0, "position_unknown"),
            (-1, "position_unknown"),
            (5, "position_unknown"),
            (2**70, "position_unknown"),
            (True, "when_invalid"),
            (None, "when_invalid"),
            (1.5, "when_invalid"),
            (b"1", "when_invalid"),
            ([], "when_invalid"),
            ("", "timestamp_invalid"),
            ("yesterday", "timestamp_invalid"),
            ("5", "position_unknown"),
            ("3.0", "timestamp_invalid"),
            ("٣", "timestamp_invalid"),
            ("2026-02-30T00:00:00Z", "timestamp_invalid"),
            ("2026-03-03T12:00:00", "timezone_required"),
            (datetime(2026, 3, 3), "timezone_required"),  # noqa: DTZ001 (the mistake)
        ],
    )
    def test_what_names_no_moment_is_refused(
        self, m: Muniment, relay: str, when: Any, code: str
    ) -> None:
        assert relay
        asks: list[Callable[[Any], object]] = [
            m.as_of,
            lambda at: m.diff(at, 1),
            lambda at: m.diff(1, at),
        ]
        for ask in asks:
            with pytest.raises(Invalid) as refused:
                ask(when)
            assert refused.value.code == code

    def test_a_position_may_be_written_in_digits(self, m: Muniment, relay: str) -> None:
        assert m.get(relay).id == relay
        assert m.as_of(" 3 ").point == m.as_of(3).point
        assert m.diff("1", "3") == m.diff(1, 3)

    def test_from_the_past_one_goes_further_back_and_never_forward(
        self, m: Muniment, relay: str
    ) -> None:
        assert relay
        then = m.as_of(3)
        assert then.as_of(2).point == m.as_of(2).point
        for later in (4, "2099-01-01T00:00:00Z"):
            assert then.as_of(later).point == then.point
        assert [change.kinds for change in then.diff(1, 4).changes] == [("changed",)]
        assert then.diff(1, 4).until == then.point


COMMANDS: dict[str, Callable[[Muniment, str], object]] = {
    "save": lambda m, _: m.save("The relay runs"),
    "save_many": lambda m, _: m.save_many([{"content": "The relay runs"}]),
    "revise": lambda m, id_: m.revise(id_, "The pump runs"),
    "rescore": lambda m, id_: m.rescore(id_, 0.5),
    "retag": lambda m, id_: m.retag(id_, ["a"]),
    "pin": lambda m, id_: m.pin(id_),
    "mark_used": lambda m, id_: m.mark_used(id_),
    "archive": lambda m, id_: m.archive(id_, "over"),
    "restore": lambda m, id_: m.restore(id_),
    "merge": lambda m, id_: m.merge([id_, id_], "The relay runs"),
    "fold": lambda m, _: m.fold(),
    "hold": lambda m, id_: m.hold(id_, "a suit"),
    "purge": lambda m, _: m.purge(),
    "purge, dry": lambda m, _: m.purge(dry_run=True),
    "import": lambda m, _: m.import_from("native", "nowhere"),
    "backup": lambda m, _: m.backup("nowhere"),
    "checkpoint": lambda m, _: m.checkpoint(),
    "prove": lambda m, id_: m.prove(id_),
    "keys.backup": lambda m, _: m.keys.backup("nowhere"),
    "keys.rotate": lambda m, _: m.keys.rotate(),
    "keys.rotate_signing": lambda m, _: m.keys.rotate_signing(),
}


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_is_refused_in_the_past(m: Muniment, relay: str, command: str) -> None:
    for then in (m.as_of(2), m.as_of(2).acting_as("manual")):
        with pytest.raises(Refused) as refused:
            COMMANDS[command](then, relay)
        assert refused.value.code == "read_only"
        assert "as of" in refused.value.message
    assert m.stats().head == 4


def test_the_role_is_asked_about_before_the_moment(m: Muniment, relay: str) -> None:
    contributor = m.acting_as("subagent:one").as_of(2)
    with pytest.raises(Refused) as refused:
        contributor.archive(relay, "over")
    assert refused.value.code == "role_refused"


def test_following_the_log_of_the_past_comes_to_an_end(m: Muniment, relay: str) -> None:
    assert relay
    assert [entry.position for entry in m.as_of(2).log(follow=True)] == [1, 2]


def test_closing_a_handle_of_the_past_closes_nothing(m: Muniment, relay: str) -> None:
    with m.as_of(2) as then:
        assert found(then, "monday")
    assert m.get(relay)


def test_other_spaces_have_pasts_of_their_own(m: Muniment, relay: str) -> None:
    other = m.acting_as("manual", "other")
    other.save("The relay runs on Sunday")
    assert found(other.as_of(5), "relay") == ["The relay runs on Sunday"]
    assert found(other.as_of(4), "relay") == []
    assert found(m.as_of(5).acting_as("manual", "other"), "relay") == ["The relay runs on Sunday"]
    with pytest.raises(NotFound):
        other.as_of(5).get(relay)


def test_the_past_is_kept_and_taken_again(tmp_path: Path) -> None:
    settings = {"log": {"keep_state_after": 1}}
    with muniment.open(tmp_path, settings=settings) as m:
        id_ = m.save("The relay runs on Friday").id
        m.revise(id_, "The relay runs on Monday")
        assert found(m.as_of(1), "friday") == ["The relay runs on Friday"]
    names = {path.name.split(".")[1] for path in (tmp_path / "cache").iterdir()}
    assert {"facets", "past-index"} <= names
    with muniment.open(tmp_path, settings=settings) as m:
        assert found(m.as_of(1), "friday") == ["The relay runs on Friday"]
        assert m.rebuild().agrees
        assert found(m.as_of(2), "friday") == []


def test_no_error_but_ours_leaves_a_handle_whose_store_was_closed(m: Muniment, relay: str) -> None:
    then = m.as_of(2)
    m.close()
    for ask in (then.search, lambda: then.get(relay), lambda: then.as_of(1)):
        with pytest.raises(MunimentError):
            ask()
