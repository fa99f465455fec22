"""A rollback hides what a selection wrote and what descends from it, and nothing is lost by it."""

import time
from datetime import datetime
from typing import Any

import pytest
from bdd import Clock
from poisoned import CLEAN, PAGE, WRONG, Poisoned, poisoned

import muniment
from muniment import Conflict, Invalid, Muniment, NotFound, Refused, Source
from muniment.queries.plan_rollback import PlanRollback

REASON = "the page was wrong"


def states(m: Muniment, *ids: str) -> list[str]:
    return [m.get(id_).state for id_ in ids]


def rolled_back(m: Muniment, **selection: Any) -> str:
    report = m.rollback(**selection, reason=REASON, dry_run=False)
    assert report.id is not None
    return report.id


@pytest.fixture
def story(m: Muniment, clock: Clock) -> Poisoned:
    return poisoned(m, clock)


class TestRollback:
    def test_every_descendant_of_three_levels_is_out_of_recall(
        self, m: Muniment, story: Poisoned
    ) -> None:
        rolled_back(m, source=PAGE)
        assert states(m, *story.merges) == ["archived", "archived", "quarantined"]
        assert all(WRONG not in (hit.memory.content or "") for hit in m.search(limit=50).hits)

    def test_clean_sources_come_back_whatever_level_took_them_in(
        self, m: Muniment, story: Poisoned
    ) -> None:
        rolled_back(m, source=PAGE)
        assert states(m, *story.clean) == ["live"] * 3
        assert [m.get(id_).content for id_ in story.clean] == list(CLEAN)
        assert states(m, story.wrong) == ["archived"]

    def test_counts_are_taken_out_of_every_level(self, m: Muniment, clock: Clock) -> None:
        story = poisoned(m, clock)
        before = [m.get(id_).reinforcement_count for id_ in story.merges]
        rolled_back(m, source=PAGE)
        assert before == [2, 3, 4]
        assert [m.get(id_).reinforcement_count for id_ in story.merges] == [1, 1, 1]
        assert [m.get(id_).reinforcement_count for id_ in story.clean] == [1, 1, 1]

    def test_a_dry_run_says_exactly_what_is_then_done(self, m: Muniment, story: Poisoned) -> None:
        head = m.stats().head
        planned = m.rollback(source="web")
        assert m.stats().head == head
        assert (planned.id, planned.dry_run) == (None, True)
        done = m.rollback(source="web", reason=REASON, dry_run=False)
        assert done.steps == planned.steps
        assert {step.id: step.action for step in done.steps} == {
            story.merges[2]: "hide",
            **dict.fromkeys(story.clean, "restore"),
            **dict.fromkeys((story.wrong, *story.merges[:2]), "leave"),
        }

    def test_it_is_recorded_once_with_its_reason(self, m: Muniment, story: Poisoned) -> None:
        del story
        done = rolled_back(m, source=PAGE)
        (entry,) = [entry for entry in m.log() if entry.name == "rollback.applied"]
        assert entry.stream == done
        assert entry.data["reason"] == REASON
        assert (entry.data["source_ref"], entry.data["source_type"]) == (PAGE, None)
        assert (entry.data["hidden"], entry.data["restored"]) == (1, 3)
        after = list(m.log(after=entry.position))
        assert {one.command_id for one in after} == {entry.command_id}

    def test_said_again_it_does_nothing(self, m: Muniment, story: Poisoned) -> None:
        del story
        rolled_back(m, source=PAGE)
        head = m.stats().head
        again = m.rollback(source=PAGE, reason=REASON, dry_run=False)
        assert again.id is None
        assert m.stats().head == head

    def test_the_log_holds_every_invariant_and_the_read_models_agree(
        self, m: Muniment, story: Poisoned
    ) -> None:
        del story
        done = rolled_back(m, source=PAGE)
        assert m.prove_invariants().violations == ()
        m.rollback(undo=done, reason="it was right", dry_run=False)
        assert m.prove_invariants().violations == ()
        assert m.verify().intact
        assert m.rebuild().agrees

    def test_what_it_hides_may_be_archived_instead(self, m: Muniment, story: Poisoned) -> None:
        done = rolled_back(m, source=PAGE, hide="archive")
        assert states(m, story.merges[2]) == ["archived"]
        assert m.get(story.merges[2]).archive_reason == REASON
        m.rollback(undo=done, reason="no", dry_run=False)
        assert states(m, story.merges[2]) == ["live"]

    def test_an_episode_is_hidden_and_keeps_its_text(self, m: Muniment) -> None:
        id_ = m.acting_as("bot:x").save("The pump burst at noon", store="episodic").id
        rolled_back(m, actor="bot:x")
        memory = m.get(id_)
        assert (memory.state, memory.content) == ("quarantined", "The pump burst at noon")
        assert m.prove_invariants().holds

    def test_what_is_pinned_or_held_is_hidden_and_said_to_be(self, m: Muniment) -> None:
        id_ = m.acting_as("bot:x").save("The pump runs at 9 bar").id
        m.pin(id_)
        m.hold(id_, "case 7")
        (step,) = m.rollback(actor="bot:x").steps
        assert "pinned; held" in step.why
        rolled_back(m, actor="bot:x")
        memory = m.get(id_)
        assert (memory.state, memory.pinned, memory.held) == ("quarantined", True, True)

    def test_an_addition_hides_the_memory_that_it_was_added_to(self, m: Muniment) -> None:
        text = "The Quillmark feed sits on Drive North"
        id_ = m.acting_as("bot:main").save(text).id
        extended = m.acting_as("bot:x").save(f"{text} in rack 12")
        assert (extended.id, extended.outcome) == (id_, "extended")
        rolled_back(m, actor="bot:x")
        assert states(m, id_) == ["quarantined"]

    def test_a_repetition_hides_nothing(self, m: Muniment) -> None:
        id_ = m.save("The relay listens on port 4100.").id
        assert m.acting_as("bot:x").save("The relay listens on port 4100.").id == id_
        (step,) = m.rollback(actor="bot:x").steps
        assert (step.id, step.action) == (id_, "review")
        assert m.rollback(actor="bot:x", reason=REASON, dry_run=False).id is None

    def test_what_was_rewritten_by_somebody_else_stays(self, m: Muniment) -> None:
        id_ = m.acting_as("bot:x").save("The relay listens on port 1.").id
        m.revise(id_, "The relay listens on port 4100.")
        (step,) = m.rollback(actor="bot:x").steps
        assert (step.action, step.state) == ("review", "live")
        assert "rewritten by manual since" in step.why

    def test_what_it_had_superseded_comes_back(self, m: Muniment) -> None:
        right = m.save("The relay listens on port 4100.").id
        wrong = m.acting_as("bot:x").save("The relay listens on port 9999.").id
        m.supersede(right, wrong)
        done = rolled_back(m, actor="bot:x")
        assert states(m, right, wrong) == ["live", "quarantined"]
        m.rollback(undo=done, reason="no", dry_run=False)
        assert states(m, right, wrong) == ["superseded", "live"]
        assert m.get(right).superseded_by == wrong

    def test_a_copy_that_was_folded_no_longer_counts(self, m: Muniment) -> None:
        text = "The relay listens on port 4100."
        settings = {"memory": {"dedupe_enabled": False}}
        with muniment.open(":memory:", settings=settings) as plain:
            kept = plain.save(text).id
            copy = plain.acting_as("bot:x").save(text).id
            assert plain.fold() == [copy]
            assert plain.get(kept).reinforcement_count == 2
            done = rolled_back(plain, actor="bot:x")
            assert states(plain, kept, copy) == ["live", "quarantined"]
            assert plain.get(kept).reinforcement_count == 1
            assert plain.prove_invariants().violations == ()
            plain.rollback(undo=done, reason="no", dry_run=False)
            assert states(plain, kept, copy) == ["live", "archived"]
            assert plain.prove_invariants().violations == ()
        assert m.stats().head == 0

    def test_what_may_only_have_been_influenced_is_to_be_looked_at(self, m: Muniment) -> None:
        wrong = m.save("The pump at station 4 runs at 9 bar", source=Source(type="web")).id
        m.recall("pump", session="plan", agent="bot:main")
        order = m.acting_as("bot:main").save(
            "Order valves for Nora", source=Source(type="agent", session="plan")
        )
        steps = {step.id: step for step in m.rollback(source="web").steps}
        assert (steps[wrong].action, steps[order.id].action) == ("hide", "review")
        rolled_back(m, source="web")
        assert states(m, order.id) == ["live"]

    def test_a_time_range_of_an_actor_is_all_that_it_touches(
        self, m: Muniment, clock: Clock
    ) -> None:
        bot, ids, times = m.acting_as("bot:x"), list[str](), list[datetime]()
        for place in ("Lisbon", "Porto", "Faro"):
            times.append(clock.advance(hours=1))
            ids.append(bot.save(f"The archive of {place} is closed").id)
        rolled_back(m, actor="bot:x", since=times[1], until=times[1].isoformat())
        assert states(m, *ids) == ["live", "quarantined", "live"]

    def test_another_space_is_another_world(self, m: Muniment) -> None:
        id_ = m.acting_as("bot:x").save("The pump runs at 9 bar").id
        other = m.acting_as("manual", space="other")
        assert other.rollback(actor="bot:x").steps == ()
        with pytest.raises(NotFound):
            other.rollback(memory=id_)
        done = rolled_back(m, actor="bot:x")
        with pytest.raises(NotFound):
            other.rollback(undo=done)

    def test_moving_memories_are_planned_anew_and_never_half(
        self, m: Muniment, story: Poisoned, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        whole, head = PlanRollback.answer, m.stats().head

        def moving(query: Any, reading: Any) -> Any:
            steps = whole(query, reading)
            m.pin(story.merges[2]) if not m.get(story.merges[2]).pinned else m.unpin(
                story.merges[2]
            )
            return steps

        with monkeypatch.context() as patch:
            patch.setattr(PlanRollback, "answer", moving)
            with pytest.raises(Conflict) as caught:
                m.rollback(source=PAGE, reason=REASON, dry_run=False)
        assert caught.value.code == "rollback_moved"
        assert m.stats().head == head + 3
        assert m.rollback(source=PAGE, reason=REASON, dry_run=False).id is not None


class TestUndo:
    def test_everything_is_in_or_out_of_recall_as_before(
        self, m: Muniment, story: Poisoned
    ) -> None:
        ids = (story.wrong, *story.clean, *story.merges)
        before, texts = states(m, *ids), [m.get(id_).content for id_ in ids]
        done = rolled_back(m, source=PAGE)
        undone = m.rollback(undo=done, reason="it was right", dry_run=False)
        assert undone.undone == done
        assert states(m, *ids) == before
        assert [m.get(id_).content for id_ in ids] == texts

    def test_a_dry_run_of_it_does_nothing(self, m: Muniment, story: Poisoned) -> None:
        done, head = rolled_back(m, source=PAGE), m.stats().head
        planned = m.rollback(undo=done)
        assert (planned.dry_run, planned.undone) == (True, done)
        assert {step.action for step in planned.steps} == {"release", "archive"}
        assert m.stats().head == head
        assert states(m, story.merges[2]) == ["quarantined"]

    def test_what_moved_since_is_left(self, m: Muniment, story: Poisoned) -> None:
        done = rolled_back(m, source=PAGE)
        m.pin(story.clean[0])
        m.release(story.merges[2])
        report = m.rollback(undo=done, reason="no", dry_run=False)
        actions = {step.id: step.action for step in report.steps}
        assert (actions[story.clean[0]], actions[story.merges[2]]) == ("leave", "leave")
        assert states(m, story.clean[0], story.clean[1]) == ["live", "archived"]
        (entry,) = [entry for entry in m.log() if entry.name == "rollback.undone"]
        assert entry.data["left"] == 2

    def test_once_is_enough(self, m: Muniment, story: Poisoned) -> None:
        del story
        done = rolled_back(m, source=PAGE)
        m.rollback(undo=done, reason="no", dry_run=False)
        with pytest.raises(Refused) as caught:
            m.rollback(undo=done)
        assert caught.value.code == "already_undone"

    def test_of_what_was_never_done_there_is_none(self, m: Muniment) -> None:
        saved = m.save("The pump runs at 3 bar")
        for id_ in (saved.id, "01980000-0000-7000-8000-000000000000", "nonsense"):
            with pytest.raises(NotFound):
                m.rollback(undo=id_)


class TestBadInput:
    @pytest.mark.parametrize(
        ("given", "code", "field"),
        [
            ({}, "selection_required", "memory"),
            ({"source": ""}, "source_invalid", "source"),
            ({"source": 5}, "source_invalid", "source"),
            ({"actor": "nobody"}, "actor_invalid", "actor"),
            ({"session": ""}, "session_invalid", "session"),
            ({"since": "yesterday"}, "timestamp_invalid", "since"),
            ({"memory": "?"}, "id_invalid", "id"),
            ({"source": "web", "hide": "burn"}, "hide_invalid", "hide"),
            ({"source": "web", "dry_run": "no"}, "dry_run_invalid", "dry_run"),
            ({"source": "web", "dry_run": False}, "reason_required", "reason"),
            ({"source": "web", "dry_run": False, "reason": ""}, "reason_invalid", "reason"),
        ],
    )
    def test_it_names_the_field_and_nothing_is_done(
        self, m: Muniment, given: dict[str, Any], code: str, field: str
    ) -> None:
        m.save("The pump runs at 9 bar", source="web")
        with pytest.raises(Invalid) as caught:
            m.rollback(**given)
        assert (caught.value.code, caught.value.field) == (code, field)
        assert m.stats().head == 1


def test_a_thousand_memories_are_rolled_back_in_no_time() -> None:
    with muniment.open(":memory:") as m:
        bot = m.acting_as("bot:x")
        bot.save_many({"content": f"Rack {n} holds unit {n * 7}"} for n in range(1_000))
        began = time.process_time()
        report = m.rollback(actor="bot:x", reason=REASON, dry_run=False)
        assert time.process_time() - began < 2.0
        assert len(report.steps) == 1_000
        assert m.stats().memories["quarantined"] == 1_000
