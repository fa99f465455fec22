"""Quarantine, hold and the retention purge, as callers meet them."""

from collections.abc import Callable
from typing import Any

import pytest
from bdd import START, Clock

import muniment
from muniment import Muniment, NotFound, PurgeReport, Refused

FACT = "The Quillmark feed sits on Drive North."
RACK = "Rack 12 is full."

COMMANDS: dict[str, Callable[[Muniment, str], Any]] = {
    "revise": lambda m, of: m.revise(of, RACK),
    "rescore": lambda m, of: m.rescore(of, 0.9),
    "recategorize": lambda m, of: m.recategorize(of, "infra"),
    "retag": lambda m, of: m.retag(of, ["x"]),
    "describe": lambda m, of: m.describe(of, {"k": "v"}),
    "pin": lambda m, of: m.pin(of),
    "unpin": lambda m, of: m.unpin(of),
    "mark_used": lambda m, of: m.mark_used(of),
    "archive": lambda m, of: m.archive(of, "stale"),
    "restore": lambda m, of: m.restore(of),
    "supersede": lambda m, of: m.supersede(of, m.save(RACK).id),
    "supersede by it": lambda m, of: m.supersede(m.save(RACK).id, of),
    "merge": lambda m, of: m.merge([m.save(RACK).id, of], RACK),
    "quarantine": lambda m, of: m.quarantine(of, "doubtful"),
    "release": lambda m, of: m.release(of),
    "hold": lambda m, of: m.hold(of, "a suit"),
    "release_hold": lambda m, of: m.release_hold(of),
}


def found(m: Muniment, query: str | None = None, **how: Any) -> set[str]:
    return {hit.memory.id for hit in m.search(query, limit=200, **how).hits}


def opened(clock: Clock, **dream: Any) -> Muniment:
    return muniment.open(":memory:", clock=clock, settings={"dream": dream})


@pytest.fixture
def purged(m: Muniment, clock: Clock) -> str:
    """The id of a purged memory."""
    id_ = m.save(FACT, category="infra", tags=["feed"], metadata={"k": "v"}).id
    m.archive(id_, "because of Ada")
    clock.advance(days=91)
    assert m.purge() == PurgeReport([id_], [], [])
    return id_


class TestQuarantine:
    def test_it_is_found_nowhere_but_by_get(self, m: Muniment) -> None:
        id_ = m.save(FACT).id
        assert m.quarantine(id_, "who says so?").state == "quarantined"
        for wider in (False, True):
            assert found(m, include_archived=wider) == set()
            for mode in ("hybrid", "regex"):
                assert found(m, "Quillmark", mode=mode, include_archived=wider) == set()
        memory = m.get(id_)
        assert (memory.state, memory.content) == ("quarantined", FACT)
        assert m.history(id_)[-1].summary == "quarantined: who says so?"

    def test_what_repeats_it_is_a_memory_of_its_own(self, m: Muniment) -> None:
        id_ = m.save(FACT).id
        m.quarantine(id_, "doubtful")
        again = m.save(FACT)
        assert (again.outcome, again.resembles) == ("created", ())
        assert m.get(id_).reinforcement_count == 1

    def test_released_it_is_as_it_was(self, m: Muniment) -> None:
        before = m.save(FACT).memory
        m.quarantine(before.id, "doubtful")
        after = m.release(before.id)
        assert (after.state, after.content, after.version) == ("live", FACT, 3)
        assert found(m, "Quillmark") == {before.id}
        assert m.save(FACT).outcome == "reinforced"

    def test_a_service_quarantines_by_policy_and_only_the_owner_releases(self, m: Muniment) -> None:
        id_ = m.save(FACT).id
        service = m.acting_as("system:guard")
        service.quarantine(id_, "unseen source")
        assert m.history(id_)[-1].data["cause"] == "policy"
        for other in (service, m.acting_as("bot:main")):
            with pytest.raises(Refused):
                other.release(id_)
        m.release(id_)

    def test_agents_do_not_read_it_from_the_answer_to_an_edit(self, m: Muniment) -> None:
        id_ = m.save(FACT, category="ops", tags=["racks"]).id
        m.quarantine(id_, "doubtful")
        answer = m.acting_as("bot:main").archive(id_, "poison")
        assert (answer.content, answer.tags, answer.category) == (None, (), None)
        assert m.archive(id_, "poison").content == FACT

    @pytest.mark.parametrize("actor", ["bot:main", "subagent:scout", "system:guard"])
    def test_agents_do_not_read_what_is_quarantined(self, m: Muniment, actor: str) -> None:
        id_ = m.save(FACT).id
        m.quarantine(id_, "doubtful")
        agent = m.acting_as(actor)
        reads: list[Callable[[], Any]] = [lambda: agent.get(id_), lambda: agent.get_many([id_])]
        if actor != "system:guard":
            reads.append(lambda: agent.history(id_))
        for read in reads:
            with pytest.raises(Refused) as caught:
                read()
            assert caught.value.code == "quarantined"
            assert "Quillmark" not in caught.value.message
        m.release(id_)
        assert agent.get(id_).content == FACT

    def test_a_restore_says_that_it_takes_a_release(self, m: Muniment) -> None:
        id_ = m.save(FACT).id
        m.quarantine(id_, "doubtful")
        with pytest.raises(Refused) as caught:
            m.restore(id_)
        assert caught.value.code == "quarantined"
        with pytest.raises(Refused, match="release it first"):
            m.retag(id_, ["x"])


