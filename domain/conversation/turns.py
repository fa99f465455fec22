"""Turns of conversations, and which of them are still needed."""

from dataclasses import dataclass
from datetime import datetime
from typing import Final, Literal, TypeAlias

Speaker: TypeAlias = Literal["user", "assistant"]

PASSES: Final = ("episodes", "mining", "preferences")
"""The dreaming passes that read the conversation log, each with a cursor of its own.

A turn has been learned from once all of them have passed it.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """Something that was said in a session: by whom, what, and when (aware, in UTC).

    ``number`` rises over the whole space: it is what a pass moves its cursor by.
    """

    session: str
    role: Speaker
    content: str
    at: datetime
    number: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolReport:
    """How a call of a tool went: its arguments as JSON, and the error where it failed."""

    session: str
    tool: str
    arguments: str
    ok: bool
    error: str | None
    at: datetime
    number: int
