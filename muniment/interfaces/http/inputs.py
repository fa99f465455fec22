"""What the addresses take that have no operation's model of their own, and pages of the log."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Final

from pydantic import Field

from muniment.domain.inputs import Input, MemoryId
from muniment.queries.log import LogEntry

PAGE: Final = 500
"""How many entries of the log one answer holds at most; 100 unless asked for."""


@dataclass(frozen=True, slots=True)
class LogPage:
    """A part of the log; ``next`` is the ``after`` of the part that follows, None at the end."""

    entries: tuple[LogEntry, ...]
    next: int | None


class Nothing(Input):
    """Nothing is taken."""


class DryRun(Input):
    """What is destroyed for good is shown first."""

    dry_run: Annotated[bool, Field(description="Only say what would be done.")] = False
    confirm: Annotated[
        str | None, Field(description="The digest that a dry run of the same gave.")
    ] = None


class Against(Input):
    """A checkpoint to compare with."""

    against: Annotated[
        str | None, Field(description="The text of a checkpoint that was kept elsewhere.")
    ] = None


class Proven(Input):
    """A memory whose events are to be proven."""

    id: MemoryId
    since: Annotated[
        str | None, Field(description="The text of a checkpoint that the log is proven to extend.")
    ] = None


class Items(Input):
    """Several saves."""

    items: Annotated[
        tuple[Mapping[str, Any], ...],
        Field(description="Each with the fields of a save; at most 50,000.", max_length=50_000),
    ]
