"""Evidence for people outside: checkpoints, and the proof of a memory's events."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from .domain.access import Operation
from .domain.identity import Identity
from .engine import Engine
from .log.shelf import Against, given
from .queries.get_memory import with_history
from .queries.reading import Reading

if TYPE_CHECKING:
    from .log.bundles import Bundle


class Verify(Operation):
    """Ask whether the log is whole and unaltered."""

    VERB: ClassVar[str] = "verify"


class MakeCheckpoint(Operation):
    """Have the log signed as it stands."""

    VERB: ClassVar[str] = "checkpoint"


class ProveMemory(Operation):
    """Have a memory's events proven."""

    VERB: ClassVar[str] = "prove"


class RotateSigningKey(Operation):
    """Put another signing key in place."""

    VERB: ClassVar[str] = "keys rotate-signing"


@dataclass(frozen=True, slots=True)
class _Whole:
    """A memory's whole id, and the position of its newest event."""

    id: str

    def answer(self, reading: Reading) -> tuple[str, int]:
        memory, _ = with_history(reading, self.id)
        return memory.id, memory.position


def prove_memory(
    engine: Engine, identity: Identity, id: str, since: Against | None = None
) -> "Bundle":
    """The events of a memory, and the proof that they are in the log of a checkpoint.

    Args:
        engine: The store.
        identity: Who asks.
        id: Of the memory, or the tail of one.
        since: A checkpoint that was kept elsewhere, which the log is proven to extend.

    Raises:
        NotFound: There is no such memory.
        Invalid: ``since`` is no checkpoint.
        StorageFailed: ``log_not_intact``, or ``read_only`` where no checkpoint takes it in yet.
    """
    from .log.bundles import bundle

    earlier = None if since is None else given(since, "since")
    stream, position = engine.ask(_Whole(id), identity)
    reach = position if earlier is None else max(position, earlier.size)
    return bundle(engine.store, stream, engine.checkpoints.covering(reach), earlier)
