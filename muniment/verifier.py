"""Checks a bundle of ``muniment prove`` without Muniment: copy this one file and run it.

    python verifier.py bundle.json [--public-key KEY]... [--checkpoint FILE]

It needs Python 3.11 and the package cryptography. A bundle holds the events of one memory, a
checkpoint of the log (a signed note: https://c2sp.org/tlog-checkpoint), and for each event a proof
that it is in the Merkle tree (RFC 6962) of that checkpoint. Words are not in it, only their hash.

Without ``--public-key`` the keys in the bundle are taken on trust: that shows that the bundle is in
itself consistent, not whose it is. ``--checkpoint`` is one that you kept: the bundle must be made
of it, or be proven to extend it. Ends with 0 where all holds, 1 where not, 2 where it cannot be
read.
"""

import argparse
import base64
import json
import sys
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

ENVELOPE = (
    "position", "stream", "version", "name", "schema", "recorded_at", "actor", "space",
    "command_id", "correlation_id", "causation_id", "key_id",
)  # fmt: skip


class NotProvenError(Exception):
    """What does not hold."""


def require(holds: bool, what: str) -> None:
    """Stops where something does not hold."""
    if not holds:
        raise NotProvenError(what)


def h(data: bytes) -> bytes:
    """SHA-256."""
    return sha256(data).digest()


def node(left: bytes, right: bytes) -> bytes:
    """An inner node of the tree (RFC 6962 §2.1)."""
    return h(b"\x01" + left + right)


def includes(root: bytes, size: int, index: int, leaf: bytes, path: Sequence[bytes]) -> bool:
    """Whether a leaf is in a tree (RFC 9162 §2.1.3.2)."""
    if not 0 <= index < size:
        return False
    at, last, found = index, size - 1, leaf
    for beside in path:
        if last == 0:
            return False
        if at & 1 or at == last:
            found = node(beside, found)
            while not at & 1 and at:
                at, last = at >> 1, last >> 1
        else:
            found = node(found, beside)
        at, last = at >> 1, last >> 1
    return last == 0 and found == root


def extends(root: bytes, size: int, old: bytes, first: int, path: Sequence[bytes]) -> bool:
    """Whether a tree begins with an older one (RFC 9162 §2.1.4.2)."""
    if first in (0, size):
        return not path and old == (root if first else h(b""))
    if not 0 < first < size or not path:
        return False
    nodes = list(path) if first & (first - 1) else [old, *path]
    at, last = first - 1, size - 1
    while at & 1:
        at, last = at >> 1, last >> 1
    before = after = nodes[0]
    for beside in nodes[1:]:
        if last == 0:
            return False
        if at & 1 or at == last:
            before, after = node(beside, before), node(beside, after)
            while not at & 1 and at:
                at, last = at >> 1, last >> 1
        else:
            after = node(after, beside)
        at, last = at >> 1, last >> 1
    return last == 0 and before == old and after == root


def opened(note: str, keys: Sequence[str]) -> tuple[str, int, bytes]:
    """Origin, size and root of a checkpoint, once one of the keys is found to have signed it."""
    text, _, signatures = note.rpartition("\n\n")
    body = text + "\n"
    origin, size, root, *_ = text.split("\n")
    for key in keys:
        name, _, coded = key.split("+", 2)
        raw = base64.b64decode(coded, validate=True)
        if raw[:1] != b"\x01" or name != origin:  # Ed25519 alone, under the log's own name
            continue
        key_id = h(name.encode() + b"\n" + raw)[:4]
        for line in signatures.splitlines():
            mark, signer, seal = line.split(" ")
            sealed = base64.b64decode(seal, validate=True)
            if (mark, signer, sealed[:4]) == ("—", name, key_id):
                Ed25519PublicKey.from_public_bytes(raw[1:]).verify(sealed[4:], body.encode())
                return origin, int(size), base64.b64decode(root, validate=True)
    raise NotProvenError("a checkpoint is not signed by a key that is trusted")


