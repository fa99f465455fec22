"""Where the checkpoints of a store lie, and how they are read back; nothing is verified here."""

import json
import os
import re
from pathlib import Path
from typing import Final, TypeAlias

from muniment.domain.errors import Invalid

from .datastore import typed_errors
from .merkle import Frontier
from .notes import Checkpoint, Malformed, origin
from .signing import Ring, ring
from .store import Store

Against: TypeAlias = Checkpoint | str | os.PathLike[str]
"""A checkpoint, its text, or the path of a file that holds it."""

FRONTIER: Final = "frontier"
"""The file that holds the tree as it was at the newest checkpoint."""

_NAME = re.compile(r"([0-9]{12,18})\.checkpoint")


def folder(store: Store) -> Path | None:
    """Where the checkpoints of a store lie; None in memory."""
    return None if store.directory is None else store.directory / "checkpoints"


def sizes(directory: Path | None) -> list[int]:
    """The sizes that there are checkpoints of by their names, smallest first."""
    if directory is None or not directory.is_dir():
        return []
    with typed_errors():
        matches = [_NAME.fullmatch(path.name) for path in directory.iterdir()]
    found = [(int(match[1]), match[0]) for match in matches if match is not None]
    return sorted(size for size, name in found if name == place(directory, size).name)


def load(directory: Path, size: int) -> Checkpoint:
    """The checkpoint of a size, as it lies there; nothing is verified.

    Raises:
        Invalid: ``checkpoint_malformed``, also where it cannot be read.
    """
    return read(place(directory, size))


def read(path: Path, field: str = "checkpoint") -> Checkpoint:
    """The checkpoint of a file; nothing is verified.

    Raises:
        Invalid: ``checkpoint_malformed``, or ``checkpoint_unreadable``.
    """
    try:
        text = path.read_bytes().decode()
    except OSError as error:
        raise Invalid(
            f"{field}: {path} cannot be read ({error.strerror}).",
            code="checkpoint_unreadable",
            field=field,
        ) from error
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        raise Malformed(line, "this is no UTF-8").of(field) from error
    return Checkpoint.of(text, field=field)


def keys_of(store: Store) -> Ring:
    """The keys that sign the checkpoints of a store."""
    current = store.signing.public()  # first: a rotation is in the log before it is in the file
    return ring(store.rows.select_streams_events([store.id]), origin(store.id), current)


def frontier(directory: Path) -> Frontier | None:
    """The tree as it was at the newest checkpoint; None where that is not kept, or damaged."""
    try:
        kept = json.loads((directory / FRONTIER).read_bytes())
        return Frontier(kept["size"], [bytes.fromhex(root) for root in kept["roots"]])
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None


def place(directory: Path, size: int) -> Path:
    """The file of the checkpoint of a size."""
    return directory / f"{size:012}.checkpoint"


def given(against: Against, field: str) -> Checkpoint:
    """The checkpoint that was given as ``field``, whichever way.

    Raises:
        Invalid: ``checkpoint_malformed`` or ``checkpoint_unreadable``.
    """
    if isinstance(against, Checkpoint):
        return against
    try:
        text = os.fsdecode(against)
        if "\n" in text:
            return Checkpoint.of(text, field=field)
        return read(Path(text).expanduser(), field)
    except (TypeError, ValueError, RuntimeError) as error:
        raise Invalid(
            f"{field}: give a checkpoint, its text, or the path of a file that holds it.",
            code="checkpoint_unreadable",
            field=field,
        ) from error
