"""What the read models of the past say of a position: what those of the present said there."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from log_backends import SOAK
from numpy.typing import NDArray
from projection_answers import of_catalog, of_search_index
from random_logs import START, STREAMS, logs

from muniment.domain.memory import events as e
from muniment.domain.recorded import Recorded
from muniment.log import codec
from muniment.projections.catalog import Catalog
from muniment.projections.facets import Facets
from muniment.projections.past_index import PastIndex
from muniment.projections.periods import NONE, Periods
from muniment.projections.search_index import Rows, SearchIndex

EXAMPLES = 60 * SOAK
QUERIES = ["build friday", "server Lisbon", "alpha-7", "ops"]


def folded(projection: Any, log: list[Recorded]) -> Any:
    for recorded in log:
        projection.apply(recorded)
    return projection


def purge_requests(log: list[Recorded], streams: list[str]) -> list[Recorded]:
    last = log[-1].position if log else 0
    event = e.PurgeRequested(
        basis="erasure", importance=0.5, reinforcement_count=1, policy="request"
    )
    return [
        Recorded(
            last + number, stream, 99, event.NAME, 1, START, "manual", "default", "c", None, None,
            event,
        )
        for number, stream in enumerate(streams, 1)
        if any(recorded.stream == stream for recorded in log)
    ]  # fmt: skip


def blanked(log: list[Recorded], streams: list[str]) -> list[Recorded]:
    """The log as it reads once the keys of some streams are destroyed."""
    return [
        recorded._replace(event=without_words(recorded.event), fault="key_missing")
        if recorded.stream in streams and recorded.event is not None
        else recorded
        for recorded in log
    ]


def before(log: list[Recorded], purged: list[str], position: int) -> list[Recorded]:
    return [one for one in blanked(log, purged) if one.position <= position]


def without_words(event: Any) -> Any:
    name, schema = codec.stored_name(event)
    return codec.decode(name, schema, codec.encode(event)[0], None)


purged_streams = st.lists(st.sampled_from(STREAMS), max_size=1)


@settings(max_examples=EXAMPLES, deadline=None)
@given(logs(), purged_streams, st.integers(0, 100))
def test_the_catalog_at_a_position_is_that_of_then_with_purged_words_blank(
    log: list[Recorded], purged: list[str], position: int
) -> None:
    then = before(log, purged, position)
    facets = folded(Facets(), log + purge_requests(log, purged))
    found = of_catalog(facets.at(then[-1].position if then else 0))
    expected = of_catalog(folded(Catalog(), then))
    found.pop("rows")  # they number later memories besides
    expected.pop("rows")
    assert found == expected


@settings(max_examples=EXAMPLES, deadline=None)
@given(logs(), purged_streams, st.integers(0, 100), st.sampled_from([1, 3, 4_096]), st.booleans())
def test_the_index_at_a_position_finds_what_was_found_then_with_purged_words_blank(
    log: list[Recorded], purged: list[str], position: int, merge_at: int, again: bool
) -> None:
    then = before(log, purged, position)
    past = folded(PastIndex(merge_at=merge_at), log + purge_requests(log, purged))
    if again:
        past = PastIndex.load(past.dump(), merge_at=merge_at)
    catalog = folded(Catalog(), then)
    live = catalog.in_condition(catalog.every_row(), "live")
    found = of_search_index(past.at(then[-1].position if then else 0, live), QUERIES)
    expected = of_search_index(folded(SearchIndex(), then), QUERIES)
    for query, hits in expected.items():
        if query not in ("ids", "rows"):
            assert found[query] == hits


@settings(max_examples=EXAMPLES, deadline=None)
@given(logs(), st.sampled_from(STREAMS))
def test_after_a_purge_the_past_is_what_it_is_when_made_anew_without_the_words(
    log: list[Recorded], purged: str
) -> None:
    requests = purge_requests(log, [purged])
    for make in (Facets, PastIndex):
        kept = folded(make(), log + requests)
        assert kept.digest() == folded(make(), blanked(log, [purged]) + requests).digest()


def test_an_explanation_is_of_the_text_of_then() -> None:
    log = [
        at(1, e.Saved(content="The relay relay runs", **WORTH)),
        at(2, e.Revised(content="The pump runs", chars=1)),
    ]
    past = folded(PastIndex(), log)
    live = np.array([True])
    then, now = past.at(1, live), past.at(2, live)
    assert [(part.term, part.df, part.tf) for part in then.explain(0, "relay pump")] == [
        ("relay", 1, 2)
    ]
    assert [part.term for part in now.explain(0, "relay pump")] == ["pump"]


def test_words_that_were_purged_since_find_nothing_though_the_memory_counts() -> None:
    log = [at(1, e.Saved(content="The relay runs", **WORTH))]
    other = at(2, e.Saved(content="The pump runs", **WORTH))._replace(stream=STREAMS[1])
    past = folded(PastIndex(), [*log, other])
    live = np.array([True, True])
    before = past.at(2, live).matches("relay", limit=3)
    assert before.rows.tolist() == [0]
    folded(past, purge_requests([*log, other], [STREAMS[0]]))
    then = past.at(2, live)
    assert then.matches("relay", limit=3).rows.tolist() == []
    # ln((N + 1) / df) with both counted, one of them without terms
    (part,) = then.explain(1, "pump")
    blank = log[0]._replace(event=e.Saved(**WORTH))
    assert part.score == folded(SearchIndex(), [blank, other]).explain(1, "pump")[0].score


def test_a_filter_is_asked_about_no_memory_that_came_later() -> None:
    log = [
        at(number, e.Saved(content="The relay runs", **WORTH))._replace(stream=stream)
        for number, stream in enumerate(STREAMS, 1)
    ]
    asked: list[int] = []

    def keep(rows: Rows) -> NDArray[np.bool_]:
        asked.extend(rows.tolist())
        return np.ones(len(rows), np.bool_)

    folded(PastIndex(), log).at(2, np.array([True, True])).matches("relay", limit=3, keep=keep)
    assert asked == [0, 1]


WORTH: dict[str, Any] = {
    "importance": 0.5, "trust": 3, "source_type": "user", "store": "semantic", "chars": 1,
}  # fmt: skip


def at(position: int, event: Any) -> Recorded:
    return Recorded(
        position, STREAMS[0], position, event.NAME, 1, START, "manual", "default", "c", None, None,
        event,
    )  # fmt: skip


def test_what_changes_nothing_that_filters_or_ranks_makes_no_facet() -> None:
    log = [at(1, e.Saved(content="The relay runs", **WORTH))]
    once = folded(Facets(), log).dump()
    quiet = [at(2, e.Used()), at(3, e.Held()), at(4, e.Pinned()), at(5, e.Pinned())]
    facets = folded(Facets(), log + quiet)
    assert len(once["periods.rows"]) == 1
    assert facets.dump()["periods.since"].tolist() == [1, 4]


class TestPeriods:
    def test_the_last_entry_that_had_begun_stands(self) -> None:
        periods = Periods()
        for row, since in ((0, 1), (1, 2), (0, 5), (2, 5), (0, 9)):
            periods.add(row, since)
        standing = {at: periods.at(at, 3).tolist() for at in (0, 1, 4, 5, 9)}
        assert standing == {
            0: [NONE, NONE, NONE],
            1: [0, NONE, NONE],
            4: [0, 1, NONE],
            5: [2, 1, 3],
            9: [4, 1, 3],
        }
        assert list(periods.of(0)) == [4, 2, 0]

    @given(st.lists(st.integers(0, 4), max_size=20), st.data())
    def test_one_that_was_put_away_or_thinned_out_links_as_one_that_grew(
        self, rows: list[int], data: st.DataObject
    ) -> None:
        grown = Periods()
        for since, row in enumerate(rows):
            grown.add(row, since)
        taken = Periods.load(grown.dump())
        kept = np.array(data.draw(st.lists(st.booleans(), min_size=len(rows), max_size=len(rows))))
        fewer = Periods()
        for since, row in enumerate(rows):
            if kept[since]:
                fewer.add(row, since)
        thinned = Periods.load(grown.dump())
        thinned.drop(kept.astype(bool))
        for one, other in ((taken, grown), (thinned, fewer)):
            assert one.before.tolist() == other.before.tolist()
            assert [list(one.of(row)) for row in range(5)] == [
                list(other.of(row)) for row in range(5)
            ]


@pytest.mark.parametrize("make", [Facets, PastIndex])
def test_an_empty_past_has_nothing_at_any_position(make: Any) -> None:
    assert make.load(make().dump()).digest() == make().digest()
    assert len(Facets().at(7)) == 0
    assert PastIndex().at(7, np.zeros(0, np.bool_)).matches("relay", limit=3).rows.tolist() == []
