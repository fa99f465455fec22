"""The index against the package it equals, and the laws that every projection obeys."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import pairwise
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from rank_bm25 import BM25Plus  # type: ignore[import-untyped]

from muniment.domain.memory import events as e
from muniment.domain.recorded import Recorded
from muniment.domain.words import query_terms, words
from muniment.projections.search_index import Matches, SearchIndex

AT = datetime(2028, 3, 1, tzinfo=UTC)
WORDS = [
    "relay", "relays", "runs", "the", "is", "pizza", "on", "Friday", "relay-ctl", "C++", "a_b.c",
    "café", "今日は", "끝말", "🎉", "deploy", "x", "🎉!",
]  # fmt: skip
IDS = ["m1", "m2", "m3", "m4", "m5"]

texts = st.lists(st.sampled_from(WORDS), max_size=8).map(" ".join)
tag_lists = st.lists(st.sampled_from(["ops", "relay-ctl", "the pizza"]), max_size=2).map(tuple)
categories = st.none() | st.sampled_from(["ops/relay", "user-preferences/food", "Friday"])


def saved(
    content: str = "",
    *,
    tags: tuple[str, ...] = (),
    category: str | None = None,
    archived: bool = False,
) -> e.Saved | e.Imported:
    if not archived:
        return e.Saved(
            content=content, tags=tags, category=category, importance=0.5, trust=3,
            source_type="user", store="semantic", chars=len(content),
        )  # fmt: skip
    return e.Imported(
        content=content, tags=tags, category=category, importance=0.5, trust=3,
        source_type="user", store="semantic", chars=len(content), format="x", created_at=AT,
        last_seen_at=AT, updated_at=AT, scored_at=AT, reinforcement_count=1, access_count=1,
        last_accessed_at=AT, archived_at=AT,
    )  # fmt: skip


def extended(addition: str, tags_added: tuple[str, ...] = ()) -> e.Extended:
    return e.Extended(
        addition=addition, tags_added=tags_added, importance=0.5, trust=3, source_type="user",
        chars=1,
    )  # fmt: skip


def reinforced(tags_added: tuple[str, ...], *, counted: bool) -> e.Reinforced:
    return e.Reinforced(
        tags_added=tags_added, counted=counted, importance=0.5, trust=3, source_type="user"
    )


changes: st.SearchStrategy[Any] = st.one_of(
    st.builds(
        saved, texts, tags=tag_lists, category=categories,
        archived=st.sampled_from([False, False, False, True]),
    ),
    st.builds(extended, texts, tag_lists),
    st.builds(reinforced, tag_lists, counted=st.booleans()),
    st.builds(e.Revised, content=texts, chars=st.just(1)),
    st.builds(e.Retagged, tags=tag_lists),
    st.builds(e.Recategorized, category=categories),
    st.just(e.Archived(cause="request", importance=0.5)),
    st.just(e.Restored()),
    st.just(e.Used()),
    st.none(),
)  # fmt: skip
logs = st.lists(st.tuples(st.sampled_from(IDS), changes), max_size=30).map(
    lambda pairs: [recorded(at, id_, event) for at, (id_, event) in enumerate(pairs, 1)]
)
queries = st.lists(st.sampled_from(WORDS), min_size=1, max_size=5).map(" ".join)


def recorded(position: int, stream: str, event: Any) -> Recorded:
    return Recorded(
        position=position, stream=stream, version=2, name="memory.x", schema=1, recorded_at=AT,
        actor="a", space="s", command_id="c", correlation_id=None, causation_id=None, event=event,
        fault=None if event is not None else "newer_release",
    )  # fmt: skip


@dataclass
class Memory:
    """A memory as the texts that it is searched by."""

    statements: list[str]
    tags: tuple[str, ...]
    category: str | None
    hidden: bool

    @property
    def texts(self) -> list[str]:
        category = (self.category or "").replace("/", " ").replace("-", " ")
        return [*self.statements, *self.tags, category]

    @property
    def tokens(self) -> list[str]:
        return [t for text in self.texts for part in words(text) for t in part]

    @property
    def neighbours(self) -> set[tuple[str, str]]:
        return {pair for text in self.texts for pair in pairwise(words(text).sequence)}


def folded(log: Iterable[Recorded]) -> dict[str, Memory]:
    """The memories of a log, by the shortest way."""
    found: dict[str, Memory] = {}
    for one in log:
        event, memory = one.event, found.get(one.stream)
        if memory is None:
            if isinstance(event, e.Saved | e.Imported):
                hidden = isinstance(event, e.Imported)
                found[one.stream] = Memory([event.content], event.tags, event.category, hidden)
            continue
        match event:
            case e.Extended():
                memory.statements.append(event.addition)
                memory.tags += event.tags_added
            case e.Reinforced(counted=True):
                memory.tags += event.tags_added
            case e.Revised():
                memory.statements = [event.content]
            case e.Retagged():
                memory.tags = event.tags
            case e.Recategorized():
                memory.category = event.category
            case e.Archived():
                memory.hidden = True
            case e.Restored():
                memory.hidden = False
            case _:
                pass
    return found


def kept(log: Iterable[Recorded], index: SearchIndex | None = None) -> SearchIndex:
    index = index or SearchIndex()
    for one in log:
        index.apply(one)
    return index


def by_id(index: SearchIndex, matches: Matches) -> dict[str, float]:
    return {
        index.ids[row]: score
        for row, score in zip(matches.rows.tolist(), matches.scores.tolist(), strict=True)
    }


def bm25(tokens: list[list[str]], terms: tuple[str, ...]) -> NDArray[np.float64]:
    package: Any = BM25Plus(tokens, k1=0.9, b=0.4, delta=0)
    scores: NDArray[np.float64] = package.get_scores(terms)
    return scores


def expected(log: list[Recorded], query: str, *, hidden: bool) -> dict[str, float]:
    """Ids and scores as the package has them, with the bonus for adjacent words."""
    wanted = query_terms(query)
    memories = {i: m for i, m in folded(log).items() if hidden or not m.hidden}
    tokens = [memory.tokens for memory in memories.values()]
    if not any(tokens):
        return {}
    scores = bm25(tokens, wanted.terms)
    return {
        id_: score * (1 + 0.2 * len(memory.neighbours & set(wanted.pairs)))
        for (id_, memory), score in zip(memories.items(), scores.tolist(), strict=True)
        if set(wanted.terms) & set(memory.tokens)
    }


class TestAgainstRankBM25:
    @settings(max_examples=300)
    @given(logs, queries, st.booleans(), st.sampled_from([1, 3, 4_096]))
    def test_it_finds_the_same_memories_with_the_same_scores(
        self, log: list[Recorded], query: str, hidden: bool, merge_at: int
    ) -> None:
        index = kept(log, SearchIndex(merge_at=merge_at))
        found = index.matches(query, limit=200, include_archived=hidden)
        assert by_id(index, found) == pytest.approx(expected(log, query, hidden=hidden), abs=1e-9)

    @given(logs, queries, st.booleans())
    def test_what_the_terms_contribute_adds_up(
        self, log: list[Recorded], query: str, hidden: bool
    ) -> None:
        index = kept(log)
        found = by_id(index, index.matches(query, limit=200, include_archived=hidden))
        memories, pairs = folded(log), set(query_terms(query).pairs)
        for id_, score in found.items():
            parts = index.explain(index.rows[id_], query, include_archived=hidden)
            bonus = 1 + 0.2 * len(memories[id_].neighbours & pairs)
            assert sum(part.score for part in parts) * bonus == pytest.approx(score, abs=1e-9)
            tokens = memories[id_].tokens
            assert [(part.term, part.tf) for part in parts] == [
                (term, tokens.count(term)) for term in query_terms(query).terms if term in tokens
            ]

    def test_of_many_ties_the_first_64_get_the_bonus(self) -> None:
        log = [recorded(n, f"m{n}", saved("the blue words " * (n % 7 + 1))) for n in range(1, 500)]
        index = kept(log, SearchIndex(merge_at=50))
        wanted = query_terms("blue words")
        tokens = [memory.tokens for memory in folded(log).values()]
        scores = bm25(tokens, wanted.terms)
        best = sorted(range(len(scores)), key=lambda row: (-scores[row], row))[:64]
        scores[best] *= 1.2
        found = index.matches("blue words", limit=1_000)
        order = np.argsort(found.rows)
        assert found.rows[order].tolist() == list(range(499))
        assert found.scores[order] == pytest.approx(scores, abs=1e-9)


class TestLaws:
    @settings(max_examples=200)
    @given(logs, queries, st.data())
    def test_rebuilt_from_zero_equals_kept_while_it_was_merged_and_searched(
        self, log: list[Recorded], query: str, data: st.DataObject
    ) -> None:
        index = SearchIndex(merge_at=data.draw(st.sampled_from([1, 2, 5])))
        for one in log:
            index.apply(one)
            if data.draw(st.booleans(), label="search"):
                index.matches("relay", limit=3)
        again = kept(log)
        assert index.ids == again.ids
        assert index.digest() == again.digest()
        for hidden in (False, True):
            found = index.matches(query, limit=200, include_archived=hidden)
            other = again.matches(query, limit=200, include_archived=hidden)
            assert by_id(index, found) == pytest.approx(by_id(again, other), abs=1e-12)
            assert sorted(found.rows[found.exact]) == sorted(other.rows[other.exact])

    @given(logs, queries)
    def test_an_event_applied_twice_counts_once(self, log: list[Recorded], query: str) -> None:
        index = SearchIndex()
        for one in log:
            index.apply(one)
            index.apply(one)
            kept(log[:1], index)
        again = kept(log)
        assert index.position == again.position == len(log)
        assert by_id(index, index.matches(query, limit=200)) == by_id(
            again, again.matches(query, limit=200)
        )


class TestLimit:
    @settings(max_examples=200)
    @given(
        st.lists(texts, min_size=1, max_size=40),
        queries,
        st.integers(1, 5),
        st.randoms(use_true_random=False),
        st.booleans(),
    )
    def test_what_is_left_out_can_not_be_among_the_best(
        self, contents: list[str], query: str, limit: int, random: Random, odd_only: bool
    ) -> None:
        log = [recorded(n, f"m{n}", saved(text)) for n, text in enumerate(contents, 1)]
        index = kept(log, SearchIndex(merge_at=7))
        keep: Callable[[NDArray[np.int32]], NDArray[np.bool_]] | None = None
        if odd_only:
            keep = odd
        factors = [random.uniform(0.5, 1) for _ in contents]
        every, some = (index.matches(query, limit=number, keep=keep) for number in (10_000, limit))
        assert best(some, factors)[:limit] == best(every, factors)[:limit]
        if odd_only:
            assert all(row % 2 for row in every.rows.tolist())


def odd(rows: NDArray[np.int32]) -> NDArray[np.bool_]:
    are_odd: NDArray[np.bool_] = rows % 2 == 1
    return are_odd


def best(matches: Matches, factors: list[float]) -> list[int]:
    ranks = matches.scores * np.array(factors)[matches.rows]
    order = np.lexsort((matches.rows, -ranks, ~matches.exact))
    rows: list[int] = matches.rows[order].tolist()
    return rows
