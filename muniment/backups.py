"""Backups of the log: made while others write, verified, and restored. They hold no key.

A backup is a directory with ``log.db``, ``settings.toml`` where there is one, and
``manifest.json``, which is written last: without it nothing there is a backup.
"""

import json
import os
import secrets
import shutil
import sqlite3
from collections.abc import Generator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from pathlib import Path
from typing import ClassVar, Final

from pydantic import BaseModel, ConfigDict, ValidationError

from ._release import __version__
from .domain.access import Operation
from .domain.errors import Refused, StorageFailed
from .domain.moments import rfc3339
from .domain.ports import Progress
from .engine import Engine
from .log.datastore import typed_errors, uri
from .log.master import flush, write_private
from .log.store import Store
from .log.verify import Verification, verify
from .paths import path_of

FORMAT: Final = "muniment-backup"
FORMAT_VERSION: Final = 1
MANIFEST: Final = "manifest.json"

KEYS_BESIDES: Final = (
    "The words are encrypted, and a backup holds no key: put the keys directory or a key backup"
    " in place besides."
)

_LOG, _SETTINGS = "log.db", "settings.toml"
_PAGES = 2_048
_CHUNK = 1 << 20


class Backup(Operation):
    """Copy the log."""

    VERB: ClassVar[str] = "backup"


@dataclass(frozen=True, slots=True)
class BackedUp:
    """What a backup holds, as verified in it: ``events`` up to position ``head``."""

    path: Path
    store: str
    events: int
    head: int
    chain: str
    bytes: int


@dataclass(frozen=True, slots=True)
class RestoredBackup:
    """What was restored, as verified where it lies; ``note`` says what is to be done besides."""

    target: Path
    store: str
    events: int
    head: int
    chain: str
    made_at: str
    note: str = KEYS_BESIDES


class _File(BaseModel):
    model_config = ConfigDict(strict=True)

    sha256: str
    bytes: int


class _Kind(BaseModel):
    model_config = ConfigDict(strict=True)

    format: str
    version: int


class _Manifest(_Kind):
    release: str
    store: str
    events: int
    head: int
    chain: str
    root: str
    made_at: str
    files: dict[str, _File]


def back_up(
    engine: Engine, path: str | os.PathLike[str], now: datetime, progress: Progress | None
) -> BackedUp:
    """Copies the log as it stands, with every command that was acknowledged before the call.

    Args:
        engine: The store; others may write to it meanwhile.
        path: A directory, made where it is missing; it must be empty.
        now: When, for the manifest.
        progress: Called with how many pages of the database were copied so far.

    Raises:
        Refused: ``target_not_empty``, or ``volatile`` for a store in memory.
        StorageFailed: The disk fails, or ``log_not_intact``: what was copied does not verify, and
            is taken away again.
    """
    if engine.directory is None:
        raise Refused(
            "A store in memory has no backup, as its keys end with it: export it instead.",
            code="volatile",
        )
    place = path_of(path, what="directory")
    with _fresh_directory(place) as draft:
        _copy_database(engine.directory / _LOG, draft / _LOG, progress)
        if (engine.directory / _SETTINGS).is_file():
            write_private(draft / _SETTINGS, (engine.directory / _SETTINGS).read_bytes())
        found, store = _verified(draft)
        if not found.intact:
            raise StorageFailed(
                f"The log is not intact ({_told(found)}), so that this would be no backup: run"
                " verify, and restore an earlier one.",
                code="log_not_intact",
            )
        files = {file.name: _digest(file) for file in sorted(draft.iterdir())}
        manifest = {
            "format": FORMAT,
            "version": FORMAT_VERSION,
            "release": __version__,
            "store": store,
            "events": found.events,
            "head": found.head,
            "chain": found.chain,
            "root": found.root,
            "made_at": rfc3339(now),
            "files": {name: file.model_dump() for name, file in files.items()},
        }
        write_private(draft / MANIFEST, json.dumps(manifest, indent=1).encode() + b"\n")
    size = sum(file.bytes for file in files.values())
    return BackedUp(place, store, found.events, found.head, found.chain, size)


