"""What may happen to a memory: each decision acts and then holds, or refuses."""

import math
from collections.abc import Callable, Sequence
from functools import partial

import pytest
from bdd import (
    ALIKE,
    SAME,
    START,
    archived,
    at,
    day,
    extended,
    given,
    imported,
    memory,
    observation,
    reinforced,
    revised,
    saved,
)

from muniment.domain.errors import Conflict, NotFound, Refused, StorageFailed
from muniment.domain.importance import Decay
from muniment.domain.memory.decisions import (
    MAX_METADATA_BYTES,
    MAX_METADATA_KEYS,
    MAX_TAGS,
    Observation,
    archive,
    counts,
    create,
    describe,
    extend,
    importance_now,
    pin,
    recategorize,
    reinforce,
    require_version,
    require_writable,
    rescore,
    restore,
    retag,
    revise,
    unpin,
    use,
)
from muniment.domain.memory.events import (
    Archived,
    Described,
    Event,
    Extended,
    Pinned,
    PinnedWhenTold,
    Quarantined,
    Recategorized,
    Reinforced,
    Rescored,
    Restored,
    Retagged,
    Revised,
    Saved,
    Source,
    Unpinned,
    UnpinnedWhenTold,
    Used,
)
from muniment.domain.memory.state import State

DECAY = Decay()
WEB = Source(type="web", ref="https://example.org/relay")


def reinforcing(said: Observation, *, on: float = 0) -> Callable[[State], list[Reinforced]]:
    return lambda memory: reinforce(memory, said, SAME, now=day(on), decay=DECAY)


def extending(said: Observation, *, on: float = 0) -> Callable[[State], list[Extended]]:
    return lambda memory: extend(memory, said, ALIKE, now=day(on), decay=DECAY)


def archiving(
    reason: str = "stale", *, on: float = 0, by_policy: bool = False
) -> Callable[[State], list[Archived]]:
    return lambda memory: archive(memory, reason, now=day(on), decay=DECAY, by_policy=by_policy)


def rescoring(importance: float, *, on: float = 0) -> Callable[[State], list[Rescored]]:
    return lambda memory: rescore(memory, importance, now=day(on), decay=DECAY)


EVERY_DECISION: dict[str, Callable[[State], Sequence[Event]]] = {
    "revise": lambda memory: revise(memory, "Something else."),
    "recategorize": lambda memory: recategorize(memory, "infra"),
    "retag": lambda memory: retag(memory, ("relay",)),
    "describe": lambda memory: describe(memory, {"from": "a talk"}),
    "rescore": rescoring(0.9),
    "use": use,
    "pin": pin,
    "unpin": unpin,
    "archive": archiving(),
    "restore": restore,
}
EDITS = ("revise", "recategorize", "retag", "describe", "rescore", "use")


class TestCreate:
    def test_a_newcomer_says_everything_of_the_observation_and_of_its_likeness(self) -> None:
        said = observation(
            "Deploys run at 04:00.",
            category="infra/deploys",
            tags=("deploy",),
            metadata={"subjectTime": "2026"},
            importance=0.7,
            store="procedural",
            trust=1,
            source=Source(type="tool", ref="cron", session="s-1", model="m-1"),
        )
        assert create(said, resembles=("a", "b"), conflicts_with=("b",), likeness=ALIKE) == [
            Saved(
                content="Deploys run at 04:00.",
                category="infra/deploys",
                tags=("deploy",),
                metadata={"subjectTime": "2026"},
                store="procedural",
                chars=21,
                importance=0.7,
                trust=1,
                source_type="tool",
                source_model="m-1",
                source_ref="cron",
                source_session="s-1",
                similarity=0.7,
                measure="lexical",
                resembles=("a", "b"),
                conflicts_with=("b",),
            )
        ]

    def test_a_newcomer_that_resembles_nothing_has_no_likeness(self) -> None:
        (event,) = create(observation())
        assert (event.similarity, event.measure, event.resembles) == (None, None, ())

    def test_what_it_makes_is_live_seen_once_and_unfaded(self) -> None:
        made = memory(at(day(2), saved(importance=0.8)))
        assert made == State(
            id=made.id,
            space="default",
            version=1,
            position=1,
            statements=made.statements,
            text_version=1,
            category=None,
            tags=(),
            metadata={},
            store="semantic",
            source=Source(),
            trust=3,
            base=0.8,
            scored_at=day(2),
            created_at=day(2),
            last_seen_at=day(2),
            updated_at=day(2),
            reinforcement_count=1,
            access_count=1,
            last_accessed_at=day(2),
            heard=frozenset([("owner", None)]),
        )
        assert made.content == "The relay listens on port 4100."


