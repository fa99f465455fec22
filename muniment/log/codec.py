"""Events to bytes and back: facts in the clear, words apart, each under a stored name and schema.

The stored form of an event is two JSON objects. ``facts`` holds every field that is nobody's words,
``words`` the rest; keys are sorted and a field that has its default is left out. Reading puts the
two together again, or reads the words as blank where they cannot be had.
"""

import dataclasses
from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any

from pydantic import TypeAdapter, ValidationError
from pydantic_core import to_json

from muniment.domain import access_token, audit, consolidation, evaluation, recall, rollback
from muniment.domain.clock import Skewed
from muniment.domain.denial import Denied
from muniment.domain.erasure import events as erasure
from muniment.domain.feedback import Given
from muniment.domain.memory import events
from muniment.domain.process import Started
from muniment.domain.proposal import events as proposals
from muniment.domain.recorded import word_fields
from muniment.domain.signing_key import Rotated

EVENTS: tuple[type, ...] = (
    events.Saved,
    events.Imported,
    events.Reinforced,
    events.Extended,
    events.Revised,
    events.Recategorized,
    events.Retagged,
    events.Rescored,
    events.Described,
    events.Used,
    events.Pinned,
    events.PinnedWhenTold,
    events.Unpinned,
    events.UnpinnedWhenTold,
    events.Archived,
    events.Restored,
    events.Merged,
    events.Folded,
    events.MergeRetracted,
    events.MergeRejected,
    events.Superseded,
    events.Quarantined,
    events.Released,
    events.Held,
    events.HoldReleased,
    events.PurgeRequested,
    events.Purged,
    erasure.Requested,
    erasure.Completed,
    erasure.WordsPurgeRequested,
    erasure.WordsPurged,
    Skewed,
    Rotated,
    Started,
    Denied,
    access_token.Issued,
    access_token.Revoked,
    proposals.Made,
    proposals.Contradicted,
    proposals.Committed,
    proposals.Rejected,
    proposals.Deferred,
    recall.Recalled,
    recall.PurgeRequested,
    recall.Purged,
    rollback.Applied,
    rollback.Undone,
    Given,
    audit.Completed,
    audit.Digested,
    evaluation.Evaluated,
    consolidation.Paused,
    consolidation.Resumed,
)
"""Every event that this release can read and write. Nothing else is ever resolved from a row."""

EMPTY = b"{}"


class UnknownEvent(Exception):  # noqa: N818
    """The name or schema of a row is none that this release knows."""


class UnreadableEvent(Exception):  # noqa: N818
    """The bytes of a row do not hold the event that its name promises."""


class Form:
    """How one event class is written and read; it has words where ``words`` isn't empty."""

    def __init__(self, event: type) -> None:
        self.name: str = event.NAME  # type: ignore[attr-defined]
        self.schema: int = event.SCHEMA  # type: ignore[attr-defined]
        words = word_fields(event)
        fields = sorted(dataclasses.fields(event), key=lambda field: field.name)
        self.facts = [(one.name, _default(one)) for one in fields if one.name not in words]
        self.words = [(one.name, _default(one)) for one in fields if one.name in words]
        self._event = event

    @cached_property
    def _validate(self) -> Callable[[bytes], Any]:
        return TypeAdapter(self._event).validator.validate_json

    def read(self, facts: bytes, words: bytes | None) -> Any:
        """The event of a row; its words blank where ``words`` is None.

        Raises:
            UnreadableEvent: The bytes are damaged.
        """
        if words is None or words == EMPTY:
            whole = facts
        elif facts == EMPTY:
            whole = words
        else:
            whole = facts[:-1] + b"," + words[1:]
        try:
            return self._validate(whole)
        except ValidationError as error:
            raise UnreadableEvent(self.name, self.schema) from error


_REQUIRED = object()


def _default(field: "dataclasses.Field[Any]") -> Any:
    if field.default is not dataclasses.MISSING:
        return field.default
    if field.default_factory is not dataclasses.MISSING:
        return field.default_factory()
    return _REQUIRED


_BY_CLASS: Mapping[type, Form] = {event: Form(event) for event in EVENTS}
_BY_NAME: Mapping[tuple[str, int], Form] = {
    (known.name, known.schema): known for known in _BY_CLASS.values()
}


def stored_name(event: object) -> tuple[str, int]:
    """The stored name and schema number of an event."""
    known = _BY_CLASS[type(event)]
    return known.name, known.schema


def encode(event: object) -> tuple[bytes, bytes | None]:
    """Facts and words of an event; words None where its class has none."""
    known = _BY_CLASS[type(event)]
    facts = to_json(_changed(event, known.facts))
    return facts, to_json(_changed(event, known.words)) if known.words else None


def _changed(event: object, fields: list[tuple[str, Any]]) -> dict[str, Any]:
    changed: dict[str, Any] = {}
    for name, default in fields:
        value = getattr(event, name)
        if value is not default and value != default:
            changed[name] = value
    return changed


def form(name: str, schema: int) -> Form | None:
    """How events of that name are read; None for unknown ones."""
    return _BY_NAME.get((name, schema))


def decode(name: str, schema: int, facts: bytes, words: bytes | None) -> Any:
    """The event of a row; its words blank where ``words`` is None.

    Raises:
        UnknownEvent: This release knows no such name and schema.
        UnreadableEvent: The bytes are damaged.
    """
    known = form(name, schema)
    if known is None:
        raise UnknownEvent(name, schema)
    return known.read(facts, words)
