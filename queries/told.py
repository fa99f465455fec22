"""An event told to people: a sentence, and its fields."""

import dataclasses
from typing import Any

from muniment.domain.memory import events
from muniment.domain.memory.events import Event
from muniment.domain.moments import day
from muniment.domain.recorded import Recorded, word_fields

from .told_besides import told_besides
from .wording import shortened, tails

_FAULTS = {
    "key_missing": "its key is missing, so its words cannot be read",
    "unreadable": "its stored bytes are damaged",
    "newer_release": "a newer release wrote it, which this one cannot read",
}


def data(recorded: Recorded, *, with_words: bool = True) -> dict[str, Any]:
    """The event's fields by name; empty where it could not be read.

    Without its words it has the facts alone.
    """
    event = recorded.event
    if event is None:
        return {}
    left_out = frozenset[str]() if with_words else word_fields(event.__class__)
    return {
        field.name: getattr(event, field.name)
        for field in dataclasses.fields(event)
        if field.name not in left_out
    }


def summary(recorded: Recorded, *, is_purged: bool = False, with_words: bool = True) -> str:
    """What happened, in a sentence; of a purged memory without the words that were removed."""
    if recorded.fault == "key_missing" and is_purged:
        return f"{recorded.name}: its words were purged"
    if recorded.fault is not None:
        return f"{recorded.name}: {_FAULTS[recorded.fault]}"
    event = recorded.event
    if not with_words and word_fields(event.__class__):
        return f"{recorded.name}: its words are withheld from this role"
    return _told(event) if isinstance(event, Event) else told_besides(event, recorded.actor)


def _told(event: Event) -> str:  # noqa: PLR0912
    match event:
        case events.Saved():
            said = f"saved by {_source(event)}: {shortened(event.content)}"
            if event.conflicts_with:
                return f"{said} (conflicts with {tails(event.conflicts_with)})"
            return f"{said} (resembles {tails(event.resembles)})" if event.resembles else said
        case events.Imported():
            return f"imported from {event.format}: {shortened(event.content)}"
        case events.Reinforced():
            counted = "reinforced" if event.counted else "said again, not counted,"
            return f"{counted} by {_source(event)}"
        case events.Extended():
            return f"extended by {_source(event)}: {shortened(event.addition)}"
        case events.Revised():
            return f"rewritten: {shortened(event.content)}"
        case events.Recategorized():
            return f"filed under {event.category or 'no category'}"
        case events.Retagged():
            return f"tagged {', '.join(event.tags) or 'with nothing'}"
        case events.Rescored():
            return f"importance set to {event.importance:g}"
        case events.Described():
            return f"metadata set: {', '.join(event.metadata) or 'none'}"
        case events.Used():
            return "recalled and used"
        case events.Pinned():
            return f"pinned{_on_words(event)}"
        case events.Unpinned():
            return f"unpinned{_on_words(event)}"
        case events.Archived():
            return f"archived: {event.reason}" if event.reason else "archived"
        case events.Restored():
            return "restored"
        case events.Merged():
            return f"merged from {tails(event.merged_from)}: {shortened(event.content)}"
        case events.Folded():
            return f"absorbed the repetitions {tails(event.folded)}"
        case events.MergeRetracted():
            return f"{tails((event.restored,))} was restored, its count of {event.count} taken out"
        case events.MergeRejected():
            lost = ", ".join(event.missing) or f"{event.missing_count} specifics"
            return f"a merge of {tails(event.sources)} was refused: it would have lost {lost}"
        case events.Superseded():
            return f"superseded by {tails((event.by,))}"
        case events.Quarantined():
            return f"quarantined: {event.reason}" if event.reason else "quarantined"
        case events.Released():
            return "released from quarantine"
        case events.Held():
            return f"put under legal hold: {event.reason}" if event.reason else "put under hold"
        case events.HoldReleased():
            return "legal hold lifted"
        case events.PurgeRequested():
            return f"purge requested: {_basis(event)}"
        case events.Purged():
            return f"purged: {_basis(event)}"


def _on_words(event: events.Pinned | events.Unpinned) -> str:
    if isinstance(event, events.PinnedWhenTold | events.UnpinnedWhenTold):
        return f", as was said: {shortened(event.trigger)}"
    return ""


def _source(event: events.Saved | events.Reinforced | events.Extended) -> str:
    ref = f" {event.source_ref}" if event.source_ref else ""
    return f"{event.source_type}{ref} at trust {event.trust}"


def _basis(event: events.PurgeRequested | events.Purged) -> str:
    if event.basis == "retention" and event.archived_at is not None:
        days = f"{event.retention_days:g}"
        return f"archived on {day(event.archived_at)}, kept for {days} days"
    return event.basis
