"""Logs made up at random: any events in any order, as no decision would write them too."""

from datetime import UTC, datetime, timedelta
from typing import Any

from hypothesis import strategies as st

from muniment.domain import recall
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
    "source_ref": st.sampled_from([None, "https://example.org/a", "https://example.org/b"]),
    "source_session": st.sampled_from([None, None, "s1", "s2"]),
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
_ids = st.lists(st.sampled_from(STREAMS), max_size=2, unique=True).map(tuple)
_merged = st.builds(
    e.Merged,
    content=_texts,
    store=st.just("semantic"),
    chars=st.just(1),
    importance=_worth,
    trust=_trust,
    source_type=_types,
    merged_from=_ids,
    source_versions=st.just((1, 1)),
    created_at=_moments,
    last_seen_at=_moments,
    reinforcement_count=st.integers(1, 3),
    access_count=st.just(1),
    last_accessed_at=_moments,
    specifics=st.just(0),
)
_folded = st.builds(
    e.Folded,
    folded=_ids,
    counts=st.just((1, 1)),
    importance=_worth,
    trust=_trust,
    created_at=_moments,
    last_seen_at=_moments,
)
_recall = st.builds(
    recall.Recall, at=_moments, memories=_ids, versions=st.just((1, 2)), scores=st.just((1.5, 0.5))
)
_recalled = st.builds(
    recall.Recalled,
    recalls=st.lists(_recall, max_size=2).map(tuple),
    agent=st.sampled_from([None, "bot:a", "bot:b"]),
    session=st.sampled_from(["s1", "s2"]),
    queries=st.just(("what runs?", None)),
)
_recall_removal: dict[str, Any] = {"newest_at": START, "retention_days": 400.0}
_of_recalls = st.one_of(
    _recalled,
    _recalled,
    _recalled,
    st.just(recall.PurgeRequested(**_recall_removal)),
    st.just(recall.Purged(**_recall_removal)),
)
RECALLS = tuple(f"01980000-0000-7000-a000-{number:012x}" for number in range(2))
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
    st.sampled_from([e.Pinned(), e.Unpinned(), e.PinnedWhenTold(trigger="keep it")]),
    st.just(e.Restored()),
    _merged,
    _folded,
    st.builds(e.Superseded, by=st.sampled_from(STREAMS), importance=_worth),
    st.sampled_from([e.Quarantined(cause="request"), e.Released()]),
    st.sampled_from([e.Used(), Skewed(behind_seconds=1.0), None]),
)
_after = (st.integers(0, 40), st.integers(1, 3))
_step = st.one_of(
    st.tuples(st.sampled_from(STREAMS), _any, *_after),
    st.tuples(st.sampled_from(STREAMS), _any, *_after),
    st.tuples(st.sampled_from(RECALLS), _of_recalls, *_after),
)


@st.composite
def logs(draw: st.DrawFn) -> list[Recorded]:
    """The events of one space, by position: gaps in it are the events of others."""
    begun = draw(st.lists(st.tuples(st.sampled_from(STREAMS), _saved | _imported), max_size=6))
    first: list[tuple[str, Any, int, int]] = [(stream, event, 0, 1) for stream, event in begun]
    size = draw(st.integers(0, 30))
    position, at, versions = 0, START, dict.fromkeys([*STREAMS, *RECALLS], 0)
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
