"""Reads RockBot's store: a directory of JSON files, ``{category}/{id}.json``.

Names are read without regard to case. A missing LastSeenAt is CreatedAt, a missing
ReinforcementCount is 1 (as that system itself reads older files). Times without a zone are UTC, and
the report says so. Links are reported, not followed.
"""

import json
import os
from collections.abc import Iterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any, cast

from muniment.domain import moments
from muniment.domain.errors import Invalid

from . import foreign
from .foreign import Foreign, Item, Skipped

_MAX_BYTES = 1 << 20
_STAMPS = frozenset(["archivedat", "archivedreason", "archivereason"])


def read(path: Path) -> Iterator[Foreign]:
    """Every memory under a directory, in the order of their paths.

    Raises:
        Invalid: ``path_invalid`` where it is no directory.
    """
    if not path.is_dir():
        raise Invalid(
            f"path: {str(path)!r} is no directory: name RockBot's memory directory.",
            code="path_invalid",
            field="path",
        )
    return _read(path)


def _read(root: Path) -> Iterator[Foreign]:
    for file in sorted(root.rglob("*")):
        where = file.relative_to(root)
        if any(part.startswith(".") for part in where.parts):
            continue
        if file.is_symlink():
            if file.suffix == ".json" or file.is_dir():
                yield Skipped(_shown(where), "it is a link, and links are not followed")
        elif file.suffix == ".json" and file.is_file():
            try:
                yield _item(file, where)
            except (
                Invalid,
                OSError,
                ValueError,
                TypeError,
                OverflowError,
                RecursionError,
            ) as error:
                reason = error.message if isinstance(error, Invalid) else str(error)
                yield Skipped(_shown(where), reason or type(error).__name__)


def _shown(where: Path) -> str:
    """A path as text that can be printed, whatever bytes its name has."""
    return os.fsencode(where).decode(errors="backslashreplace")


def _object(value: object, what: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise Invalid(f"{what} no JSON object")
    return cast("dict[str, Any]", value)


def _item(file: Path, where: Path) -> Item:
    if file.stat().st_size > _MAX_BYTES:
        raise Invalid(f"it is over {_MAX_BYTES:,} bytes")
    given = _object(json.loads(file.read_text(encoding="utf-8-sig")), "it holds")
    entry = {name.lower(): value for name, value in given.items()}
    described = _object(entry.get("metadata") or {}, "its Metadata is")
    stamps = {name.lower(): value for name, value in described.items()}
    metadata = {
        name: str(value)
        for name, value in described.items()
        if value is not None and name.lower() not in _STAMPS
    }
    notes: list[str] = []

    def moment(*names: str) -> datetime | None:
        for name in names:
            value = entry.get(name) or stamps.get(name)
            if value:
                return foreign.moment(str(value), name, _shown(where), notes)
        return None

    created = moment("createdat")
    if created is None:
        raise Invalid("it has no CreatedAt")
    folder = where.parent.as_posix()
    archived = moment("archivedat")
    reason = next(
        (
            str(found)
            for name in ("archivedreason", "archivereason")
            if (found := entry.get(name) or stamps.get(name))
        ),
        None,
    )
    fields: dict[str, Any] = {
        "content": entry.get("content"),
        "category": entry.get("category") or (None if folder == "." else folder),
        "tags": entry.get("tags") or (),
        "metadata": _with_known_times(metadata, _shown(where), notes),
        "importance": float(entry.get("importancescore", 0.5)),
        "created_at": created,
        "last_seen_at": moment("lastseenat") or created,
        "updated_at": moment("updatedat"),
        "reinforcement_count": entry.get("reinforcementcount", 1),
        "archived_at": archived,
        "archive_reason": reason if archived else None,
    }
    return Item(_shown(where), str(entry.get("id") or where.as_posix()), fields, tuple(notes))


def _with_known_times(metadata: Mapping[str, str], where: str, notes: list[str]) -> dict[str, str]:
    """Subject times written without a zone get one, as the report says."""
    known = dict(metadata)
    for key in ("subjectTime", "subjectTimeStart", "subjectTimeEnd"):
        text = known.get(key, "")
        if "T" in text:
            known[key] = moments.rfc3339(foreign.moment(text, key, where, notes))
    return known
