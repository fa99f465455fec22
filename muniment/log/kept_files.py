"""The files of a kept state: a beginning with the stamp, then chunks, each after its length.

The first file of a state has a name of its own, ``<hash of the space>.<projection>``; the later
ones add the salt of the state and their number. Until they are put in place, names end in
``.coming``.
"""

import os
import re
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, suppress
from hashlib import sha256
from pathlib import Path
from typing import BinaryIO, Final

from .sealed_parts import LONGEST_CHUNK, Stamp, Unreadable, read_stamp

SEGMENT: Final = 64 << 20
"""No file is larger."""

_MAGIC: Final = b"MUNIKEPT"
_LONGEST_STAMP: Final = 4_096
_COMING: Final = ".coming"
_WORD: Final = 4
_NAME: Final = re.compile(
    r"(?P<space>[0-9a-f]{32})\.(?P<projection>[a-z-]+)(?:\.(?P<salt>[0-9a-f]{32})\.[0-9]+)?"
    r"(?P<coming>\.coming)?"
)


def hashed(space: str) -> str:
    """What a space goes by in names of files, which may carry no words."""
    return sha256(space.encode()).hexdigest()[:32]


class Folder:
    """The files of all kept states of a store, under ``path``, which may be missing."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def stamp(self, space: str, projection: str) -> Stamp | None:
        """The stamp of a state; None where there is no state.

        Raises:
            Unreadable: It is no stamp of this format.
        """
        try:
            with self._first(space, projection).open("rb") as file:
                return _beginning(file)
        except FileNotFoundError:
            return None

    def chunks(self, stamp: Stamp) -> Iterator[bytes]:
        """The sealed chunks of a state, in order.

        Raises:
            Replaced: Another state has been put in its place.
            Unreadable: A file is damaged.
        """
        with ExitStack() as files:
            # all are opened before any is read: what is open is not lost when it is replaced
            for file in self._opened(stamp, files):
                while (chunk := _chunk(file)) is not None:
                    yield chunk

    def _opened(self, stamp: Stamp, files: ExitStack) -> list[BinaryIO]:
        opened: list[BinaryIO] = []
        while True:
            try:
                file = files.enter_context(self._file(stamp, len(opened)).open("rb"))
            except FileNotFoundError:
                break
            opened.append(file)
            if _beginning(file) != stamp:
                raise Replaced
        with self._file(stamp, 0).open("rb") as file:
            if _beginning(file) != stamp:  # then a later file may be missing from those
                raise Replaced
        return opened

    def projections(self, space: str) -> set[str]:
        """The projections of a space that have a file, of whatever use it is."""
        return {found["projection"] for _, found in self._of(space)}

    def keys(self, space: str) -> set[int]:
        """The ids of cache keys that the files of a space name."""
        keys: set[int] = set()
        for path, _ in self._of(space):
            with suppress(Unreadable, OSError), path.open("rb") as file:
                keys.add(_beginning(file).key)
        return keys

    def prepare(self, stamp: Stamp, chunks: Iterable[bytes]) -> list[Path]:
        """Writes the files of a state, flushed to the disk, and not put in place yet."""
        self._path.mkdir(mode=0o700, exist_ok=True)
        waiting = iter(chunks)
        chunk, paths = next(waiting, None), list[Path]()
        while chunk is not None or not paths:
            path = self._file(stamp, len(paths))
            paths.append(path)
            descriptor = os.open(_coming(path), os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
            with os.fdopen(descriptor, "wb") as file:
                written = stamp.written()
                file.write(_MAGIC + len(written).to_bytes(_WORD, "little") + written)
                while chunk is not None and file.tell() + _WORD + len(chunk) <= SEGMENT:
                    file.write(len(chunk).to_bytes(_WORD, "little") + chunk)
                    chunk = next(waiting, None)
                file.flush()
                os.fsync(file.fileno())
        return paths

    def put_in_place(self, paths: list[Path]) -> None:
        """Makes prepared files a state, the first one last: a reader meets all of it or none."""
        for path in reversed(paths):
            _coming(path).replace(path)
        self._flush()

    def clean(self) -> None:
        """Deletes what a killed process left, and later files of states that were replaced."""
        salts: set[str] = set()
        for path, found in self._every():
            if not found["salt"] and not found["coming"]:
                with suppress(Unreadable, OSError), path.open("rb") as file:
                    salts.add(_beginning(file).salt)
        for path, found in self._every():
            if found["coming"] or (found["salt"] and found["salt"] not in salts):
                path.unlink(missing_ok=True)

    def delete(self, space: str) -> None:
        """Deletes all files of a space."""
        found = [path for path, _ in self._of(space)]
        for path in found:
            path.unlink(missing_ok=True)
        if found:
            self._flush()

    def _first(self, space: str, projection: str) -> Path:
        return self._path / f"{hashed(space)}.{projection}"

    def _file(self, stamp: Stamp, number: int) -> Path:
        first = f"{stamp.space}.{stamp.projection}"
        return self._path / (f"{first}.{stamp.salt}.{number}" if number else first)

    def _of(self, space: str) -> list[tuple[Path, re.Match[str]]]:
        return [(path, found) for path, found in self._every() if found["space"] == hashed(space)]

    def _every(self) -> list[tuple[Path, re.Match[str]]]:
        """Every file of a kept state; what else lies there is somebody else's."""
        if not self._path.is_dir():
            return []
        named = [(path, _NAME.fullmatch(path.name)) for path in sorted(self._path.iterdir())]
        return [(path, found) for path, found in named if found is not None]

    def _flush(self) -> None:
        descriptor = os.open(self._path, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


class Replaced(Exception):  # noqa: N818 (it is said of a state)
    """Another state has been put in place of the one that was being read."""


def _coming(path: Path) -> Path:
    return path.with_name(path.name + _COMING)


def _beginning(file: BinaryIO) -> Stamp:
    if file.read(len(_MAGIC)) != _MAGIC:
        raise Unreadable("it is no kept state")
    length = int.from_bytes(file.read(_WORD), "little")
    if length > _LONGEST_STAMP:
        raise Unreadable("its stamp is damaged")
    return read_stamp(file.read(length))


def _chunk(file: BinaryIO) -> bytes | None:
    """The next chunk of a file; None at its end."""
    word = file.read(_WORD)
    if not word:
        return None
    length = int.from_bytes(word, "little")
    if length > LONGEST_CHUNK:
        raise Unreadable("it is damaged")
    return file.read(length)
