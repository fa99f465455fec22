"""Did every invariant hold at every position? Asked of stored rows: no key, no read model."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from muniment.log.rows import Row

from .facts import Stored, read
from .fold import Log
from .glossary import GLOSSARY
from .invariants import (
    ALL,
    BY_NAME,
    ERASURE_WHOLE,
    EVERYWHERE,
    FACTS_READABLE,
    SOURCES_ARCHIVED,
)

_TOLD_EVERY = 5_000


@dataclass(frozen=True, slots=True)
class Violation:
    """The first event that broke an invariant, a sentence on how, and how many events did."""

    invariant: str
    position: int
    name: str
    stream: str
    message: str
    count: int = 1


@dataclass(frozen=True, slots=True)
class Proof:
    """What was found at so many ``positions``; each of ``invariants`` was evaluated at each.

    ``violations`` has one an invariant that was broken, by position.
    """

    positions: int
    violations: tuple[Violation, ...]
    invariants: tuple[str, ...] = ALL

    @property
    def holds(self) -> bool:
        """Whether all held at all positions."""
        return not self.violations


class _Findings:
    def __init__(self) -> None:
        self._found: dict[str, Violation] = {}

    def add(self, invariant: str, event: Stored, wrong: str) -> None:
        first = self._found.get(invariant)
        if first is not None:
            self._found[invariant] = replace(first, count=first.count + 1)
            return
        message = f"{GLOSSARY[invariant].title}: {wrong}."
        self._found[invariant] = Violation(
            invariant, event.position, event.name, event.stream, message
        )

    def in_order(self) -> tuple[Violation, ...]:
        return tuple(sorted(self._found.values(), key=lambda one: (one.position, one.invariant)))


def prove(rows: Iterable[Row], *, progress: Callable[[int], None] | None = None) -> Proof:
    """Replays rows from the first on, and evaluates every invariant after each.

    Memory grows with the number of ids, not of events. ``progress`` is called with how many were
    read so far.
    """
    log, findings = Log(), _Findings()
    event: Stored | None = None
    positions = 0
    for positions, row in enumerate(rows, 1):
        event, malformed = read(row, log.recorded_at)
        if malformed is not None:
            findings.add(FACTS_READABLE, event, malformed)
        for invariant in EVERYWHERE if event.facts is None else BY_NAME[event.name]:
            wrong = invariant.check(log, event)
            if wrong is not None:
                findings.add(invariant.name, event, wrong)
        log.apply(event)
        if progress is not None and positions % _TOLD_EVERY == 0:
            progress(positions)
    if event is not None and log.absorption is not None:
        left = len(log.absorption.left)
        findings.add(SOURCES_ARCHIVED, event, f"the log ends before {left} sources are archived")
    if event is not None and log.erasing is not None:
        left = len(log.erasing.left)
        findings.add(ERASURE_WHOLE, event, f"the log ends before {left} memories are asked for")
    return Proof(positions, findings.in_order())
