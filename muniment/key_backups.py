"""Backups of the keys, in one file: every key, wrapped, and the master key under a passphrase.

Whoever has the log and this file with its passphrase can read every word, so it is kept apart from
backups of the log. Only keys that the log names are in it, neither those of caches nor those minted
ahead. Restoring wraps each key anew under the master key of the place that it is restored to, and
leaves out the keys of what was purged since.
"""

import hmac
import os
import secrets
import shutil
import sqlite3
from contextlib import closing
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Annotated, ClassVar, Final

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.kdf.scrypt import Scrypt
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from .domain.access import Operation
from .domain.errors import Invalid, Refused, StorageFailed
from .domain.moments import rfc3339
from .engine import Engine
from .log import master as masters
from .log.datastore import typed_errors, uri
from .log.keys import Keys
from .log.master import KEY_BYTES, NONCE_BYTES, Master
from .paths import path_of

FORMAT: Final = "muniment-keys"
FORMAT_VERSION: Final = 1
MIN_PASSPHRASE: Final = 8

_COST = 1 << 16  # 64 MiB and a fraction of a second, for whoever guesses at a passphrase too
_SALT_BYTES = 16


class BackupKeys(Operation):
    """Write the keys to a file."""

    VERB: ClassVar[str] = "keys backup"


class RotateKeys(Operation):
    """Replace the master key."""

    VERB: ClassVar[str] = "keys rotate"


@dataclass(frozen=True, slots=True)
class KeysBackedUp:
    """How many keys a file holds, as read back; ``sealed``: the master key is in it too."""

    path: Path
    store: str
    keys: int
    sealed: bool


@dataclass(frozen=True, slots=True)
class RestoredKeys:
    """How many keys are in place, and how many were left out because their words were purged."""

    target: Path
    store: str
    keys: int
    purged: int
    made_at: str


_PLAIN = ConfigDict(strict=True, ser_json_bytes="base64", val_json_bytes="base64")


class _Sealed(BaseModel):
    model_config = _PLAIN

    scrypt_n: Annotated[int, Field(ge=2, le=1 << 20)]
    scrypt_r: Annotated[int, Field(ge=1, le=16)]
    scrypt_p: Annotated[int, Field(ge=1, le=16)]
    salt: bytes
    master: bytes

    def derived(self, passphrase: str) -> AESGCM:
        """The cipher that a passphrase stands for."""
        kdf = Scrypt(self.salt, KEY_BYTES, n=self.scrypt_n, r=self.scrypt_r, p=self.scrypt_p)
        return AESGCM(kdf.derive(passphrase.encode()))


class _Kind(BaseModel):
    model_config = _PLAIN

    format: str
    version: int


class _KeyFile(_Kind):
    store: str
    made_at: str
    sealed: _Sealed | None
    keys: dict[Annotated[int, Field(strict=False)], bytes]
    mac: str = ""

    def body(self) -> bytes:
        """What the mac is over."""
        return self.model_dump_json(exclude={"mac"}).encode()


def back_up_keys(
    engine: Engine, path: str | os.PathLike[str], passphrase: str | None, now: datetime
) -> KeysBackedUp:
    """Writes every key to one file for its owner alone, and reads it back.

    Args:
        engine: The store.
        path: A file that is not there yet.
        passphrase: What the master key is sealed under, 8 characters or more. Without one it is
            left out, so that the file is of use only together with ``keys/master.key``.
        now: When, for the file.

    Raises:
        Invalid: ``passphrase_too_short`` or ``path_invalid``.
        Refused: ``target_exists``.
        StorageFailed: The disk fails, or ``master_key_wrong``.
    """
    place = path_of(path)
    if passphrase is not None:
        _require_long(passphrase)
    vault = engine.store.keys.vault()
    named = engine.store.rows.select_key_ids()
    wrapped = {key_id: key for key_id, key in vault.wrapped.items() if key_id in named}
    made = _KeyFile(
        format=FORMAT,
        version=FORMAT_VERSION,
        store=engine.store.id,
        made_at=rfc3339(now),
        sealed=None if passphrase is None else _seal(vault.master, passphrase, engine.store.id),
        keys=wrapped,
    )
    made.mac = _mac(vault.master, made)
    with typed_errors():
        if os.path.lexists(place):
            raise Refused(f"{place} is there already: name another file.", code="target_exists")
        place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        draft = place.with_name(f".{place.name}.{secrets.token_hex(8)}")
        try:
            masters.write_private(draft, made.model_dump_json().encode() + b"\n")
            read = _read(draft)
            master = vault.master if passphrase is None else _unseal(read, passphrase)
            if read != made or _unwrapped(read, master) != _unwrapped(made, vault.master):
                raise _damaged("what was written is not what is read back")
            draft.replace(place)
            masters.flush(place.parent)
        finally:
            draft.unlink(missing_ok=True)
    return KeysBackedUp(place, made.store, len(made.keys), made.sealed is not None)


