"""How memories leave: each decision acts and then holds, or refuses; and what a purge goes by."""

from collections.abc import Callable, Sequence
from datetime import timedelta
from typing import Any

import pytest
from bdd import archived, at, day, given, imported, memory, reinforced, saved
from hypothesis import given as for_all
from hypothesis import strategies as st

from muniment.domain.errors import NotFound, Refused, StorageFailed
from muniment.domain.memory.events import (
    Archived,
    Event,
    Held,
    HoldReleased,
    Pinned,
    Purged,
    PurgeRequested,
    Quarantined,
    Released,
    Restored,
    Source,
    Superseded,
)
from muniment.domain.memory.retiring import (
    complete_purge,
    hold,
    is_due,
    is_protected,
    quarantine,
    release,
    release_hold,
    request_purge,
)
from muniment.domain.memory.state import State
from muniment.domain.rules import Retention

OTHER = "019500aa-0000-7000-8000-0000000000b2"
RETENTION = Retention()
TICK = timedelta(microseconds=1)

GONE = PurgeRequested(
    basis="retention",
    archived_at=day(0),
    retention_days=90.0,
    importance=0.5,
    reinforcement_count=1,
    policy=RETENTION.policy,
)


def quarantining(reason: str = "doubtful") -> Callable[[State], list[Quarantined]]:
    return lambda state: quarantine(state, reason, "request")


def holding(reason: str = "a suit") -> Callable[[State], list[Held]]:
    return lambda state: hold(state, reason)


def purging(on: float = 120, **figures: Any) -> Callable[[State], list[PurgeRequested]]:
    return lambda state: request_purge(state, now=day(on), retention=Retention(**figures))


EVERY_DECISION: dict[str, Callable[[State], Sequence[Event]]] = {
    "quarantine": quarantining(),
    "release": release,
    "hold": holding(),
    "release_hold": release_hold,
}


class TestQuarantine:
    def test_it_acts_and_then_holds_with_the_first_reason(self) -> None:
        after = (
            given(saved())
            .when(quarantining())
            .then_holds(Quarantined(cause="request", reason="doubtful"))
        )
        after.when(quarantining("another reason")).then_nothing()
        assert after.memory.condition == "quarantined"

    @pytest.mark.parametrize("gone", [archived(), Superseded(by=OTHER, importance=0.5)])
    def test_only_what_is_in_recall_is_taken_out_of_it(self, gone: Event) -> None:
        given(saved(), gone).when(quarantining()).then_refused(Refused, code="not_live")

    def test_release_acts_and_then_holds(self) -> None:
        after = (
            given(saved(), Quarantined(cause="policy")).when(release).then_holds(Released())
        ).memory
        assert after == memory(saved())._replace(version=3, position=3)

    @pytest.mark.parametrize("gone", [archived(), Superseded(by=OTHER, importance=0.5)])
    def test_what_is_out_of_recall_otherwise_is_not_released(self, gone: Event) -> None:
        given(saved(), gone).when(release).then_refused(Refused, code="not_quarantined")

    def test_it_is_not_due_however_long_it_lasts(self) -> None:
        given(saved(), Quarantined(cause="request")).when(purging(on=5_000)).then_nothing()


class TestHold:
    def test_it_acts_and_then_holds_with_the_first_reason(self) -> None:
        after = given(saved()).when(holding()).then_holds(Held(reason="a suit"))
        after.when(holding("another")).then_nothing()
        assert after.memory.held
        assert after.memory.condition == "live"

    def test_release_acts_and_then_holds(self) -> None:
        after = given(saved(), Held()).when(release_hold).then_holds(HoldReleased())
        assert not after.memory.held

    def test_what_is_archived_may_be_held(self) -> None:
        given(saved(), archived()).when(holding()).then_holds(Held(reason="a suit"))


