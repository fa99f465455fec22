"""The Merkle tree of RFC 6962 over the leaves of the log, kept as a frontier.

A frontier holds the root of each full subtree, largest first: at most 64 hashes however long the
log is.
"""

from hashlib import sha256


class Frontier:
    """A tree that grows at its end; our leaves are leaf hashes already (prefix 0x00)."""

    def __init__(self) -> None:
        self.size = 0
        self._roots: list[bytes] = []

    def append(self, leaf: bytes) -> None:
        """One leaf more."""
        size, node = self.size, leaf
        while size & 1:
            node = _node(self._roots.pop(), node)
            size >>= 1
        self._roots.append(node)
        self.size += 1

    def root(self) -> bytes:
        """The root hash (RFC 6962 §2.1); that of nothing is the hash of nothing."""
        if not self._roots:
            return sha256(b"").digest()
        node = self._roots[-1]
        for left in reversed(self._roots[:-1]):
            node = _node(left, node)
        return node


def _node(left: bytes, right: bytes) -> bytes:
    return sha256(b"\x01" + left + right).digest()
