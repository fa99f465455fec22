"""What a projection is put away as: all that it holds, taken from again, and not a word more."""

import json
import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from log_backends import SOAK
from making import START, extended, saved
from projection_answers import (
    of_catalog,
    of_facets,
    of_past_index,
    of_provenance,
    of_recall_log,
    of_search_index,
    of_similarity,
)
from random_logs import STREAMS, TEXTS, logs

from muniment.domain import recall
from muniment.domain.duplicates import form
from muniment.domain.memory import events as e
from muniment.domain.recorded import Recorded
from muniment.projections import parts as parts_of
from muniment.projections.catalog import Catalog
from muniment.projections.facets import Facets
from muniment.projections.parts import Parts, Unfit
from muniment.projections.past_index import PastIndex
from muniment.projections.provenance import Provenance
from muniment.projections.recall_log import RecallLog
from muniment.projections.search_index import SearchIndex
from muniment.projections.similarity import Similarity

EXAMPLES = 25 * SOAK
RECALLS = "01980000-0000-7000-a000-000000000000"
IDS = [f"01980000-0000-7000-9000-{number:012x}" for number in range(4)]


@dataclass(frozen=True)
class Kind:
    """A projection: how it is made, empty and from parts, and what it answers."""

    make: Callable[[], Any]
    load: Callable[[Parts], Any]
    answers: Callable[[Any], dict[str, Any]]


def similarity_answers(similarity: Similarity) -> dict[str, Any]:
    return of_similarity(similarity, TEXTS)


KINDS = {
    "recall log": Kind(RecallLog, RecallLog.load, of_recall_log),
    "provenance": Kind(Provenance, Provenance.load, of_provenance),
    "catalog": Kind(Catalog, Catalog.load, of_catalog),
    "search index": Kind(SearchIndex, SearchIndex.load, of_search_index),
    "search index that merges often": Kind(
        lambda: SearchIndex(merge_at=2),
        lambda parts: SearchIndex.load(parts, merge_at=2),
        of_search_index,
    ),
    "facets": Kind(Facets, Facets.load, of_facets),
    "past index": Kind(PastIndex, PastIndex.load, of_past_index),
    "past index that merges often": Kind(
        lambda: PastIndex(merge_at=2),
        lambda parts: PastIndex.load(parts, merge_at=2),
        of_past_index,
    ),
    "similarity": Kind(
        lambda: Similarity(form), lambda parts: Similarity.load(parts, form), similarity_answers
    ),
    "similarity that packs often": Kind(
        lambda: Similarity(form, repack_at=2),
        lambda parts: Similarity.load(parts, form, repack_at=2),
        similarity_answers,
    ),
}


OF_THE_PAST = {"facets", "past index", "past index that merges often"}
"""Those that keep what was replaced, until it is purged."""


@pytest.fixture(params=KINDS)
def kind(request: pytest.FixtureRequest) -> Kind:
    return KINDS[request.param]


def folded(kind: Kind, log: Sequence[Recorded], begun: Any = None) -> Any:
    projection = kind.make() if begun is None else begun
    for recorded in log:
        projection.apply(recorded)
    return projection


def purges(log: list[Recorded], purged: list[str]) -> list[Recorded]:
    """The log, and after it that some memories are to be purged."""
    position = log[-1].position if log else 0
    known = {recorded.stream for recorded in log}
    request = e.PurgeRequested(
        basis="erasure", importance=0.5, reinforcement_count=1, policy="request"
    )
    return log + [
        recorded(position + number, stream, request)
        for number, stream in enumerate(purged, 1)
        if stream in known
    ]


def recorded(position: int, stream: str, event: Any) -> Recorded:
    return Recorded(
        position, stream, 99, event.NAME, 1, START, "manual", "default", "c", None, None, event
    )


def written(parts: Parts) -> bytes:
    """Every byte of some parts."""
    return b"\0".join(
        part.tobytes()
        if isinstance(part, np.ndarray)
        else part
        if isinstance(part, bytes)
        else json.dumps(part, ensure_ascii=False).encode("utf-8", "surrogatepass")
        for part in parts.values()
    )


# taken from again


