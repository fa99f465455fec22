"""What readers of other systems' stores give back."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, TypeAlias

import regex

from muniment.domain import category as categories
from muniment.domain import moments

_NOT_IN_SEGMENT = regex.compile(r"[^\p{L}\p{M}\p{N} _.\-][^\p{L}\p{M}\p{N}_.\-]*")


@dataclass(frozen=True, slots=True)
class Item:
    """A memory that was read: its id there, the import command's fields, and what was assumed."""

    where: str
    external_id: str
    fields: Mapping[str, Any]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Skipped:
    """Something that could not be read: where, and why."""

    where: str
    reason: str


Foreign: TypeAlias = Item | Skipped


def moment(text: str, name: str, where: str, notes: list[str]) -> datetime:
    """A time as other systems write it; one without a zone is UTC, and the notes say so.

    Raises:
        Invalid: ``timestamp_invalid`` or ``timestamp_out_of_range``.
    """
    try:
        found = datetime.fromisoformat(text.strip())
    except ValueError:
        return moments.parse(text, name)
    if found.tzinfo is None:
        notes.append(f"{where}: {name} has no time zone and was read as UTC")
        found = found.replace(tzinfo=UTC)
    return moments.in_utc(found, name)


def category_of(names: Sequence[str]) -> str | None:
    """The category that some names, of any characters, are filed under, each below the one before.

    What is a category already stays as it is; deeper or longer ones are cut.
    """
    segments = [
        segment
        for name in names
        for part in name.split("/")
        if (segment := _segment(part)) not in ("", ".", "..")
    ][: categories.MAX_SEGMENTS]
    while len("/".join(segments)) > categories.MAX_LENGTH:
        segments.pop()
    return "/".join(segments) or None


def _segment(name: str) -> str:
    parts = _NOT_IN_SEGMENT.split(name)
    if len(parts) > 1:
        name = " ".join(part for whole in parts if (part := whole.strip()))
    return name.strip()[: categories.MAX_SEGMENT].strip()
