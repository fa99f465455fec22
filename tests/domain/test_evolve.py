"""How events make a memory: laws that hold for every sequence of them."""

import dataclasses
from collections.abc import Sequence
from datetime import timedelta
from itertools import pairwise

import pytest
from bdd import (
    START,
    Dated,
    archived,
    at,
    day,
    extended,
    folded,
    imported,
    memory,
    reinforced,
    revised,
    saved,
)
from hypothesis import given
from hypothesis import strategies as st

from muniment.domain.errors import MunimentError
from muniment.domain.importance import Decay
from muniment.domain.memory import decisions
from muniment.domain.memory.decisions import importance_now
from muniment.domain.memory.events import (
    Described,
    Event,
    Pinned,
    Recategorized,
    Rescored,
    Restored,
    Retagged,
    Source,
    Unpinned,
    Used,
)
from muniment.domain.memory.state import UNREADABLE, State
from muniment.domain.memory.view import view

DECAY = Decay()

unit = st.floats(0.0, 1.0)
trust = st.integers(0, 3)
sources = st.sampled_from(["owner", "user", "agent", "tool", "web", "model"])
texts = st.text(min_size=1, max_size=20)

beginnings = st.builds(saved, texts, importance=unit, trust=trust, source_type=sources) | st.builds(
    imported, texts, importance=unit, trust=trust, reinforcement_count=st.integers(1, 9)
)
later: st.SearchStrategy[Event] = st.one_of(
    st.builds(reinforced, unit, counted=st.booleans(), trust=trust, source_type=sources),
    st.builds(extended, texts, importance=unit, trust=trust, source_type=sources),
    st.builds(revised, texts),
    st.builds(Recategorized, category=st.none() | st.sampled_from(["a", "a/b"])),
    st.builds(Retagged, tags=st.lists(texts, max_size=3).map(tuple)),
    st.builds(Rescored, importance=unit),
    st.builds(Described, metadata=st.dictionaries(texts, texts, max_size=3)),
    st.just(Used()),
    st.just(Pinned()),
    st.just(Unpinned()),
    st.builds(archived, importance=unit),
    st.just(Restored()),
)


@st.composite
def lives(draw: st.DrawFn) -> list[Dated]:
    """A memory's events, each no earlier than its predecessor."""
    moment = START
    events: list[Dated] = [at(moment, draw(beginnings))]
    for event in draw(st.lists(later, max_size=12)):
        moment += timedelta(hours=draw(st.integers(0, 2_000)))
        events.append(at(moment, event))
    return events


def steps(events: Sequence[Dated]) -> list[State]:
    return [memory(*events[: number + 1]) for number in range(len(events))]


class TestLaws:
    @given(lives())
    def test_the_version_is_the_number_of_events(self, events: list[Dated]) -> None:
        assert [state.version for state in steps(events)] == list(range(1, len(events) + 1))

    @given(lives())
    def test_counts_never_fall_and_grow_by_one_at_most(self, events: list[Dated]) -> None:
        for before, after in pairwise(steps(events)):
            assert 0 <= after.reinforcement_count - before.reinforcement_count <= 1
            assert 0 <= after.access_count - before.access_count <= 1
            assert 0 <= after.text_version - before.text_version <= 1
            assert before.heard <= after.heard

    @given(lives())
    def test_times_never_fall(self, events: list[Dated]) -> None:
        for before, after in pairwise(steps(events)):
            assert after.last_seen_at >= before.last_seen_at
            assert after.updated_at >= before.updated_at
            assert after.scored_at >= before.scored_at
            assert after.last_accessed_at >= before.last_accessed_at
            assert after.created_at == before.created_at

    @given(lives())
    def test_where_it_came_from_and_which_it_is_never_change(self, events: list[Dated]) -> None:
        first, *others = steps(events)
        for state in others:
            assert (state.id, state.space, state.store, state.source) == (
                first.id,
                first.space,
                first.store,
                first.source,
            )

    @given(lives())
    def test_it_is_archived_exactly_while_it_says_when(self, events: list[Dated]) -> None:
        for state in steps(events):
            assert (state.condition == "archived") == (state.archived_at is not None)
            assert (state.condition == "archived") == (state.archived_base is not None)

    @given(lives(), st.integers(0, 5_000))
    def test_importance_lies_between_nothing_and_what_it_was_last_scored(
        self, events: list[Dated], days: int
    ) -> None:
        state = memory(*events)
        worth = importance_now(state, events[-1].moment + timedelta(days=days), DECAY)
        most = state.base if state.archived_base is None else state.archived_base
        assert 0.0 <= worth <= most <= 1.0

    @given(lives())
    def test_folding_is_the_same_however_often_it_is_done(self, events: list[Dated]) -> None:
        assert memory(*events) == memory(*events)

    @given(lives(), lives())
    def test_a_second_beginning_changes_nothing_but_the_version(
        self, events: list[Dated], other: list[Dated]
    ) -> None:
        before = memory(*events)
        again = at(events[-1].moment, other[0].event)
        assert memory(*events, again) == before._replace(
            version=before.version + 1, position=before.position + 1
        )


