"""What ties the rows of the log together: a leaf for each, and a chain over the leaves.

``leaf = H(0x00 ‖ envelope ‖ facts ‖ H(payload))`` and ``chain = H(0x02 ‖ previous chain ‖ leaf)``,
where H is SHA-256, the envelope is a JSON list, the stored bytes are what is hashed, and no payload
is hashed as nothing. The chain begins with ``H(0x03 ‖ store id)``. The prefixes keep the four uses
of H apart (as RFC 6962 does for leaves and nodes), so no key is needed to verify.
"""

from collections.abc import Iterable, Sequence
from hashlib import sha256

from pydantic_core import to_json


def leaf(envelope: Sequence[int | str | None], facts: bytes, payload: bytes | None) -> bytes:
    """The 32 bytes that stand for one row.

    Args:
        envelope: position, stream, version, name, schema, recorded_at, actor, space, command id,
            correlation id, causation id, key id; in this order.
        facts: The stored bytes of the facts.
        payload: The stored bytes of the payload; None where there is none.
    """
    return sha256(b"\x00" + to_json(envelope) + facts + sha256(payload or b"").digest()).digest()


def link(previous: bytes, of_leaf: bytes) -> bytes:
    """The chain after one more leaf."""
    return sha256(b"\x02" + previous + of_leaf).digest()


def genesis(store_id: str) -> bytes:
    """The chain of an empty log."""
    return sha256(b"\x03" + store_id.encode()).digest()


def leaves(rows: Iterable[tuple[bytes, bytes, bytes | None]]) -> list[bytes]:
    """The leaves of rows given as envelope (its JSON), facts and payload: as ``leaf``, of many."""
    return [
        sha256(b"\x00" + envelope + facts + sha256(payload or b"").digest()).digest()
        for envelope, facts, payload in rows
    ]


def links(previous: bytes, of_leaves: Iterable[bytes]) -> list[bytes]:
    """The chain after each of several leaves."""
    found: list[bytes] = []
    for of_leaf in of_leaves:
        previous = sha256(b"\x02" + previous + of_leaf).digest()
        found.append(previous)
    return found
