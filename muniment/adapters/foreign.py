"""What readers of other systems' stores give back."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias


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
