"""Several memories that become one: what a merge and a fold make of their sources, and back."""

import hashlib
import itertools
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any

import pytest
from bdd import ID, archived, at, day, extended, given, memory, reinforced, revised, saved
from hypothesis import given as for_all
from hypothesis import strategies as st

from muniment.domain import errors
from muniment.domain.coverage import BUILT_IN
from muniment.domain.errors import Conflict, Invalid, NotFound, Refused, StorageFailed
from muniment.domain.importance import Decay
from muniment.domain.memory import merging
from muniment.domain.memory.decisions import MAX_METADATA_BYTES, MAX_METADATA_KEYS, MAX_TAGS
from muniment.domain.memory.events import (
    Archived,
    Event,
    Folded,
    Held,
    Merged,
    MergeRejected,
    MergeRetracted,
    Pinned,
    Quarantined,
    Restored,
    Source,
    Superseded,
    Used,
)
from muniment.domain.memory.merging import Fold, Proposal
from muniment.domain.memory.state import State

DECAY = Decay()
OTHER = "019500aa-0000-7000-8000-0000000000b2"


def named(name: str, *events: Event | Any) -> State:
    """A memory of its own id, whose last digits are ``name``."""
    return memory(*events)._replace(id=f"{ID[: -len(name)]}{name}")


def a(*events: Event | Any) -> State:
    return named("a1", *(events or (saved(),)))


def b(*events: Event | Any) -> State:
    return named("b2", *(events or (saved("Rack 12 is full."),)))


def c(*events: Event | Any) -> State:
    return named("c3", *(events or (saved("The lift stops at noon."),)))


def proposal(content: str = "All of it.", **fields: Any) -> Proposal:
    usual: dict[str, Any] = {
        "category": None,
        "tags": None,
        "importance": None,
        "source_type": "owner",
    }
    return Proposal(content=content, **(usual | fields))


def merged(*sources: State, now: datetime | None = None, **said: Any) -> Merged:
    (event,) = merging.merge(sources, proposal(**said), now=now or day(0), decay=DECAY)
    return event


def refusal(decide: Callable[[], object]) -> tuple[type[Exception], str, str | None]:
    with pytest.raises((Invalid, Conflict, Refused, NotFound, StorageFailed)) as caught:
        decide()
    return type(caught.value), caught.value.code, caught.value.field


class TestDistinct:
    def test_a_source_that_is_named_twice_is_one(self) -> None:
        assert merging.distinct([a(), a(), b(), a()]) == [a(), b()]

    @pytest.mark.parametrize("sources", [[], [a()], [a(), a()]])
    def test_a_merge_needs_two(self, sources: list[State]) -> None:
        assert refusal(lambda: merging.distinct(sources)) == (Invalid, "merge_needs_two", "ids")

    def test_twenty_may_be_merged_at_once_and_one_more_not(self) -> None:
        many = [named(f"{number:02}", saved()) for number in range(21)]
        assert merging.distinct(many[:20]) == many[:20]
        assert merging.distinct([*many[:20], many[0]]) == many[:20]
        assert refusal(lambda: merging.distinct(many)) == (Invalid, "merge_too_many", "ids")


class TestMergeable:
    def test_a_live_source_is(self) -> None:
        merging.require_mergeable(a(), may_move_pinned=False)

    @pytest.mark.parametrize(
        "gone",
        [
            archived(),
            Superseded(by=OTHER, importance=0.5),
            Quarantined(cause="request", reason="doubtful"),
        ],
    )
    def test_one_that_is_out_of_recall_is_a_conflict(self, gone: Event) -> None:
        assert refusal(
            lambda: merging.require_mergeable(a(saved(), gone), may_move_pinned=True)
        ) == (Conflict, "source_not_live", "ids")

    def test_a_purged_one_is_not_found(self) -> None:
        purged = a()._replace(condition="purged")
        assert refusal(lambda: merging.require_mergeable(purged, may_move_pinned=True)) == (
            NotFound,
            "purged",
            "id",
        )

    def test_one_that_cannot_be_read_in_full_is_not_merged(self) -> None:
        broken = a()._replace(fault="key_missing")
        assert refusal(lambda: merging.require_mergeable(broken, may_move_pinned=True)) == (
            StorageFailed,
            "key_missing",
            "id",
        )

    def test_a_pinned_one_takes_the_owner(self) -> None:
        pinned = a(saved(), Pinned())
        merging.require_mergeable(pinned, may_move_pinned=True)
        assert refusal(lambda: merging.require_mergeable(pinned, may_move_pinned=False)) == (
            Refused,
            "pinned",
            "ids",
        )


