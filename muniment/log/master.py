"""The master key: a file beside the vault whose keys it wraps, and how another takes its place.

The vault holds a proof that its master key alone opens. A change of the master key writes the new
one to a second file, re-wraps every key and replaces the proof in one transaction, and renames the
second file over the first. Whatever moment it is killed at, one of the two files opens the proof.
"""

import os
import secrets
from pathlib import Path
from typing import Final

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from muniment.domain.errors import StorageFailed

KEY_BYTES: Final = 32
NONCE_BYTES: Final = 12
FILE: Final = "master.key"
NEXT: Final = "master.key.next"

_PROOF = b"muniment: the master key of this vault"


class Master:
    """A master key: wraps keys, each bound to its id, and unwraps what it wrapped."""

    def __init__(self, raw: bytes) -> None:
        self.raw = raw
        self._cipher = AESGCM(raw)

    def wrap(self, key_id: int, key: bytes) -> bytes:
        """A key as it may be stored."""
        return self._seal(key, str(key_id).encode())

    def unwrap(self, key_id: int, wrapped: object) -> bytes | None:
        """The key of an id; None where it is damaged or was wrapped by another master key."""
        return self._open(wrapped, str(key_id).encode())

    def proof(self) -> bytes:
        """What this master key alone opens."""
        return self._seal(_PROOF, b"proof")

    def opens(self, proof: object) -> bool:
        """Whether a proof is one of this master key."""
        return self._open(proof, b"proof") == _PROOF

    def _seal(self, secret: bytes, place: bytes) -> bytes:
        nonce = secrets.token_bytes(NONCE_BYTES)
        return nonce + self._cipher.encrypt(nonce, secret, place)

    def _open(self, sealed: object, place: bytes) -> bytes | None:
        if not isinstance(sealed, bytes):
            return None  # somebody altered the vault by hand
        try:
            return self._cipher.decrypt(sealed[:NONCE_BYTES], sealed[NONCE_BYTES:], place)
        except (InvalidTag, ValueError):
            return None


def fresh() -> Master:
    """A master key that nobody has yet."""
    return Master(secrets.token_bytes(KEY_BYTES))


def create(directory: Path) -> None:
    """Makes the directory and a master key in it, unless there is one."""
    try:
        directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        create_once(directory / FILE, secrets.token_bytes(KEY_BYTES))
    except OSError as error:
        raise _unreadable(directory / FILE, error) from error


def read(path: Path) -> Master:
    """The master key of a file.

    Raises:
        StorageFailed: ``master_key_unreadable`` or ``master_key_damaged``.
    """
    try:
        raw = path.read_bytes()
    except OSError as error:
        raise _unreadable(path, error) from error
    if len(raw) != KEY_BYTES:
        raise StorageFailed(
            f"The master key {path} has {len(raw)} bytes, not {KEY_BYTES}: restore it from a"
            " backup.",
            code="master_key_damaged",
        )
    return Master(raw)


def load(directory: Path, proof: object) -> Master:
    """The master key that opens the proof; without one that does, the one that is in place.

    Raises:
        StorageFailed: ``master_key_unreadable`` or ``master_key_damaged``.
    """
    in_place = read(directory / FILE)
    if proof is None or in_place.opens(proof):
        return in_place
    coming = _next(directory)
    if coming is not None and coming.opens(proof):
        return coming
    return read(directory / FILE)  # it may have been put in place between the two looks


def propose(directory: Path, master: Master) -> None:
    """Writes the master key that is to come, flushed to the disk. The vault's lock is held."""
    write_private(directory / NEXT, master.raw)


def settle(directory: Path, proof: object) -> None:
    """Ends a change of the master key: puts the new one in place, or takes it away.

    The vault's lock is held, so that no change is under way.
    """
    path = directory / NEXT
    if not path.exists():
        return
    coming = _next(directory)
    if coming is not None and proof is not None and coming.opens(proof):
        path.replace(directory / FILE)
    else:
        path.unlink()
    flush(directory)


def write_private(path: Path, content: bytes) -> None:
    """Writes a file that its owner alone may read, and flushes it and its directory."""
    descriptor = os.open(path, os.O_CREAT | os.O_TRUNC | os.O_WRONLY, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    flush(path.parent)


def flush(directory: Path) -> None:
    """Flushes the names in a directory to the disk."""
    folder = os.open(directory, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def _next(directory: Path) -> Master | None:
    try:
        return read(directory / NEXT)
    except StorageFailed:
        return None  # none is to come, or its writing was cut short


def create_once(path: Path, content: bytes) -> None:
    """Writes a file that is not there yet, whole or not at all, and flushed to the disk."""
    if path.exists():
        return
    draft = path.with_name(f"{path.name}.{secrets.token_hex(8)}")
    write_private(draft, content)
    try:
        os.link(draft, path)
    except FileExistsError:
        pass  # another process was first, and its key is the one
    finally:
        draft.unlink()
    flush(path.parent)


def _unreadable(path: Path, error: OSError) -> StorageFailed:
    return StorageFailed(
        f"The master key {path} cannot be read ({error.strerror}): without it no words can be"
        " read.",
        code="master_key_unreadable",
    )