class TestReinforce:
    def test_a_repetition_moves_last_seen_and_the_count_and_no_text(self) -> None:
        after = (
            given(saved())
            .when(reinforcing(observation(), on=10))
            .then(
                Reinforced(
                    counted=True,
                    importance=0.5,
                    trust=3,
                    source_type="owner",
                    similarity=1.0,
                    measure="canonical",
                )
            )
        )
        before = memory(saved())
        told = memory(saved(), at(day(10), reinforced()))
        assert after.memory.reinforcement_count == 2
        assert (told.last_seen_at, told.scored_at) == (day(10), day(10))
        assert (told.updated_at, told.statements) == (before.updated_at, before.statements)
        assert told.text_version == 1

    @pytest.mark.parametrize(
        ("base", "offered", "kept"), [(0.8, 0.5, 0.8), (0.5, 0.9, 0.9), (0.5, 0.5, 0.5)]
    )
    def test_importance_becomes_the_greater_of_what_it_is_worth_now_and_what_is_given(
        self, base: float, offered: float, kept: float
    ) -> None:
        given(saved(importance=base)).when(reinforcing(observation(importance=offered))).then(
            reinforced(kept)
        )

    def test_a_faded_memory_restarts_from_what_it_is_worth_now_not_from_its_old_base(self) -> None:
        faded = importance_now(memory(saved(importance=0.8)), day(75), DECAY)
        assert faded == pytest.approx(0.4)
        given(saved(importance=0.8)).when(reinforcing(observation(importance=0.2), on=75)).then(
            reinforced(faded)
        )

    def test_tags_are_united_ignoring_case_and_the_first_spelling_is_kept(self) -> None:
        after = (
            given(saved(tags=("Relay", "port")))
            .when(reinforcing(observation(tags=("relay", "Network", "PORT"))))
            .then(reinforced(tags_added=("Network",)))
        )
        assert after.memory.tags == ("Relay", "port", "Network")

    def test_tags_beyond_the_limit_are_left_out(self) -> None:
        known = tuple(f"t{number}" for number in range(MAX_TAGS - 1))
        after = (
            given(saved(tags=known))
            .when(reinforcing(observation(tags=("one", "two"))))
            .then(reinforced(tags_added=("one",)))
        )
        assert len(after.memory.tags) == MAX_TAGS

    def test_tags_are_left_alone_where_there_are_too_many_already(self) -> None:
        known = tuple(f"t{number}" for number in range(MAX_TAGS + 3))
        given(saved(tags=known)).when(reinforcing(observation(tags=("one",)))).then(reinforced())

    def test_metadata_fills_only_what_is_absent(self) -> None:
        after = (
            given(saved(metadata={"from": "a talk"}))
            .when(reinforcing(observation(metadata={"from": "a page", "seen": "twice"})))
            .then(reinforced(metadata_added={"seen": "twice"}))
        )
        assert after.memory.metadata == {"from": "a talk", "seen": "twice"}

    def test_metadata_beyond_the_count_of_keys_is_left_out(self) -> None:
        known = {f"k{number:02}": "" for number in range(MAX_METADATA_KEYS - 1)}
        given(saved(metadata=known)).when(
            reinforcing(observation(metadata={"x": "1", "y": "2"}))
        ).then(reinforced(metadata_added={"x": "1"}))

    def test_metadata_beyond_the_bytes_is_left_out_and_what_still_fits_is_taken(self) -> None:
        known = {"k": "v" * (MAX_METADATA_BYTES - 10)}
        given(saved(metadata=known)).when(
            reinforcing(observation(metadata={"big": "é" * 20, "s": "t"}))
        ).then(reinforced(metadata_added={"s": "t"}))

    def test_a_more_trusted_speaker_lifts_the_trust(self) -> None:
        after = (
            given(saved(trust=0, source_type="web"))
            .when(reinforcing(observation()))
            .then(reinforced(lifts_trust=True))
        )
        assert after.memory.trust == 3
        assert after.memory.source == Source(type="web")

    def test_who_repeats_one_statement_does_not_vouch_for_what_was_added_to_it(self) -> None:
        after = (
            given(
                saved(trust=0, source_type="web"),
                extended(trust=0, source_type="web", source_ref="another page"),
            )
            .when(reinforcing(observation()))
            .then(reinforced())
        )
        assert after.memory.trust == 0

    def test_the_category_stays(self) -> None:
        after = (
            given(saved(category="infra/relays"))
            .when(reinforcing(observation(category="infra/ports")))
            .then(reinforced())
        )
        assert after.memory.category == "infra/relays"