class TestWhatNothingMayBeWrittenTo:
    @pytest.mark.parametrize("name", sorted(EVERY_DECISION))
    def test_a_purged_memory_is_gone_for_every_decision(self, name: str) -> None:
        purged: tuple[Event, ...] = (GONE, *complete_purge(memory(saved(), GONE)))
        for gone in ((GONE,), purged):
            given(saved(), archived(), *gone).when(EVERY_DECISION[name]).then_refused(
                NotFound, code="purged"
            )

    @pytest.mark.parametrize("name", sorted(EVERY_DECISION))
    def test_a_newer_release_s_event_makes_it_read_only(self, name: str) -> None:
        given(saved(), at(day(1), None, fault="newer_release")).when(
            EVERY_DECISION[name]
        ).then_refused(Refused, code="newer_release")

    @pytest.mark.parametrize("name", sorted(EVERY_DECISION))
    def test_what_cannot_be_read_in_full_is_not_written_to(self, name: str) -> None:
        given(saved(), at(day(1), reinforced(), fault="key_missing")).when(
            EVERY_DECISION[name]
        ).then_refused(StorageFailed, code="key_missing")


class TestDue:
    def test_what_was_archived_for_longer_than_90_days_is_due(self) -> None:
        long_ago = memory(saved(), at(day(0), archived()))
        assert is_due(long_ago, day(120), RETENTION)
        assert not is_due(memory(saved(), at(day(120), archived())), day(120), RETENTION)
        assert not is_due(memory(saved()), day(5_000), RETENTION)

    def test_it_is_due_a_moment_after_and_not_at_the_end_of_the_time(self) -> None:
        state = memory(saved(), at(day(7), archived()))
        assert not is_due(state, day(97), RETENTION)
        assert is_due(state, day(97) + TICK, RETENTION)

    @pytest.mark.parametrize("days", [0.0, -1.0])
    def test_a_retention_of_0_or_less_keeps_for_ever(self, days: float) -> None:
        state = memory(saved(), archived())
        assert not is_due(state, day(5 * 365), Retention(archive_days=days))
        given(saved(), archived()).when(purging(on=5 * 365, archive_days=days)).then_nothing()

    def test_the_time_of_what_was_superseded_or_imported_counts_too(self) -> None:
        assert is_due(memory(saved(), Superseded(by=OTHER, importance=0.5)), day(91), RETENTION)
        assert is_due(memory(imported(archived_at=day(-100))), day(0), RETENTION)

    def test_what_was_restored_and_archived_again_is_kept_from_then(self) -> None:
        state = memory(saved(), archived(), at(day(80), Restored()), at(day(81), archived()))
        assert not is_due(state, day(120), RETENTION)

    @for_all(st.floats(0.5, 1_000), st.floats(0, 2_000))
    def test_it_is_due_once_the_time_is_over_and_stays_so(self, days: float, after: float) -> None:
        state = memory(saved(), archived())
        retention = Retention(archive_days=days)
        assert is_due(state, day(after), retention) == (
            timedelta(days=after) > timedelta(days=days)
        )


class TestProtected:
    def protected(self, *events: Any, on: float = 120, **figures: Any) -> bool:
        return is_protected(memory(*events), day(on), Retention(**figures))

    @pytest.mark.parametrize(("worth", "is_kept"), [(0.79, False), (0.80, True), (1.0, True)])
    def test_its_worth_when_it_was_archived_protects_it(self, worth: float, is_kept: bool) -> None:
        assert self.protected(saved(importance=1.0), archived(importance=worth)) == is_kept
        assert self.protected(saved(importance=0.1), archived(importance=worth)) == is_kept

    @pytest.mark.parametrize(("times", "is_kept"), [(4, False), (5, True)])
    def test_how_often_it_was_said_protects_it(self, times: int, is_kept: bool) -> None:
        again = [reinforced()] * (times - 1)
        assert self.protected(saved(), *again, archived()) == is_kept

    def test_the_floor_is_where_it_is_set(self) -> None:
        events = (saved(), reinforced(), archived(importance=0.5))
        assert self.protected(*events, protection_importance=0.5)
        assert self.protected(*events, protection_count=2)
        assert not self.protected(*events)

    def test_a_pin_and_a_hold_protect_whatever_the_time(self) -> None:
        for kept in (Pinned(), Held()):
            assert self.protected(saved(), kept, archived(), on=9_999, protected_days=0.0)
        assert not self.protected(saved(), Held(), archived(), HoldReleased())

    def test_what_cannot_be_read_is_kept(self) -> None:
        state = memory(saved(), archived())._replace(fault="key_missing")
        assert is_protected(state, day(9_999), Retention(protected_days=0.0))

    def test_a_longer_time_ends_the_protection_of_worth_and_count(self) -> None:
        events = (saved(), *[reinforced()] * 9, archived(importance=1.0))
        assert self.protected(*events, on=400, protected_days=400.0)
        assert not self.protected(*events, on=400.001, protected_days=400.0)
        assert self.protected(*events, on=99_999)

    def test_an_imported_one_that_nobody_scored_at_archiving_goes_by_its_base(self) -> None:
        assert self.protected(imported(importance=0.9, archived_at=day(0)))
        assert not self.protected(imported(importance=0.5, archived_at=day(0)))


