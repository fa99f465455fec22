"""What an export holds is what the store holds: brought in elsewhere, it is the same again."""

import json
import tempfile
from contextlib import suppress
from datetime import timedelta
from pathlib import Path
from typing import Any

from bdd import Clock
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from projection_answers import differing, of_similarity, store_of

import muniment
from muniment import Muniment, MunimentError, Source
from muniment.domain.memory.state import State

TEXTS = (
    "Server alpha stands in Lisbon",
    "Server alpha stands in Lisbon since 2019",
    "Server alpha stands in Porto",
    "Server bravo stands in Lisbon",
    "Zebra-7 is the relay\n\n- of Lisbon\n\u2028and Porto",
    "今日は Lisbon",
)
QUERIES = ("lisbon", "server alpha 2019", "zebra-7", "今日", "build")

_texts = st.sampled_from(TEXTS)
_number = st.integers(0, 20)
_saved = st.fixed_dictionaries(
    {
        "content": _texts,
        "category": st.sampled_from(["ci", "ci", "ci/linux", None, "feedback"]),
        "tags": st.lists(st.sampled_from(["build", "Größe", "a, b"]), max_size=2, unique=True),
        "importance": st.sampled_from([0.0, 0.05, 0.5, 0.9, 1.0]),
        "metadata": st.sampled_from([{}, {"k": "v", "a": ""}, {"subjectTime": "2026-03"}]),
        "store": st.sampled_from(["semantic", "semantic", "episodic", "procedural"]),
        "source": st.sampled_from(
            [None, "agent", Source(type="web", ref="https://example.org/?a"), Source(model="m-1")]
        ),
    }
)
_steps = st.lists(
    st.one_of(
        st.tuples(st.just("save"), _saved),
        st.tuples(st.just("save"), _saved),
        st.tuples(st.just("later"), st.integers(1, 200)),
        st.tuples(
            st.sampled_from(
                [
                    *("archive", "archive", "restore", "pin", "unpin", "mark_used"),
                    *("hold", "release_hold", "quarantine", "release"),
                ]
            ),
            _number,
        ),
        st.tuples(st.just("revise"), _number, _texts),
        st.tuples(st.just("rescore"), _number, st.sampled_from([0.1, 0.7])),
        st.tuples(st.just("recategorize"), _number, st.sampled_from([None, "people/x"])),
        st.tuples(st.just("retag"), _number, st.sampled_from([(), ("z", "y")])),
        st.tuples(st.just("supersede"), _number, _number),
        st.tuples(st.just("merge"), _number, _number),
        st.tuples(st.just("purge")),
        st.tuples(st.just("fold")),
    ),
    min_size=3,
    max_size=18,
)


def said(content: str, **fields: Any) -> tuple[str, dict[str, Any]]:
    return "save", {"content": content, "category": "ci", **fields}


EVERYTHING: list[tuple[Any, ...]] = [
    said(TEXTS[0], source=Source(type="web", ref="https://example.org/?a", session="s")),
    ("later", 2),
    said(TEXTS[1], tags=["x"]),  # it extends the first
    ("later", 2),
    said(TEXTS[3], category="people"),
    said(TEXTS[4], store="procedural", importance=0.9),
    said("The archive is in Faro", category="places"),
    said("The archive is in Braga", category="places"),
    said(TEXTS[5], category="feedback"),
    said(TEXTS[5], category="feedback"),
    ("hold", 0),
    ("merge", 1, 2),
    ("supersede", 3, 4),
    ("quarantine", 0),
    ("fold",),
    said("Rack 12 is full", category="racks"),
    ("archive", 8),
    ("later", 199),
    ("purge",),
    said("Rack 14 is full", category="racks"),
    ("revise", 9, "Rack 14 is empty"),
    ("mark_used", 9),
    ("pin", 9),
    ("supersede", 5, 4),
    said(TEXTS[0], category="people"),
    said(TEXTS[1], category="people"),
]
"""One of each that the random ones may miss."""


def act(m: Muniment, clock: Clock, step: tuple[Any, ...]) -> None:
    """Does one thing; what a rule refuses is left undone."""
    name, *given_ = step
    ids = list(dict.fromkeys(entry.stream for entry in m.log()))

    def one(number: int) -> str:
        return ids[number % len(ids)] if ids else "01980000-0000-7000-8000-000000000000"

    with suppress(MunimentError):
        match name:
            case "save":
                m.save(**given_[0])
            case "later":
                clock.advance(days=given_[0])
            case "archive" | "hold" | "quarantine":
                getattr(m, name)(one(given_[0]), 'for "reasons"\nof ours')
            case "merge":
                some = [one(number) for number in given_]
                m.merge(some, "\n\n".join(memory.content or "" for memory in m.get_many(some)))
            case "supersede":
                m.supersede(one(given_[0]), by=one(given_[1]))
            case "purge" | "fold":
                getattr(m, name)()
            case _:
                first, *others = given_
                getattr(m, name)(one(first), *others)


def states(m: Muniment) -> list[State]:
    """Every memory, oldest first, without where it lies in its log."""
    ids = [entry.stream for entry in m.log() if entry.version == 1]
    found = store_of(m).memories(ids)
    return [found[id_]._replace(position=0, version=0) for id_ in ids if id_ in found]


