"""What tools and pages said within the last minute: how much, and how much of it was alike."""

from collections import defaultdict, deque
from datetime import datetime, timedelta
from typing import Final, TypeAlias

import regex

from ..memory.events import Extended, Reinforced, Saved
from ..recorded import Recorded
from ..rules import Distrust
from .suspicion import Sign

WITHIN: Final = timedelta(minutes=1)
WATCHED: Final = frozenset(["tool", "web"])
"""Source types whose pace is watched: nobody says each of these things."""

_ALIKE: Final = 0.8
"""The share of words in common from which two texts are nearly the same."""

_WORD: Final = regex.compile(r"\p{L}+")

_Source: TypeAlias = tuple[str, str | None]


class Arrivals:
    """The observations of the last minute, by source type and reference."""

    def __init__(self) -> None:
        self._said: defaultdict[_Source, deque[tuple[datetime, frozenset[str]]]] = defaultdict(
            deque
        )

    def note(self, recorded: Recorded) -> None:
        """Takes in an event, in order of time."""
        event = recorded.event
        if not isinstance(event, Saved | Extended | Reinforced) or event.source_type not in WATCHED:
            return
        text = {Saved: "content", Extended: "addition"}.get(type(event))
        words = _words(getattr(event, text)) if text else frozenset[str]()
        self._said[event.source_type, event.source_ref].append((recorded.recorded_at, words))

    def signs(
        self, source: _Source, text: str, *, now: datetime, limits: Distrust
    ) -> tuple[Sign, ...]:
        """What speaks against one more observation of a source."""
        said = self._said[source]
        while said and now - said[0][0] >= WITHIN:
            said.popleft()
        found: list[Sign] = []
        if len(said) >= limits.burst:
            found.append("burst")
        words = _words(text)
        if sum(_are_alike(words, other) for _, other in said) >= limits.flood:
            found.append("flood")
        return tuple(found)


def _words(text: str) -> frozenset[str]:
    return frozenset(_WORD.findall(text.casefold()))


def _are_alike(one: frozenset[str], other: frozenset[str]) -> bool:
    together = len(one | other)
    return together > 0 and len(one & other) >= _ALIKE * together
