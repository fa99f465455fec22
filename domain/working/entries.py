"""What working memory holds."""

from dataclasses import dataclass
from datetime import datetime, timedelta


@dataclass(frozen=True, slots=True, kw_only=True)
class Heading:
    """An entry without its value: its full key, and who stored it. Times are aware, in UTC."""

    key: str
    stored_at: datetime
    expires_at: datetime
    writer: str
    category: str | None = None
    tags: tuple[str, ...] = ()

    def left(self, now: datetime) -> timedelta:
        """How long it lives from ``now`` on."""
        return self.expires_at - now


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkingEntry(Heading):
    """An entry with its value."""

    value: str
