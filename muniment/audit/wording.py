"""What memories say, read from the log: now, or as of a version."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from muniment.domain.memory import events as e

from .reader import Reader

_BEGINNINGS: Final = frozenset([e.Saved.NAME, e.Imported.NAME, e.Merged.NAME])
_FILED: Final = _BEGINNINGS | {e.Recategorized.NAME}
_REWRITTEN: Final = _BEGINNINGS | {e.Revised.NAME}
_WORDY: Final = _FILED | _REWRITTEN | {e.Extended.NAME}


@dataclass(frozen=True, slots=True)
class Wording:
    """The text and the category of a memory."""

    text: str
    category: str | None


def wording(reader: Reader, id_: str, *, version: int | None = None) -> Wording | None:
    """What a memory says, up to a version if one is given; None where it cannot be read whole."""
    parts: list[str] = []
    category: str | None = None
    for row in reader.of_stream(id_):
        if row.name == e.PurgeRequested.NAME:
            return None
        is_later = version is not None and row.version > version
        if is_later or row.name not in _WORDY:
            continue
        words = reader.words(row) if row.schema == 1 else "sealed"
        if words == "sealed":
            return None
        if row.name in _FILED:
            category = words.get("category")
        if row.name in _REWRITTEN:
            parts = _said(words)
        elif row.name == e.Extended.NAME:
            parts.append(words.get("addition", ""))
    return Wording("\n\n".join(parts), category) if parts else None


def _said(words: Mapping[str, Any]) -> list[str]:
    return [words.get("content", ""), *words.get("additions", ())]
