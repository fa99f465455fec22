"""Proposals: what sub-agents put forward, and what becomes of it."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from bdd import Clock

import muniment
from muniment import Conflict, Invalid, Muniment, NotFound, Refused

FACT = "The Quillmark feed sits on Drive North."
LISBON = "Server alpha stands in Lisbon"
PORTO = "Server alpha stands in Porto"


@pytest.fixture
def scout(m: Muniment) -> Muniment:
    """A sub-agent."""
    return m.acting_as("subagent:scout")


@pytest.fixture
def main(m: Muniment) -> Muniment:
    """The main agent."""
    return m.acting_as("bot:main")


def events(m: Muniment) -> list[tuple[str, str]]:
    """Names and actors of all events, oldest first."""
    return [(entry.name, entry.actor) for entry in m.log()]


class TestProposing:
    def test_it_waits_for_a_decision_and_is_no_memory(self, m: Muniment, scout: Muniment) -> None:
        made = scout.propose(
            FACT, category="infra", tags=["feed"], trigger="the tour", store="procedural"
        )
        assert (made.number, made.state, made.proposer) == (1, "pending", "subagent:scout")
        assert (made.content, made.category, made.tags) == (FACT, "infra", ("feed",))
        assert (made.trigger, made.store, made.confidence) == ("the tour", "procedural", "medium")
        for handle in (m, scout):
            for mode in ("hybrid", "keyword", "regex"):
                assert handle.search("Quillmark", mode=mode, include_archived=True).hits == ()
            assert handle.search(include_archived=True).hits == ()
        with pytest.raises(NotFound):
            m.get(made.id)

    def test_they_are_numbered_in_each_space(self, m: Muniment, scout: Muniment) -> None:
        other = m.acting_as("subagent:scout", "other")
        assert [scout.propose(FACT).number, scout.propose(LISBON).number] == [1, 2]
        assert other.propose(FACT).number == 1
        assert [one.number for one in other.proposals()] == [1]

    def test_said_again_while_it_is_open_it_is_not_proposed_again(
        self, m: Muniment, scout: Muniment, main: Muniment
    ) -> None:
        first = scout.propose(FACT)
        assert scout.propose("the Quillmark feed sits on drive north") == first
        assert m.acting_as("subagent:other").propose(FACT).number == 2
        main.decide(1, "reject", reason="we know")
        assert scout.propose(FACT).number == 3

    def test_a_key_makes_a_retry_safe(self, scout: Muniment) -> None:
        first = scout.propose(FACT, idempotency_key="k")
        assert scout.propose(FACT, idempotency_key="k") == first
        with pytest.raises(Conflict):
            scout.propose(LISBON, idempotency_key="k")

    def test_so_many_of_one_agent_are_open_and_no_more(self, clock: Clock) -> None:
        settings = {"access": {"max_pending_proposals": 3}}
        with muniment.open(":memory:", clock=clock, settings=settings) as m:
            scout, other = m.acting_as("subagent:scout"), m.acting_as("subagent:other")
            for number in range(3):
                scout.propose(f"Rack {number} is full.")
            with pytest.raises(Refused) as caught:
                scout.propose(FACT)
            assert caught.value.code == "too_many_proposals"
            other.propose(FACT)
            m.decide(2, "reject", reason="no")
            scout.propose(FACT)
            clock.advance(days=7)
            for number in range(3):
                scout.propose(f"Shelf {number} is full.")

    def test_a_sub_agent_sees_its_own_and_who_decides_sees_all(
        self, m: Muniment, scout: Muniment, main: Muniment
    ) -> None:
        scout.propose(FACT)
        m.acting_as("subagent:other").propose(LISBON)
        assert [one.number for one in scout.proposals()] == [1]
        assert [one.number for one in m.proposals()] == [1, 2]
        assert [one.number for one in main.proposals()] == [1, 2]

    def test_they_are_listed_by_how_they_stand(self, m: Muniment, scout: Muniment) -> None:
        for text in (FACT, LISBON, "Rack 12 is full."):
            scout.propose(text)
        m.decide(1, "reject", reason="no")
        m.decide(2, "defer")
        by_state = {one.state: one.number for one in m.proposals()}
        assert by_state == {"rejected": 1, "deferred": 2, "pending": 3}
        assert [one.number for one in m.proposals("deferred")] == [2]
        with pytest.raises(Invalid):
            m.proposals("nonsense")  # type: ignore[arg-type]

    def test_it_expires_after_seven_days(self, m: Muniment, scout: Muniment, clock: Clock) -> None:
        scout.propose(FACT)
        clock.advance(days=7, seconds=-1)
        assert m.proposals()[0].state == "pending"
        clock.advance(seconds=1)
        assert m.proposals()[0].state == "expired"
        with pytest.raises(Conflict) as caught:
            m.decide(1, "commit")
        assert caught.value.code == "proposal_expired"


class TestCommitting:
    def test_it_becomes_a_memory_that_says_where_it_comes_from(
        self, m: Muniment, scout: Muniment, main: Muniment
    ) -> None:
        made = scout.propose(FACT, category="infra", tags=["feed"], confidence="high")
        done = main.decide("#1", "commit")
        assert (done.state, done.decided_by) == ("committed", "bot:main")
        assert done.memory is not None
        memory = m.get(done.memory)
        assert (memory.content, memory.category, memory.tags) == (FACT, "infra", ("feed",))
        assert (memory.trust, memory.source.type, memory.source.ref) == (
            1,
            "agent",
            "subagent:scout",
        )
        (entry,) = m.log(name="memory.saved")
        assert (entry.actor, entry.correlation_id) == ("bot:commit-from:scout", made.id)
        assert memory.importance == 0.7
        assert m.prove_invariants().holds

    def test_text_store_and_filing_may_be_overridden(self, m: Muniment, scout: Muniment) -> None:
        scout.propose(FACT, category="infra", tags=["feed"])
        done = m.decide(
            1, "commit", content=LISBON, store="procedural", category="ops", tags=(), importance=0.9
        )
        assert done.memory is not None
        memory = m.get(done.memory)
        assert (memory.content, memory.store, memory.category) == (LISBON, "procedural", "ops")
        assert (memory.tags, memory.importance) == ((), 0.9)
        assert (memory.source.type, memory.trust) == ("owner", 3)
        assert done.content == FACT

    def test_the_main_agents_words_are_trusted_as_an_agents(
        self, m: Muniment, scout: Muniment, main: Muniment
    ) -> None:
        scout.propose(FACT)
        done = main.decide(1, "commit", content=LISBON)
        assert m.get(done.memory or "").trust == 1

    def test_what_the_owner_proposed_is_trusted_as_the_owners_whoever_commits_it(
        self, m: Muniment, main: Muniment
    ) -> None:
        m.propose(FACT)
        memory = m.get(main.decide(1, "commit").memory or "")
        assert (memory.source.type, memory.trust) == ("owner", 3)

    @pytest.mark.parametrize("filed", [{"category": "ops"}, {"tags": ["ops"]}])
    def test_filed_by_an_agent_it_is_trusted_as_the_agent_is(
        self, m: Muniment, main: Muniment, filed: dict[str, Any]
    ) -> None:
        m.propose(FACT)
        memory = m.get(main.decide(1, "commit", **filed).memory or "")
        assert (memory.source.type, memory.trust) == ("owner", 1)

    def test_what_is_known_is_reinforced(self, m: Muniment, scout: Muniment) -> None:
        known = m.acting_as("bot:x").save(FACT)
        made = scout.propose(FACT)
        assert m.decide(1, "commit").memory == known.id
        (entry,) = m.log(name="memory.reinforced")
        assert (entry.actor, entry.correlation_id) == ("bot:commit-from:scout", made.id)
        assert m.get(known.id).reinforcement_count == 2
        assert m.prove_invariants().holds

    def test_a_key_makes_a_retry_safe(self, m: Muniment, scout: Muniment) -> None:
        scout.propose(FACT)
        done = m.decide(1, "commit", idempotency_key="k")
        assert m.decide(1, "commit", idempotency_key="k") == done
        assert m.stats().memories["live"] == 1

    def test_it_is_decided_once(self, m: Muniment, scout: Muniment) -> None:
        scout.propose(FACT)
        m.decide(1, "commit")
        before = events(m)
        with pytest.raises(Conflict) as caught:
            m.decide(1, "reject", reason="no")
        assert caught.value.code == "proposal_decided"
        assert events(m) == before

    @pytest.mark.parametrize("actor", ["bot:main", "manual"])
    @pytest.mark.parametrize("verdict", ["commit", "reject", "defer"])
    def test_nobody_decides_on_their_own(self, m: Muniment, actor: str, verdict: Any) -> None:
        own = m.acting_as(actor)
        own.propose(FACT)
        with pytest.raises(Refused) as caught:
            own.decide(1, verdict)
        assert caught.value.code == "own_proposal"
        assert [name for name, _ in events(m)] == ["proposal.made"]

    @pytest.mark.parametrize(
        "name", ["7", 7, "#7", 0, "deadbeef", "01980000-0000-7000-8000-000000000000"]
    )
    def test_what_is_not_there_is_not_found(
        self, m: Muniment, scout: Muniment, name: str | int
    ) -> None:
        made = scout.propose(FACT)
        with pytest.raises(NotFound):
            m.decide(name, "commit")
        with pytest.raises(NotFound):
            m.acting_as("manual", "other").decide(made.id, "commit")
        assert m.decide(made.id[-12:], "defer").state == "deferred"

    @pytest.mark.parametrize(
        ("verdict", "given", "code"),
        [
            ("reject", {}, "reason_required"),
            ("reject", {"reason": "no", "content": FACT}, "override_invalid"),
            ("defer", {"store": "episodic"}, "override_invalid"),
            ("approve", {}, "verdict_invalid"),
            ("commit", {"content": " "}, "content_empty"),
            ("commit", {"importance": 2.0}, "importance_invalid"),
        ],
    )
    def test_what_makes_no_sense_is_refused(
        self, m: Muniment, scout: Muniment, verdict: Any, given: dict[str, Any], code: str
    ) -> None:
        scout.propose(FACT)
        with pytest.raises(Invalid) as caught:
            m.decide(1, verdict, **given)
        assert caught.value.code == code
        assert [name for name, _ in events(m)] == ["proposal.made"]

    def test_a_rejection_says_why(self, m: Muniment, scout: Muniment) -> None:
        scout.propose(FACT)
        assert m.decide(1, "reject", reason="it is a guess").reason == "it is a guess"
        assert scout.proposals()[0].reason == "it is a guess"
        assert m.search().hits == ()

    def test_what_is_deferred_can_still_be_committed(self, m: Muniment, scout: Muniment) -> None:
        scout.propose(FACT)
        m.decide(1, "defer", reason="ask the user")
        m.decide(1, "defer", reason="ask the user")
        assert [name for name, _ in events(m)] == ["proposal.made", "proposal.deferred"]
        assert m.decide(1, "commit").state == "committed"


class TestContradicting:
    @pytest.fixture
    def both(self, scout: Muniment) -> None:
        scout.propose(LISBON, category="infra", confidence="high")
        scout.propose(PORTO, category="infra", confidence="high")

    @pytest.mark.usefixtures("both")
    def test_they_flag_each_other_and_neither_is_committed(self, m: Muniment) -> None:
        one, two = m.proposals()
        assert (one.state, one.contradicts) == ("conflict", (2,))
        assert (two.state, two.contradicts) == ("conflict", (1,))
        for number in (1, 2):
            with pytest.raises(Conflict) as caught:
                m.decide(number, "commit")
            assert caught.value.code == "proposals_contradict"
        assert m.search().hits == ()

    @pytest.mark.usefixtures("both")
    def test_one_is_committed_and_the_other_rejected_with_it(self, m: Muniment) -> None:
        assert m.decide(2, "commit", resolution="this").state == "committed"
        one, _ = m.proposals()
        assert (one.state, one.decided_by) == ("rejected", "manual")
        assert [hit.memory.content for hit in m.search().hits] == [PORTO]
        assert m.prove_invariants().holds

    @pytest.mark.usefixtures("both")
    def test_both_are_committed_at_low_confidence_and_linked(self, m: Muniment) -> None:
        one = m.decide(1, "commit", resolution="both")
        two = m.decide(2, "commit")
        memories = [m.get(done.memory or "") for done in (one, two)]
        assert [memory.base_importance for memory in memories] == [0.3, 0.3]
        assert memories[1].conflicts_with == (one.memory,)
        assert m.prove_invariants().holds

    @pytest.mark.usefixtures("both")
    def test_once_the_other_is_rejected_it_stands_alone(self, m: Muniment) -> None:
        m.decide(1, "reject", reason="an old list")
        assert m.proposals()[1].state == "pending"
        done = m.decide(2, "commit")
        assert m.get(done.memory or "").base_importance == 0.7

    @pytest.mark.usefixtures("both")
    def test_it_may_be_left_until_somebody_was_asked(self, m: Muniment) -> None:
        assert m.decide(1, "defer", reason="ask the user").state == "conflict"
        with pytest.raises(Conflict):
            m.decide(2, "commit")

    def test_what_lies_elsewhere_contradicts_nothing(self, m: Muniment, scout: Muniment) -> None:
        scout.propose(LISBON, category="infra")
        scout.propose(PORTO, category="plans")
        assert [one.state for one in m.proposals()] == ["pending", "pending"]


class TestAutoCommit:
    @pytest.fixture
    def listed(self, clock: Clock) -> Iterator[Muniment]:
        settings = {"access": {"auto_commit_from": ("subagent:scout",)}}
        with muniment.open(":memory:", clock=clock, settings=settings) as m:
            yield m

    def test_it_is_off(self, scout: Muniment) -> None:
        assert scout.propose(FACT, confidence="high").state == "pending"

    def test_what_a_listed_agent_is_sure_of_is_committed_at_once(self, listed: Muniment) -> None:
        done = listed.acting_as("subagent:scout").propose(FACT, confidence="high")
        assert (done.state, done.decided_by) == ("committed", "system:auto-commit")
        assert listed.search("feed").hits[0].memory.id == done.memory
        assert listed.prove_invariants().holds

    @pytest.mark.parametrize(
        ("actor", "confidence"), [("subagent:scout", "medium"), ("subagent:other", "high")]
    )
    def test_nothing_else_is(self, listed: Muniment, actor: str, confidence: Any) -> None:
        made = listed.acting_as(actor).propose(FACT, confidence=confidence)
        assert made.state == "pending"

    def test_what_contradicts_another_waits(self, listed: Muniment) -> None:
        listed.acting_as("subagent:other").propose(LISBON)
        made = listed.acting_as("subagent:scout").propose(PORTO, confidence="high")
        assert made.state == "conflict"


DOORS: dict[str, Callable[[Muniment, str, Path], Any]] = {
    "save": lambda m, of, at: m.save(FACT),
    "save_many": lambda m, of, at: m.save_many([{"content": FACT}]),
    "extension by duplicate": lambda m, of, at: m.save(f"{FACT} It was moved in May."),
    "revise": lambda m, of, at: m.revise(of, "Anything."),
    "merge": lambda m, of, at: m.merge([of, of], FACT),
    "import": lambda m, of, at: m.import_from("native", at),
    "restore": lambda m, of, at: m.restore(of),
    "archive": lambda m, of, at: m.archive(of, "no"),
    "supersede": lambda m, of, at: m.supersede(of, of),
    "retag": lambda m, of, at: m.retag(of, ["x"]),
    "recategorize": lambda m, of, at: m.recategorize(of, "x"),
    "describe": lambda m, of, at: m.describe(of, {"k": "v"}),
    "rescore": lambda m, of, at: m.rescore(of, 1.0),
    "mark_used": lambda m, of, at: m.mark_used(of),
    "pin": lambda m, of, at: m.pin(of, trigger="Keep that for good"),
    "fold": lambda m, of, at: m.fold(),
    "quarantine": lambda m, of, at: m.quarantine(of, "no"),
    "release": lambda m, of, at: m.release(of),
    "hold": lambda m, of, at: m.hold(of, "no"),
    "purge": lambda m, of, at: m.purge(),
    "decide its own": lambda m, of, at: m.decide(1, "commit"),
    "decide another's": lambda m, of, at: m.decide(2, "commit"),
    "issue a token": lambda m, of, at: m.tokens.issue(actor="bot:main"),
    "rotate the keys": lambda m, of, at: m.keys.rotate(),
}


@pytest.mark.parametrize("door", DOORS)
def test_a_sub_agent_reaches_memory_through_no_other_door(
    m: Muniment, scout: Muniment, tmp_path: Path, door: str
) -> None:
    m.save(FACT)
    archived = m.save("Rack 12 is full.").id
    m.archive(archived, "stale")
    m.export(tmp_path / "export")
    scout.propose("Rack 14 is full.")
    m.acting_as("subagent:other").propose("Rack 15 is full.")
    before = [(entry.name, entry.position) for entry in m.log()]
    with pytest.raises(Refused) as caught:
        DOORS[door](scout, archived, tmp_path / "export")
    assert caught.value.code == "role_refused"
    after = [(entry.name, entry.position) for entry in m.log() if entry.name != "access.denied"]
    assert after == before


def test_a_sub_agent_reads_the_history_of_what_it_proposed(m: Muniment, scout: Muniment) -> None:
    scout.propose(FACT)
    done = m.decide(1, "commit")
    assert scout.history(done.memory or "")[0].actor == "bot:commit-from:scout"
    with pytest.raises(Refused):
        m.acting_as("subagent:other").history(done.memory or "")
