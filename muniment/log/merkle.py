"""The Merkle tree of RFC 6962 over the leaves of the log: its root, and proofs of what is in it.

The leaves are hashes already (prefix 0x00), nodes are ``H(0x01 ‖ left ‖ right)``. Nothing here
holds the tree: a frontier has the root of each full subtree, at most 64 hashes however long the log
is, and proofs are picked out of the nodes as the leaves stream by.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import TypeAlias

Path: TypeAlias = tuple[bytes, ...]
_Range: TypeAlias = tuple[int, int]
_Node: TypeAlias = tuple[int, int]  # level, and index in it; a leaf has level 0


class Frontier:
    """A tree that grows at its end.

    Args:
        size: How many leaves it has to begin with.
        roots: The roots of its full subtrees, largest first; one for each 1 bit of ``size``.

    Raises:
        ValueError: The roots are not as many as the size asks for.
    """

    def __init__(self, size: int = 0, roots: Sequence[bytes] = ()) -> None:
        levels = [level for level in reversed(range(size.bit_length())) if size >> level & 1]
        self.size = size
        self._roots = dict(zip(levels, roots, strict=True))
        self._wanted: dict[int, list[int]] = {}
        self._found: dict[_Node, bytes] = {}

    def append(self, leaf: bytes) -> None:
        """One leaf more."""
        self.extend([leaf])

    def extend(self, leaves: Sequence[bytes]) -> None:
        """Several leaves more, hashed a level at a time."""
        nodes, level = list(leaves), 0
        while nodes:
            first = self.size >> level
            if first & 1:
                nodes.insert(0, self._roots.pop(level))
                first -= 1
            for index in self._wanted.get(level, ()):
                if first <= index < first + len(nodes):
                    self._found[level, index] = nodes[index - first]
            if len(nodes) & 1:
                self._roots[level] = nodes.pop()
            nodes = [
                sha256(b"\x01" + left + right).digest()
                for left, right in zip(nodes[::2], nodes[1::2], strict=True)
            ]
            level += 1
        self.size += len(leaves)

    @property
    def roots(self) -> Path:
        """The roots of the full subtrees, largest first."""
        return tuple(self._roots[level] for level in sorted(self._roots, reverse=True))

    def root(self) -> bytes:
        """The root hash (RFC 6962 §2.1); that of nothing is the hash of nothing."""
        return _joined(self.roots) if self._roots else sha256(b"").digest()

    def watch(self, nodes: Iterable[_Node]) -> None:
        """Keeps these nodes as they come into being."""
        for level, index in nodes:
            self._wanted.setdefault(level, []).append(index)

    def seen(self, start: int, stop: int) -> bytes:
        """The root over some of the leaves, whose nodes were watched."""
        return _joined([self._found[node] for node in _nodes(start, stop)])


@dataclass(frozen=True, slots=True)
class Proofs:
    """Proofs against one tree: ``inclusion`` by index, counted from 0."""

    root: bytes
    inclusion: Mapping[int, Path]
    consistency: Path | None


def prove(
    leaves: Iterable[Sequence[bytes]], size: int, indices: Iterable[int], first: int | None = None
) -> Proofs:
    """Proofs against the tree of the first ``size`` leaves, in one pass over them.

    Args:
        leaves: Leaf hashes in order, some at a time.
        size: How many there are.
        indices: Leaves to prove the inclusion of, counted from 0 (RFC 6962 §2.1.1).
        first: The size of an earlier tree to prove this one consistent with (§2.1.2).
    """
    paths = {index: list(_inclusion(index, size)) for index in indices}
    shared = None if first is None else list(_consistency(first, size))
    tree = Frontier()
    for path in (*paths.values(), shared or ()):
        for start, stop in path:
            tree.watch(_nodes(start, stop))
    for some in leaves:
        tree.extend(some)
    return Proofs(
        tree.root(),
        {index: tuple(tree.seen(*part) for part in path) for index, path in paths.items()},
        None if shared is None else tuple(tree.seen(*part) for part in shared),
    )


def includes(root: bytes, size: int, index: int, leaf: bytes, path: Sequence[bytes]) -> bool:
    """Whether a path proves that a leaf is in the tree of a root (RFC 9162 §2.1.3.2)."""
    if not 0 <= index < size:
        return False
    node, last, found = index, size - 1, leaf
    for beside in path:
        if last == 0:
            return False
        if node & 1 or node == last:
            found = _node(beside, found)
            while not node & 1 and node:
                node, last = node >> 1, last >> 1
        else:
            found = _node(found, beside)
        node, last = node >> 1, last >> 1
    return last == 0 and found == root


def extends(root: bytes, size: int, first_root: bytes, first: int, path: Sequence[bytes]) -> bool:
    """Whether a path proves that a tree begins with an earlier one (RFC 9162 §2.1.4.2)."""
    if first == 0:
        return not path and first_root == sha256(b"").digest()
    if first == size:
        return not path and first_root == root
    if not 0 < first < size or not path:
        return False
    nodes = list(path) if first & (first - 1) else [first_root, *path]
    node, last = first - 1, size - 1
    while node & 1:
        node, last = node >> 1, last >> 1
    before = after = nodes[0]
    for beside in nodes[1:]:
        if last == 0:
            return False
        if node & 1 or node == last:
            before, after = _node(beside, before), _node(beside, after)
            while not node & 1 and node:
                node, last = node >> 1, last >> 1
        else:
            after = _node(after, beside)
        node, last = node >> 1, last >> 1
    return last == 0 and before == first_root and after == root


def _inclusion(index: int, size: int) -> list[_Range]:
    """PATH of RFC 6962 §2.1.1: the leaves under each of its hashes, from the leaf upwards."""
    ranges: list[_Range] = []
    start, stop = 0, size
    while stop - start > 1:
        middle = start + _split(stop - start)
        if index < middle:
            ranges.append((middle, stop))
            stop = middle
        else:
            ranges.append((start, middle))
            start = middle
    return ranges[::-1]


def _consistency(first: int, size: int) -> list[_Range]:
    """PROOF of RFC 6962 §2.1.2, likewise; nothing for an empty first tree."""
    ranges: list[_Range] = []
    start, stop, is_first_itself = 0, size, True
    if first == 0:
        return ranges
    while first < stop:
        middle = start + _split(stop - start)
        if first <= middle:
            ranges.append((middle, stop))
            stop = middle
        else:
            ranges.append((start, middle))
            start, is_first_itself = middle, False
    return ([] if is_first_itself else [(start, stop)]) + ranges[::-1]


def _split(count: int) -> int:
    """The largest power of two under ``count``."""
    return 1 << (count - 1).bit_length() - 1


def _nodes(start: int, stop: int) -> Iterator[_Node]:
    """The full subtrees that make up a range which a tree may be split into, largest first."""
    while start < stop:
        level = (stop - start).bit_length() - 1
        yield level, start >> level
        start += 1 << level


def _joined(roots: Sequence[bytes]) -> bytes:
    node = roots[-1]
    for left in reversed(roots[:-1]):
        node = _node(left, node)
    return node


def _node(left: bytes, right: bytes) -> bytes:
    return sha256(b"\x01" + left + right).digest()