class TestHold:
    def test_it_is_seen_and_lifted(self, m: Muniment) -> None:
        id_ = m.save(FACT).id
        assert not m.get(id_).held
        assert m.hold(id_, "a suit").held
        assert m.acting_as("manual").get(id_).held
        assert not m.release_hold(id_).held

    def test_nothing_is_purged_while_it_lasts(self, m: Muniment, clock: Clock) -> None:
        id_ = m.save(FACT).id
        m.archive(id_, "stale")
        m.hold(id_, "a suit")
        clock.advance(days=5_000)
        assert m.purge() == PurgeReport([], [id_], [])
        assert m.get(id_).content == FACT
        m.release_hold(id_)
        assert m.purge().purged == [id_]


class TestRetention:
    def test_of_three_only_the_one_that_is_archived_for_long_is_purged(
        self, m: Muniment, clock: Clock
    ) -> None:
        long_ago, lately, live = (
            m.save(f"Rack {number} is full.").id for number in ("seven", "nine", "ten")
        )
        m.archive(long_ago, "stale")
        clock.advance(days=120)
        m.archive(lately, "stale")
        assert m.purge() == PurgeReport([long_ago], [], [])
        assert [m.get(id_).state for id_ in (long_ago, lately, live)] == [
            "purged",
            "archived",
            "live",
        ]

    @pytest.mark.parametrize("days", [0, -1])
    def test_a_retention_of_0_or_less_keeps_for_ever(self, clock: Clock, days: float) -> None:
        with opened(clock, memory_archive_retention_days=days) as m:
            m.archive(m.save(FACT).id, "stale")
            clock.advance(days=5 * 365)
            assert m.purge() == PurgeReport([], [], [])

    def test_worth_when_archived_count_pin_and_hold_protect(
        self, m: Muniment, clock: Clock
    ) -> None:
        precious = m.save("Rack one is full.", importance=0.8).id
        faded = m.save("Rack two is full.", importance=1.0).id
        often = {m.save("Rack three is full.").id for _ in range(5)}.pop()
        pinned, held = m.save("Rack four is full.").id, m.save("Rack five is full.").id
        m.pin(pinned)
        m.hold(held, "a suit")
        for id_ in (precious, often, pinned, held):
            m.archive(id_, "stale")
        clock.advance(days=200)
        m.archive(faded, "stale")
        clock.advance(days=91)
        report = m.purge()
        assert set(report.kept) == {precious, often, pinned, held}
        assert report.purged == [faded]
        assert report.due == []

    def test_a_longer_time_ends_protection_but_not_of_a_pin_or_a_hold(self, clock: Clock) -> None:
        with opened(clock, purge_protected_after_days=365) as m:
            precious, pinned = m.save(FACT, importance=0.9).id, m.save(RACK).id
            m.pin(pinned)
            for id_ in (precious, pinned):
                m.archive(id_, "stale")
            clock.advance(days=365)
            assert m.purge().purged == []
            clock.advance(seconds=1)
            assert m.purge() == PurgeReport([precious], [pinned], [])

    def test_a_dry_run_lists_what_a_run_then_does(self, m: Muniment, clock: Clock) -> None:
        ids = [m.save(f"Rack number {number} is full.").id for number in range(5)]
        kept = m.save(FACT, importance=0.9).id
        for id_ in (*ids[:4], kept):
            m.archive(id_, "stale")
        clock.advance(days=91)
        head = m.stats().head
        would = m.purge(dry_run=True)
        assert would == PurgeReport([], [kept], ids[:4])
        assert m.stats().head == head
        assert m.purge() == PurgeReport(would.due, [kept], [])
        assert m.purge() == PurgeReport([], [kept], [])
        assert m.stats().head == head + 8

    def test_each_space_is_purged_by_itself(self, m: Muniment, clock: Clock) -> None:
        other = m.acting_as("manual", "other")
        here, there = m.save(FACT).id, other.save(FACT).id
        m.archive(here, "stale")
        other.archive(there, "stale")
        clock.advance(days=91)
        assert m.purge().purged == [here]
        assert other.get(there).content == FACT

    def test_a_service_may_purge_and_is_named(self, m: Muniment, clock: Clock) -> None:
        id_ = m.save(FACT).id
        m.archive(id_, "stale")
        clock.advance(days=91)
        assert m.acting_as("system:retention").purge().purged == [id_]
        assert [entry.actor for entry in m.history(id_)[-2:]] == ["system:retention"] * 2


