"""The laws that every projection obeys, by what it answers, over logs made up at random.

Rebuilt from zero equals kept incrementally; an event applied twice equals once; the position is
that of the newest event that was seen.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from log_backends import SOAK
from projection_answers import (
    of_catalog,
    of_facets,
    of_past_index,
    of_provenance,
    of_recall_log,
    of_search_index,
    of_similarity,
)
from random_logs import TEXTS, logs

from muniment.domain.duplicates import form
from muniment.domain.recorded import Recorded
from muniment.log.read_models import Projection
from muniment.projections.catalog import Catalog
from muniment.projections.facets import Facets
from muniment.projections.past_index import PastIndex
from muniment.projections.provenance import Provenance
from muniment.projections.recall_log import RecallLog
from muniment.projections.search_index import SearchIndex
from muniment.projections.similarity import Similarity

EXAMPLES = 25 * SOAK


@dataclass(frozen=True)
class Kind:
    """A projection: how it is made, and what it answers."""

    make: Callable[[], Any]
    answers: Callable[[Any], dict[str, Any]]


KINDS = {
    "recall log": Kind(RecallLog, of_recall_log),
    "provenance": Kind(Provenance, of_provenance),
    "catalog": Kind(Catalog, of_catalog),
    "search index": Kind(SearchIndex, of_search_index),
    "search index that merges often": Kind(lambda: SearchIndex(merge_at=2), of_search_index),
    "facets": Kind(Facets, of_facets),
    "past index that merges often": Kind(lambda: PastIndex(merge_at=2), of_past_index),
    "similarity": Kind(lambda: Similarity(form), lambda it: of_similarity(it, TEXTS)),
    "similarity that packs often": Kind(
        lambda: Similarity(form, repack_at=2), lambda it: of_similarity(it, TEXTS)
    ),
}


@pytest.fixture(params=KINDS)
def kind(request: pytest.FixtureRequest) -> Kind:
    return KINDS[request.param]


def folded(kind: Kind, log: Sequence[Recorded]) -> Any:
    projection: Projection = kind.make()
    for recorded in log:
        projection.apply(recorded)
    return projection


def test_rebuilt_from_zero_equals_kept_while_it_was_asked(kind: Kind) -> None:
    @settings(max_examples=EXAMPLES, deadline=None)
    @given(logs(), st.sets(st.integers(0, 30)))
    def law(log: list[Recorded], asked_at: set[int]) -> None:
        kept = kind.make()
        for number, recorded in enumerate(log):
            kept.apply(recorded)
            if number in asked_at:
                assert kind.answers(kept) == kind.answers(folded(kind, log[: number + 1]))
        assert kind.answers(kept) == kind.answers(folded(kind, log))

    law()


def test_an_event_that_is_applied_again_changes_nothing(kind: Kind) -> None:
    @settings(max_examples=EXAMPLES, deadline=None)
    @given(logs(), st.data())
    def law(log: list[Recorded], data: st.DataObject) -> None:
        twice = kind.make()
        for number, recorded in enumerate(log):
            twice.apply(recorded)
            for back in data.draw(st.lists(st.integers(0, number), max_size=2)):
                twice.apply(log[back])
        assert kind.answers(twice) == kind.answers(folded(kind, log))
        assert twice.position == (log[-1].position if log else 0)

    law()


def test_the_position_is_that_of_the_newest_event_whatever_it_means(kind: Kind) -> None:
    @settings(max_examples=EXAMPLES, deadline=None)
    @given(logs())
    def law(log: list[Recorded]) -> None:
        projection = kind.make()
        assert projection.position == 0
        for recorded in log:
            projection.apply(recorded)
            assert projection.position == recorded.position

    law()


def test_asking_changes_no_answer(kind: Kind) -> None:
    @settings(max_examples=EXAMPLES // 2, deadline=None)
    @given(logs())
    def law(log: list[Recorded]) -> None:
        projection = folded(kind, log)
        assert kind.answers(projection) == kind.answers(projection)

    law()