class TestPurge:
    def test_a_request_carries_the_evidence_and_is_made_once(self) -> None:
        given(saved(), at(day(3), archived(importance=0.4))).when(purging(on=100)).then_holds(
            PurgeRequested(
                basis="retention",
                archived_at=day(3),
                retention_days=90.0,
                importance=0.4,
                reinforcement_count=1,
                policy="retention 90d, protected from 0.8 or 5x: never",
            )
        )

    def test_the_policy_names_every_figure(self) -> None:
        figures = Retention(
            archive_days=7.5, protection_importance=0.9, protection_count=3, protected_days=365.0
        )
        assert figures.policy == "retention 7.5d, protected from 0.9 or 3x: 365d"

    @pytest.mark.parametrize(
        "events",
        [
            (saved(),),
            (saved(), at(day(119), archived())),
            (saved(), Pinned(), archived()),
            (saved(), Held(), archived()),
            (saved(), archived(importance=0.8)),
            (saved(), archived(), Restored()),
        ],
    )
    def test_nothing_is_asked_for_where_it_is_not_due_or_protected(
        self, events: tuple[Any, ...]
    ) -> None:
        given(*events).when(purging(on=120)).then_nothing()

    def test_the_record_repeats_the_evidence_of_the_request_once(self) -> None:
        after = (
            given(saved(), archived(), GONE)
            .when(complete_purge)
            .then_holds(
                Purged(
                    basis="retention",
                    archived_at=day(0),
                    retention_days=90.0,
                    importance=0.5,
                    reinforcement_count=1,
                    policy=RETENTION.policy,
                )
            )
        )
        assert after.memory.removal is None

    def test_without_a_request_nothing_is_recorded(self) -> None:
        given(saved(), archived()).when(complete_purge).then_nothing()

    @pytest.mark.parametrize("is_over", [False, True])
    def test_from_the_request_on_no_word_is_left(self, is_over: bool) -> None:
        before = memory(
            saved(
                category="infra",
                tags=("relay",),
                metadata={"k": "v"},
                source_ref="https://example.org",
            ),
            archived("because of Ada"),
        )
        events: list[Event] = [GONE]
        if is_over:
            events += complete_purge(memory(saved(), GONE))
        state = memory(saved(category="infra"), archived("because of Ada"), *events)
        assert state.content == ""
        assert (state.category, state.tags, state.metadata) == (None, (), {})
        assert (state.archive_reason, state.source) == (None, Source())
        assert (state.condition, state.heard) == ("purged", frozenset())
        assert (state.archived_at, state.created_at) == (before.archived_at, before.created_at)

    def test_a_missing_key_is_no_fault_of_a_purged_memory(self) -> None:
        gone = memory(
            at(day(0), saved(), fault="key_missing"),
            at(day(0), Archived(cause="request", importance=0.5), fault="key_missing"),
            GONE,
        )
        assert (gone.condition, gone.fault) == ("purged", None)
