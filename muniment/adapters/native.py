"""Reads what ``export`` wrote: a header, a line of JSON a memory, and a trailer with their hash.

The whole file is checked before anything is brought in, so that a torn or altered one brings
nothing.
"""

import json
from collections.abc import Iterator, Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any, BinaryIO, Final, cast

from muniment.domain.errors import Invalid

from .foreign import Foreign, Item, Skipped

FORMAT: Final = "muniment-export"
VERSION: Final = 1

_MAX_LINE = 16 << 20
_AS_THEY_ARE = (
    "text_version",
    "category",
    "store",
    "source",
    "trust",
    "scored_at",
    "created_at",
    "last_seen_at",
    "updated_at",
    "reinforcement_count",
    "access_count",
    "last_accessed_at",
    "condition",
    "pinned",
    "held",
    "archived_at",
    "archive_reason",
    "merged_into",
    "superseded_by",
    "metadata",
)
_SEQUENCES = ("tags", "merged_from", "resembles", "conflicts_with")


def read(path: Path) -> Iterator[Foreign]:
    """Every memory of an export, in its order.

    Raises:
        Invalid: ``path_invalid`` where there is no export, ``export_newer`` where a newer release
            wrote it, ``export_damaged`` where it is torn or was altered.
    """
    try:
        file = path.open("rb")
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise Invalid(
            f"path: {str(path)!r} cannot be read ({reason}): name an export's file.",
            code="path_invalid",
            field="path",
        ) from error
    try:
        lines = _checked(file)
    except BaseException:
        file.close()
        raise
    return _read(file, lines)


def _checked(file: BinaryIO) -> int:
    """How many lines of memories there are, once the whole file is what was written."""
    header, digest = b"", sha256()
    previous: bytes | None = None
    count = 0
    while line := file.readline(_MAX_LINE):
        if previous is not None:
            digest.update(previous)
        else:
            header = line
            _require_ours(_object(header))
        previous = line
        count += 1
    trailer = _object(previous or b"")
    if count < 2 or trailer.get("sha256") != digest.hexdigest():
        raise _damaged("its trailer is missing or does not match: it was cut short or altered")
    if trailer.get("memories") != count - 2 or _object(header).get("memories") != count - 2:
        raise _damaged("it holds another number of memories than it says")
    file.seek(0)
    return count - 2


def _require_ours(header: Mapping[str, Any]) -> None:
    if header.get("format") != FORMAT or not isinstance(header.get("version"), int):
        raise Invalid(
            "path: this is no export of Muniment: its first line says something else.",
            code="path_invalid",
            field="path",
        )
    if header["version"] > VERSION:
        raise Invalid(
            f"path: the export has format {header['version']}, this release knows {VERSION}:"
            " upgrade Muniment.",
            code="export_newer",
            field="path",
        )


def _damaged(reason: str) -> Invalid:
    return Invalid(f"path: the export is damaged, {reason}.", code="export_damaged", field="path")


def _object(line: bytes) -> dict[str, Any]:
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        found = None
    return cast("dict[str, Any]", found) if isinstance(found, dict) else {}


def _read(file: BinaryIO, lines: int) -> Iterator[Foreign]:
    with file:
        file.readline(_MAX_LINE)
        for number in range(lines):
            where = f"line {number + 2}"
            try:
                yield _item(_object(file.readline(_MAX_LINE)), where)
            except (KeyError, TypeError, ValueError, AttributeError) as error:
                yield Skipped(where, f"it is no memory ({type(error).__name__}: {error})")


def _item(entry: dict[str, Any], where: str) -> Foreign:
    id_ = str(entry["id"])
    if entry.get("fault"):
        return Skipped(where, f"{id_} could not be read when it was exported ({entry['fault']})")
    statements = entry["statements"]
    content, *additions = [said["text"] for said in statements] or [None]
    fields: dict[str, Any] = {
        "id": id_,
        "content": content,
        "additions": tuple(additions),
        "said_at": tuple(said["said_at"] for said in statements),
        "importance": entry["base"],
        "archive_importance": entry["archived_base"],
        "heard": tuple((type_, ref) for type_, ref in entry["heard"]),
    }
    fields |= {name: entry[name] for name in _AS_THEY_ARE}
    fields |= {name: tuple(entry[name]) for name in _SEQUENCES}
    return Item(where, id_, fields)
