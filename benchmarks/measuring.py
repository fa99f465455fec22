"""Figures that can be compared: time a call, and a table of targets, figures and peers."""

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

from rich.console import Console
from rich.table import Table


class Taken(NamedTuple):
    """Microseconds of one call: of processor time, all threads together, and on the clock."""

    cpu: float
    wall: float


def timed(call: Callable[[], object]) -> Taken:
    """How long one call takes."""
    clock, cpu = time.perf_counter_ns(), time.process_time_ns()
    call()
    spent, waited = time.process_time_ns() - cpu, time.perf_counter_ns() - clock
    return Taken(spent / 1_000, waited / 1_000)


def cpu_each(calls: Iterable[Callable[[], object]]) -> list[float]:
    """Microseconds of processor time of each call."""
    return [timed(call).cpu for call in calls]


def quantile(taken: Iterable[float], share: float) -> float:
    """The value that ``share`` of them do not exceed."""
    ordered = sorted(taken)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def median(taken: Iterable[float]) -> float:
    """The middle one."""
    return quantile(taken, 0.5)


class Target(NamedTuple):
    """What is aimed at: at most so much, or at least."""

    bound: float
    is_most: bool

    def is_met(self, figure: float) -> bool:
        """Whether a figure is on the right side."""
        return figure <= self.bound if self.is_most else figure >= self.bound


def at_most(bound: float) -> Target:
    """The figure should not exceed ``bound``."""
    return Target(bound, is_most=True)


def at_least(bound: float) -> Target:
    """The figure should reach ``bound``."""
    return Target(bound, is_most=False)


@dataclass
class Report:
    """Rows of what was measured: the target, the figure, and what it stands beside."""

    title: str
    rows: list[tuple[str, ...]] = field(default_factory=list[tuple[str, ...]])

    def add(
        self, what: str, ours: float, unit: str, target: Target | None = None, note: str = ""
    ) -> None:
        """One figure, and whether it is what was aimed at."""
        aim, met = "", ""
        if target is not None:
            aim = f"{'≤' if target.is_most else '≥'} {_number(target.bound)} {unit}"
            met = "met" if target.is_met(ours) else "MISSED"
        self.rows.append((what, aim, f"{_number(ours)} {unit}", note, "", met))

    def beside(self, peer: str, theirs: float, ours: float, unit: str) -> None:
        """What a peer takes for the same, and how many times as much as that we take."""
        ratio = f"{ours / theirs:.3g}" if theirs else ""
        self.rows.append(("", "", "", f"{peer} {_number(theirs)} {unit}", ratio, ""))

    def missing(self, peer: str) -> None:
        """Says that a peer is not installed."""
        self.rows.append(("", "", "", f"{peer}: not installed (make bench-peers)", "", ""))

    def show(self) -> None:
        """Prints the table."""
        table = Table(title=self.title, title_justify="left")
        for heading in ("measured", "target", "Muniment", "beside", "ratio", ""):
            table.add_column(heading, justify="left" if heading == "measured" else "right")
        for row in self.rows:
            table.add_row(*row)
        Console(width=140).print(table)


def _number(value: float) -> str:
    if abs(value) >= 1_000:
        return f"{value:,.0f}"
    return f"{value:.3g}" if abs(value) < 100 else f"{value:.1f}"
