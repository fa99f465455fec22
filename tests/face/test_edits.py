"""Editing, hiding and bringing back; and which version it was decided on."""

import inspect
from collections.abc import Callable
from datetime import datetime
from typing import Any

import pytest
from bdd import START, Clock, day

from muniment import Conflict, Invalid, Memory, Muniment, NotFound, Refused
from muniment.commands.archive import Archive
from muniment.commands.edit import Edit
from muniment.commands.revise import Revise
from muniment.commands.save_memory import SaveMemory
from muniment.operations import COMMANDS

FACT = "The Quillmark feed sits on Drive North."

EDITS: dict[str, Callable[[Muniment, str], Memory]] = {
    "revise": lambda m, of: m.revise(of, "Rack 12 is full."),
    "rescore": lambda m, of: m.rescore(of, 0.9),
    "recategorize": lambda m, of: m.recategorize(of, "infra"),
    "retag": lambda m, of: m.retag(of, ["x"]),
    "describe": lambda m, of: m.describe(of, {"k": "v"}),
    "pin": lambda m, of: m.pin(of),
}


def times(memory: Memory) -> tuple[datetime, datetime, datetime]:
    return memory.created_at, memory.last_seen_at, memory.updated_at


class TestEdits:
    @pytest.mark.parametrize("verb", sorted(EDITS))
    def test_an_edit_appends_one_event_and_said_again_none(
        self, m: Muniment, clock: Clock, verb: str
    ) -> None:
        saved = m.save(FACT)
        clock.advance(days=1)
        once = EDITS[verb](m, saved.id)
        head = m.stats().head
        again = EDITS[verb](m, saved.id)
        assert (once.version, again, m.stats().head) == (2, once, head)
        assert once == m.get(saved.id)

    @pytest.mark.parametrize("verb", sorted(set(EDITS) - {"revise"}))
    def test_only_rewriting_moves_updated_at(self, m: Muniment, clock: Clock, verb: str) -> None:
        saved = m.save(FACT)
        clock.advance(days=1)
        assert times(EDITS[verb](m, saved.id)) == (START, START, START)

    def test_revising_moves_updated_at_and_search_finds_the_new_words_alone(
        self, m: Muniment, clock: Clock
    ) -> None:
        saved = m.save(FACT)
        clock.advance(days=1)
        memory = m.revise(saved.id, "Rack 12 is full.")
        assert times(memory) == (START, START, day(1))
        assert memory.content == "Rack 12 is full."
        assert [hit.memory.id for hit in m.search("rack").hits] == [saved.id]
        assert m.search("Quillmark").hits == ()
        assert m.history(saved.id)[0].data["content"] == FACT

    def test_retagging_and_recategorizing_are_found_at_once(self, m: Muniment) -> None:
        saved = m.save(FACT, tags=["old"], category="here")
        m.retag(saved.id, ["new", "NEW", "newer"])
        m.recategorize(saved.id, "there/deeper")
        assert m.get(saved.id).tags == ("new", "newer")
        assert m.search(tags=["old"]).hits == ()
        assert m.search(category="here").hits == ()
        assert len(m.search(tags=["Newer"], category="there").hits) == 1
        assert m.search().taxonomy == {"there/deeper": 1}

    def test_tags_may_be_any_iterable(self, m: Muniment) -> None:
        saved = m.save(FACT)
        assert m.retag(saved.id, (tag for tag in ("a", "b"))).tags == ("a", "b")
        assert m.retag(saved.id, {"c"}).tags == ("c",)
        assert m.retag(saved.id, []).tags == ()

    def test_a_category_can_be_taken_away(self, m: Muniment) -> None:
        saved = m.save(FACT, category="here")
        assert m.recategorize(saved.id, None).category is None
        assert m.search().taxonomy == {"general": 1}

    def test_describing_replaces_the_metadata_and_moves_the_subject_time(self, m: Muniment) -> None:
        saved = m.save(FACT, metadata={"subjectTime": "2019", "k": "v"})
        assert m.describe(saved.id, {"subjectTime": "2021"}).metadata == {"subjectTime": "2021"}
        assert (
            m.search(subject_from="2019-01-01T00:00:00Z", subject_to="2019-12-31T00:00:00Z").hits
            == ()
        )
        assert len(m.search(subject_from="2021-05-01T00:00:00Z").hits) == 1

    def test_rescoring_fades_anew_from_there(self, m: Muniment, clock: Clock) -> None:
        saved = m.save(FACT, importance=0.2)
        clock.advance(days=100)
        assert m.rescore(saved.id, 0.8).importance == 0.8
        clock.advance(days=45)
        assert m.get(saved.id).importance == pytest.approx(0.4)
        assert str(m.rescore(saved.id, -0.0).importance) == "0.0"

    def test_an_episode_s_text_is_final(self, m: Muniment) -> None:
        saved = m.save("The build broke.", store="episodic")
        with pytest.raises(Refused) as caught:
            m.revise(saved.id, "The build did not break.")
        assert caught.value.code == "episodic_is_final"

    def test_every_use_counts_and_moves_nothing_else(self, m: Muniment, clock: Clock) -> None:
        saved = m.save(FACT)
        clock.advance(days=2)
        m.mark_used(saved.id)
        memory = m.mark_used(saved.id)
        assert (memory.access_count, memory.last_accessed_at) == (3, day(2))
        assert (times(memory), memory.reinforcement_count) == ((START, START, START), 1)

    def test_being_found_counts_nothing(self, m: Muniment) -> None:
        saved = m.save(FACT)
        head = m.stats().head
        for _ in range(3):
            m.search("Quillmark")
            m.get(saved.id)
        assert (m.get(saved.id).access_count, m.stats().head) == (1, head)

    def test_a_pinned_memory_does_not_fade_and_an_unpinned_one_does(
        self, m: Muniment, clock: Clock
    ) -> None:
        saved = m.save(FACT, importance=0.8)
        m.pin(saved.id)
        clock.advance(days=75)
        assert m.get(saved.id).importance == 0.8
        assert m.unpin(saved.id).importance == pytest.approx(0.4)

    def test_an_agent_pins_on_the_words_of_the_user_which_its_history_quotes(
        self, m: Muniment
    ) -> None:
        id_, main = m.save(FACT).id, m.acting_as("bot:main")
        for ask in (main.pin, main.unpin):
            with pytest.raises(Refused) as caught:
                ask(id_)
            assert (caught.value.code, caught.value.field) == ("trigger_required", "trigger")
        assert main.pin(id_, trigger="never forget this").pinned
        assert not main.unpin(id_, trigger="let it go").pinned
        told = m.history(id_)[1:]
        assert [(entry.actor, entry.data["trigger"]) for entry in told] == [
            ("bot:main", "never forget this"),
            ("bot:main", "let it go"),
        ]
        assert "never forget this" in told[0].summary
        assert "let it go" in told[1].summary
        assert m.prove_invariants().holds

    def test_the_owner_may_quote_words_and_needs_none(self, m: Muniment) -> None:
        id_ = m.save(FACT).id
        m.pin(id_)
        m.unpin(id_, trigger="let it go")
        assert [entry.schema for entry in m.log(after=1)] == [1, 2]

    def test_the_words_that_asked_for_it_go_with_those_of_the_memory(self, m: Muniment) -> None:
        id_ = m.save(FACT).id
        m.pin(id_, trigger="never forget this")
        m.erase(id_, basis="asked to")
        assert "never forget" not in repr([entry.data for entry in m.log()])

    @pytest.mark.parametrize("trigger", ["", "x" * 2_001, 5, "\ud800"])
    def test_the_words_that_ask_for_it_are_a_line(self, m: Muniment, trigger: Any) -> None:
        id_ = m.save(FACT).id
        with pytest.raises(Invalid) as caught:
            m.pin(id_, trigger=trigger)
        assert caught.value.field == "trigger"
        assert m.stats().head == 1


