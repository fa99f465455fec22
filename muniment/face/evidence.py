"""What proves that the log is whole and that its rules were kept."""

import muniment
from muniment.domain.ports import Progress
from muniment.evidence import MakeCheckpoint, ProveMemory, Verify, prove_memory
from muniment.log.notes import Checkpoint
from muniment.log.shelf import Against

from .base import Face


class Evidence(Face):
    """Checkpoints, proofs and verification."""

    def verify(self, *, against: Against | None = None) -> "muniment.Verification":
        """Whether the log is whole and unaltered; no key of the vault is needed.

        ``against`` is a checkpoint that was kept elsewhere, its text, or the path of its file.
        Without one the result says, in ``not_ruled_out``, what only such a one can show.

        Raises:
            Invalid: ``checkpoint_malformed`` or ``checkpoint_unreadable``.
        """
        from muniment.log.verify import verify

        self._authorise(Verify)
        return verify(self._engine.store, against)

    def checkpoint(self) -> Checkpoint:
        """Sign the log as it stands, and write that to ``checkpoints/``: keep it elsewhere too.

        Where nothing was appended since the newest checkpoint, it is that one.

        Raises:
            StorageFailed: ``log_not_intact``: the log is not what an earlier one says.
        """
        self._authorise(MakeCheckpoint)
        return self._engine.checkpoints.make()

    def prove(self, id: str, *, since: Against | None = None) -> "muniment.Bundle":
        """The events of a memory with the proof that they are in the log of a checkpoint.

        As JSON it is a bundle that ``muniment/verifier.py`` checks without this package; no words
        are in it. ``since`` is a checkpoint that was kept: the log is proven to extend it.

        Raises:
            StorageFailed: ``log_not_intact``, or ``read_only`` where a checkpoint has to be made.
        """
        with self._authorised(ProveMemory):
            return prove_memory(self._engine, self._identity, id, since)

    def prove_invariants(self, *, progress: Progress | None = None) -> "muniment.Proof":
        """Whether every invariant held after every event of the log, of all spaces.

        The log is replayed from its envelopes and facts, by code that shares nothing with what
        wrote it; no key is needed. ``progress`` is called with how many events were read so far.
        """
        from muniment.proving import ProveInvariants, prove_invariants

        self._authorise(ProveInvariants)
        return prove_invariants(self._engine, progress)
