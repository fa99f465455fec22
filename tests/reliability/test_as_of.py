"""The law of time travel: as of a moment equals a store rebuilt from the events up to there.

Words that were purged since are blank in both. Any order of saves, edits, retirements and purges;
keyword, regular expression and browse, under today's settings.
"""

import shutil
import tempfile
from collections.abc import Callable
from dataclasses import asdict
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from bdd import Clock
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from log_backends import SOAK
from rebuilding import rebuilt

import muniment
from muniment import Memory, Muniment, MunimentError

EXAMPLES = 12 * SOAK

TEXTS = (
    "Server alpha stands in Lisbon",
    "Server alpha stands in Lisbon since 2019",
    "Server alpha stands in Porto",
    "Relay-7 runs on Fridays",
    "The relay runs on Monday at 9",
    "今日は Lisbon",
)
QUERIES: tuple[dict[str, Any], ...] = (
    {},
    {"limit": 2},
    {"include_archived": True},
    {"category": "ci"},
    {"tags": ["b"]},
    {"min_trust": 2},
    {"subject_from": "2026-03-01T00:00:00Z"},
    {"subject_to": "2026-02-01T00:00:00Z"},
    {"query": "server lisbon"},
    {"query": "relay runs", "limit": 1},
    {"query": "server stands porto", "include_archived": True},
    {"query": "relay-7"},
    {"query": "ops b 今日は", "category": "ops"},
    {"query": "s[eh]rver|relay", "mode": "regex"},
    {"query": "^ci/", "mode": "regex", "include_archived": True},
)

Step = Callable[[Muniment, list[str]], object]

texts = st.sampled_from(TEXTS)
tags = st.lists(st.sampled_from(["a", "b", "c"]), max_size=2, unique=True)
categories = st.sampled_from([None, "ci", "ci/linux", "ops"])
worth = st.sampled_from([0.0, 0.3, 0.5, 1.0])
times = st.sampled_from([None, "2026", "2026-01-15", "2026-06-01"])


@st.composite
def steps(draw: st.DrawFn) -> Step:
    """Something that somebody does; a rule that refuses it makes it nothing."""
    kind = draw(st.sampled_from(["save", "save", "save", "edit", "edit", "edit", "retire", "join"]))
    pick = draw(st.integers(0, 20))
    if kind == "save":
        told = draw(times)
        given_: dict[str, Any] = {
            "content": draw(texts),
            "category": draw(categories),
            "tags": draw(tags),
            "importance": draw(worth),
            "metadata": None if told is None else {"subjectTime": told},
            "source": draw(st.sampled_from([None, "user", "web"])),
        }
        return lambda m, _: m.save(**given_)
    name, *rest = draw(
        st.one_of(
            st.tuples(st.just("revise"), texts),
            st.tuples(st.just("retag"), tags),
            st.tuples(st.just("recategorize"), categories),
            st.tuples(st.just("rescore"), worth),
            st.tuples(st.just("describe"), times.map(lambda t: {"subjectTime": t} if t else {})),
            st.sampled_from([("pin",), ("unpin",), ("mark_used",)]),
        )
        if kind == "edit"
        else st.sampled_from(
            [("archive", "over"), ("restore",), ("quarantine", "odd"), ("release",), ("hold", "x")]
        )
        if kind == "retire"
        else st.sampled_from([("merge",), ("supersede",), ("fold",)])
    )

    def step(m: Muniment, ids: list[str]) -> object:
        if name == "fold":
            return m.fold()
        if not ids:
            return None
        one, other = ids[pick % len(ids)], ids[(pick + 1) % len(ids)]
        if name == "supersede":
            return m.supersede(one, other)
        if name == "merge":
            both = [m.get(one), m.get(other)]
            return m.merge([one, other], "\n".join(memory.content or "" for memory in both))
        return getattr(m, name)(one, *rest)

    return step


