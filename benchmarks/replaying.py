"""The log read again: decrypted, decoded and folded; verified; opened to the first answer."""

from functools import partial
from pathlib import Path

from muniment.domain.memory.state import State, evolve
from muniment.engine import Engine
from muniment.log.verify import verify

from . import opening
from .hashing import bare
from .measuring import Report, at_least, at_most, median, timed

ROUNDS = 3


def run(path: Path, memories: int) -> Report:
    """Reads the log of the filled store of ``path``."""
    report = Report(f"Replay, {memories:,} memories")
    engine = Engine(path, read_only=True)
    try:
        events = engine.store.rows.head().position
        _fold(engine)  # the keys are unwrapped by this
        spent = median(timed(partial(_fold, engine)).cpu for _ in range(ROUNDS))
        report.add(
            "read, decrypted, decoded, folded", events / spent * 1e6, "events/s", at_least(150_000)
        )
        report.add("the same, an event", spent / events, "µs")
        verifying = median(timed(partial(verify, engine.store)).cpu for _ in range(ROUNDS))
        report.add("verify", events / verifying * 1e6, "events/s")
    finally:
        engine.close()
    hashing = bare(path)
    report.beside("bare SHA-256", events / hashing * 1e6, events / verifying * 1e6, "events/s")
    _open(report, path, memories, events)
    return report


def _fold(engine: Engine) -> int:
    states: dict[str, State | None] = {}
    for recorded in engine.store.recorded():
        states[recorded.stream] = evolve(states.get(recorded.stream), recorded)
    return len(states)


def _open(report: Report, path: Path, memories: int, events: int) -> None:
    from_log = opening.in_child(path, keep_state=False)
    kept = [opening.in_child(path, keep_state=True) for _ in range(ROUNDS)]
    scale = memories / 100_000
    report.add(
        "open to first answer, from the log alone",
        from_log.wall,
        "s",
        at_most(12 * scale),
        "the target is in proportion" if scale != 1 else "",
    )
    report.add("the same, processor", from_log.cpu, "s")
    report.add("the same, processor an event", from_log.cpu / events * 1e6, "µs", at_most(70))
    report.add(
        "open to first answer, from kept state",
        median(one.wall for one in kept),
        "s",
        at_most(0.5 * max(scale, 0.2)),
    )
    report.add("the same, processor", median(one.cpu for one in kept), "s")
    report.add(
        "memory a memory, from kept state",
        median(one.resident for one in kept) / memories / 1_000,
        "KB",
        at_most(1.8),
    )
    report.add("memory a memory, from the log alone", from_log.resident / memories / 1_000, "KB")
