"""The keys that words are encrypted under: one a stream, wrapped by a master key, outside the log.

Destroying a key erases the words of its stream from the log and from every copy of the log. A
process mints its keys in batches ahead of need, so that a save waits for one disk flush, not two;
what a batch leaves unused is harmless. When another process has changed the master key, this one
notices by the vault's proof, before it wraps a key and when it cannot unwrap one.
"""

import secrets
import sqlite3
import threading
from collections.abc import Generator, Iterable
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import structlog

from muniment.domain.errors import StorageFailed

from . import destroyed, vault_file
from . import master as masters
from .destroyed import Destroyed
from .master import KEY_BYTES, NONCE_BYTES, Master
from .vault_file import FILE, Named, connect, typed_errors

__all__ = ["KEY_BYTES", "NONCE_BYTES", "Keys", "Vault"]

_NAMES_KEY = 1
"""The id of the store's own key; the others are random, of 63 bits."""

_log = structlog.get_logger(__name__)

_PRAGMAS = (
    "journal_mode=TRUNCATE",
    "secure_delete=ON",
    "synchronous=EXTRA",
    "trusted_schema=OFF",
    "cell_size_check=ON",
)
_TABLES = (
    "CREATE TABLE IF NOT EXISTS keys (id INTEGER PRIMARY KEY, wrapped BLOB NOT NULL) STRICT",
    """
    CREATE TABLE IF NOT EXISTS master
        (one INTEGER PRIMARY KEY CHECK (one = 1), proof BLOB NOT NULL) STRICT
    """,
    destroyed.TABLE,
    vault_file.TABLE,
)


@dataclass(frozen=True, slots=True)
class Vault:
    """Everything in a vault at one moment: its master key, and each key, wrapped, by id."""

    master: Master
    wrapped: dict[int, bytes]


