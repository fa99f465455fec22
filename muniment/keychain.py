"""The keys of a store as its handle has them."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from .evidence import RotateSigningKey
from .face.base import Face
from .key_backups import BackupKeys, KeysBackedUp, RotateKeys, back_up_keys

if TYPE_CHECKING:
    import os


@dataclass(frozen=True, slots=True)
class KeysRotated:
    """How many keys were wrapped anew; damaged ones were left as they are."""

    keys: int


@dataclass(frozen=True, slots=True)
class SigningKeyRotated:
    """The key that signs checkpoints from here on, as verifiers take it (``name+id+key``)."""

    public_key: str


class Keychain(Face):
    """What may be done with the keys: ``m.keys``. For the roles owner and admin."""

    def backup(
        self, path: "str | os.PathLike[str]", *, passphrase: str | None = None
    ) -> KeysBackedUp:
        """Write every key to one new file, which ``muniment.restore_keys`` puts in place again.

        The keys in it are wrapped, and with a ``passphrase`` (8 characters or more) the master key
        is in it too, sealed under that; without one, keep ``keys/master.key`` besides. Words that
        are purged later stay readable to whoever has such a file and the log of then: keep it apart
        from backups of the log, and no longer than needed.

        Raises:
            Invalid: ``passphrase_too_short``.
            Refused: ``target_exists``.
        """
        self._authorise(BackupKeys)
        return back_up_keys(self._engine, path, passphrase, self._engine.clock())

    def rotate(self) -> KeysRotated:
        """Replace the master key, and wrap every key under the new one.

        Killed at any moment it leaves one of the two valid. Other processes notice and read on.
        Backups of the keys that were made before open as before.
        """
        self._authorise(RotateKeys)
        return KeysRotated(self._engine.store.keys.rotate())

    def rotate_signing(self) -> SigningKeyRotated:
        """Put another key in place to sign checkpoints, and say so in the log.

        The old key vouches for the new one, so that ``verify`` follows from one to the other.
        Killed at any moment it leaves one of the two, and the log says which.
        """
        self._authorise(RotateSigningKey)
        self._engine.checkpoints.rotate_key(self._identity)
        return SigningKeyRotated(str(self._engine.store.signing.public()))