def check_row(row: dict[str, Any], stream: str, version: int, size: int, root: bytes) -> None:
    """One event: it is of the stream, the next version, and in the tree of the checkpoint."""
    envelope = row["envelope"]
    said = dict(zip(ENVELOPE, envelope, strict=True))
    where = f"version {version}"
    require(said["stream"] == stream, f"{where}: it is of another stream")
    require(said["version"] == version, f"{where}: it is missing or out of order")
    coded = json.dumps(envelope, separators=(",", ":"), ensure_ascii=False).encode()
    payload = bytes.fromhex(row["payload_sha256"])
    leaf = h(b"\x00" + coded + row["facts"].encode() + payload)
    path = [bytes.fromhex(beside) for beside in row["inclusion"]]
    require(
        includes(root, size, said["position"] - 1, leaf, path),
        f"{where}: it is not in the log of the checkpoint",
    )


def check(bundle: dict[str, Any], keys: Sequence[str], kept: str | None) -> list[str]:
    """What the bundle proves, in lines for people; raises where something does not hold."""
    require(bundle["format"] == "muniment-proof", "this is no bundle of muniment prove")
    require(bundle["version"] == 1, "the bundle is of a newer form: take a newer verifier")
    trusted = keys or bundle["public_keys"]
    origin, size, root = opened(bundle["checkpoint"], trusted)
    said = [f"The checkpoint of {size:,} events of {origin} is signed."]
    rows = bundle["rows"]
    require(bool(rows), "there is no event in the bundle")
    for version, row in enumerate(rows, 1):
        check_row(row, bundle["stream"], version, size, root)
    positions = [row["envelope"][0] for row in rows]
    require(positions == sorted(set(positions)), "positions do not rise")
    said.append(f"All {len(rows)} events of {bundle['stream']} are in the log of that checkpoint:")
    for row in rows:
        position, _, version, name, _, at, actor, *_ = row["envelope"]
        said.append(f"  {position:>9,}  {at}  {actor}  {name} (version {version})")
    since = bundle.get("since")
    if since is not None:
        other, first, old = opened(since, trusted)
        require(other == origin, "the earlier checkpoint is of another log")
        path = [bytes.fromhex(beside) for beside in bundle["consistency"]]
        require(extends(root, size, old, first, path), "the log does not extend the earlier one")
        said.append(f"The log begins with the {first:,} events of the earlier checkpoint.")
    if kept is not None:
        require(
            kept in (bundle["checkpoint"], since),
            "the checkpoint that you kept is neither the bundle's nor the one that it extends",
        )
        said.append("The checkpoint that you kept is among those.")
    if not keys:
        said.append("Note: the keys are the bundle's own; give --public-key to say whose it is.")
    return said


def main(arguments: Sequence[str] | None = None) -> int:
    """The program."""
    parser = argparse.ArgumentParser(description="Checks a bundle of 'muniment prove'.")
    parser.add_argument("bundle", type=Path)
    parser.add_argument("--public-key", action="append", default=[], metavar="NAME+ID+KEY")
    parser.add_argument("--checkpoint", type=Path, help="a checkpoint that you kept")
    given = parser.parse_args(arguments)
    try:
        bundle = json.loads(given.bundle.read_text(encoding="utf-8"))
        kept = None if given.checkpoint is None else given.checkpoint.read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        sys.stderr.write(f"Cannot be read: {error}\n")
        return 2
    try:
        said = check(bundle, given.public_key, kept)
    except NotProvenError as error:
        sys.stdout.write(f"NOT PROVEN: {error}.\n")
        return 1
    except InvalidSignature:
        sys.stdout.write("NOT PROVEN: a signature does not hold.\n")
        return 1
    except (KeyError, TypeError, ValueError, AttributeError, IndexError) as error:
        sys.stdout.write(f"NOT PROVEN: the bundle is malformed ({error!r}).\n")
        return 1
    sys.stdout.write("\n".join([*said, "PROVEN."]) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
