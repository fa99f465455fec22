"""When an observation is kept from recall until a person has looked at it."""

from collections.abc import Iterable, Mapping, Sequence

from ..memory.events import Quarantined
from .suspicion import MEANINGS, TRUSTED_FROM, Sign, signs

_NONE: Mapping[str, str] = {}


def words(
    *lines: str | None, tags: Iterable[str] = (), metadata: Mapping[str, str] = _NONE
) -> tuple[str, ...]:
    """Every text of what is said that a reader of the memory will see."""
    return (*filter(None, lines), *tags, *metadata, *metadata.values())


def held_back(trust: int, parts: Iterable[str], *, enabled: bool) -> tuple[Sign, ...]:
    """The signs against texts that nobody vouches for; none of those of the user or the owner."""
    return signs(parts) if enabled and trust < TRUSTED_FROM else ()


def quarantine(found: Sequence[Sign]) -> list[Quarantined]:
    """Hide what bears signs; nothing where there are none."""
    if not found:
        return []
    return [Quarantined(cause="policy", signs=tuple(found), reason=told(found))]


def told(found: Sequence[Sign]) -> str:
    """The signs in words."""
    return "; ".join(MEANINGS[sign] for sign in found)


def notice(held: Quarantined) -> str:
    """What whoever said it is told."""
    return f"quarantined: {held.reason}; it is in no recall until it is released"