class TestLessTrusted:
    """A less trusted speaker may say it again, and moves nothing by it."""

    said = observation(importance=1.0, tags=("mine",), metadata={"by": "page"}, trust=0, source=WEB)

    def test_it_is_recorded_but_not_counted(self) -> None:
        given(saved(importance=0.5, trust=3)).when(reinforcing(self.said, on=40)).then(
            reinforced(
                0.5,
                counted=False,
                trust=0,
                source_type="web",
                source_ref=WEB.ref,
            )
        )

    def test_it_moves_nothing_but_the_record_of_having_been_heard(self) -> None:
        before = memory(saved(importance=0.5, tags=("a",)))
        event = reinforced(0.5, counted=False, trust=0, source_type="web", source_ref=WEB.ref)
        after = memory(saved(importance=0.5, tags=("a",)), at(day(40), event))
        assert after == before._replace(
            version=2, position=2, heard=before.heard | {("web", WEB.ref)}
        )

    @pytest.mark.parametrize("trust", [0, 1, 2])
    def test_less_than_the_memory_s_own_trust_never_counts(self, trust: int) -> None:
        assert not counts(memory(saved(trust=3)), observation(trust=trust))

    @pytest.mark.parametrize("trust", [1, 2, 3])
    def test_as_much_trust_or_more_counts(self, trust: int) -> None:
        assert counts(memory(saved(trust=1)), observation(trust=trust))


