"""Bundles: the events of one memory, and the proof that they are in the log of a checkpoint.

A bundle is JSON, holds nobody's words (of a payload only its hash) and is checked without this
package by ``muniment/verifier.py``, one file that may be copied anywhere.
"""

from hashlib import sha256
from typing import Final

from typing_extensions import TypedDict  # pydantic asks for this one before Python 3.12

from muniment.domain.errors import StorageFailed

from . import chain
from .merkle import Proofs, extends, includes, prove
from .notes import Checkpoint, origin
from .rows import Row
from .shelf import keys_of
from .store import Store

FORMAT: Final = "muniment-proof"
VERSION: Final = 1


class ProvenRow(TypedDict):
    """One event: its envelope in the order of the columns, facts as stored, hashes in hex."""

    envelope: list[int | str | None]
    facts: str
    payload_sha256: str
    inclusion: list[str]


class Bundle(TypedDict):
    """Everything that a verifier needs. ``since`` and ``consistency``: of an earlier checkpoint."""

    format: str
    version: int
    stream: str
    rows: list[ProvenRow]
    checkpoint: str
    public_keys: list[str]
    since: str | None
    consistency: list[str] | None


def bundle(
    store: Store, stream: str, checkpoint: Checkpoint, since: Checkpoint | None = None
) -> Bundle:
    """The proof of a stream's events, as far as a checkpoint reaches.

    Args:
        store: The log.
        stream: The id of a memory; all its events are at or before ``checkpoint.size``.
        checkpoint: One of this log.
        since: An earlier one, to prove that the log of ``checkpoint`` extends it.

    Raises:
        StorageFailed: ``log_not_intact``: what is stored is not what the checkpoints say.
    """
    rows = store.rows.select_streams_events([stream])
    first = None if since is None else since.size
    if since is not None and (since.origin != origin(store.id) or since.size > checkpoint.size):
        raise _contradicted()
    proofs = prove(
        store.rows.leaves(after=0, until=checkpoint.size),
        checkpoint.size,
        [row.position - 1 for row in rows],
        first,
    )
    if proofs.root.hex() != checkpoint.root or not _is_extended(proofs, checkpoint, since):
        raise _contradicted()
    return Bundle(
        format=FORMAT,
        version=VERSION,
        stream=stream,
        rows=[_proven(row, proofs, checkpoint.size) for row in rows],
        checkpoint=checkpoint.text,
        public_keys=[str(period.key) for period in keys_of(store).periods],
        since=None if since is None else since.text,
        consistency=(
            None if proofs.consistency is None else [one.hex() for one in proofs.consistency]
        ),
    )


def _is_extended(proofs: Proofs, checkpoint: Checkpoint, since: Checkpoint | None) -> bool:
    if since is None or proofs.consistency is None:
        return True
    old = bytes.fromhex(since.root)
    return extends(proofs.root, checkpoint.size, old, since.size, proofs.consistency)


def _proven(row: Row, proofs: Proofs, size: int) -> ProvenRow:
    index = row.position - 1
    path = proofs.inclusion[index]
    leaf = chain.leaf(row.envelope, row.facts, row.payload)
    if not includes(proofs.root, size, index, leaf, path):
        raise _contradicted()
    return ProvenRow(
        envelope=list(row.envelope),
        facts=row.facts.decode(),
        payload_sha256=sha256(row.payload or b"").hexdigest(),
        inclusion=[one.hex() for one in path],
    )


def _contradicted() -> StorageFailed:
    return StorageFailed(
        "The log is not the one that the checkpoint was made of, so nothing can be proven of it:"
        " run verify.",
        code="log_not_intact",
    )
