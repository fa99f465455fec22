"""Words of ``work.db`` as they are stored: under one key a space, which the key vault holds.

Each text is sealed with AES-256-GCM under a random nonce and bound to its table and space. What is
looked up by name is stored as HMAC-SHA-256 of the name. Both keys are derived from the space's, so
that destroying that one ends everything of the space, in every copy of the file.
"""

import hmac
import secrets
import sqlite3
from typing import Any, Final

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from pydantic_core import from_json, to_json

from muniment.domain.errors import StorageFailed
from muniment.log.keys import NONCE_BYTES, Keys

from .schema import FILE

_NAMES: Final = b"muniment work names"
_WORDS: Final = b"muniment work words"


class Seal:
    """What one space's words are written and read with."""

    def __init__(self, space: str, key: bytes) -> None:
        self._space = space
        self._naming = hmac.digest(key, _NAMES, "sha256")
        self._cipher = AESGCM(hmac.digest(key, _WORDS, "sha256"))

    def name(self, kind: str, name: str) -> bytes:
        """What a name of a kind is looked up by; nobody can guess it who lacks the key."""
        return hmac.digest(self._naming, f"{kind}\0{name}".encode(), "sha256")

    def sealed(self, kind: str, words: object) -> bytes:
        """Words of a kind, anything that JSON has, as they may be stored."""
        nonce = secrets.token_bytes(NONCE_BYTES)
        return nonce + self._cipher.encrypt(nonce, to_json(words), self._place(kind))

    def opened(self, kind: str, sealed: bytes) -> Any:
        """Words that were sealed as that kind.

        Raises:
            StorageFailed: ``corrupt``.
        """
        nonce, rest = sealed[:NONCE_BYTES], sealed[NONCE_BYTES:]
        try:
            return from_json(self._cipher.decrypt(nonce, rest, self._place(kind)))
        except (InvalidTag, ValueError) as error:
            raise StorageFailed(
                f"A row of {FILE} is damaged: move the file away; the memories are in the log.",
                code="corrupt",
            ) from error

    def _place(self, kind: str) -> bytes:
        return f"{kind}\0{self._space}".encode()


class Seals:
    """The seals of all spaces, by the ids that ``work.db`` has of their keys."""

    def __init__(self, keys: Keys) -> None:
        self._keys = keys
        self._known: dict[tuple[str, int], Seal] = {}

    def of(self, connection: sqlite3.Connection, space: str) -> Seal | None:
        """The seal of a space; None where nothing of it was ever stored.

        Raises:
            StorageFailed: ``key_missing``.
        """
        found = connection.execute("SELECT key_id FROM spaces WHERE space = ?", (space,)).fetchone()
        return None if found is None else self._seal(space, found[0])

    def made(self, connection: sqlite3.Connection, space: str) -> Seal:
        """The seal of a space, under a fresh key where it has none. Within a writing transaction.

        Raises:
            StorageFailed: ``key_missing``, or what the vault raises.
        """
        seal = self.of(connection, space)
        if seal is not None:
            return seal
        key_id, _ = self._keys.take()
        connection.execute("INSERT INTO spaces VALUES (?, ?)", (space, key_id))
        return self._seal(space, key_id)

    def destroy(self, key_ids: list[int]) -> None:
        """Destroys keys of spaces, in the vault and here."""
        self._known.clear()
        self._keys.destroy(key_ids)

    def _seal(self, space: str, key_id: int) -> Seal:
        seal = self._known.get((space, key_id))
        if seal is None:
            key = self._keys.get(key_id)
            if key is None:
                raise StorageFailed(
                    f"The key of what {FILE} holds of this space is missing: put the key vault back"
                    " that belongs to it, or move the file away.",
                    code="key_missing",
                )
            seal = self._known[space, key_id] = Seal(space, key)
        return seal
