"""The Merkle tree: published vectors, the definition, and an independent implementation."""

from collections.abc import Sequence
from typing import Any

import independent
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from log_backends import SOAK
from pymerkle import InmemoryTree  # type: ignore[import-untyped]  # it comes without types

from muniment.log.merkle import Frontier, extends, includes, prove

ENTRIES = (
    b"", b"\x00", b"\x10", b"\x20\x21", b"\x30\x31", b"\x40\x41\x42\x43",
    bytes(range(0x50, 0x58)), bytes(range(0x60, 0x70)),
)  # fmt: skip
ROOTS = (
    "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
    "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
    "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
    "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
    "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
    "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
    "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
)
INCLUSIONS: Sequence[tuple[int, int, tuple[str, ...]]] = (
    (0, 1, ()),
    (0, 8, (
        "96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7",
        "5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e",
        "6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4",
    )),
    (5, 8, (
        "bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b",
        "ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0",
        "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    )),
    (2, 3, ("fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",)),
    (1, 5, (
        "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
        "5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e",
        "bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b",
    )),
)  # fmt: skip
CONSISTENCIES: Sequence[tuple[int, int, tuple[str, ...]]] = (
    (1, 1, ()),
    (1, 8, (
        "96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7",
        "5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e",
        "6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4",
    )),
    (6, 8, (
        "0ebc5d3437fbe2db158b9f126a1d118e308181031d0a949f8dededebc558ef6a",
        "ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0",
        "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    )),
    (2, 5, (
        "5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e",
        "bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b",
    )),
)  # fmt: skip
"""The test vectors of Certificate Transparency's reference implementation."""


def leaf(entry: bytes) -> bytes:
    return independent.digest(b"\x00" + entry)


LEAVES = [leaf(entry) for entry in ENTRIES]
entries = st.lists(st.binary(max_size=4), max_size=70)


def test_the_tree_has_the_roots_of_the_published_vectors() -> None:
    tree = Frontier()
    for one, root in zip(LEAVES, ROOTS, strict=True):
        tree.append(one)
        assert tree.root().hex() == root


@pytest.mark.parametrize(("index", "size", "path"), INCLUSIONS)
def test_inclusion_proofs_are_those_of_the_published_vectors(
    index: int, size: int, path: tuple[str, ...]
) -> None:
    proofs = prove([LEAVES[:size]], size, [index])
    assert tuple(one.hex() for one in proofs.inclusion[index]) == path
    assert includes(
        bytes.fromhex(ROOTS[size - 1]), size, index, LEAVES[index], tuple(map(bytes.fromhex, path))
    )


@pytest.mark.parametrize(("first", "size", "path"), CONSISTENCIES)
def test_consistency_proofs_are_those_of_the_published_vectors(
    first: int, size: int, path: tuple[str, ...]
) -> None:
    proofs = prove([LEAVES[:size]], size, [], first)
    assert proofs.consistency == tuple(map(bytes.fromhex, path))
    old, new = (bytes.fromhex(ROOTS[one - 1]) for one in (first, size))
    assert extends(new, size, old, first, proofs.consistency or ())


@given(entries, st.integers(1, 9))
@settings(deadline=None, max_examples=50 * SOAK)
def test_the_tree_has_the_root_of_the_definition_however_it_is_fed(
    given: list[bytes], step: int
) -> None:
    leaves = [leaf(entry) for entry in given]
    tree = Frontier()
    for start in range(0, len(leaves), step):
        tree.extend(leaves[start : start + step])
        tree = Frontier(tree.size, tree.roots)
    assert tree.size == len(leaves)
    assert tree.root() == independent.merkle_root(leaves)


@given(st.data(), entries.filter(bool), st.integers(1, 9))
@settings(deadline=None, max_examples=50 * SOAK)
def test_proofs_are_those_of_another_implementation(
    data: st.DataObject, given: list[bytes], step: int
) -> None:
    leaves = [leaf(entry) for entry in given]
    oracle: Any = InmemoryTree(algorithm="sha256")
    for entry in given:
        oracle.append_entry(entry)
    size = data.draw(st.integers(1, len(given)))
    first = data.draw(st.integers(1, size))
    parts = [leaves[start : min(start + step, size)] for start in range(0, size, step)]
    proofs = prove(parts, size, range(size), first)
    assert proofs.root == oracle.get_root(size)
    for index, path in proofs.inclusion.items():
        # theirs begins with the leaf itself
        assert list(path) == oracle.prove_inclusion(index + 1, size).path[1:]
        assert includes(proofs.root, size, index, leaves[index], path)
    assert proofs.consistency is not None
    assert extends(proofs.root, size, oracle.get_root(first), first, proofs.consistency)


@given(st.data(), st.lists(st.binary(max_size=4), min_size=2, max_size=40, unique=True))
@settings(deadline=None, max_examples=50 * SOAK)
def test_no_altered_proof_holds(data: st.DataObject, given: list[bytes]) -> None:
    leaves = [leaf(entry) for entry in given]
    size = len(leaves)
    index, first = data.draw(st.integers(0, size - 1)), data.draw(st.integers(1, size - 1))
    proofs = prove([leaves], size, [index], first)
    root, old = proofs.root, independent.merkle_root(leaves[:first])
    path, shared = list(proofs.inclusion[index]), list(proofs.consistency or ())
    other = independent.digest(b"other")
    assert not includes(root, size, index, other, path)
    assert not includes(root, size, (index + 1) % size, leaves[index], path)
    assert not includes(root, size, size, leaves[index], path)
    assert not includes(root, size, index, leaves[index], [*path, other])
    assert not includes(root, size, index, leaves[index], path[:-1])
    assert not extends(root, size, other, first, shared)
    assert not extends(other, size, old, first, shared)
    assert not extends(root, size, old, first, shared[:-1])
    assert not extends(root, size, old, first, [*shared, other])
    assert not extends(root, size, old, size + 1, shared)
    for number in range(len(path)):
        assert not includes(root, size, index, leaves[index], _with(path, number, other))
    for number in range(len(shared)):
        assert not extends(root, size, old, first, _with(shared, number, other))


def test_every_tree_begins_with_the_empty_one() -> None:
    proofs = prove([LEAVES], 8, [], 0)
    assert proofs.consistency == ()
    assert extends(proofs.root, 8, independent.digest(b""), 0, ())
    assert not extends(proofs.root, 8, proofs.root, 0, ())


def test_a_frontier_has_a_root_for_each_bit_of_its_size() -> None:
    tree = Frontier()
    tree.extend(LEAVES[:7])
    assert len(tree.roots) == 3
    with pytest.raises(ValueError, match="zip"):
        Frontier(6, tree.roots)


def _with(path: list[bytes], number: int, other: bytes) -> list[bytes]:
    return [*path[:number], other, *path[number + 1 :]]