class TestArchive:
    def test_it_hides_from_recall_and_keeps_everything(self, m: Muniment, clock: Clock) -> None:
        """R28."""
        saved = m.save(FACT, category="infra", tags=["feed"])
        kept = m.save("Rack 12 is full.", category="racks")
        clock.advance(days=1)
        memory = m.archive(saved.id, "moved")
        assert (memory.state, memory.archived_at, memory.archive_reason) == (
            "archived",
            day(1),
            "moved",
        )
        for found in (
            m.search("Quillmark"),
            m.search(tags=["feed"]),
            m.search(category="infra"),
            m.search("Quillmark", mode="regex"),
        ):
            assert found.hits == ()
            assert found.taxonomy == {"racks": 1}
        assert [hit.memory.id for hit in m.search().hits] == [kept.id]
        assert m.get(saved.id) == memory

    @pytest.mark.parametrize("mode", ["keyword", "hybrid", "regex"])
    def test_it_is_found_where_archived_ones_are_asked_for(self, m: Muniment, mode: str) -> None:
        saved = m.save(FACT)
        m.archive(saved.id, "moved")
        found = m.search("Quillmark", mode=mode, include_archived=True)  # type: ignore[arg-type]
        assert [hit.memory.state for hit in found.hits] == ["archived"]

    def test_twice_appends_once_and_the_first_reason_and_time_stay(
        self, m: Muniment, clock: Clock
    ) -> None:
        """B28, R27."""
        saved = m.save(FACT)
        first = m.archive(saved.id, "first")
        head = m.stats().head
        clock.advance(days=1)
        again = m.archive(saved.id, "second")
        assert (again.archive_reason, again.archived_at) == ("first", START)
        assert (again.version, m.stats().head) == (first.version, head)

    def test_it_stops_the_fading(self, m: Muniment, clock: Clock) -> None:
        saved = m.save(FACT, importance=0.8)
        clock.advance(days=75)
        worth = m.archive(saved.id, "stale").importance
        clock.advance(days=500)
        assert worth == pytest.approx(0.4)
        assert m.get(saved.id).importance == worth

    @pytest.mark.parametrize("verb", sorted(set(EDITS) - {"pin"}))
    def test_what_is_archived_is_not_edited(self, m: Muniment, verb: str) -> None:
        saved = m.save(FACT)
        m.archive(saved.id, "stale")
        with pytest.raises(Refused) as caught:
            EDITS[verb](m, saved.id)
        assert (caught.value.code, caught.value.field) == ("not_live", "id")

    def test_what_is_archived_is_not_used(self, m: Muniment) -> None:
        saved = m.save(FACT)
        m.archive(saved.id, "stale")
        with pytest.raises(Refused):
            m.mark_used(saved.id)

    def test_an_unknown_one_is_not_found(self, m: Muniment) -> None:
        with pytest.raises(NotFound):
            m.archive("00000000-0000-7000-8000-000000000000", "why")