class TestPurged:
    def test_get_answers_its_tombstone(self, m: Muniment, purged: str) -> None:
        memory = m.get(purged)
        assert (memory.state, memory.content) == ("purged", None)
        assert (memory.category, memory.tags, memory.metadata) == (None, (), {})
        assert (memory.archive_reason, memory.fault) == (None, None)
        assert memory.created_at == memory.archived_at == START
        assert m.get_many([purged]) == [memory]

    def test_history_answers_without_a_word_and_with_the_evidence(
        self, m: Muniment, purged: str
    ) -> None:
        history = m.history(purged)
        assert [entry.name for entry in history] == [
            "memory.saved",
            "memory.archived",
            "memory.purge_requested",
            "memory.purged",
        ]
        told = repr(history)
        for word in ("Quillmark", "Ada", "infra", "feed"):
            assert word not in told
        assert "missing" not in told
        assert history[0].summary == "memory.saved: its words were purged"
        for entry in history[2:]:
            assert entry.data["basis"] == "retention"
            assert entry.data["archived_at"] == START
            assert entry.data["retention_days"] == 90.0
        assert "archived on 2026-03-03, kept for 90 days" in history[-1].summary

    @pytest.mark.parametrize("name", sorted(COMMANDS))
    def test_every_command_on_it_is_not_found(self, m: Muniment, purged: str, name: str) -> None:
        for of in (purged, purged[-12:]):
            with pytest.raises(NotFound) as caught:
                COMMANDS[name](m, of)
            assert caught.value.code == "purged"
        assert m.history(purged)[-1].version == 4

    def test_no_search_finds_it_and_its_id_still_resolves(self, m: Muniment, purged: str) -> None:
        for query in (None, "Quillmark", "Drive North"):
            for including in (False, True):
                assert found(m, query, include_archived=including) == set()
        assert found(m, "Quillmark", mode="regex", include_archived=True) == set()
        assert m.get(purged[-12:]).id == purged
        result = m.search("Quillmark")
        assert result.taxonomy == {}
        assert "Quillmark" not in m.agent_text(result)

    def test_the_log_tells_no_word_of_it(self, m: Muniment, purged: str) -> None:
        assert "Quillmark" not in repr(list(m.log()))
        assert m.verify().intact
        assert m.rebuild().agrees

    def test_the_same_words_may_be_said_anew(self, m: Muniment, purged: str) -> None:
        again = m.save(FACT)
        assert (again.outcome, again.resembles) == ("created", ())
        assert again.id != purged

    def test_a_merge_keeps_what_it_says_though_its_source_is_purged(
        self, m: Muniment, clock: Clock
    ) -> None:
        ids = [m.save(FACT).id, m.save(RACK).id]
        answer = m.merge(ids, f"{FACT} {RACK}")
        clock.advance(days=91)
        assert set(m.purge().purged) == set(ids)
        memory = m.get(answer.id)
        assert (memory.content, memory.reinforcement_count) == (f"{FACT} {RACK}", 2)
        assert memory.merged_from == tuple(ids)