def restore_keys(
    path: str | os.PathLike[str],
    target: str | os.PathLike[str],
    passphrase: str | None = None,
    *,
    master: str | os.PathLike[str] | None = None,
) -> RestoredKeys:
    """Puts the keys of a backup in place beside the log that they are of.

    Keys that are in place already stay. Those of what the log says is purged are left out, so that
    an old backup brings nothing back. Caches are deleted, as they may have been made without these
    words; handles that are open are to be opened anew.

    Args:
        path: The file.
        target: The directory with the log, which is restored first.
        passphrase: The one that it was made with.
        master: Instead of a passphrase, a copy of ``keys/master.key`` of then.

    Raises:
        Invalid: ``passphrase_required`` where neither is given that the file needs.
        Refused: ``passphrase_wrong``, or ``other_store`` for keys of another log.
        StorageFailed: ``backup_missing``, ``backup_damaged``, ``newer_backup``, or ``missing``
            where there is no log.
    """
    file, place = _read(path_of(path)), path_of(target, "target")
    if master is not None:
        opening = masters.read(path_of(master, "master"))
        if not hmac.compare_digest(file.mac, _mac(opening, file)):
            raise Refused("This is not the master key of then.", code="master_key_wrong")
    elif file.sealed is None or passphrase is None:
        what = "the master key of then" if file.sealed is None else "the passphrase"
        raise Invalid(
            f"This key backup opens with {what}: give it.",
            code="passphrase_required",
            field="master" if file.sealed is None else "passphrase",
        )
    else:
        opening = _unseal(file, passphrase)
    raw = _unwrapped(file, opening)
    store, named, purged = _log_says(place)
    if store != file.store:
        raise Refused(
            f"These are keys of the store {file.store}, and {place} holds {store}.",
            code="other_store",
        )
    kept = {key_id: key for key_id, key in raw.items() if key_id in named - purged}
    keys = Keys(place / "keys")
    try:
        keys.adopt(store, kept.items())
    finally:
        keys.close()
    # what was read while words were missing may be kept there, and would be missing for good
    shutil.rmtree(place / "cache", ignore_errors=True)
    return RestoredKeys(place, store, len(kept), len(raw.keys() & purged), file.made_at)


def _require_long(passphrase: object) -> None:
    if not isinstance(passphrase, str) or len(passphrase) < MIN_PASSPHRASE:
        raise Invalid(
            f"passphrase: use {MIN_PASSPHRASE} characters or more.",
            code="passphrase_too_short",
            field="passphrase",
        )


def _seal(master: Master, passphrase: str, store: str) -> _Sealed:
    sealed = _Sealed(
        scrypt_n=_COST,
        scrypt_r=8,
        scrypt_p=1,
        salt=secrets.token_bytes(_SALT_BYTES),
        master=b"",
    )
    nonce = secrets.token_bytes(NONCE_BYTES)
    cipher = sealed.derived(passphrase)
    sealed.master = nonce + cipher.encrypt(nonce, master.raw, _bound(store))
    return sealed


def _unseal(file: _KeyFile, passphrase: str) -> Master:
    assert file.sealed is not None  # noqa: S101 (who calls has looked)
    sealed = file.sealed.master
    try:
        raw = file.sealed.derived(passphrase).decrypt(
            sealed[:NONCE_BYTES], sealed[NONCE_BYTES:], _bound(file.store)
        )
    except (InvalidTag, ValueError) as error:
        raise Refused(
            "The passphrase does not open this key backup.", code="passphrase_wrong"
        ) from error
    master = Master(raw)
    if not hmac.compare_digest(file.mac, _mac(master, file)):
        raise _damaged("it is not what was written")
    return master


def _bound(store: str) -> bytes:
    return f"{FORMAT}\0{FORMAT_VERSION}\0{store}".encode()


def _mac(master: Master, file: _KeyFile) -> str:
    return hmac.digest(master.raw, b"key backup\0" + file.body(), "sha256").hex()


def _unwrapped(file: _KeyFile, master: Master) -> dict[int, bytes]:
    """The raw keys by id; those that were damaged in the vault already are left out."""
    return {
        key_id: raw
        for key_id, wrapped in file.keys.items()
        if (raw := master.unwrap(key_id, wrapped)) is not None
    }


def _read(path: Path) -> _KeyFile:
    try:
        text = path.read_bytes()
    except OSError as error:
        raise StorageFailed(
            f"There is no key backup {path} ({error.strerror}).", code="backup_missing"
        ) from error
    try:
        kind = _Kind.model_validate_json(text)
        if kind.format == FORMAT and kind.version > FORMAT_VERSION:
            raise StorageFailed(
                f"The key backup has format {kind.version}, this release knows {FORMAT_VERSION}:"
                " upgrade Muniment.",
                code="newer_backup",
            )
        file = _KeyFile.model_validate_json(text)
    except ValidationError as error:
        raise _damaged("it is cut short or no key backup") from error
    if file.format != FORMAT:
        raise _damaged("it is no key backup")
    return file


def _log_says(directory: Path) -> tuple[str, set[int], set[int]]:
    """The id of the store, the keys that it names, and which are of what is or will be purged."""
    log = directory / "log.db"
    if not log.is_file():
        raise StorageFailed(
            f"There is no log in {directory}: restore it first, as it says what was purged.",
            code="missing",
        )
    with typed_errors(), closing(sqlite3.connect(f"{uri(log)}?mode=ro", uri=True)) as connection:
        (store,) = connection.execute("SELECT id FROM store").fetchone()
        every = "SELECT DISTINCT key_id FROM events WHERE key_id IS NOT NULL"
        named = connection.execute(every).fetchall()
        purged = connection.execute(
            f"{every} AND stream IN (SELECT stream FROM events"  # noqa: S608 (no input)
            " WHERE name GLOB '*.purge_requested' OR name GLOB '*.purged')"
        ).fetchall()
        return str(store), {one for (one,) in named}, {one for (one,) in purged}


def _damaged(reason: str) -> StorageFailed:
    return StorageFailed(
        f"The key backup is damaged: {reason}. Restore another one.", code="backup_damaged"
    )
