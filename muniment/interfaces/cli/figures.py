"""Counts, settings and reports for people."""

from collections.abc import Iterator, Sequence

from muniment.importing import ImportReport
from muniment.queries.stats import Stats
from muniment.settings import Setting

from .console import Line, line

_SHOWN = 20


def stats(answer: Stats) -> Iterator[Line]:
    """How much there is."""
    counted = ", ".join(f"{count:,} {state}" for state, count in answer.memories.items())
    yield line(("Space ", "bold"), f"{answer.space}: {counted or 'no memories yet'}.")
    yield line(("Log   ", "bold"), f"{answer.head:,} events, {answer.log_bytes:,} bytes.")
    width = max(map(len, answer.categories), default=0)
    for name, count in answer.categories.items():
        yield line(f"  {name:<{width}}", (f"  {count:>7,}", "bold"))


def settings(answer: Sequence[Setting]) -> Iterator[Line]:
    """Each setting: name, value, where that comes from, its meaning, its name in the seed."""
    width = max(len(setting.name) for setting in answer)
    for setting in answer:
        yield line(
            (f"{setting.name:<{width}}  ", "cyan"),
            (f"{setting.value!s:<6}  ", "bold"),
            (setting.origin, "dim" if setting.origin == "default" else "yellow"),
        )
        seed = f" ({setting.seed})" if setting.seed else ""
        yield line((f"    {setting.description}{seed}", "dim"))


def imported(answer: ImportReport) -> Iterator[Line]:
    """What was brought in, and what was left out and why."""
    yield line(
        (f"Imported {answer.imported:,} memories", "green"),
        f" from {answer.format}; {answer.already_here:,} were here already,"
        f" {len(answer.skipped):,} were left out.",
    )
    if answer.held_back:
        yield line((f"  {answer.held_back:,} of them are quarantined until released.", "yellow"))
    left_out = [f"{skipped.where}: {skipped.reason}" for skipped in answer.skipped]
    yield from _some("left out", left_out, "yellow")
    yield from _some("note", answer.notes, "dim")


def _some(label: str, texts: Sequence[str], style: str) -> Iterator[Line]:
    for text in texts[:_SHOWN]:
        yield line((f"  {label}: {text}", style))
    if len(texts) > _SHOWN:
        yield line((f"  … and {len(texts) - _SHOWN:,} more; --json lists all.", style))
