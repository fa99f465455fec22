"""What each projection answers, as plain values that can be compared: never its insides."""

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np

from muniment import Muniment
from muniment.domain.duplicates import form
from muniment.domain.importance import Decay
from muniment.log.read_models import ReadModels
from muniment.log.store import Store
from muniment.projections.catalog import CONDITIONS, STORES, Catalog
from muniment.projections.facets import Facets
from muniment.projections.past_index import PastIndex
from muniment.projections.provenance import Provenance, Selection
from muniment.projections.recall_log import RecallLog
from muniment.projections.search_index import SearchIndex
from muniment.projections.similarity import Similarity

WORDS = ("build", "friday", "Lisbon", "server", "zebra", "alpha-7")
CATEGORIES = ("ci", "ci/linux", "people")
TAGS = ("build", "OPS", "a")
MOMENTS = tuple(datetime(2026, 3, 1, tzinfo=UTC) + timedelta(days=40 * n) for n in range(4))
CURVES = (Decay(), Decay(grace_days=0, half_life_days=5, floor=0), Decay(half_life_days=0))


def of_catalog(catalog: Catalog) -> dict[str, Any]:
    rows = catalog.every_row()
    return {
        "ids": list(catalog.ids),
        "rows": dict(catalog.rows),
        "size": len(catalog),
        "conditions": [catalog.in_condition(rows, one).tolist() for one in CONDITIONS],
        "within": [catalog.within(rows, one).tolist() for one in CATEGORIES],
        "tagged": [catalog.tagged(rows, [one]).tolist() for one in TAGS],
        "stores": [catalog.in_store(rows, one).tolist() for one in STORES],
        "trusted": [catalog.trusted(rows, level).tolist() for level in range(4)],
        "created": [catalog.created(rows, moment, None).tolist() for moment in MOMENTS],
        "about": [catalog.about(rows, moment, None).tolist() for moment in MOMENTS],
        "importance": [
            catalog.importance(rows, moment, curve).tolist()
            for moment in MOMENTS
            for curve in CURVES
        ],
        "last_seen": catalog.last_seen(rows).tolist(),
        "taxonomy": catalog.taxonomy(),
        "counts": catalog.counts(),
    }


def of_search_index(index: SearchIndex, words: Iterable[str] = WORDS) -> dict[str, Any]:
    queries = [*words, " ".join(words)]
    answers: dict[str, Any] = {"ids": list(index.ids), "rows": dict(index.rows)}
    for query in queries:
        for archived in (False, True):
            found = index.matches(query, limit=1_000, include_archived=archived)
            matches = [
                (index.ids[int(row)], round(float(score), 9), bool(exact))
                for row, score, exact in zip(found.rows, found.scores, found.exact, strict=True)
            ]
            answers[f"{query} {archived}"] = sorted(matches)
    return answers


def of_facets(facets: Facets) -> dict[str, Any]:
    moments = {at: of_catalog(facets.at(at)) for at in _some(facets.position)}
    doubted = of_catalog(facets.at(facets.position // 2, still_doubted=True))
    return {"now": of_catalog(facets), "then": moments, "doubted": doubted}


def of_past_index(index: PastIndex) -> dict[str, Any]:
    """At some positions, as if every second memory had been live there."""
    live = np.arange(len(index.ids)) % 2 == 0
    return {
        str(at): of_search_index(index.at(at, live), ["friday", "Lisbon alpha-7"])
        for at in _some(index.position)
    }


def _some(position: int) -> list[int]:
    return sorted({position // 3, position * 2 // 3, position})


def of_similarity(
    similarity: Similarity, texts: Iterable[str], tops: Iterable[str] = ("", "ci", "people")
) -> dict[str, Any]:
    answers: dict[str, Any] = {}
    for text in texts:
        for top in tops:
            asked = form(text)
            answers[f"{top}: {text}"] = (
                list(similarity.same(top, asked)),
                similarity.similar(top, asked, at_least=0.5, limit=1_000),
            )
    return answers


SESSIONS = ("s1", "s2", "none")
AGENTS = ("manual", "bot:a", "bot:b")


def of_recall_log(log: RecallLog) -> dict[str, Any]:
    memories = [f"01980000-0000-7000-8000-{number:012x}" for number in range(3)]
    months = sorted({stream.month for stream in log.streams})
    return {
        "streams": log.streams,
        "of agents": [log.of_agent(agent) for agent in AGENTS],
        "named": [
            log.named(session, agent, month)
            for session in SESSIONS
            for agent in AGENTS
            for month in months
        ],
        "by id": [log.stream(stream.id) for stream in log.streams],
        "due": [log.due(moment, 30.0) for moment in MOMENTS],
        "recalled in": [list(log.recalled_in(session)) for session in SESSIONS],
        "recalls of": list(log.recalls_of(memories)),
    }


def of_provenance(provenance: Provenance) -> dict[str, Any]:
    memories = [f"01980000-0000-7000-8000-{number:012x}" for number in range(3)]
    selections = [
        Selection(),
        Selection(source="web"),
        Selection(source="https://example.org/a"),
        Selection(source="https://*", actor="manual"),
        Selection(session="s1"),
        Selection(memory=memories[0]),
        Selection(since=1_775_000_000_000_000),
        Selection(until=1_775_000_000_000_000),
    ]
    return {
        "selected": [provenance.select(selection) for selection in selections],
        "writes": provenance.writes_of(memories),
        "in sessions": [provenance.writes_in(session) for session in SESSIONS],
        "into": provenance.into(memories),
        "out of": provenance.out_of(memories),
    }


def differing(m: Muniment, texts: Iterable[str] = ()) -> list[str]:
    """Which read models in use answer otherwise than ones that are made anew from the log."""
    engine = m._engine  # pyright: ignore[reportPrivateUsage]
    space, texts = m.space, list(texts)

    def answers(models: ReadModels) -> dict[str, Any]:
        with models.lock:
            models.catch_up()
            return {
                "catalog": of_catalog(models.catalog(space)),
                "search index": of_search_index(models.search_index(space)),
                "similarity": of_similarity(models.similarity(space), texts),
                "recall log": of_recall_log(models.recall_log(space)),
                "provenance": of_provenance(models.provenance(space)),
            }

    used, anew = answers(engine.models), answers(ReadModels(engine.store, m.settings.ranking))
    return [name for name, answered in used.items() if answered != anew[name]]


def store_of(m: Muniment) -> Store:
    """The log under a handle."""
    return m._engine.store  # pyright: ignore[reportPrivateUsage]