class Keys:
    """A vault in ``directory`` (made with mode 0700), or in memory where that is None.

    Args:
        directory: Holds ``keys.db`` and ``master.key``, each readable by its owner alone.
        batch: How many keys are minted at a time.
        busy_timeout: Seconds to wait for another process that mints.
        read_only: Whether nothing may be minted; a log whose keys are elsewhere is read without.
        named: What the log beside it says of its keys; None: there is none to go by.

    Raises:
        StorageFailed: ``keys_missing`` where the log names keys and the vault is gone, or is not
            the one that they were in; unless ``read_only``.
    """

    def __init__(
        self,
        directory: Path | None,
        *,
        batch: int = 256,
        busy_timeout: float = 10.0,
        read_only: bool = False,
        named: Named | None = None,
    ) -> None:
        self._batch = batch
        self._missing: StorageFailed | None = None
        self._read_only = read_only
        self._lock = threading.RLock()
        self._minted: list[tuple[int, bytes]] = []
        self._raw: dict[int, bytes] = {}
        self._refilling: threading.Thread | None = None
        if directory is not None and named is not None and vault_file.is_gone(directory, named):
            self._lack(f"The keys of this store are not there: {directory / FILE} is missing.")
        no_vault = directory is None or (read_only and not (directory / FILE).exists())
        self._directory = None if no_vault else directory
        if self._directory is None:
            self._master = masters.fresh()
            self._connection = _in_memory()
        else:
            if not read_only and not (self._directory / FILE).exists():
                masters.create(self._directory)
            self._master = masters.read(self._directory / masters.FILE)
            self._connection = connect(self._directory / FILE, busy_timeout, read_only=read_only)
        try:
            with typed_errors():
                self._prepare(named)
        except BaseException:
            self._connection.close()
            raise

    def _prepare(self, named: Named | None) -> None:
        if self._read_only and self._directory is not None:
            with suppress(sqlite3.OperationalError):  # a write was cut off: reading a key says so
                self._require_own(named)
            if self._missing is None:
                with suppress(sqlite3.OperationalError):  # whoever makes the vault is not done yet
                    self._refresh()
                return
            self._connection.close()
            self._directory, self._master, self._connection = None, masters.fresh(), _in_memory()
        for pragma in _PRAGMAS:
            self._connection.execute(f"PRAGMA {pragma}").fetchall()
        for table in _TABLES:
            self._connection.execute(table)
        self._require_own(named)
        if named is not None and self._directory is not None:
            vault_file.claim(self._connection, named.store)
        if self._proof() is None:
            self._connection.execute(
                "INSERT OR IGNORE INTO master VALUES (1, ?)", (self._master.proof(),)
            )
        if self._directory is not None and (self._directory / masters.NEXT).exists():
            with self._changing():
                masters.settle(self._directory, self._proof())
        self._refresh()

    def _require_own(self, named: Named | None) -> None:
        if named is None or self._directory is None or vault_file.is_of(self._connection, named):
            return
        self._lack(f"{self._directory / FILE} is not the vault of this store's keys.")

    def _lack(self, found: str) -> None:
        """The vault of the log is not here, which a handle that only reads can do without."""
        self._missing = vault_file.missing(found)
        if not self._read_only:
            raise self._missing

    def require(self) -> None:
        """Refuses to go on where what is asked for rests on words, and their keys are not here.

        Raises:
            StorageFailed: ``keys_missing``.
        """
        if self._missing is not None:
            raise self._missing

    def take(self) -> tuple[int, bytes]:
        """A fresh key and its id, a random positive 63-bit number."""
        with self._lock:
            if not self._minted:
                self._mint(self._batch)
            key_id, raw = self._minted.pop()
            self._raw[key_id] = raw
            if len(self._minted) == self._batch // 4 and self._batch >= 4 and not self._refilling:
                self._refilling = threading.Thread(target=self._refill, daemon=True)
                self._refilling.start()
            return key_id, raw

    def reserve(self, count: int) -> None:
        """Mints as many keys as a bulk of commands may need, in one flush."""
        with self._lock:
            if len(self._minted) < count:
                self._mint(count - len(self._minted))

    def names_key(self) -> bytes:
        """The store's own key, made when it is first asked for.

        It names outside things in ways that nobody can guess who has the log alone: a plain hash of
        a foreign id that holds words would outlive their erasure.
        """
        self.require()
        with self._lock, typed_errors():
            known = self.get(_NAMES_KEY)
            if known is None:
                raw = secrets.token_bytes(KEY_BYTES)
                with self._changing():
                    self._require_master()
                    self._connection.execute(
                        "INSERT OR IGNORE INTO keys VALUES (?, ?)",
                        (_NAMES_KEY, self._master.wrap(_NAMES_KEY, raw)),
                    )
                known = self.get(_NAMES_KEY)
        if known is None:
            raise StorageFailed(
                "The store's own key cannot be read: restore the key vault from a backup.",
                code="key_missing",
            )
        return known

    def destroy(
        self,
        key_ids: Iterable[int],
        through: int = 0,
        backups_until: datetime | None = None,
    ) -> int:
        """Destroys keys, flushed to the disk before it returns; unknown ids are passed over.

        Args:
            key_ids: Which.
            through: The position of the log up to which all that it asked for is destroyed by
                this, to be remembered; 0 where that is not known.
            backups_until: When the master key is to be replaced, unless it is due before.

        Returns:
            How many of them there were.
        """
        doomed = [(key_id,) for key_id in key_ids]
        with self._lock, typed_errors(), self._changing():
            found = self._connection.executemany("DELETE FROM keys WHERE id = ?", doomed).rowcount
            destroyed.note(self._connection, through, backups_until if found > 0 else None)
        self.forget(key_id for (key_id,) in doomed)
        return max(0, found)

    def destroyed(self) -> Destroyed:
        """How far keys were destroyed, and when the master key is due for replacement."""
        with self._lock, typed_errors():
            return destroyed.read(self._connection)

    def forget(self, key_ids: Iterable[int]) -> None:
        """Drops unwrapped keys from memory: another process has destroyed them."""
        for key_id in key_ids:
            self._raw.pop(key_id, None)

    def get(self, key_id: int) -> bytes | None:
        """The raw key of an id; None where it is not there or was wrapped by another master."""
        raw = self._raw.get(key_id)
        if raw is not None:
            return raw
        with self._lock, typed_errors():
            raw = self._unwrapped(key_id)
            if raw is None and self._refresh():
                raw = self._unwrapped(key_id)
            return raw

    def warm(self) -> None:
        """Unwraps every key at once, ahead of a replay of the whole log."""
        with self._lock, typed_errors():
            self._refresh()
            for key_id, wrapped in self._connection.execute("SELECT id, wrapped FROM keys"):
                if key_id not in self._raw:
                    self._unwrap(key_id, wrapped)

    def rotate(self) -> int:
        """Puts a fresh master key in place of the one that is, and re-wraps every key under it.

        Killed at any moment, it leaves the old or the new one valid, and whoever opens the vault
        next ends what was begun. Raw keys do not change, so other processes read on.

        Returns:
            How many keys were re-wrapped; damaged ones are left as they are.

        Raises:
            StorageFailed: ``read_only``, or ``master_key_wrong`` where the one in place is not the
                vault's.
        """
        with self._lock, typed_errors():
            coming = masters.fresh()
            with self._changing():
                self._require_master()
                if self._directory is not None:
                    masters.settle(self._directory, self._proof())
                    masters.propose(self._directory, coming)
                rewrapped = [
                    (coming.wrap(key_id, raw), key_id)
                    for key_id, wrapped in self._connection.execute("SELECT id, wrapped FROM keys")
                    if (raw := self._master.unwrap(key_id, wrapped)) is not None
                ]
                self._connection.executemany("UPDATE keys SET wrapped = ? WHERE id = ?", rewrapped)
                self._connection.execute(
                    "INSERT OR REPLACE INTO master VALUES (1, ?)", (coming.proof(),)
                )
                destroyed.renew(self._connection)
            self._master = coming
            if self._directory is not None:
                with self._changing():
                    masters.settle(self._directory, self._proof())
            return len(rewrapped)

    def vault(self) -> Vault:
        """Everything in the vault, as of one moment.

        Raises:
            StorageFailed: ``keys_missing`` or ``master_key_wrong``.
        """
        self.require()
        with self._lock, typed_errors():
            self._connection.execute("BEGIN")
            try:
                self._require_master()
                found = self._connection.execute("SELECT id, wrapped FROM keys ORDER BY id")
                return Vault(self._master, dict(found.fetchall()))
            finally:
                self._connection.execute("ROLLBACK")

    def adopt(self, store: str, keys: Iterable[tuple[int, bytes]]) -> None:
        """Takes in raw keys of a store by id, from a backup, as whose vault it counts from then on.

        Ids that are here are kept.
        """
        with self._lock, typed_errors(), self._changing():
            vault_file.claim(self._connection, store)
            self._require_master()
            self._connection.executemany(
                "INSERT OR IGNORE INTO keys VALUES (?, ?)",
                [(key_id, self._master.wrap(key_id, raw)) for key_id, raw in keys],
            )

    def close(self) -> None:
        """Ends the vault; unwrapped keys are forgotten."""
        refilling = self._refilling
        if refilling is not None:
            refilling.join()
        with self._lock:
            self._connection.close()
            self._raw.clear()
            self._minted.clear()

    def _unwrapped(self, key_id: int) -> bytes | None:
        found = self._connection.execute(
            "SELECT wrapped FROM keys WHERE id = ?", (key_id,)
        ).fetchone()
        return None if found is None else self._unwrap(key_id, found[0])

    def _unwrap(self, key_id: int, wrapped: object) -> bytes | None:
        raw = self._master.unwrap(key_id, wrapped)
        if raw is not None:
            self._raw[key_id] = raw
        return raw

    def _proof(self) -> object:
        """What the vault's master key alone opens; None where there is none yet."""
        found = self._connection.execute("SELECT proof FROM master").fetchone()
        return None if found is None else (found[0] or b"")

    def _refresh(self) -> bool:
        """Takes the master key that is the vault's by now; whether it is another than before."""
        proof = self._proof()
        if self._directory is None or proof is None or self._master.opens(proof):
            return False
        self._master = masters.load(self._directory, proof)
        return self._master.opens(proof)

    def _require_master(self) -> None:
        """Nothing is wrapped by a master key that is not the vault's: it could not be read again.

        Raises:
            StorageFailed: ``master_key_wrong``.
        """
        self._refresh()
        proof = self._proof()
        if proof is not None and not self._master.opens(proof):
            raise StorageFailed(
                f"{masters.FILE} is not the master key of this vault: put the right one back.",
                code="master_key_wrong",
            )

    def _refill(self) -> None:
        try:
            with self._lock:
                self._mint(self._batch)
        except StorageFailed as error:
            # whoever takes the last key meets the same failure, and is told
            _log.warning("keys_not_minted_ahead", reason=error.message)
        finally:
            self._refilling = None

    def _mint(self, count: int) -> None:
        fresh = [(secrets.randbits(63), secrets.token_bytes(KEY_BYTES)) for _ in range(count)]
        with typed_errors(), self._changing():
            self._require_master()
            self._connection.executemany(
                "INSERT INTO keys VALUES (?, ?)",
                [(key_id, self._master.wrap(key_id, raw)) for key_id, raw in fresh],
            )
        self._minted = fresh + self._minted

    @contextmanager
    def _changing(self) -> Generator[None, None, None]:
        """One transaction under the vault's lock."""
        if self._read_only:
            raise StorageFailed("The store is open for reading only.", code="read_only")
        self._connection.execute("BEGIN IMMEDIATE")
        try:
            yield
            self._connection.execute("COMMIT")
        except BaseException:
            if self._connection.in_transaction:
                self._connection.execute("ROLLBACK")
            raise


def _in_memory() -> sqlite3.Connection:
    return sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