class TestRejection:
    def test_each_source_is_stamped_with_the_cluster_and_what_would_be_lost_of_it(self) -> None:
        one, other = a(saved(), revised("Port 4200.")), b()
        assert merging.reject(one, [one, other], ("4200", "Tessera"), ("4200",)) == [
            MergeRejected(
                cluster=merging.cluster([one.id, other.id]),
                sources=(one.id, other.id),
                text_version=2,
                missing_count=2,
                missing=("4200",),
            )
        ]

    def test_a_stamp_changes_nothing_but_the_version(self) -> None:
        before = a()
        (stamp,) = merging.reject(before, [before, b()], ("4100",), ("4100",))
        after = a(saved(), stamp)
        assert after == before._replace(version=2, position=2)

    def test_a_cluster_is_named_by_its_sorted_ids(self) -> None:
        assert merging.cluster(["b", "a"]) == hashlib.sha256(b"a\nb").hexdigest()[:32]

    @for_all(st.lists(st.uuids().map(str), min_size=1, max_size=6), st.randoms())
    def test_neither_order_nor_repetition_makes_another_cluster(
        self, ids: list[str], chance: Any
    ) -> None:
        shuffled = [*ids, chance.choice(ids)]
        chance.shuffle(shuffled)
        assert merging.cluster(shuffled) == merging.cluster(ids)
        assert merging.cluster([*ids, "another"]) != merging.cluster(ids)

    def test_the_error_says_what_is_missing(self) -> None:
        error = errors.MergeRejected(["17", "Lisbon"])
        assert isinstance(error, Refused)
        assert (error.code, error.field) == ("merge_rejected", "content")
        assert error.missing == ("17", "Lisbon")
        assert "loses 17, Lisbon" in error.message

    def test_the_error_is_a_sentence_even_where_the_words_are_gone(self) -> None:
        assert "loses specifics of its sources" in errors.MergeRejected([]).message

    def test_what_is_lost_is_looked_for_in_every_source(self) -> None:
        sources = [a(saved("The relay listens on port 4100.")), b(saved("Rack 12 is in Lisbon."))]
        assert merging.lost(sources, "The relay listens on port 4100.", BUILT_IN) == (
            "12",
            "Lisbon",
            "Rack",
        )
        text = "Rack 12 is in Lisbon; the relay listens on port 4100."
        assert merging.lost(sources, text, BUILT_IN) == ()


