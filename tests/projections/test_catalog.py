"""The catalog against the folded states that it is a table of."""

from collections import Counter
from datetime import timedelta

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from log_backends import SOAK
from making import saved
from random_logs import START, STREAMS, logs

from muniment.domain import category as categories
from muniment.domain import subject_time
from muniment.domain.clock import Skewed
from muniment.domain.importance import Decay
from muniment.domain.memory import events
from muniment.domain.memory.decisions import importance_now
from muniment.domain.memory.state import State, evolve
from muniment.domain.recorded import Recorded
from muniment.projections.catalog import CONDITIONS, STORES, Catalog, microseconds

EXAMPLES = 100 * SOAK

decays = st.builds(
    Decay,
    grace_days=st.sampled_from([0.0, 0.5, 30.0, 1 / 3]),
    half_life_days=st.sampled_from([45.0, 1.0, 0.0, -1.0, 0.001]),
    floor=st.sampled_from([0.0, 0.1, 0.5]),
)
moments = st.integers(-3_000, 30_000).map(lambda hours: START + timedelta(hours=hours, seconds=7))


def folded(log: list[Recorded]) -> dict[str, State]:
    """Each memory's state, in the order in which they began."""
    states: dict[str, State] = {}
    for recorded in log:
        if isinstance(recorded.event, Skewed):
            continue  # no event of a memory
        state = evolve(states.get(recorded.stream), recorded)
        if state is not None:
            states[recorded.stream] = state
    return states


def catalog_of(log: list[Recorded]) -> Catalog:
    catalog = Catalog()
    for recorded in log:
        catalog.apply(recorded)
    return catalog


@settings(max_examples=EXAMPLES, deadline=None)
@given(logs(), moments, decays)
@example([], START, Decay())
def test_importance_is_that_of_the_decisions_row_by_row(
    log: list[Recorded], now: object, decay: Decay
) -> None:
    assert isinstance(now, type(START))
    catalog, states = catalog_of(log), folded(log)
    assert catalog.ids == list(states)
    found = catalog.importance(catalog.every_row(), now, decay).tolist()
    assert found == pytest.approx(
        [importance_now(state, now, decay) for state in states.values()], abs=1e-12
    )


@settings(max_examples=EXAMPLES, deadline=None)
@given(logs())
def test_every_column_is_what_the_folded_states_say(log: list[Recorded]) -> None:
    catalog, states = catalog_of(log), list(folded(log).values())
    rows = catalog.every_row()
    for condition in CONDITIONS:
        assert catalog.in_condition(rows, condition).tolist() == [
            state.condition == condition for state in states
        ]
    for store in STORES:
        assert catalog.in_store(rows, store).tolist() == [state.store == store for state in states]
    for level in range(4):
        assert catalog.trusted(rows, level).tolist() == [state.trust >= level for state in states]
    for asked in ("ci", "ci/linux", "people", "general"):
        assert catalog.within(rows, asked).tolist() == [
            categories.within(state.category, asked) for state in states
        ]
    for tags in (["ops"], ["Build", "a"], ["none"]):
        wanted = {tag.casefold() for tag in tags}
        assert catalog.tagged(rows, tags).tolist() == [
            wanted <= {tag.casefold() for tag in state.tags} for state in states
        ]
    assert catalog.last_seen(rows).tolist() == [
        microseconds(state.last_seen_at) for state in states
    ]
    counts = {one: sum(state.condition == one for state in states) for one in CONDITIONS}
    assert catalog.counts() == counts
    assert sum(catalog.taxonomy().values()) == counts["live"]


@settings(max_examples=EXAMPLES, deadline=None)
@given(logs(), moments, moments)
def test_a_range_of_time_keeps_what_the_states_say(
    log: list[Recorded], one: object, other: object
) -> None:
    assert isinstance(one, type(START))
    assert isinstance(other, type(START))
    catalog, states = catalog_of(log), list(folded(log).values())
    rows = catalog.every_row()
    assert catalog.created(rows, one, other).tolist() == [
        one <= state.created_at <= other for state in states
    ]
    spans = [subject_time.span(state.metadata) for state in states]
    assert catalog.about(rows, one, other).tolist() == [
        span is not None and span.end >= one and span.start <= other for span in spans
    ]


@settings(max_examples=50 * SOAK, deadline=None)
@given(logs(), st.lists(st.integers(0, 4)))
def test_an_answer_for_some_rows_is_that_of_all_of_them(
    log: list[Recorded], chosen: list[int]
) -> None:
    catalog = catalog_of(log)
    some = np.array([row for row in chosen if row < len(catalog)], np.int32)
    whole = catalog.importance(catalog.every_row(), START, Decay())
    assert catalog.importance(some, START, Decay()).tolist() == whole[some].tolist()
    live = catalog.in_condition(catalog.every_row(), "live")
    assert catalog.in_condition(some, "live").tolist() == live[some].tolist()


def test_a_memory_that_is_restored_fades_again() -> None:
    catalog, importance = Catalog(), list[float]()
    happened: tuple[events.Saved | events.Archived | events.Restored, ...] = (
        saved("The build runs on Fridays", importance=0.8),
        events.Archived(cause="request", importance=0.7),
        events.Restored(),
    )
    for number, event in enumerate(happened, 1):
        envelope = (number, STREAMS[0], number, event.NAME, 1, START, "manual", "default", "c")
        catalog.apply(Recorded(*envelope, None, None, event))
        importance += catalog.importance(
            catalog.every_row(), START + timedelta(days=75), Decay()
        ).tolist()
    assert importance == pytest.approx([0.4, 0.7, 0.4])


@settings(max_examples=50 * SOAK, deadline=None)
@given(logs())
def test_the_taxonomy_is_kept_up_from_event_to_event(log: list[Recorded]) -> None:
    catalog = Catalog()
    assert catalog.taxonomy() == {}
    for number, recorded in enumerate(log, 1):
        catalog.apply(recorded)
        filed = Counter(
            state.category or categories.GENERAL
            for state in folded(log[:number]).values()
            if state.condition == "live"
        )
        assert catalog.taxonomy() == filed


def test_an_empty_catalog_answers() -> None:
    catalog = Catalog()
    rows = catalog.every_row()
    assert rows.tolist() == []
    assert catalog.importance(rows, START, Decay()).tolist() == []
    assert catalog.taxonomy() == {}
    assert set(catalog.counts().values()) == {0}
    assert len(catalog) == 0
    assert STREAMS[0] not in catalog.rows
