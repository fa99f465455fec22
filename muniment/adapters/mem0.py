"""Reads exports of mem0: a JSON list of memories, or an object with ``results`` or ``memories``.

The text is ``memory``, ``text``, ``data`` or ``content``. The first of the categories is the
category, the others are tags. Who it is about (``user_id``, ``agent_id``, ``run_id``, ``app_id``)
and mem0's own metadata are kept as metadata; its hash of the text is not, as no fingerprint of
content is kept anywhere.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from hashlib import sha256
from pathlib import Path
from typing import Any, Final, cast

from muniment.domain import texts
from muniment.domain.errors import Invalid

from . import foreign
from .foreign import Foreign, Item, Skipped

_MAX_BYTES: Final = 512 << 20
_TEXT = ("memory", "text", "data", "content")
_LISTS = ("results", "memories", "data", "items")
_ABOUT = ("user_id", "agent_id", "run_id", "app_id", "actor_id", "role")


def read(path: Path) -> Iterator[Foreign]:
    """Every memory of a file, in its order.

    Raises:
        Invalid: ``path_invalid`` where it is no file, or holds no list of memories.
    """
    try:
        if path.stat().st_size > _MAX_BYTES:
            raise _invalid(path, f"is over {_MAX_BYTES:,} bytes: split it")
        found = json.loads(path.read_text(encoding="utf-8-sig", errors="surrogateescape"))
    except OSError as error:
        raise _invalid(path, f"cannot be read ({error.strerror})") from error
    except (ValueError, RecursionError) as error:
        raise _invalid(path, f"is no JSON ({error})") from error
    return _read(_entries(path, found))


def _invalid(path: Path, what: str) -> Invalid:
    return Invalid(
        f"path: {str(path)!r} {what}: name a JSON export of mem0.",
        code="path_invalid",
        field="path",
    )


def _entries(path: Path, found: Any) -> list[Any]:
    if isinstance(found, dict):
        named = cast("dict[str, Any]", found)
        found = next((named[name] for name in _LISTS if isinstance(named.get(name), list)), None)
    if not isinstance(found, list):
        raise _invalid(path, "holds no list of memories")
    return list(cast("Iterable[Any]", found))


def _read(entries: list[Any]) -> Iterator[Foreign]:
    for number, entry in enumerate(entries, 1):
        where = f"memory {number}"
        if not isinstance(entry, dict):
            yield Skipped(where, "it is no JSON object")
            continue
        try:
            yield _item(cast("dict[str, Any]", entry), where)
        except (Invalid, ValueError, TypeError, OverflowError) as error:
            reason = error.message if isinstance(error, Invalid) else str(error)
            yield Skipped(where, reason or type(error).__name__)


def _item(entry: dict[str, Any], where: str) -> Item:
    notes: list[str] = []
    content = next((entry[name] for name in _TEXT if isinstance(entry.get(name), str)), None)
    if content is None or texts.is_blank(content):
        raise Invalid("it has no text")
    metadata = _metadata(entry)
    filed = [name for name in _list(entry.get("categories")) if name.strip()]
    if not filed and (named := metadata.pop("category", "")):
        filed = [named]
    created = _moment(entry, "created_at", where, notes)
    updated = _moment(entry, "updated_at", where, notes)
    id_ = entry.get("id") or entry.get("memory_id")
    return Item(
        where,
        str(id_) if id_ else sha256(content.encode(errors="surrogatepass")).hexdigest(),
        {
            "content": content,
            "category": foreign.category_of(filed[:1]),
            "tags": tuple(" ".join(tag.split())[:64].strip() for tag in filed[1:]),
            "metadata": metadata,
            "created_at": created,
            "last_seen_at": max(filter(None, [created, updated]), default=None),
            "updated_at": updated,
        },
        tuple(notes),
    )


def _metadata(entry: Mapping[str, Any]) -> dict[str, str]:
    kept = {name: str(entry[name]) for name in _ABOUT if entry.get(name) is not None}
    given = entry.get("metadata")
    if given is None:
        return kept
    if not isinstance(given, dict):
        raise Invalid("its metadata is no JSON object")
    for name, value in cast("dict[str, Any]", given).items():
        if value is not None:
            kept[name] = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return kept


def _list(value: Any) -> list[str]:
    if isinstance(value, str):
        return [value]
    return [str(one) for one in cast("Iterable[Any]", value)] if isinstance(value, list) else []


def _moment(entry: Mapping[str, Any], name: str, where: str, notes: list[str]) -> datetime | None:
    value = entry.get(name)
    return foreign.moment(str(value), name, where, notes) if value else None