class TestMerge:
    def test_times_and_counts_are_arithmetic(self) -> None:
        early = a(at(day(1), saved()), at(day(9), reinforced()), at(day(20), Used()))
        late = b(at(day(5), saved()), at(day(6), reinforced()), at(day(7), reinforced()))
        event = merged(early, late, now=day(30))
        assert (event.created_at, event.last_seen_at) == (day(1), day(9))
        assert event.last_accessed_at == max(early.last_accessed_at, late.last_accessed_at)
        assert event.reinforcement_count == 5
        assert event.access_count == early.access_count + late.access_count

    def test_it_names_its_sources_and_the_version_of_each(self) -> None:
        event = merged(a(saved(), reinforced()), b(), content="Both.")
        assert event.merged_from == (a().id, b().id)
        assert event.source_versions == (2, 1)
        assert (event.content, event.chars) == ("Both.", 5)

    def test_importance_is_the_greatest_that_a_source_is_worth_now_unless_it_is_given(self) -> None:
        faded, small = a(saved(importance=0.8)), b(saved(importance=0.3))
        worth = merged(faded, small, now=day(75)).importance
        assert 0.3 < worth < 0.8
        assert worth == DECAY.at(day(75), base=0.8, last_seen_at=day(0), scored_at=day(0))
        assert merged(faded, small, now=day(75), importance=0.1).importance == 0.1
        assert merged(faded, small, now=day(75), importance=0.0).importance == 0.0

    def test_trust_is_the_least_and_who_asked_is_the_source(self) -> None:
        event = merged(a(saved(trust=3)), b(saved(trust=1)), source_type="agent")
        assert (event.trust, event.source) == (1, Source(type="agent"))

    def test_tags_are_united_by_their_first_spelling_unless_they_are_given(self) -> None:
        one, other = a(saved(tags=("Relay", "x"))), b(saved(tags=("relay", "y")))
        assert merged(one, other).tags == ("Relay", "x", "y")
        assert merged(one, other, tags=("only",)).tags == ("only",)
        assert merged(one, other, tags=()).tags == ()

    def test_at_most_32_tags_come_of_it(self) -> None:
        one = a(saved(tags=tuple(f"a{number}" for number in range(20))))
        other = b(saved(tags=tuple(f"b{number}" for number in range(20))))
        assert merged(one, other).tags == (*one.tags, *other.tags)[:MAX_TAGS]

    @pytest.mark.parametrize(
        ("filed", "given_", "category"),
        [
            ((None, None), None, None),
            (("work", "work"), None, "work"),
            (("Work", "work"), None, "Work"),
            (("work", "work/deploys"), None, None),
            (("work", None), None, None),
            (("work", "home"), "work", "work"),
            (("work", "work"), "home", "home"),
        ],
    )
    def test_the_category_is_the_one_given_else_the_one_of_all_else_none(
        self, filed: tuple[str | None, str | None], given_: str | None, category: str | None
    ) -> None:
        one, other = a(saved(category=filed[0])), b(saved(category=filed[1]))
        assert merged(one, other, category=given_).category == category

    @pytest.mark.parametrize(
        ("stores", "store"),
        [
            (("episodic", "episodic"), "episodic"),
            (("procedural", "procedural"), "procedural"),
            (("semantic", "episodic"), "semantic"),
            (("procedural", "episodic"), "semantic"),
        ],
    )
    def test_the_kind_is_that_of_all_sources_else_semantic(
        self, stores: tuple[str, str], store: str
    ) -> None:
        assert merged(a(saved(store=stores[0])), b(saved(store=stores[1]))).store == store

    def test_of_metadata_the_subject_time_alone_goes_on(self) -> None:
        one = a(saved(metadata={"subjectTime": "2018", "from": "a talk"}))
        other = b(saved(metadata={"subjectTime": "2018-04-02", "k": "v"}))
        assert merged(one, other).metadata == {"subjectTime": "2018-04-02"}

    def test_it_says_how_many_different_specifics_were_found_again(self) -> None:
        one = a(saved("The Tessera booth stands in Lisbon."))
        other = b(saved("Who built Tessera lives in Lisbon too."))
        assert merged(one, other).specifics == 2

    def test_what_it_makes_is_live_and_begins_to_fade_at_the_merge(self) -> None:
        event = merged(a(at(day(1), saved())), b(at(day(2), saved())), now=day(40))
        made = memory(at(day(40), event))
        assert (made.condition, made.scored_at, made.updated_at) == ("live", day(40), day(40))
        assert (made.created_at, made.last_seen_at) == (day(1), day(2))
        assert made.merged_from == event.merged_from
        assert not made.pinned

    def test_a_chain_of_merges_counts_every_observation_once(self) -> None:
        first = memory(merged(a(saved(), reinforced()), b()))._replace(id=OTHER)
        assert merged(first, c()).reinforcement_count == 4

    @for_all(st.lists(st.integers(0, 5), min_size=2, max_size=20))
    def test_the_count_is_the_sum_whatever_the_counts_are(self, counts: list[int]) -> None:
        sources = [
            named(f"{number:02}", saved(), *[reinforced()] * count)
            for number, count in enumerate(counts)
        ]
        assert merged(*sources).reinforcement_count == sum(counts) + len(counts)


class TestAbsorb:
    @pytest.mark.parametrize(
        ("is_fold", "cause", "verb"), [(False, "merge", "merged"), (True, "fold", "folded")]
    )
    def test_a_source_is_archived_into_what_it_became_part_of(
        self, is_fold: bool, cause: Any, verb: str
    ) -> None:
        source = a(saved(importance=0.8))
        assert merging.absorb(source, OTHER, is_fold=is_fold, now=day(75), decay=DECAY) == [
            Archived(
                cause=cause,
                importance=DECAY.at(day(75), base=0.8, last_seen_at=day(0), scored_at=day(0)),
                merged_into=OTHER,
                reason=f"{verb} into {OTHER}",
            )
        ]


class TestFoldKey:
    def test_white_space_and_the_category_s_case_make_no_difference(self) -> None:
        one = a(saved("The relay  listens\non port 4100.", category="Proj/Infra"))
        other = b(saved(" The relay listens on port 4100.", category="proj/infra"))
        assert merging.fold_key(one) == merging.fold_key(other) is not None

    @pytest.mark.parametrize(
        "other",
        [
            saved("the relay listens on port 4100."),
            saved("The relay listens on port 4100"),
            saved(category="infra"),
            saved(category="proj/infra/x"),
        ],
    )
    def test_case_punctuation_and_another_category_do(self, other: Event) -> None:
        assert merging.fold_key(b(other)) != merging.fold_key(a())

    @pytest.mark.parametrize(
        "events",
        [
            (saved(store="episodic"),),
            (saved(), Held(reason="a suit")),
            (saved(), archived()),
            (saved(), Superseded(by=OTHER, importance=0.5)),
            (saved(), Quarantined(cause="request")),
        ],
    )
    def test_episodes_and_what_is_held_or_out_of_recall_never_fold(
        self, events: tuple[Event, ...]
    ) -> None:
        assert merging.fold_key(a(*events)) is None

    def test_what_cannot_be_read_in_full_never_folds(self) -> None:
        assert merging.fold_key(a()._replace(fault="key_missing")) is None


