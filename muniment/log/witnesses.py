"""The checkpoints that a log is held against while it is read: those beside it, and one given."""

from muniment.domain.errors import Invalid, StorageFailed

from .findings import Findings
from .merkle import Frontier
from .notes import Checkpoint, origin
from .shelf import folder, frontier, keys_of, load, sizes
from .signing import Ring, ring
from .store import Store

_NONE = (
    "That the end of the log was cut off, that all of it was rewritten, or that an older copy was"
    " put in its place: no checkpoint was found beside it."
)
_INSIDE_ALONE = (
    "That log and checkpoints were replaced together, by whoever can write to the directory: give a"
    " checkpoint that was kept elsewhere (against)."
)
_TAIL = "That what came after position {:,} was cut off or rewritten: {} reaches further."
_NO_KEY = (
    "That a checkpoint was made by somebody else: the public key of the store is not here, so that"
    " no signature could be verified."
)


class Witnesses:
    """Checkpoints in the order of their sizes; each is read as the log comes to it.

    Args:
        store: The log, and where its checkpoints lie.
        given: A checkpoint that was kept elsewhere.
        findings: Where to tell what does not fit.
    """

    def __init__(self, store: Store, given: Checkpoint | None, findings: Findings) -> None:
        self._origin = origin(store.id)
        self._findings = findings
        self._given = given
        self._directory = folder(store)
        # others may make checkpoints at this moment: what is written last is read first
        kept = None if self._directory is None else frontier(self._directory)
        self._sizes = sizes(self._directory)
        self._keys = _keys(store)
        for position in self._keys.broken:
            findings.add("signing_key", position)
        if kept is not None and kept.size not in self._sizes:
            findings.add("checkpoint_missing", kept.size)
        awaited = set(self._sizes) if given is None else {*self._sizes, given.size}
        self._awaited = sorted(awaited, reverse=True)
        self._agreed = 0
        self._unsigned = False
        self.checked = 0

    def extend(self, tree: Frontier, leaves: list[bytes], links: list[bytes]) -> None:
        """Lets the tree grow, and stops at each size that there is a checkpoint of.

        Args:
            tree: The tree so far.
            leaves: The leaves of the next rows, as stored.
            links: The chain after each of them, as stored.
        """
        done = 0
        while self._awaited and self._awaited[-1] <= tree.size + len(leaves) - done:
            upto = done + self._awaited[-1] - tree.size
            tree.extend(leaves[done:upto])
            self.meet(tree, links[upto - 1])
            done = upto
        tree.extend(leaves[done:] if done else leaves)

    def meet(self, tree: Frontier, link: bytes) -> None:
        """Compares the checkpoints of a size with the log at that size."""
        while self._awaited and self._awaited[-1] == tree.size:
            for checkpoint in self._at(self._awaited.pop()):
                self.checked += 1
                if checkpoint.root != tree.root().hex():
                    self._findings.add("rewritten", self._agreed + 1)
                elif checkpoint.chain != link.hex():
                    self._findings.add("checkpoint_chain", tree.size)
                else:
                    self._agreed = tree.size

    def end(self, size: int) -> None:
        """The log has ended: what checkpoints say beyond that is gone."""
        while self._awaited:
            for _ in self._at(self._awaited.pop()):
                self.checked += 1
                self._findings.add("cut_off", size + 1)

    def not_ruled_out(self, size: int) -> tuple[str, ...]:
        """What the checkpoints that there were cannot show of a log of a size."""
        said: list[str] = []
        if not self._sizes and self._given is None:
            said.append(_NONE)
        elif self._given is None:
            said += [_INSIDE_ALONE, _TAIL.format(self._agreed, "no checkpoint")]
        elif self._given.size < size:
            said.append(_TAIL.format(self._given.size, "no checkpoint that was kept elsewhere"))
        return (*said, _NO_KEY) if self._unsigned else tuple(said)

    def _at(self, size: int) -> list[Checkpoint]:
        """The checkpoints of a size that are the store's own; what is wrong with others is told."""
        found = [self._given] if self._given is not None and self._given.size == size else []
        if size in self._sizes and self._directory is not None:
            try:
                kept = load(self._directory, size)
            except Invalid:
                self._findings.add("checkpoint_malformed", size)
            else:
                if kept.size != size:
                    self._findings.add("checkpoint_misplaced", size)
                elif kept not in found:
                    found.append(kept)
        return [checkpoint for checkpoint in found if self._is_own(checkpoint)]

    def _is_own(self, checkpoint: Checkpoint) -> bool:
        if checkpoint.origin != self._origin:
            self._findings.add("other_store", 1)
            return False
        key = self._keys.key(checkpoint.size)
        if key is None:
            self._unsigned = True
        elif not checkpoint.note.is_signed_by(key):
            self._findings.add("checkpoint_signature", checkpoint.size)
            return False
        return True


def _keys(store: Store) -> Ring:
    """The keys of a store; where damage hides its rotations, the one that is in place."""
    try:
        return keys_of(store)
    except StorageFailed as error:
        if error.code != "corrupt":
            raise
        return ring((), origin(store.id), store.signing.public())
