"""Logs made up at random: any events in any order, as no decision would write them too."""

from datetime import UTC, datetime, timedelta
from typing import Any

from hypothesis import strategies as st

from muniment.domain.clock import Skewed
from muniment.domain.memory import events as e
from muniment.domain.recorded import Fault, Recorded

START = datetime(2026, 3, 1, tzinfo=UTC)
STREAMS = tuple(f"01980000-0000-7000-8000-{number:012x}" for number in range(3))
TEXTS = (
    "The build runs on Friday",
    "The builds run on Friday",
    "The build runs on Friday at 9",
    "The server is in Lisbon",
    "Zebra alpha-7 is the server",
    "今日は Lisbon",
)
_texts = st.sampled_from(TEXTS)
_categories = st.sampled_from([None, "ci", "ci/linux", "people", "Ci/x"])
_tags = st.lists(st.sampled_from(["build", "OPS", "ops", "a"]), max_size=2, unique=True).map(tuple)
_worth = st.sampled_from([0.0, 0.05, 0.1, 0.5, 0.9, 1.0])
_trust = st.integers(0, 3)
_types = st.sampled_from(["owner", "user", "tool", "web", "agent", "model"])
_metadata = st.dictionaries(
    st.sampled_from(["subjectTime", "subjectTimeStart", "subjectTimeEnd", "k"]),
    st.sampled_from(["2026", "2026-03-15", "no time", "2026-05-01T00:00:00Z"]),
    max_size=2,
)
_moments = st.integers(-200, 200).map(lambda days: START + timedelta(days=days, microseconds=days))
_observed: dict[str, st.SearchStrategy[Any]] = {
    "importance": _worth,
    "trust": _trust,
    "source_type": _types,
}
_said: dict[str, st.SearchStrategy[Any]] = {
    **_observed,
    "content": _texts,
    "category": _categories,
    "tags": _tags,
    "metadata": _metadata,
    "store": st.sampled_from(["semantic", "semantic", "episodic", "procedural"]),
    "chars": st.just(1),
}

_saved = st.builds(e.Saved, **_said)
_imported = st.builds(
    e.Imported,
    **_said,
    format=st.just("x"),
    created_at=_moments,
    last_seen_at=_moments,
    updated_at=_moments,
    scored_at=_moments,
    reinforcement_count=st.integers(1, 3),
    access_count=st.integers(1, 3),
    last_accessed_at=_moments,
    pinned=st.booleans(),
    archived_at=st.none() | _moments,
    archive_importance=st.none() | _worth,
    additions=st.lists(_texts, max_size=2).map(tuple),
    said_at=st.lists(_moments, max_size=3).map(tuple),
    condition=st.sampled_from([None, "live", "archived", "superseded", "quarantined", "purged"]),
)
_added: dict[str, st.SearchStrategy[Any]] = {"tags_added": _tags, "metadata_added": _metadata}
_any = st.one_of(
    _saved,
    _imported,
    st.builds(e.Reinforced, **_observed, **_added, counted=st.booleans()),
    st.builds(e.Extended, **_observed, **_added, addition=_texts, chars=st.just(1)),
    st.builds(e.Revised, content=_texts, chars=st.just(1)),
    st.builds(e.Recategorized, category=_categories),
    st.builds(e.Retagged, tags=_tags),
    st.builds(e.Rescored, importance=_worth),
    st.builds(e.Described, metadata=_metadata),
    st.builds(e.Archived, cause=st.just("request"), importance=_worth),
    st.sampled_from([e.Pinned(), e.Unpinned()]),
    st.just(e.Restored()),
    st.sampled_from([e.Used(), Skewed(behind_seconds=1.0), None]),
)
_step = st.tuples(st.sampled_from(STREAMS), _any, st.integers(0, 40), st.integers(1, 3))


@st.composite
def logs(draw: st.DrawFn) -> list[Recorded]:
    """The events of one space, by position: gaps in it are the events of others."""
    begun = draw(st.lists(st.tuples(st.sampled_from(STREAMS), _saved | _imported), max_size=6))
    first: list[tuple[str, Any, int, int]] = [(stream, event, 0, 1) for stream, event in begun]
    size = draw(st.integers(0, 30))
    position, at, versions = 0, START, dict.fromkeys(STREAMS, 0)
    log: list[Recorded] = []
    for stream, event, days, gap in [*first, *draw(st.lists(_step, min_size=size, max_size=size))]:
        position, at = position + gap, at + timedelta(days=days, microseconds=1)
        versions[stream] += 1
        fault: Fault | None = "newer_release" if event is None else None
        log.append(
            Recorded(
                position,
                stream,
                versions[stream],
                getattr(event, "NAME", "memory.unknown"),
                1,
                at,
                "manual",
                "default",
                f"c{position}",
                None,
                None,
                event,
                fault,
            )
        )
    return log