class TestToolsAndPages:
    """A tool or a page lifts a memory once, ever, by each of its references."""

    @pytest.mark.parametrize("kind", ["tool", "web"])
    def test_the_same_reference_counts_once(self, kind: str) -> None:
        start = saved(trust=0, source_type="agent")
        said = observation(trust=1, source=Source(type=kind, ref="r-1"))  # type: ignore[arg-type]
        once = (
            given(start)
            .when(reinforcing(said))
            .then(reinforced(lifts_trust=True, trust=1, source_type=kind, source_ref="r-1"))
        )
        again = once.when(reinforcing(said, on=5)).then(
            reinforced(counted=False, trust=1, source_type=kind, source_ref="r-1")
        )
        assert again.memory.reinforcement_count == 2

    def test_what_first_said_it_does_not_lift_it_again(self) -> None:
        start = saved(trust=0, source_type="web", source_ref=WEB.ref)
        assert not counts(memory(start), observation(trust=0, source=WEB))

    def test_another_reference_counts(self) -> None:
        start = saved(trust=0, source_type="web", source_ref=WEB.ref)
        other = Source(type="web", ref="https://example.org/other")
        assert counts(memory(start), observation(trust=0, source=other))

    def test_references_are_told_apart_by_the_type_of_their_source(self) -> None:
        start = saved(trust=0, source_type="web", source_ref="r-1")
        assert counts(memory(start), observation(trust=1, source=Source(type="tool", ref="r-1")))

    def test_without_a_reference_it_counts_once_too(self) -> None:
        start = saved(trust=0, source_type="tool")
        assert not counts(memory(start), observation(trust=0, source=Source(type="tool")))

    def test_having_extended_it_is_having_said_it(self) -> None:
        start = memory(
            saved(trust=0, source_type="agent"),
            extended(trust=1, source_type="tool", source_ref="r-1"),
        )
        assert not counts(start, observation(trust=1, source=Source(type="tool", ref="r-1")))

    def test_having_been_heard_uncounted_is_for_ever(self) -> None:
        start = memory(
            saved(trust=0, source_type="agent"),
            reinforced(counted=False, trust=0, source_type="tool", source_ref="r-1"),
        )
        assert not counts(start, observation(trust=1, source=Source(type="tool", ref="r-1")))

    @pytest.mark.parametrize("kind", ["owner", "user", "agent", "model"])
    def test_other_sources_count_each_time(self, kind: str) -> None:
        start = saved(trust=0, source_type=kind, source_ref="r-1")
        said = observation(trust=1, source=Source(type=kind, ref="r-1"))  # type: ignore[arg-type]
        assert counts(memory(start), said)


class TestExtend:
    def test_the_addition_follows_a_blank_line_and_the_text_counts_as_rewritten(self) -> None:
        after = memory(
            saved("The relay listens on port 4100.", tags=("relay",)),
            at(
                day(3),
                extended(
                    "The relay listens on port 4100 of host west.",
                    tags_added=("west",),
                    metadata_added={"k": "v"},
                    importance=0.6,
                ),
            ),
        )
        assert after.content == (
            "The relay listens on port 4100.\n\nThe relay listens on port 4100 of host west."
        )
        assert (after.text_version, after.updated_at, after.last_seen_at) == (2, day(3), day(3))
        assert (after.reinforcement_count, after.base, after.scored_at) == (2, 0.6, day(3))
        assert (after.tags, after.metadata) == (("relay", "west"), {"k": "v"})

    def test_it_says_how_long_the_text_is_after_it(self) -> None:
        given(saved("Four")).when(extending(observation("Four five", importance=0.9))).then(
            extended("Four five", chars=4 + 2 + 9, importance=0.9)
        )

    def test_a_faded_memory_restarts_from_what_it_is_worth_now(self) -> None:
        faded = importance_now(memory(saved("Four", importance=0.8)), day(75), DECAY)
        given(saved("Four", importance=0.8)).when(
            extending(observation("Four five", importance=0.1), on=75)
        ).then(extended("Four five", chars=15, importance=faded))

    def test_extending_leaves_the_trust_where_it_was(self) -> None:
        after = memory(saved(trust=1, source_type="agent"), extended(trust=3))
        assert after.trust == 1


class TestRevise:
    def test_it_rewrites_the_whole_text_and_says_so_once(self) -> None:
        after = (
            given(saved(), extended())
            .when(lambda memory: revise(memory, "Short."))
            .then_holds(Revised(content="Short.", chars=6))
        )
        assert after.memory.content == "Short."
        assert after.memory.text_version == 3

    def test_it_moves_updated_at_and_nothing_that_observations_move(self) -> None:
        before = memory(saved())
        after = memory(saved(), at(day(9), revised()))
        assert after.updated_at == day(9)
        assert (after.last_seen_at, after.scored_at, after.reinforcement_count) == (
            before.last_seen_at,
            before.scored_at,
            before.reinforcement_count,
        )

    def test_an_episode_is_final(self) -> None:
        given(saved(store="episodic")).when(lambda memory: revise(memory, "Else.")).then_refused(
            Refused, code="episodic_is_final"
        )

    def test_an_episode_said_in_its_own_words_is_no_change(self) -> None:
        given(saved("As it was.", store="episodic")).when(
            lambda memory: revise(memory, "As it was.")
        ).then_nothing()