class TestRestore:
    def test_it_comes_back_as_it_was(self, m: Muniment, clock: Clock) -> None:
        saved = m.save(FACT, category="infra", tags=["feed"], importance=0.7)
        m.archive(saved.id, "moved")
        clock.advance(days=1)
        restored = m.restore(saved.id)
        assert restored.warnings == ()
        assert restored.memory.state == "live"
        assert (restored.memory.archived_at, restored.memory.archive_reason) == (None, None)
        assert restored.memory.importance == 0.7
        assert [hit.memory.id for hit in m.search("Quillmark").hits] == [saved.id]
        assert m.search().taxonomy == {"infra": 1}

    def test_a_live_one_is_left_as_it_is_with_a_warning(self, m: Muniment) -> None:
        """B27, R27."""
        saved = m.save(FACT)
        restored = m.restore(saved.id)
        assert restored.memory == saved.memory
        (warning,) = restored.warnings
        assert warning.startswith("already_live")
        assert m.stats().head == 1

    def test_an_unknown_one_is_not_found(self, m: Muniment) -> None:
        with pytest.raises(NotFound):
            m.restore("00000000-0000-7000-8000-000000000000")

    def test_it_can_be_archived_and_restored_again_with_another_reason(self, m: Muniment) -> None:
        saved = m.save(FACT)
        for reason in ("first", "second"):
            assert m.archive(saved.id, reason).archive_reason == reason
            m.restore(saved.id)
        assert [entry.name for entry in m.history(saved.id)] == [
            "memory.saved",
            *["memory.archived", "memory.restored"] * 2,
        ]