class TestFold:
    def fold(self, *twins: State, now: datetime | None = None) -> tuple[Fold, Folded]:
        found = merging.fold_of(twins)
        assert found is not None
        (event,) = merging.fold(found, now=now or day(20), decay=DECAY)
        return found, event

    def test_the_oldest_of_three_survives_and_is_seen_three_times(self) -> None:
        old, middle, new = (
            named(name, at(day(when), saved()))
            for name, when in (("c3", 0), ("b2", 10), ("a1", 19))
        )
        found, event = self.fold(new, old, middle)
        assert (found.survivor, found.copies) == (old, (middle, new))
        assert event == Folded(
            folded=(middle.id, new.id),
            counts=(1, 1),
            importance=0.5,
            trust=3,
            created_at=day(0),
            last_seen_at=day(19),
        )

    def test_what_it_makes_keeps_its_text_and_when_it_was_written(self) -> None:
        old, new = a(at(day(0), saved())), b(at(day(9), saved()), at(day(10), reinforced()))
        _, event = self.fold(old, new)
        after = memory(at(day(0), saved()), at(day(20), event))
        assert after.reinforcement_count == 3
        assert (after.statements, after.text_version) == (old.statements, old.text_version)
        assert (after.created_at, after.updated_at) == (old.created_at, old.updated_at)
        assert after.last_seen_at == day(10)
        assert after.merged_from == ()

    def test_a_pinned_copy_survives_though_it_is_younger(self) -> None:
        old, new = a(at(day(0), saved())), b(at(day(9), saved()), Pinned())
        found, event = self.fold(old, new)
        assert (found.survivor, found.copies) == (new, (old,))
        assert event.created_at == day(0)

    def test_two_pinned_copies_stay_both(self) -> None:
        assert merging.fold_of([a(saved(), Pinned()), b(saved(), Pinned())]) is None

    def test_of_two_pinned_copies_the_older_takes_the_third_in(self) -> None:
        old, new = a(at(day(0), saved()), Pinned()), b(at(day(1), saved()), Pinned())
        found, _ = self.fold(c(saved()), new, old)
        assert (found.survivor, [one.id for one in found.copies]) == (old, [c().id])

    def test_one_alone_does_not_fold(self) -> None:
        assert merging.fold_of([a()]) is None

    def test_of_copies_of_one_moment_the_first_id_survives_in_whatever_order(self) -> None:
        twins = [a(saved()), b(saved()), c(saved())]
        for order in itertools.permutations(twins):
            found = merging.fold_of(order)
            assert found is not None
            assert found.survivor == a(saved())

    def test_missing_metadata_is_filled_and_what_is_there_stays(self) -> None:
        survivor = a(saved(metadata={"subjectTime": "2018", "k": "mine"}))
        copy = b(saved(metadata={"subjectTime": "2019", "k": "theirs", "new": "1"}))
        third = c(saved(metadata={"new": "2", "newer": "3"}))
        _, event = self.fold(survivor, copy, third)
        assert event.metadata_added == {"new": "1", "newer": "3"}

    def test_metadata_grows_within_its_limits_only(self) -> None:
        full = {f"k{number}": "v" for number in range(MAX_METADATA_KEYS)}
        _, event = self.fold(a(saved(metadata=full)), b(saved(metadata={"more": "1"})))
        assert event.metadata_added == {}
        large = {"k": "v" * (MAX_METADATA_BYTES - 10)}
        _, event = self.fold(
            a(saved(metadata=large)), b(saved(metadata={"long": "x" * 99, "s": "1"}))
        )
        assert event.metadata_added == {"s": "1"}

    def test_tags_are_united_within_their_limit(self) -> None:
        survivor = a(saved(tags=("Relay",)))
        _, event = self.fold(survivor, b(saved(tags=("relay", "x"))), c(saved(tags=("y",))))
        assert event.tags_added == ("x", "y")
        full = a(saved(tags=tuple(f"t{number}" for number in range(MAX_TAGS))))
        _, event = self.fold(full, b(saved(tags=("more",))))
        assert event.tags_added == ()

    def test_a_survivor_that_has_more_tags_than_may_be_is_given_none(self) -> None:
        many = a(saved(tags=tuple(f"t{number}" for number in range(MAX_TAGS + 2))))
        _, event = self.fold(many, b(saved(tags=("x", "y", "z"))))
        assert event.tags_added == ()

    def test_importance_and_trust_are_the_greatest_of_all(self) -> None:
        low, high = a(saved(importance=0.3, trust=1)), b(saved(importance=0.9, trust=3))
        _, event = self.fold(low, high, now=day(75))
        assert event.importance == DECAY.at(
            day(75), base=0.9, last_seen_at=day(0), scored_at=day(0)
        )
        assert event.trust == 3

    @for_all(st.lists(st.tuples(st.integers(0, 3), st.booleans()), min_size=2, max_size=6))
    def test_whoever_is_pinned_and_however_old_exactly_one_unpinned_at_most_is_left(
        self, twins: Sequence[tuple[int, bool]]
    ) -> None:
        states = [
            named(f"{number:02}", at(day(when), saved()), *([Pinned()] * pinned))
            for number, (when, pinned) in enumerate(twins)
        ]
        found = merging.fold_of(states)
        pinned = [one for one in states if one.pinned]
        if found is None:
            assert len(pinned) == len(states)
            return
        left = [one for one in states if one not in found.copies]
        assert found.survivor in left
        assert left == (pinned or [found.survivor])