def test_what_is_taken_from_parts_equals_what_was_put_away(kind: Kind) -> None:
    @settings(max_examples=EXAMPLES, deadline=None)
    @given(logs(), st.lists(st.sampled_from(STREAMS), max_size=2))
    def law(log: list[Recorded], purged: list[str]) -> None:
        put_away = folded(kind, purges(log, purged))
        before = put_away.digest()
        taken = kind.load(put_away.dump())
        assert taken.digest() == before == put_away.digest()
        assert taken.position == put_away.position
        assert kind.answers(taken) == kind.answers(put_away)

    law()


def test_both_go_on_alike_and_as_one_that_was_never_put_away(kind: Kind) -> None:
    @settings(max_examples=EXAMPLES, deadline=None)
    @given(logs(), st.integers(0, 30), st.integers(0, 30))
    def law(log: list[Recorded], first: int, second: int) -> None:
        put_away = folded(kind, log[:first])
        taken = kind.load(put_away.dump())
        again = kind.load(folded(kind, log[first : first + second], taken).dump())
        all_ways = [
            folded(kind, log),
            folded(kind, log[first:], put_away),
            folded(kind, log[first + second :], again),
        ]
        plain, *others = (kind.answers(one) for one in all_ways)
        assert others == [plain, plain]
        assert all_ways[0].position == all_ways[1].position == all_ways[2].position

    law()


def test_one_that_was_put_away_equals_one_made_anew_from_the_log(kind: Kind) -> None:
    @settings(max_examples=EXAMPLES, deadline=None)
    @given(logs(), st.integers(0, 30))
    def law(log: list[Recorded], first: int) -> None:
        taken = folded(kind, log[first:], kind.load(folded(kind, log[:first]).dump()))
        assert taken.digest() == folded(kind, log, taken.anew()).digest()

    law()


