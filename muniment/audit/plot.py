"""The trend as a picture, by matplotlib, which the extra ``plot`` brings."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, Final, TypeAlias

from muniment.domain.errors import Invalid, StorageFailed, Unavailable

Row: TypeAlias = Mapping[str, Any]

KINDS: Final = (".png", ".svg", ".pdf")
_SIZE: Final = (11.0, 8.0)


def plot(rows: Sequence[Row], path: Path) -> None:
    """Draws live and archived, new and purged a day, near-duplicates, and reinforcement.

    Args:
        rows: The trend, oldest first.
        path: Ends in ``.png``, ``.svg`` or ``.pdf``.

    Raises:
        Invalid: ``plot_invalid`` for another ending, ``plot_empty`` without a row.
        Unavailable: ``plot_not_installed``.
        StorageFailed: ``plot_not_written``.
    """
    if path.suffix.lower() not in KINDS:
        raise Invalid(
            f"plot: name a file that ends in {', '.join(KINDS)}.", code="plot_invalid", field="plot"
        )
    if not rows:
        raise Invalid(
            "plot: there is no run in these days: ask for more of them.",
            code="plot_empty",
            field="plot",
        )
    try:
        from matplotlib.figure import Figure  # noqa: PLC0415 (it is an extra)
    except ImportError as error:
        raise Unavailable(
            "Pictures need matplotlib: pip install 'muniment[plot]'.", code="plot_not_installed"
        ) from error
    figure = Figure(figsize=_SIZE, layout="constrained")
    _draw(figure, rows)
    try:
        figure.savefig(path)  # pyright: ignore[reportUnknownMemberType]  # its stubs leave it open
    except OSError as error:
        raise StorageFailed(
            f"{path} cannot be written ({error.strerror}): check the directory.",
            code="plot_not_written",
        ) from error


def _draw(figure: Any, rows: Sequence[Row]) -> None:
    taken = [datetime.fromisoformat(row["takenAt"]) for row in rows]
    (size, movement), (twins, counts) = figure.subplots(2, 2)
    for name in ("live", "archived"):
        size.plot(taken, [row[name] for row in rows], label=name, marker=".")
    for name, label in (("createdSinceLast", "new"), ("purgedSinceLast", "purged")):
        movement.plot(taken, _a_day(rows, taken, name), label=f"{label} a day", marker=".")
    for name, label in (("nearDupPairs", "pairs"), ("nearDupEntries", "memories")):
        twins.plot(taken, [row[name] for row in rows], label=f"near-duplicate {label}", marker=".")
    latest: Mapping[str, int] = rows[-1]["reinforcement"]
    counts.bar(list(latest), list(latest.values()))
    counts.set_title("live memories by how often they were said")
    for axes, title in ((size, "memories"), (movement, "movement"), (twins, "near-duplicates")):
        axes.set_title(title)
        axes.legend()
        axes.tick_params(axis="x", rotation=30)
        axes.set_ylim(bottom=0)


def _a_day(rows: Sequence[Row], taken: Sequence[datetime], name: str) -> list[float]:
    """A figure since the run before as one a day; on a first run there is none."""
    rates: list[float] = []
    for row, at in zip(rows, taken, strict=True):
        before = row.get("previousTakenAt")
        days = (at - datetime.fromisoformat(before)).total_seconds() / 86_400 if before else 0.0
        rates.append(row[name] / days if days else float("nan"))
    return rates
