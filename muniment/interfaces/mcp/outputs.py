"""What tools answer with as data, where it is no one thing that the Python face answers with."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from muniment.queries.history import HistoryEntry


@dataclass(frozen=True, slots=True)
class Events:
    """What happened to a memory, oldest first."""

    events: tuple[HistoryEntry, ...]


@dataclass(frozen=True, slots=True)
class Kept:
    """The key that a text was kept under."""

    key: str


@dataclass(frozen=True, slots=True)
class Trend:
    """The figures of audits, oldest first; their names are those of the page on audits."""

    rows: tuple[Mapping[str, Any], ...]


@dataclass(frozen=True, slots=True)
class Verdicts:
    """What a model said of samples; null where none was asked yet."""

    evaluation: Mapping[str, Any] | None


@dataclass(frozen=True, slots=True)
class Guide:
    """A guide by its name."""

    name: str
    text: str
