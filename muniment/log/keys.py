"""The keys that words are encrypted under: one a stream, wrapped by a master key, outside the log.

Destroying a key erases the words of its stream from the log and from every copy of the log. A
process mints its keys in batches ahead of need, so that a save waits for one disk flush, not two;
what a batch leaves unused is harmless.
"""

import os
import secrets
import sqlite3
import threading
from collections.abc import Generator, Iterable, Sequence
from contextlib import contextmanager
from pathlib import Path

import structlog
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from muniment.domain.errors import StorageFailed

_log = structlog.get_logger(__name__)

KEY_BYTES = 32
NONCE_BYTES = 12

_PRAGMAS = (
    "journal_mode=TRUNCATE",
    "secure_delete=ON",
    "synchronous=EXTRA",
    "trusted_schema=OFF",
    "cell_size_check=ON",
)
_TABLE = "CREATE TABLE IF NOT EXISTS keys (id INTEGER PRIMARY KEY, wrapped BLOB NOT NULL) STRICT"


class Keys:
    """A vault in ``directory`` (made with mode 0700), or in memory where that is None.

    Args:
        directory: Holds ``keys.db`` and ``master.key``, each readable by its owner alone.
        batch: How many keys are minted at a time.
        busy_timeout: Seconds to wait for another process that mints.
        read_only: Whether nothing may be minted; a log whose keys are elsewhere is read without.
    """

    def __init__(
        self,
        directory: Path | None,
        *,
        batch: int = 256,
        busy_timeout: float = 10.0,
        read_only: bool = False,
    ) -> None:
        self._batch = batch
        self._read_only = read_only
        self._lock = threading.RLock()
        self._minted: list[tuple[int, bytes]] = []
        self._raw: dict[int, bytes] = {}
        self._refilling: threading.Thread | None = None
        no_vault = directory is None or (read_only and not (directory / "keys.db").exists())
        if directory is None or no_vault:
            self._master = AESGCM(secrets.token_bytes(KEY_BYTES))
            self._connection = sqlite3.connect(
                ":memory:", isolation_level=None, check_same_thread=False
            )
        else:
            self._master = AESGCM(_master_key(directory, may_create=not read_only))
            self._connection = _connect(directory / "keys.db", busy_timeout, read_only=read_only)
        try:
            with _typed_errors():
                if not read_only:
                    for pragma in _PRAGMAS:
                        self._connection.execute(f"PRAGMA {pragma}").fetchall()
                    self._connection.execute(_TABLE)
                elif no_vault:
                    self._connection.execute(_TABLE)
        except BaseException:
            self._connection.close()
            raise

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

    def destroy(self, key_ids: Iterable[int]) -> None:
        """Destroys keys, flushed to the disk before it returns; unknown ids are passed over."""
        doomed = [(key_id,) for key_id in key_ids]
        with self._lock, _typed_errors():
            self._change("DELETE FROM keys WHERE id = ?", doomed)
        self.forget(key_id for (key_id,) in doomed)

    def forget(self, key_ids: Iterable[int]) -> None:
        """Drops unwrapped keys from memory: another process has destroyed them."""
        for key_id in key_ids:
            self._raw.pop(key_id, None)

    def get(self, key_id: int) -> bytes | None:
        """The raw key of an id; None where it is not there or was wrapped by another master."""
        raw = self._raw.get(key_id)
        if raw is not None:
            return raw
        with self._lock, _typed_errors():
            found = self._connection.execute(
                "SELECT wrapped FROM keys WHERE id = ?", (key_id,)
            ).fetchone()
            if found is None:
                return None
            return self._unwrap(key_id, found[0])

    def warm(self) -> None:
        """Unwraps every key at once, ahead of a replay of the whole log."""
        with self._lock, _typed_errors():
            for key_id, wrapped in self._connection.execute("SELECT id, wrapped FROM keys"):
                if key_id not in self._raw:
                    self._unwrap(key_id, wrapped)

    def close(self) -> None:
        """Ends the vault; unwrapped keys are forgotten."""
        refilling = self._refilling
        if refilling is not None:
            refilling.join()
        with self._lock:
            self._connection.close()
            self._raw.clear()
            self._minted.clear()

    def _unwrap(self, key_id: int, wrapped: bytes) -> bytes | None:
        nonce, sealed = wrapped[:NONCE_BYTES], wrapped[NONCE_BYTES:]
        try:
            raw = self._master.decrypt(nonce, sealed, str(key_id).encode())
        except (InvalidTag, ValueError):
            return None
        self._raw[key_id] = raw
        return raw

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
        wrapped: list[tuple[int, bytes]] = []
        for key_id, raw in fresh:
            nonce = secrets.token_bytes(NONCE_BYTES)
            wrapped.append((key_id, nonce + self._master.encrypt(nonce, raw, str(key_id).encode())))
        with _typed_errors():
            self._change("INSERT INTO keys VALUES (?, ?)", wrapped)
        self._minted = fresh + self._minted

    def _change(self, statement: str, values: Sequence[tuple[object, ...]]) -> None:
        if self._read_only:
            raise StorageFailed("The store is open for reading only.", code="read_only")
        self._connection.execute("BEGIN IMMEDIATE")
        try:
            self._connection.executemany(statement, values)
            self._connection.execute("COMMIT")
        except BaseException:
            if self._connection.in_transaction:
                self._connection.execute("ROLLBACK")
            raise


def _master_key(directory: Path, *, may_create: bool) -> bytes:
    path = directory / "master.key"
    try:
        if may_create and not (directory / "keys.db").exists():
            directory.mkdir(mode=0o700, parents=True, exist_ok=True)
            _create_once(path, secrets.token_bytes(KEY_BYTES))
        master = path.read_bytes()
    except OSError as error:
        raise StorageFailed(
            f"The master key {path} cannot be read ({error.strerror}): without it no words can be"
            " read.",
            code="master_key_unreadable",
        ) from error
    if len(master) != KEY_BYTES:
        raise StorageFailed(
            f"The master key {path} has {len(master)} bytes, not {KEY_BYTES}: restore it from a"
            " backup.",
            code="master_key_damaged",
        )
    return master


def _create_once(path: Path, content: bytes) -> None:
    """Writes a file that is not there yet, whole or not at all, and flushed to the disk."""
    if path.exists():
        return
    draft = path.with_name(f"{path.name}.{secrets.token_hex(8)}")
    descriptor = os.open(draft, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
    try:
        os.write(descriptor, content)
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
    try:
        os.link(draft, path)
    except FileExistsError:
        pass  # another process was first, and its key is the one
    finally:
        draft.unlink()
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def _connect(path: Path, busy_timeout: float, *, read_only: bool) -> sqlite3.Connection:
    with _typed_errors():
        if not read_only and not path.exists():
            os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))
        mode = "ro" if read_only else "rw"
        return sqlite3.connect(
            f"{path.resolve().as_uri()}?mode={mode}",
            uri=True,
            isolation_level=None,
            check_same_thread=False,
            timeout=busy_timeout,
        )


@contextmanager
def _typed_errors() -> Generator[None, None, None]:
    try:
        yield
    except (sqlite3.Error, OSError) as error:
        raise StorageFailed(
            f"The key vault keys.db failed ({error}): check that it is there, writable and not"
            " full.",
            code="keys_failed",
        ) from error