class TestEdits:
    def test_recategorize_acts_and_then_holds(self) -> None:
        after = (
            given(saved(category="infra"))
            .when(lambda memory: recategorize(memory, "infra/relays"))
            .then_holds(Recategorized(category="infra/relays"))
        )
        assert after.memory.category == "infra/relays"

    def test_a_category_can_be_taken_away(self) -> None:
        after = (
            given(saved(category="infra"))
            .when(lambda memory: recategorize(memory, None))
            .then_holds(Recategorized(category=None))
        )
        assert after.memory.category is None

    def test_a_category_spelt_in_another_case_is_another_spelling(self) -> None:
        given(saved(category="infra")).when(
            lambda memory: recategorize(memory, "Infra")
        ).then_holds(Recategorized(category="Infra"))

    def test_retag_acts_and_then_holds(self) -> None:
        after = (
            given(saved(tags=("a", "b")))
            .when(lambda memory: retag(memory, ("c",)))
            .then_holds(Retagged(tags=("c",)))
        )
        assert after.memory.tags == ("c",)

    def test_describe_acts_and_then_holds(self) -> None:
        after = (
            given(saved(metadata={"a": "1"}))
            .when(lambda memory: describe(memory, {"b": "2"}))
            .then_holds(Described(metadata={"b": "2"}))
        )
        assert after.memory.metadata == {"b": "2"}

    def test_rescore_acts_and_then_holds_and_fades_anew(self) -> None:
        after = (
            given(saved(importance=0.4)).when(rescoring(0.9)).then_holds(Rescored(importance=0.9))
        )
        assert after.memory.base == 0.9
        late = memory(saved(importance=0.4), at(day(100), Rescored(importance=0.9)))
        assert late.scored_at == day(100)
        assert late.last_seen_at == START
        assert importance_now(late, day(145), DECAY) == pytest.approx(0.45)

    def test_rescoring_to_the_faded_value_does_nothing(self) -> None:
        faded = importance_now(memory(saved(importance=0.8)), day(75), DECAY)
        given(saved(importance=0.8)).when(rescoring(faded, on=75)).then_nothing()

    def test_rescoring_a_faded_memory_to_its_old_base_lifts_it(self) -> None:
        given(saved(importance=0.8)).when(rescoring(0.8, on=75)).then(Rescored(importance=0.8))

    def test_every_use_counts(self) -> None:
        after = given(saved()).when(use).then(Used()).when(use).then(Used())
        assert after.memory.access_count == 3

    def test_a_use_moves_nothing_but_the_record_of_it(self) -> None:
        before = memory(saved())
        after = memory(saved(), at(day(7), Used()))
        assert after == before._replace(
            version=2, position=2, access_count=2, last_accessed_at=day(7)
        )

    @pytest.mark.parametrize(
        "event",
        [
            Recategorized(category="x"),
            Retagged(tags=("x",)),
            Described(metadata={"x": "y"}),
            Rescored(importance=0.1),
            Pinned(),
            Unpinned(),
            archived(),
        ],
    )
    def test_edits_that_change_no_text_leave_the_times_of_seeing_and_rewriting(
        self, event: Event
    ) -> None:
        after = memory(saved(), at(day(9), event))
        assert (after.last_seen_at, after.updated_at, after.created_at) == (START, START, START)
        assert (after.text_version, after.reinforcement_count) == (1, 1)

    @pytest.mark.parametrize("name", EDITS)
    def test_what_is_archived_is_not_edited(self, name: str) -> None:
        given(saved(), archived()).when(EVERY_DECISION[name]).then_refused(Refused, code="not_live")


