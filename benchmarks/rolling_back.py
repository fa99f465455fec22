"""What an investigation costs: recalls that are recorded, a blast radius, a rollback and back."""

import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import muniment
from muniment import Muniment

from .corpus import queries, texts
from .measuring import Report, at_most, median, timed

T = TypeVar("T")

SEARCHES = 300
RECALLS = 2_000
SOURCES = 10_000
"""Memories that the selection wrote, every tenth of which was merged with a clean one."""


def run(folder: Path, memories: int) -> Report:
    """Works on stores of its own in ``folder``."""
    report = Report(f"Investigating, {memories:,} memories")
    _recalls(report, folder / "recalls", memories)
    _rollback(report, folder / "rollback")
    return report


def _recalls(report: Report, path: Path, memories: int) -> None:
    given = [{"content": text, "category": category} for text, category in texts(memories)]
    asked = queries(SEARCHES)
    with muniment.open(path) as m:
        m.save_many(given)
        for query in asked:
            m.search(query)  # what is warmed by one search must not favour the next
        searching: list[float] = []
        recalling: list[float] = []
        for number, query in enumerate(asked):
            searching.append(timed(partial(m.search, query)).cpu)
            call = partial(m.recall, query, session=f"s{number % 8}", agent="bot:main")
            recalling.append(timed(call).cpu)
        report.add("a search, processor p50", median(searching), "µs")
        mean = sum(recalling) / len(recalling) - sum(searching) / len(searching)
        report.add("a recall over a search, processor mean", mean, "µs")
        for number in range(RECALLS):
            m.recall(asked[number % SEARCHES], session=f"t{number % 8}", agent="bot:main")
        head = m.stats().head
        known = timed(partial(m.knew, "bot:main", head)).wall / 1e6
        report.add(f"knew, {RECALLS + SEARCHES:,} recalls, clock", known, "s")


def _rollback(report: Report, path: Path) -> None:
    clean: list[dict[str, Any]] = []
    poison: list[dict[str, Any]] = []
    for number, (text, category) in enumerate(texts(SOURCES + SOURCES // 10, seed=5)):
        (poison if number < SOURCES else clean).append({"content": text, "category": category})
    for item in poison:
        item["source"] = {"type": "web", "ref": "https://example.org/wrong"}
    with muniment.open(path) as m:
        wrong = [saved.id for saved in m.save_many(poison)]
        right = [saved.id for saved in m.save_many(clean)]
        for one, other in zip(wrong, right, strict=False):
            _merge(m, one, other)
        _, radius = _clocked(lambda: m.blast_radius(source="web"))
        report.add("blast radius, clock", radius, "s")
        plan, planning = _clocked(lambda: m.rollback(source="web"))
        report.add(f"plan of {len(plan.steps):,} steps, clock", planning, "s")
        done, doing = _clocked(
            lambda: m.rollback(source="web", reason="a wrong page", dry_run=False)
        )
        report.add(f"rollback of {SOURCES:,} memories, clock", doing, "s", at_most(5))
        _, undoing = _clocked(lambda: m.rollback(undo=done.id, reason="no", dry_run=False))
        report.add("undone, clock", undoing, "s")


def _merge(m: Muniment, one: str, other: str) -> None:
    said = "\n\n".join(memory.content or "" for memory in m.get_many([one, other]))
    m.merge([one, other], said)


def _clocked(call: Callable[[], T]) -> tuple[T, float]:
    began = time.perf_counter()
    answer = call()
    return answer, time.perf_counter() - began