def restore_backup(path: str | os.PathLike[str], target: str | os.PathLike[str]) -> RestoredBackup:
    """Puts the log of a backup into an empty or missing directory, verified before and after.

    Keys are no part of it. Until they are put in place besides (the directory ``keys`` copied, or
    ``restore_keys`` with a key backup), it opens for reading alone, and every memory reads as
    ``key_missing``; what happened, and that the log is whole, can be told without.

    Raises:
        Refused: ``target_not_empty``.
        StorageFailed: ``backup_missing``, ``backup_damaged`` (with the reason) or
            ``newer_backup``; the disk fails.
    """
    source, place = path_of(path, what="directory"), path_of(target, "target", what="directory")
    manifest = _manifest(source)
    for name, file in manifest.files.items():
        _check(source / name, file)
    with _fresh_directory(place) as draft:
        for name, file in manifest.files.items():
            with typed_errors():
                shutil.copyfile(source / name, draft / name)
                (draft / name).chmod(0o600)
                _flush_file(draft / name)
            _check(draft / name, file)
        found, store = _verified(draft)
        said = (manifest.store, manifest.events, manifest.head, manifest.chain, manifest.root)
        if not found.intact:
            raise _damaged(f"its log is not intact: {_told(found)}")
        if (store, found.events, found.head, found.chain, found.root) != said:
            raise _damaged("its log is not the one that its manifest describes")
    return RestoredBackup(place, store, found.events, found.head, found.chain, manifest.made_at)


@contextmanager
def _fresh_directory(path: Path) -> Generator[Path, None, None]:
    """A draft beside ``path``, put in its place whole at the end, or taken away."""
    with typed_errors():
        if os.path.lexists(path) and not (path.is_dir() and not any(path.iterdir())):
            raise Refused(
                f"{path} is there and not empty: name an empty directory, or one to be made.",
                code="target_not_empty",
            )
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        draft = path.absolute().with_name(f".{path.absolute().name}.{secrets.token_hex(8)}")
        draft.mkdir(mode=0o700)
    try:
        yield draft
        with typed_errors():
            flush(draft)
            draft.replace(path)
            flush(path.absolute().parent)
    finally:
        shutil.rmtree(draft, ignore_errors=True)


def _copy_database(source: Path, target: Path, progress: Progress | None) -> None:
    """Copies one moment of a database that others write to, its write-ahead log included."""
    with typed_errors():
        os.close(os.open(target, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))

    def tell(_: int, remaining: int, total: int) -> None:
        if progress is not None:
            progress(total - remaining)

    with (
        typed_errors(),
        closing(sqlite3.connect(f"{uri(source)}?mode=ro", uri=True, isolation_level=None)) as log,
        closing(sqlite3.connect(uri(target), uri=True, isolation_level=None)) as copy,
    ):
        # a read transaction holds the moment: without it each write would start the copy anew
        log.execute("BEGIN")
        log.execute("SELECT count(*) FROM sqlite_schema").fetchone()
        log.backup(copy, pages=_PAGES, progress=tell, sleep=0)
        log.execute("ROLLBACK")
        copy.execute("PRAGMA synchronous = EXTRA")
        copy.execute("PRAGMA journal_mode = DELETE").fetchall()  # one file, no log beside it
    with typed_errors():
        _flush_file(target)


def _verified(directory: Path) -> tuple[Verification, str]:
    store = Store(directory, release=__version__, read_only=True)
    try:
        return verify(store), store.id
    finally:
        store.close()


def _told(found: Verification) -> str:
    first = found.findings[0]
    return f"{first.kind} at position {first.position:,}, {first.message}"


def _manifest(directory: Path) -> _Manifest:
    path = directory / MANIFEST
    try:
        text = path.read_bytes()
    except OSError as error:
        raise StorageFailed(
            f"There is no backup in {directory} ({MANIFEST}: {error.strerror}).",
            code="backup_missing",
        ) from error
    try:
        kind = _Kind.model_validate_json(text)
        if kind.format == FORMAT and kind.version > FORMAT_VERSION:
            raise StorageFailed(
                f"The backup has format {kind.version}, this release knows {FORMAT_VERSION}: a"
                " newer release made it; upgrade Muniment.",
                code="newer_backup",
            )
        manifest = _Manifest.model_validate_json(text)
    except ValidationError as error:
        raise _damaged(f"{MANIFEST} cannot be read") from error
    if manifest.format != FORMAT or not {_LOG} <= set(manifest.files) <= {_LOG, _SETTINGS}:
        raise _damaged(f"{MANIFEST} is not that of a backup")
    return manifest


def _check(path: Path, file: _File) -> None:
    if path.is_symlink() or not path.is_file():
        raise _damaged(f"{path.name} is missing")
    if _digest(path) != file:
        raise _damaged(f"{path.name} is not what was backed up")


def _digest(path: Path) -> _File:
    digest, size = sha256(), 0
    with typed_errors(), path.open("rb") as file:
        while chunk := file.read(_CHUNK):
            digest.update(chunk)
            size += len(chunk)
    return _File(sha256=digest.hexdigest(), bytes=size)


def _flush_file(path: Path) -> None:
    with path.open("rb") as file:
        os.fsync(file.fileno())


def _damaged(reason: str) -> StorageFailed:
    return StorageFailed(
        f"The backup is damaged: {reason}. Restore another one.", code="backup_damaged"
    )
