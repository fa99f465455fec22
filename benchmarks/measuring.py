"""Figures that can be compared: processor time a call, and a table of them."""

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from rich.console import Console
from rich.table import Table


def cpu_each(calls: Iterable[Callable[[], object]]) -> list[float]:
    """Microseconds of processor time of each call."""
    taken: list[float] = []
    for call in calls:
        before = time.process_time_ns()
        call()
        taken.append((time.process_time_ns() - before) / 1_000)
    return taken


def wall_each(calls: Iterable[Callable[[], object]]) -> list[float]:
    """Microseconds on the clock of each call."""
    taken: list[float] = []
    for call in calls:
        before = time.perf_counter_ns()
        call()
        taken.append((time.perf_counter_ns() - before) / 1_000)
    return taken


def quantile(taken: list[float], share: float) -> float:
    """The value that ``share`` of them do not exceed."""
    ordered = sorted(taken)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


@dataclass
class Report:
    """Rows of what was measured, and what it stands beside."""

    title: str
    rows: list[tuple[str, str, str, str]] = field(default_factory=list[tuple[str, str, str, str]])

    def add(self, what: str, ours: float, unit: str, peer: str = "", theirs: float = 0.0) -> None:
        """One figure; with a peer, how many times its own."""
        self.rows.append(
            (
                what,
                f"{ours:,.1f} {unit}",
                f"{peer} {theirs:,.1f} {unit}" if peer else "",
                f"{ours / theirs:.3f}" if peer and theirs else "",
            )
        )

    def show(self) -> None:
        """Prints the table."""
        table = Table(title=self.title, title_justify="left")
        for heading in ("measured", "Muniment", "beside", "ratio"):
            table.add_column(heading, justify="left" if heading == "measured" else "right")
        for row in self.rows:
            table.add_row(*row)
        Console(width=120).print(table)
