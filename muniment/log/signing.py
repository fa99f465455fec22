"""The Ed25519 key that checkpoints are signed with: its files, and which key signed when.

The private key is 32 bytes in ``keys/signing.key``; its public half lies beside the checkpoints, so
that a copy without keys can be verified. Another key takes its place as the master key's does: it
is written to a second file, an event of the log says so under a signature of the old one, and the
second file is renamed over the first. Killed at any moment, the log says which of the two it is.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from muniment.domain.errors import Invalid, StorageFailed
from muniment.domain.signing_key import Rotated

from . import codec
from .datastore import typed_errors
from .master import create_once, flush, write_private
from .notes import Note, PublicKey, note, origin, sign
from .rows import Row

FILE: Final = "signing.key"
NEXT: Final = "signing.key.next"
PUBLIC: Final = "signing.pub"

_KEY_BYTES = 32


class Signing:
    """The signing key of a store; one of its own, kept nowhere, for a store in memory.

    Args:
        directory: Of the store; None in memory.
        store_id: Whose name the key bears.
    """

    def __init__(self, directory: Path | None, store_id: str) -> None:
        self.name = origin(store_id)
        self._keys = None if directory is None else directory / "keys"
        self._public = None if directory is None else directory / "checkpoints" / PUBLIC
        self._volatile = Ed25519PrivateKey.generate() if directory is None else None

    def public(self) -> PublicKey | None:
        """The key that is in place now, as far as it can be told without making one."""
        if self._volatile is not None:
            return self._half(self._volatile)
        try:
            return self._half(self._read(FILE))
        except StorageFailed:
            return self._told()

    def private(self) -> Ed25519PrivateKey:
        """The key to sign with, made where there was none. The lock of the checkpoints is held.

        Raises:
            StorageFailed: ``signing_key_missing`` where there was one, ``signing_key_damaged``, or
                the disk fails.
        """
        if self._volatile is not None or self._keys is None or self._public is None:
            assert self._volatile is not None  # noqa: S101 (one or the other)
            return self._volatile
        if not (self._keys / FILE).exists():
            if self._public.exists():
                raise StorageFailed(
                    f"{self._keys / FILE} is gone, and there are checkpoints of it: restore it, or"
                    " put the checkpoints directory elsewhere to begin anew.",
                    code="signing_key_missing",
                )
            with typed_errors():
                create_once(self._keys / FILE, Ed25519PrivateKey.generate().private_bytes_raw())
        key = self._read(FILE)
        if self._told() != self._half(key):
            with typed_errors():
                write_whole(self._public, f"{self._half(key)}\n".encode())
        return key

    def statement(self, old: Ed25519PrivateKey, new: Ed25519PrivateKey) -> Rotated:
        """The event by which a new key takes the place of an old one."""
        key = self._half(new)
        return Rotated(
            old=str(self._half(old)),
            new=str(key),
            statement=sign(_statement(key), self.name, old),
        )

    def propose(self, key: Ed25519PrivateKey) -> None:
        """Writes the key that is to come; ``settle`` puts it in place."""
        if self._keys is None:
            self._volatile = key
        else:
            with typed_errors():
                write_private(self._keys / NEXT, key.private_bytes_raw())

    def settle(self, ring: "Ring") -> None:
        """Ends a change of the key: puts the new one in place if the log has it, or takes it away.

        The lock of the checkpoints is held, so that no change is under way.
        """
        if self._keys is None or not (self._keys / NEXT).exists():
            return
        try:
            coming = self._half(self._read(NEXT))
        except StorageFailed:
            coming = None  # its writing was cut short
        with typed_errors():
            if coming is not None and ring.periods and ring.periods[-1].key == coming:
                (self._keys / NEXT).replace(self._keys / FILE)
            else:
                (self._keys / NEXT).unlink()
            flush(self._keys)

    def _half(self, key: Ed25519PrivateKey) -> PublicKey:
        return PublicKey(self.name, key.public_key().public_bytes_raw())

    def _read(self, name: str) -> Ed25519PrivateKey:
        assert self._keys is not None  # noqa: S101 (asked for files alone)
        try:
            raw = (self._keys / name).read_bytes()
        except OSError as error:
            raise StorageFailed(
                f"{self._keys / name} cannot be read ({error.strerror}).",
                code="signing_key_unreadable",
            ) from error
        if len(raw) != _KEY_BYTES:
            raise StorageFailed(
                f"{self._keys / name} has {len(raw)} bytes, not {_KEY_BYTES}: restore it.",
                code="signing_key_damaged",
            )
        return Ed25519PrivateKey.from_private_bytes(raw)

    def _told(self) -> PublicKey | None:
        assert self._public is not None  # noqa: S101 (asked for files alone)
        try:
            return PublicKey.of(self._public.read_text(encoding="utf-8").strip())
        except (OSError, ValueError, Invalid):
            return None


@dataclass(frozen=True, slots=True)
class Period:
    """A key, and the sizes of the checkpoints that it signs: from ``first``, below ``until``."""

    key: PublicKey
    first: int
    until: int | None = None


@dataclass(frozen=True, slots=True)
class Ring:
    """The keys of a store, oldest first, and the positions of rotations that do not hold."""

    periods: tuple[Period, ...]
    broken: tuple[int, ...]

    def key(self, size: int) -> PublicKey | None:
        """The key that signs checkpoints of a size; None where none is known."""
        for period in self.periods:
            if period.first <= size and (period.until is None or size < period.until):
                return period.key
        return None


def ring(rows: Sequence[Row], name: str, current: PublicKey | None) -> Ring:
    """The keys of a store by its rotations.

    Args:
        rows: The events of the store's own stream.
        name: The name of its keys.
        current: The key in place. A copy may tell one of before a rotation, which is as good: each
            vouches for the next.
    """
    periods: list[Period] = []
    broken: list[int] = []
    for row in rows:
        if row.name != Rotated.NAME:
            continue
        keys = _keys(row, name)
        if keys is None or (periods and periods[-1].key != keys[0]):
            broken.append(row.position)
            continue
        first = periods.pop().first if periods else 0
        periods += [Period(keys[0], first, row.position), Period(keys[1], row.position)]
    if not periods:
        return Ring(() if current is None else (Period(current, 0),), tuple(broken))
    if current is not None and all(period.key != current for period in periods):
        broken.append(periods[-1].first)
    return Ring(tuple(periods), tuple(broken))


def _keys(row: Row, name: str) -> tuple[PublicKey, PublicKey] | None:
    """The old and the new key of a rotation; None where the old one did not say so."""
    try:
        event = codec.decode(row.name, row.schema, row.facts, None)
        old, new = PublicKey.of(event.old), PublicKey.of(event.new)
        said: Note = note(event.statement)
    except (codec.UnknownEvent, codec.UnreadableEvent, Invalid, TypeError):
        return None
    is_said = said.text == _statement(new) and said.is_signed_by(old)
    return (old, new) if is_said and old.name == new.name == name else None


def _statement(new: PublicKey) -> str:
    return f"{new.name}\nsigning key {new}\n"


def write_whole(path: Path, content: bytes) -> None:
    """Writes a file for its owner alone, whole or not at all, flushed to the disk.

    Nobody else writes it at the same time: the lock of the checkpoints is held.
    """
    path.parent.mkdir(mode=0o700, exist_ok=True)
    draft = path.with_name(f".{path.name}.draft")
    write_private(draft, content)
    draft.replace(path)
    flush(path.parent)