class TestDecisionsOverTime:
    """Whatever is decided in whatever order, decided twice at once it does nothing more."""

    wishes = st.sampled_from(["revise", "recategorize", "retag", "rescore", "pin", "unpin",
                              "archive", "restore", "describe"])  # fmt: skip

    @staticmethod
    def decide(state: State, wish: str) -> Sequence[Event]:
        match wish:
            case "revise":
                return decisions.revise(state, "Rewritten.")
            case "recategorize":
                return decisions.recategorize(state, "infra")
            case "retag":
                return decisions.retag(state, ("one",))
            case "rescore":
                return decisions.rescore(state, 0.7, now=START, decay=DECAY)
            case "describe":
                return decisions.describe(state, {"k": "v"})
            case "pin":
                return decisions.pin(state)
            case "unpin":
                return decisions.unpin(state)
            case "archive":
                return decisions.archive(state, "why", now=START, decay=DECAY, by_policy=False)
            case _:
                return decisions.restore(state)

    @given(st.lists(wishes, max_size=12))
    def test_a_decision_acts_and_then_holds(self, wished: list[str]) -> None:
        events: list[Event] = [saved()]
        for wish in wished:
            state = memory(*events)
            try:
                decided = self.decide(state, wish)
            except MunimentError as error:
                assert (error.code, state.condition) == ("not_live", "archived")  # noqa: PT017
                continue
            events += decided
            if decided:
                assert not self.decide(memory(*events), wish)


class TestReplayAcceptsEverything:
    def test_what_no_event_began_is_no_memory(self) -> None:
        assert folded(Used(), reinforced()) is None

    def test_a_beginning_that_cannot_be_read_is_a_memory_out_of_recall(self) -> None:
        state = memory(at(START, None, fault="newer_release"))
        assert (state.content, state.condition) == (UNREADABLE, "quarantined")
        assert (state.fault, state.version) == ("newer_release", 1)

    def test_a_lost_key_leaves_the_facts_and_marks_the_words(self) -> None:
        state = memory(
            at(START, saved("", importance=0.7, chars=31), fault="key_missing"),
            at(day(1), reinforced(0.8)),
        )
        assert state.content == UNREADABLE
        assert (state.base, state.reinforcement_count, state.fault) == (0.8, 2, "key_missing")

    def test_an_unreadable_extension_and_revision_are_marked_too(self) -> None:
        state = memory(saved("Known."), at(day(1), extended(""), fault="unreadable"))
        assert state.content == f"Known.\n\n{UNREADABLE}"
        state = memory(saved("Known."), at(day(1), revised(""), fault="unreadable"))
        assert state.content == UNREADABLE

    def test_an_event_of_a_newer_release_moves_the_version_and_says_so(self) -> None:
        state = memory(saved(), at(day(1), None, fault="newer_release"))
        assert state == memory(saved())._replace(version=2, position=2, fault="newer_release")

    def test_events_on_an_archived_memory_are_taken_as_they_were_written(self) -> None:
        state = memory(saved(), archived(), reinforced(0.9), extended(), revised(), Used())
        assert (state.condition, state.reinforcement_count) == ("archived", 3)


class TestView:
    def test_it_is_the_memory_at_a_moment(self) -> None:
        state = memory(
            saved("Four", category="a/b", tags=("t",), metadata={"k": "v"}, importance=0.8)
        )
        seen = view(state, day(75), DECAY)
        assert seen.importance == pytest.approx(0.4)
        assert seen.base_importance == 0.8
        assert (seen.content, seen.category, seen.tags, seen.metadata) == (
            "Four",
            "a/b",
            ("t",),
            {"k": "v"},
        )
        assert (seen.state, seen.version, seen.source) == ("live", 1, Source())

    def test_a_purged_one_has_no_content(self) -> None:
        assert view(memory(saved())._replace(condition="purged"), START, DECAY).content is None

    def test_its_names_are_the_promised_ones(self) -> None:
        promised = {
            *("id", "space", "content", "category", "tags", "metadata", "store", "importance"),
            *("base_importance", "created_at", "last_seen_at", "updated_at", "reinforcement_count"),
            *("access_count", "last_accessed_at", "relevance", "band", "pinned", "trust", "source"),
            *("state", "archived_at", "archive_reason", "merged_into", "merged_from", "resembles"),
            *("conflicts_with", "version", "position"),
        }
        names = [field.name for field in dataclasses.fields(view(memory(saved()), START, DECAY))]
        assert promised <= set(names)


def test_what_was_seen_last_never_falls_when_an_import_came_from_a_clock_ahead() -> None:
    state = memory(
        at(START, imported(last_seen_at=day(9), created_at=START)),
        at(day(2), reinforced()),
    )
    assert state.last_seen_at == day(9)