class TestPin:
    def test_pinning_acts_and_then_holds(self) -> None:
        after = given(saved()).when(pin).then_holds(Pinned())
        assert after.memory.pinned

    def test_unpinning_acts_and_then_holds(self) -> None:
        after = given(saved(), Pinned()).when(unpin).then_holds(Unpinned())
        assert not after.memory.pinned

    def test_what_was_never_pinned_need_not_be_unpinned(self) -> None:
        given(saved()).when(unpin).then_nothing()

    def test_an_archived_memory_can_be_pinned(self) -> None:
        given(saved(), archived()).when(pin).then_holds(Pinned())

    def test_the_words_that_ask_for_it_are_recorded(self) -> None:
        told = PinnedWhenTold(trigger="never forget this")
        after = given(saved()).when(partial(pin, trigger="never forget this")).then_holds(told)
        assert after.memory.pinned
        let_go = UnpinnedWhenTold(trigger="let it go")
        after = given(saved(), told).when(partial(unpin, trigger="let it go")).then_holds(let_go)
        assert not after.memory.pinned

    @pytest.mark.parametrize("decision", [pin, unpin])
    @pytest.mark.parametrize("before", [(saved(),), (saved(), Pinned()), (saved(), archived())])
    def test_an_agent_must_have_the_words_of_the_user(
        self, decision: Callable[..., Sequence[Event]], before: tuple[Event, ...]
    ) -> None:
        given(*before).when(partial(decision, by_owner=False)).then_refused(
            Refused, code="trigger_required", field="trigger"
        )

    @pytest.mark.parametrize("decision", [pin, unpin])
    @pytest.mark.parametrize("hidden", [archived(), Quarantined(cause="request")])
    def test_an_agent_pins_what_is_in_recall_alone(
        self, decision: Callable[..., Sequence[Event]], hidden: Event
    ) -> None:
        told = partial(decision, trigger="never forget this", by_owner=False)
        given(saved(), hidden).when(told).then_refused(Refused, code="not_live")


class TestArchive:
    def test_it_acts_and_then_holds(self) -> None:
        after = (
            given(saved())
            .when(archiving("no longer true"))
            .then_holds(Archived(cause="request", importance=0.5, reason="no longer true"))
        )
        assert after.memory.condition == "archived"
        assert after.memory.archive_reason == "no longer true"

    def test_the_first_reason_and_time_stay(self) -> None:
        after = (
            given(saved(), at(day(3), archived("first")))
            .when(archiving("second", on=9))
            .then_nothing()
        )
        assert (after.memory.archive_reason, after.memory.archived_at) == ("first", day(3))

    def test_it_records_what_the_memory_was_worth_then(self) -> None:
        worth = importance_now(memory(saved(importance=0.8)), day(75), DECAY)
        assert worth < 0.8
        given(saved(importance=0.8)).when(archiving(on=75)).then(
            Archived(cause="request", importance=worth, reason="stale")
        )

    def test_a_policy_may_not_archive_what_is_pinned(self) -> None:
        given(saved(), Pinned()).when(archiving(by_policy=True)).then_refused(
            Refused, code="pinned"
        )

    def test_a_person_may_archive_what_is_pinned(self) -> None:
        given(saved(), Pinned()).when(archiving()).then_holds(archived())


class TestRestore:
    def test_it_acts_and_then_holds(self) -> None:
        after = given(saved(), archived()).when(restore).then_holds(Restored())
        assert after.memory == memory(saved())._replace(version=3, position=3)

    def test_a_live_memory_is_left_as_it_is(self) -> None:
        given(saved()).when(restore).then_nothing()

    def test_an_imported_archived_memory_comes_back(self) -> None:
        after = (
            given(imported(archived_at=day(1), archive_reason="old", archive_importance=0.2))
            .when(restore)
            .then_holds(Restored())
        )
        assert after.memory.condition == "live"
        assert after.memory.archived_base is None