def lived(m: Muniment, clock: Clock, story: list[tuple[Step, int]], purged_at: int) -> list[str]:
    """The ids of a life: steps with days between them, and a purge of all that is old by then."""
    ids: list[str] = []
    for number, (step, days) in enumerate(story):
        try:
            done = step(m, ids)
        except MunimentError:
            done = None
        ids += [id_ for id_ in [getattr(done, "id", None)] if id_ is not None and id_ not in ids]
        clock.now += timedelta(days=days, seconds=number)
        if number == purged_at:
            clock.now += timedelta(days=91)
            m.purge()
    return ids


FACTS = (
    "id", "store", "importance", "base_importance", "created_at", "last_seen_at", "updated_at",
    "reinforcement_count", "access_count", "last_accessed_at", "relevance", "pinned", "trust",
    "state", "archived_at", "merged_into", "merged_from", "version", "position", "superseded_by",
    "held",
)  # fmt: skip


def told(memory: Memory, wordless: set[str]) -> dict[str, Any]:
    """What is compared of a memory: of one without words, in whichever way, the facts."""
    told = asdict(memory)
    if memory.id in wordless:
        assert memory.fault == "key_missing" or memory.content is None
        return {name: told[name] for name in FACTS}
    return told


def scores(m: Muniment) -> dict[str, float]:
    return {
        f"{query} {hit.memory.id}": hit.score for query in QUERIES for hit in m.search(**query).hits
    }


def answers(m: Muniment, ids: list[str], wordless: set[str]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for query in QUERIES:
        result = m.search(**query)
        found[str(query)] = [
            [told(hit.memory, wordless) for hit in result.hits],
            result.taxonomy,
            result.message,
            result.cursor,
        ]
        if result.cursor is not None:
            page = m.search(**query, cursor=result.cursor)
            found[f"{query} on"] = [hit.memory.id for hit in page.hits]
    for id_ in ids:
        try:
            found[id_] = (
                told(m.get(id_), wordless),
                [
                    (entry.position, entry.version, entry.name, entry.actor)
                    for entry in m.history(id_)
                ],
            )
        except muniment.NotFound as error:
            found[id_] = error.code
    stats = m.stats()
    found["stats"] = stats.memories, stats.categories, stats.head
    found["log"] = [(entry.position, entry.name) for entry in m.log(space="*")]
    found["invariants"] = m.prove_invariants()
    return found


@settings(
    max_examples=EXAMPLES,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
    print_blob=True,
)
@given(
    st.lists(st.tuples(steps(), st.sampled_from([0, 0, 1, 20, 50])), min_size=4, max_size=16),
    st.integers(0, 20),
    st.floats(0, 1),
    st.booleans(),
)
def test_as_of_a_moment_equals_a_store_rebuilt_from_what_had_happened_by_then(
    story: list[tuple[Step, int]], purged_at: int, share: float, by_time: bool
) -> None:
    folder = Path(tempfile.mkdtemp())
    clock = Clock()
    try:
        with muniment.open(folder / "log", clock=clock) as m:
            ids = lived(m, clock, story, purged_at)
            entries = list(m.log())
            if not entries:
                return
            wordless = {entry.stream for entry in entries if entry.name == "memory.purged"}
            entry = entries[round(share * (len(entries) - 1))]
            when: datetime | int = entry.position
            if by_time:
                when = entry.recorded_at + timedelta(hours=1)
            past = m.as_of(when)
            assert past.point is not None
            found, ranked = answers(past, ids, wordless), scores(past)
            position, now = past.point.position, past.point.at
        with rebuilt(folder / "log", folder / "then", position, now) as then:
            expected, scored = answers(then, ids, wordless), scores(then)
        assert ranked == pytest.approx(scored, abs=1e-9)
        for question, answer in expected.items():
            assert found[question] == answer, question
        assert found.keys() == expected.keys()
    finally:
        shutil.rmtree(folder)