class TestExpectedVersion:
    @pytest.mark.parametrize("verb", sorted({*EDITS, "archive", "restore", "mark_used", "unpin"}))
    def test_every_edit_is_refused_on_another_version(self, m: Muniment, verb: str) -> None:
        saved = m.save(FACT)
        m.rescore(saved.id, 0.6)
        known: dict[str, list[Any]] = {
            "revise": ["Rack 12 is full."],
            "rescore": [0.9],
            "recategorize": ["infra"],
            "retag": [["x"]],
            "describe": [{"k": "v"}],
            "archive": ["stale"],
        }
        arguments = known.get(verb, [])
        edit = getattr(m, verb)
        for stale in (0, 1, 3):
            with pytest.raises(Conflict) as caught:
                edit(saved.id, *arguments, expected_version=stale)
            assert (caught.value.code, caught.value.field) == (
                "version_conflict",
                "expected_version",
            )
        assert m.stats().head == 2
        edit(saved.id, *arguments, expected_version=2)

    def test_of_two_who_decided_on_the_same_version_one_is_told(self, m: Muniment) -> None:
        saved = m.save(FACT)
        m.revise(saved.id, "One.", expected_version=1)
        with pytest.raises(Conflict):
            m.revise(saved.id, "Two.", expected_version=1)
        assert m.get(saved.id).content == "One."


class TestHistory:
    def test_it_tells_every_event_oldest_first(self, m: Muniment, clock: Clock) -> None:
        saved = m.save(FACT)
        clock.advance(days=1)
        m.acting_as("bot:main").rescore(saved.id, 0.9)
        m.archive(saved.id, "moved")
        entries = m.history(saved.id)
        assert [(e.position, e.version, e.name, e.actor, e.recorded_at) for e in entries] == [
            (1, 1, "memory.saved", "manual", START),
            (2, 2, "memory.rescored", "bot:main", day(1)),
            (3, 3, "memory.archived", "manual", day(1)),
        ]
        assert entries[1].data == {"importance": 0.9}
        assert entries[2].summary == "archived: moved"

    def test_a_summary_is_one_line_however_long_the_text(self, m: Muniment) -> None:
        saved = m.save("A line\nand another. " + "👩‍👩‍👧" * 300)
        (entry,) = m.history(saved.id)
        assert "\n" not in entry.summary
        assert len(entry.summary) < 200
        assert entry.summary.removesuffix("…").endswith("👩‍👩‍👧")

    def test_an_unknown_memory_has_none(self, m: Muniment) -> None:
        with pytest.raises(NotFound):
            m.history("00000000-0000-7000-8000-000000000000")


@pytest.mark.parametrize("command", [one for one in COMMANDS if issubclass(one, Edit)])
def test_every_edit_is_a_method_of_the_handle_with_its_arguments_in_order(
    command: type[Edit],
) -> None:
    method = getattr(Muniment, command.VERB)
    named = list(inspect.signature(method).parameters)
    assert tuple(named[1 : 1 + len(command.POSITIONAL)]) == command.POSITIONAL


def test_an_edit_takes_no_argument_that_it_does_not_know(m: Muniment) -> None:
    saved = m.save(FACT)
    with pytest.raises(Invalid) as caught:
        m.pin(saved.id, reason="x")  # type: ignore[call-arg]
    assert (caught.value.code, caught.value.field) == ("unknown_field", "reason")


class TestTogether:
    def test_saves_and_edits_are_one_commit_answered_in_order(self, m: Muniment) -> None:
        id_ = m.save(FACT).id
        saved, revised = m.write_all(
            [SaveMemory.of(content="Rack 12 is full."), Revise.of(id=id_, content="It is gone.")]
        )
        assert isinstance(revised, Memory)
        assert (getattr(saved, "outcome", None), revised.content) == ("created", "It is gone.")
        (call,) = {entry.correlation_id for entry in m.log(after=1)}
        assert call is not None

    def test_where_one_is_refused_none_is_done(self, m: Muniment) -> None:
        id_ = m.save(FACT).id
        head = m.stats().head
        with pytest.raises(NotFound):
            m.write_all([Archive.of(id=id_, reason="old"), Revise.of(id="0" * 8, content="x")])
        assert (m.stats().head, m.get(id_).state) == (head, "live")

    def test_each_is_asked_of_the_table_of_roles(self, m: Muniment) -> None:
        id_ = m.save(FACT).id
        scout = m.acting_as("subagent:scout")
        with pytest.raises(Refused) as caught:
            scout.write_all([Archive.of(id=id_, reason="old")])
        assert caught.value.code == "role_refused"