class TestWhatNothingMayBeWrittenTo:
    @pytest.mark.parametrize("name", sorted(EVERY_DECISION))
    def test_a_purged_memory_is_gone_for_every_decision(self, name: str) -> None:
        purged = memory(saved())._replace(condition="purged")
        with pytest.raises(NotFound) as caught:
            EVERY_DECISION[name](purged)
        assert (caught.value.code, caught.value.field) == ("purged", "id")

    @pytest.mark.parametrize("name", sorted(EVERY_DECISION))
    def test_a_newer_release_s_event_makes_it_read_only(self, name: str) -> None:
        given(saved(), at(day(1), None, fault="newer_release")).when(
            EVERY_DECISION[name]
        ).then_refused(Refused, code="newer_release")

    @pytest.mark.parametrize("fault", ["key_missing", "unreadable"])
    @pytest.mark.parametrize("name", sorted(EVERY_DECISION))
    def test_what_cannot_be_read_in_full_is_not_written_to(self, name: str, fault: str) -> None:
        broken = memory(saved())._replace(fault=fault)  # type: ignore[arg-type]
        with pytest.raises(StorageFailed) as caught:
            EVERY_DECISION[name](broken)
        assert caught.value.code == fault

    def test_the_worst_fault_is_the_one_that_is_told(self) -> None:
        state = memory(
            saved(),
            at(day(1), None, fault="newer_release"),
            at(day(1), reinforced(), fault="key_missing"),
        )
        assert state.fault == "newer_release"

    def test_a_whole_memory_may_be_written_to(self) -> None:
        require_writable(memory(saved()))


class TestExpectedVersion:
    def test_none_expects_nothing(self) -> None:
        require_version(None, None)
        require_version(memory(saved(), revised()), None)

    def test_the_version_that_is_here_passes(self) -> None:
        require_version(None, 0)
        require_version(memory(saved(), revised()), 2)

    @pytest.mark.parametrize("expected", [0, 1, 3])
    def test_another_version_is_a_conflict(self, expected: int) -> None:
        with pytest.raises(Conflict) as caught:
            require_version(memory(saved(), revised()), expected)
        assert (caught.value.code, caught.value.field) == ("version_conflict", "expected_version")

    def test_a_newcomer_is_at_version_0(self) -> None:
        with pytest.raises(Conflict):
            require_version(None, 1)


class TestImportanceNow:
    def test_pinned_does_not_fade(self) -> None:
        assert importance_now(memory(saved(importance=0.7), Pinned()), day(999), DECAY) == 0.7

    def test_unpinned_fades_as_if_it_had_never_been_pinned(self) -> None:
        plain = memory(saved(importance=0.7))
        once = memory(saved(importance=0.7), Pinned(), Unpinned())
        assert importance_now(once, day(90), DECAY) == importance_now(plain, day(90), DECAY)

    def test_archived_stays_as_at_archiving_whatever_the_time(self) -> None:
        state = memory(saved(importance=0.7), at(day(60), archived(importance=0.44)))
        assert importance_now(state, day(999), DECAY) == 0.44
        assert importance_now(state._replace(pinned=True), day(999), DECAY) == 0.44

    def test_restored_fades_on_its_own_curve_again(self) -> None:
        plain = memory(saved(importance=0.7))
        back = memory(
            saved(importance=0.7), at(day(10), archived(importance=0.7)), at(day(80), Restored())
        )
        assert importance_now(back, day(90), DECAY) == importance_now(plain, day(90), DECAY)

    def test_what_was_imported_fades_from_its_import_at_the_earliest(self) -> None:
        brought = memory(
            at(day(400), imported(importance=0.6, last_seen_at=day(10), scored_at=day(400)))
        )
        assert importance_now(brought, day(400), DECAY) == 0.6
        assert math.isclose(importance_now(brought, day(445), DECAY), 0.3)