def test_putting_away_again_changes_nothing(kind: Kind) -> None:
    @settings(max_examples=EXAMPLES // 2, deadline=None)
    @given(logs())
    def law(log: list[Recorded]) -> None:
        projection = folded(kind, log)
        assert written(projection.dump()) == written(projection.dump())

    law()


def test_what_was_taken_is_not_tied_to_the_parts(kind: Kind) -> None:
    log = [recorded(n, IDS[n - 1], saved(text)) for n, text in enumerate(TEXTS[:3], 1)]
    projection = folded(kind, log)
    parts = projection.dump()
    before = written(parts)
    taken = kind.load(parts)
    later = [
        recorded(4, IDS[0], e.Revised(content=TEXTS[3], chars=1)),
        recorded(5, IDS[1], e.Archived(cause="request", importance=0.1)),
        recorded(6, IDS[3], saved(TEXTS[4])),
    ]
    folded(kind, later, taken)
    folded(kind, later, projection)
    assert written(parts) == before


def test_many_memories_are_taken_again_whatever_was_packed_before() -> None:
    log = [
        recorded(number, f"01980000-0000-7000-8000-{number:012x}", saved(f"The part {number} runs"))
        for number in range(1, 3_001)
    ]
    for kind in KINDS.values():
        projection = folded(kind, log)
        taken = kind.load(projection.dump())
        assert taken.digest() == projection.digest() == folded(kind, log).digest()


# not a word more

CANARY = "Quetzalcoatlus"
LOWER = CANARY.lower()


def canary_log() -> list[Recorded]:
    words = saved(
        f"{CANARY} nests in {LOWER}-9 on Fridays",
        category=f"{LOWER}/caves",
        tags=(LOWER,),
        metadata={"subjectTime": "2026-03-15", "subjectTimeNote": CANARY},
        source_ref=f"https://example.org/{LOWER}",
        source_session=LOWER,
    )
    recalls = (recall.Recall(at=START, memories=(IDS[0],), versions=(1,), scores=(1.0,)),)
    recalled = recall.Recalled(recalls=recalls, session=LOWER, queries=(CANARY,))
    return [
        recorded(1, IDS[0], words),
        recorded(2, IDS[1], saved("The build runs on Fridays", category="ci", tags=("ops",))),
        recorded(3, IDS[0], extended(f"{CANARY} sleeps")),
        recorded(4, IDS[0], e.Revised(content=f"The {CANARY} flew", chars=1)),
        recorded(5, IDS[0], e.Recategorized(category=f"{LOWER}-b")),
        recorded(6, IDS[0], e.Retagged(tags=(f"{LOWER}-c",))),
        recorded(7, RECALLS, recalled),
    ]


def purged_of_words(log: list[Recorded]) -> list[Recorded]:
    """The log, and after it that all that has the canary is to be purged."""
    asked = recall.PurgeRequested(newest_at=START, retention_days=1.0)
    return [*purges(log, [IDS[0]]), recorded(log[-1].position + 2, RECALLS, asked)]


def test_what_is_there_is_put_away(kind: Kind) -> None:
    assert LOWER[:8].encode() in written(folded(kind, canary_log()).dump()).lower()


@pytest.mark.parametrize("archived", [False, True])
@pytest.mark.parametrize("again", [False, True])
def test_of_a_purged_memory_no_word_is_put_away(kind: Kind, archived: bool, again: bool) -> None:
    projection = folded(kind, canary_log())
    if archived:
        archive = e.Archived(cause="request", importance=0.1)
        projection.apply(recorded(8, IDS[0], archive))
    if again:  # put away before, while the words were still there
        projection = kind.load(projection.dump())
    after = purged_of_words(canary_log())[-2:]
    folded(kind, [one._replace(position=one.position + 1) for one in after], projection)
    found = written(projection.dump()).lower()
    assert LOWER[:8].encode() not in found
    assert b"2026-03-15" not in found
    assert kind.answers(kind.load(projection.dump())) == kind.answers(projection)


def test_words_that_were_replaced_are_not_put_away() -> None:
    log = [
        recorded(1, IDS[0], saved(f"{CANARY} nests", category=LOWER, tags=(LOWER,))),
        recorded(2, IDS[0], e.Revised(content="The heron nests", chars=1)),
        recorded(3, IDS[0], e.Recategorized(category="birds")),
        recorded(4, IDS[0], e.Retagged(tags=("bird",))),
    ]
    for name, kind in KINDS.items():
        found = LOWER[:8].encode() in written(folded(kind, log).dump()).lower()
        assert found == (name in OF_THE_PAST)


def test_a_word_comes_again_after_it_was_left_out(kind: Kind) -> None:
    log = purged_of_words(canary_log())
    taken = kind.load(folded(kind, log).dump())
    again = saved(f"{CANARY} nests", category=f"{LOWER}/caves", source_session=LOWER)
    later = [recorded(10, IDS[2], again)]
    plain = folded(kind, log + later)
    folded(kind, later, taken)
    assert kind.answers(taken) == kind.answers(plain)
    assert taken.digest() == folded(kind, log + later, taken.anew()).digest()


# parts that do not fit


def test_parts_of_another_projection_or_without_one_of_them_do_not_fit(kind: Kind) -> None:
    parts = folded(kind, canary_log()).dump()
    for name in parts:
        with pytest.raises(Unfit):
            kind.load({other: part for other, part in parts.items() if other != name})
        with pytest.raises(Unfit):
            kind.load({**parts, name: None})
    with pytest.raises(Unfit):
        kind.load({})


def test_arrays_of_another_dtype_or_shape_do_not_fit() -> None:
    parts: Parts = {"a": np.zeros(4, np.int32), "b": np.zeros((2, 2), np.int32)}
    assert parts_of.array(parts, "a", np.int32).tolist() == [0, 0, 0, 0]
    for name, dtype in (("a", np.int64), ("b", np.int32), ("c", np.int32)):
        with pytest.raises(Unfit):
            parts_of.array(parts, name, dtype)


@given(st.lists(st.uuids().map(str) | st.text(max_size=40), max_size=5))
def test_ids_are_taken_as_they_were_put_away(ids: list[str]) -> None:
    assert parts_of.ids({"ids": parts_of.packed_ids(ids)}, "ids") == ids


def test_ids_that_are_uuids_take_16_bytes_each() -> None:
    ids = [str(uuid.UUID(int=number << 64 | number)) for number in range(1_000)]
    packed = parts_of.packed_ids(ids)
    assert isinstance(packed, bytes)
    assert len(packed) == 16_000
    with pytest.raises(Unfit):
        parts_of.ids({"ids": packed[:-1]}, "ids")