class TestRetract:
    def test_what_a_restored_source_had_contributed_is_taken_out(self) -> None:
        result, source = b(saved(), reinforced(), reinforced()), a(saved(), reinforced())
        assert merging.retract(result, source) == [MergeRetracted(restored=source.id, count=2)]

    def test_a_memory_is_never_seen_less_than_once(self) -> None:
        after = memory(saved(), MergeRetracted(restored=OTHER, count=4))
        assert after.reinforcement_count == 1

    def test_of_a_purged_result_nothing_is_taken(self) -> None:
        assert merging.retract(b()._replace(condition="purged"), a()) == []

    @pytest.mark.parametrize("fault", ["newer_release", "unreadable", "key_missing"])
    def test_what_cannot_be_read_in_full_is_not_written_to(self, fault: Any) -> None:
        assert merging.retract(b()._replace(fault=fault), a()) == []


class TestSupersede:
    def deciding(
        self, by: State | None = None, *, on: float = 0
    ) -> Callable[[State], list[Superseded]]:
        return lambda memory_: merging.supersede(memory_, by or b(), now=day(on), decay=DECAY)

    def test_it_acts_and_then_holds(self) -> None:
        after = (
            given(saved()).when(self.deciding()).then_holds(Superseded(by=b().id, importance=0.5))
        )
        assert after.memory.condition == "superseded"
        assert after.memory.superseded_by == b().id

    def test_it_records_what_the_memory_was_worth(self) -> None:
        worth = DECAY.at(day(75), base=0.8, last_seen_at=day(0), scored_at=day(0))
        given(saved(importance=0.8)).when(self.deciding(on=75)).then(
            Superseded(by=b().id, importance=worth)
        )

    def test_a_memory_does_not_supersede_itself(self) -> None:
        given(saved()).when(self.deciding(memory(saved()))).then_refused(
            Invalid, code="superseded_by_itself", field="by"
        )

    def test_what_is_out_of_recall_is_not_superseded(self) -> None:
        given(saved(), archived()).when(self.deciding()).then_refused(Refused, code="not_live")

    def test_it_is_not_decided_anew_in_favour_of_a_third(self) -> None:
        given(saved(), Superseded(by=OTHER, importance=0.5)).when(self.deciding()).then_refused(
            Refused, code="not_live"
        )

    def test_only_a_live_memory_supersedes(self) -> None:
        given(saved()).when(self.deciding(b(saved(), archived()))).then_refused(
            Refused, code="not_live", field="by"
        )

    def test_a_purged_memory_does_not_supersede(self) -> None:
        given(saved()).when(self.deciding(b()._replace(condition="purged"))).then_refused(
            NotFound, code="purged"
        )

    def test_a_pinned_memory_stands(self) -> None:
        given(saved(), Pinned()).when(self.deciding()).then_refused(Refused, code="pinned")

    def test_a_restored_one_is_as_it_was(self) -> None:
        before = memory(saved(), extended())
        after = memory(saved(), extended(), Superseded(by=OTHER, importance=0.5), Restored())
        assert after == before._replace(version=4, position=4)