def answers(m: Muniment) -> list[Any]:
    """What searches and browses find, and how it scores."""
    return [
        [(hit.memory.id, hit.score, hit.memory.importance, hit.why) for hit in result.hits]
        + [result.taxonomy]
        for archived in (False, True)
        for query in (*QUERIES, None)
        for result in [m.search(query, limit=100, include_archived=archived, explain=True)]
    ]


def known(m: Muniment) -> dict[str, Any]:
    """What the duplicate check finds."""
    models = m._engine.models  # pyright: ignore[reportPrivateUsage]
    with models.lock:
        models.catch_up()
        return of_similarity(models.similarity(m.space), TEXTS, ("", "ci", "people", "racks"))


def without_provenance(path: Path) -> list[Any]:
    lines = [json.loads(line) for line in path.read_bytes().splitlines()]
    for line in lines:
        line.pop("provenance", None)
    return lines[1:-1]


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(_steps)
@example(EVERYTHING)
def test_what_was_exported_comes_in_as_what_it_was(steps: list[tuple[Any, ...]]) -> None:
    """Equal states, equal searches, and an export of its own that says the same."""
    clock = Clock()
    with (
        tempfile.TemporaryDirectory() as folder,
        muniment.open(":memory:", clock=clock) as m,
        muniment.open(":memory:", clock=clock) as other,
    ):
        for step in steps:
            act(m, clock, step)
        first, second = Path(folder) / "first", Path(folder) / "second"
        exported = m.export(first)
        report = other.import_from("native", first)
        assert (report.imported, report.skipped) == (exported.memories, [])
        assert states(other) == states(m)
        assert answers(other) == answers(m)
        assert known(other) == known(m)
        assert differing(other, TEXTS) == []
        assert other.export(second).memories == exported.memories
        assert without_provenance(second) == without_provenance(first)
        before = other.stats().head
        again = other.import_from("native", first)
        assert (again.imported, again.already_here) == (0, exported.memories)
        assert other.stats().head == before


_line = st.text(
    st.sampled_from("ab -*+#>`~_=1.)<!\t\u2028\u3000\r\"',[]Ü") | st.characters(codec="utf-8"),
    max_size=12,
)
_written = st.lists(
    _line
    | st.sampled_from(
        ["", "---", "# a", "- a", "```", "<!-- tags: a -->", "<!-- tags: -->", "1. a", "==="]
    ),
    min_size=1,
    max_size=6,
).map("\n".join)
_tag = st.text("ab -,[]>\"'ü-", min_size=1, max_size=6)
_category = st.sampled_from([None, "ci", "ci/linux", "Größe und Maß/a.b", ".../_", "a" * 64])


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(st.tuples(_written, _category, st.lists(_tag, max_size=3)), max_size=6))
def test_markdown_is_read_back_as_what_it_was(
    memories: list[tuple[str, str | None, list[str]]],
) -> None:
    """The same contents, categories and tags, whatever Markdown the contents look like."""
    with (
        tempfile.TemporaryDirectory() as folder,
        muniment.open(":memory:", settings={"memory": {"dedupe_enabled": False}}) as m,
        muniment.open(":memory:") as other,
    ):
        for content, category, tags in memories:
            with suppress(MunimentError):
                m.save(content, category=category, tags=tags)
        path = Path(folder) / "memories.md"
        exported = m.export(path, format="markdown")
        report = other.import_from("markdown", path)
        assert (report.imported, report.skipped) == (exported.memories, [])
        assert told(other) == told(m)
        assert other.import_from("markdown", path).already_here == exported.memories


def told(m: Muniment) -> list[Any]:
    return sorted(
        (memory.content or "", memory.category or "", memory.tags)
        for hit in m.search(limit=200).hits
        for memory in [hit.memory]
    )


def test_time_passes_for_what_was_brought_in_as_for_what_was_not(tmp_path: Path) -> None:
    clock = Clock()
    with (
        muniment.open(":memory:", clock=clock) as m,
        muniment.open(":memory:", clock=clock) as other,
    ):
        id_ = m.save(TEXTS[0], importance=0.9).id
        clock.advance(days=60)
        m.export(tmp_path / "export")
        other.import_from("native", tmp_path / "export")
        for _ in range(4):
            assert other.get(id_).importance == m.get(id_).importance
            assert other.get(id_).relevance == m.get(id_).relevance
            clock.now += timedelta(days=30)


def test_the_example_of_everything_is_one() -> None:
    clock = Clock()
    with muniment.open(":memory:", clock=clock) as m:
        for step in EVERYTHING:
            act(m, clock, step)
        every = states(m)
    assert {state.condition for state in every} == {
        "live",
        "archived",
        "superseded",
        "quarantined",
        "purged",
    }
    assert max(len(state.statements) for state in every) > 1
    for field in ("held", "merged_into", "merged_from", "superseded_by", "pinned"):
        assert any(getattr(state, field) for state in every), field
    assert max(state.text_version for state in every) > 1
    assert max(state.access_count for state in every) > 1
