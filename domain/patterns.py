"""Regular expressions that are compiled when they are first used.

Compiling all those that texts are read by takes a tenth of a second: a process that only counts, or
tells which tools it has, need not wait for it.
"""

import re as standard
from collections.abc import Callable
from typing import Any, TypeVar, cast

import regex as extended

P = TypeVar("P")


class _Deferred:
    def __init__(self, compiled: Callable[[], object]) -> None:
        self._compiled = compiled

    def __getattr__(self, name: str) -> Any:
        compiled = self._compiled()
        self._compiled = lambda: compiled
        found = getattr(compiled, name)
        setattr(self, name, found)  # from here on it is found before this is asked
        return found


def deferred(compiled: Callable[[], P]) -> P:
    """The pattern that will be compiled; it has its methods, and cannot be passed to ``re``'s."""
    return cast("P", _Deferred(compiled))


def re(text: str, flags: int = 0) -> standard.Pattern[str]:
    """One of the standard library."""
    return deferred(lambda: standard.compile(text, flags))


def regex(text: str, flags: int = 0) -> extended.Pattern[str]:
    """One that knows the properties of characters."""
    return deferred(lambda: extended.compile(text, flags))
