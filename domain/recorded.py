"""An event as the log holds it: what happened, and the envelope around it."""

from dataclasses import fields
from datetime import datetime
from functools import cache
from typing import Annotated, Any, Final, Literal, NamedTuple, TypeVar, get_type_hints

T = TypeVar("T")


class _Words:
    """The mark of a field that holds somebody's words."""


WORDS: Final = _Words()

Words = Annotated[T, WORDS]
"""A field of an event that holds somebody's words: encrypted, and gone when its key is.

Every other field of an event is a fact: stored in the clear, so that proofs, invariants and audits
need no key and survive every erasure. A field of words must have a blank default, which is what it
reads as when the words cannot be read.
"""


@cache
def word_fields(event: type) -> frozenset[str]:
    """The names of an event's fields that hold words."""
    hints = get_type_hints(event, include_extras=True)
    return frozenset(
        field.name
        for field in fields(event)
        if WORDS in getattr(hints[field.name], "__metadata__", ())
    )


Fault = Literal["key_missing", "unreadable", "newer_release"]
"""Why an event could not be read in full.

``key_missing``: its key is not there; ``unreadable``: the stored bytes are damaged;
``newer_release``: its name or schema is unknown here, so a newer release wrote it.
"""


class Recorded(NamedTuple):
    """One row of the log, decoded; a named tuple, because a replay makes one of each event.

    ``position`` counts from 1 over the whole log, ``version`` from 1 over the ``stream`` (the id of
    the subject). ``recorded_at`` is aware, UTC, to the microsecond, and never falls. ``event`` is
    None where ``fault`` left nothing to read; a fault with an event means that its words read
    blank.
    """

    position: int
    stream: str
    version: int
    name: str
    schema: int
    recorded_at: datetime
    actor: str
    space: str
    command_id: str
    correlation_id: str | None
    causation_id: str | None
    event: Any
    fault: Fault | None = None
