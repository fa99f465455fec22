"""The proof of the invariants, as callers ask for it."""

from typing import ClassVar

from .domain.access import Operation
from .domain.ports import Progress
from .engine import Engine
from .proofs.proof import Proof, prove


class ProveInvariants(Operation):
    """Have the invariants proven."""

    VERB: ClassVar[str] = "prove_invariants"


def prove_invariants(engine: Engine, progress: Progress | None) -> Proof:
    """Replays the log up to where it ends here, of all spaces; others may write meanwhile."""
    engine.store.require_own_process()
    rows = engine.store.rows
    return prove(rows.rows(until=engine.head().position), progress=progress)
