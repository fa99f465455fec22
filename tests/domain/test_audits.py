"""When an audit speaks, and when consolidation is paused: pure decisions."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any

from bdd import START, day
from hypothesis import given
from hypothesis import strategies as st

from muniment.domain import audit, consolidation
from muniment.domain.audit import Completed, PurgeOutlook, Told, Violation
from muniment.domain.consolidation import Consolidation, Paused, Resumed
from muniment.domain.recorded import Recorded

WEEK = timedelta(days=7)
NAMES = ("chain-depth-threshold", "net-growth-threshold", "no-malformed-files")


def run(number: int, *failing: str, status: Any = None) -> Completed:
    """A run of a day, in which these invariants failed."""
    counts: dict[str, Any] = {
        "live": 0, "archived": 0, "superseded": 0, "quarantined": 0, "malformed_files": 0,
        "empty_category_dirs": 0, "created_since_last": 0, "archived_since_last": 0,
        "restored_since_last": 0, "hard_deleted_since_last": 0, "purged_since_last": 0,
        "erased_since_last": 0, "hard_deleted_outside_purge": 0, "max_chain_depth": 0,
        "deep_limit": 2, "near_dup_pairs": 0, "near_dup_entries": 0,
        "reinforced_without_merge_since_last": 0, "rejected_merge_sources_since_last": 0,
        "rejected_merges_since_last": 0, "rejected_merge_clusters_repeated": 0,
        "dream_passes_run_since_last": 0, "restarts_since_last": 0, "vocabulary_stoplist_size": 1,
    }  # fmt: skip
    return Completed(
        snapshot_id=f"run {number}",
        taken_at=day(number),
        position=number + 1,
        previous_position=number or None,
        purge=PurgeOutlook(due_within_days=7.0, count=0, high_value_count=0),
        invariants=tuple(Violation(name=name, count=1) for name in failing),
        status=status or ("warning" if failing else "healthy"),
        **counts,
    )


def told(*days: Sequence[str], repeat_after: timedelta = WEEK) -> list[str | None]:
    """On which occasion each of some daily runs is told, given what failed on it."""
    runs: list[Completed] = []
    for number, failing in enumerate(days):
        status = "alert" if "log-intact" in failing else None
        runs += audit.complete(
            run(number, *failing, status=status),
            audit.known(runs),
            speaks=True,
            repeat_after=repeat_after,
        )
    return [one.told.occasion if one.told else None for one in runs]


class TestWhatIsTold:
    def test_a_healthy_run_is_silent(self) -> None:
        assert told([], []) == [None, None]

    def test_a_warning_is_told_once_and_again_after_a_week(self) -> None:
        week = [NAMES[:1]] * 16
        assert told(*week) == ["changed", *[None] * 6, "repeated", *[None] * 6, "repeated", None]

    def test_with_an_interval_of_nothing_it_is_never_repeated(self) -> None:
        assert told(*[NAMES[:1]] * 30, repeat_after=timedelta()) == ["changed", *[None] * 29]

    def test_an_alert_is_told_every_time(self) -> None:
        assert told(*[["log-intact"]] * 3) == ["alert"] * 3

    def test_one_of_two_that_clears_is_told_as_a_change(self) -> None:
        assert told(NAMES[:2], NAMES[:1]) == ["changed", "changed"]

    def test_a_finding_that_comes_back_after_a_healthy_run_is_told_again(self) -> None:
        assert told(NAMES[:1], [], NAMES[:1]) == ["changed", None, "changed"]

    def test_a_change_counts_the_week_anew(self) -> None:
        days = [NAMES[:1]] * 5 + [NAMES[:2]] * 8
        assert told(*days) == ["changed", *[None] * 4, "changed", *[None] * 6, "repeated"]

    def test_it_says_what_is_new_and_what_has_cleared(self) -> None:
        known = audit.Spoken(NAMES[:2], START)
        (then,) = audit.complete(run(1, *NAMES[1:]), known, speaks=True, repeat_after=WEEK)
        assert then.told == Told(occasion="changed", new=NAMES[2:], cleared=NAMES[:1])

    def test_what_failed_to_be_delivered_is_not_known(self) -> None:
        failing = run(0, *NAMES[:1])
        assert audit.after(None, failing) is None
        assert audit.tell(run(1, *NAMES[:1]), None, repeat_after=WEEK) is not None

    def test_where_nothing_is_to_be_told_nothing_is(self) -> None:
        (only,) = audit.complete(run(0, *NAMES), None, speaks=False, repeat_after=WEEK)
        assert only.told is None

    @given(st.lists(st.sets(st.sampled_from(NAMES)), max_size=20))
    def test_the_same_warning_twice_in_a_row_is_told_at_most_once(
        self, days: list[set[str]]
    ) -> None:
        ordered = [sorted(failing) for failing in days]
        occasions = told(*ordered, repeat_after=timedelta())
        for before, now, occasion in zip(ordered, ordered[1:], occasions[1:], strict=False):
            assert (occasion is None) == (not now or now == before)


def test_deep_memories_are_counted_by_the_limit_of_their_run() -> None:
    shaped = replace(run(0), merge_chain_depth={"0": 9, "2": 4, "3": 2, "10": 1})
    assert shaped.deep == 3
    assert replace(shaped, deep_limit=1).deep == 7


def _recorded(event: object) -> Recorded:
    return Recorded(1, "s", 1, "x", 1, START, "manual", "default", "c", None, None, event)


class TestThePause:
    def test_it_lasts_until_somebody_resumes(self) -> None:
        paused = consolidation.pause(Consolidation(), NAMES[:1], "run 1")
        assert paused == [Paused(because=NAMES[:1], snapshot_id="run 1")]
        state = consolidation.evolve(Consolidation(), _recorded(paused[0]))
        assert state == Consolidation(True, START, NAMES[:1], "run 1")
        assert consolidation.evolve(state, _recorded(object())) == state
        resumed = consolidation.resume(state, "looked")
        assert resumed == [Resumed(reason="looked")]
        assert consolidation.evolve(state, _recorded(resumed[0])) == Consolidation()

    def test_what_is_paused_is_not_paused_again(self) -> None:
        state = Consolidation(paused=True)
        assert consolidation.pause(state, NAMES[:1], "run 2") == []

    def test_what_runs_is_not_resumed_and_needs_a_reason_to_pause(self) -> None:
        assert consolidation.resume(Consolidation(), "why not") == []
        assert consolidation.pause(Consolidation(), (), "run 1") == []
