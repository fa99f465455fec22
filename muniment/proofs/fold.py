"""What the log says of each id, folded from envelopes and facts alone, once more than by state.

It takes what an event states at its word and never refuses one: whether the statement follows from
what came before is for the invariants to say.
"""

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final

from muniment.domain.erasure import events as erasure
from muniment.domain.memory import events as e
from muniment.domain.proposal import events as p

from .facts import NO_TIME, Stored

OBSERVATIONS: Final = frozenset([e.Saved.NAME, e.Reinforced.NAME, e.Extended.NAME])
"""What a commit of a proposal may come to."""

OTHERS: Final = ("recalls", "proposals", "feedback")
"""Facts of an erasure that name streams other than memories'."""

BEGINNINGS: Final = frozenset([e.Saved.NAME, e.Imported.NAME, e.Merged.NAME])
"""What a memory can begin with."""

_PREFIX = "memory."


@dataclass(slots=True)
class Subject:
    """One stream; of a memory or a proposal, what the invariants need of it.

    ``is_read`` is False where an event of it could not be read, so that nothing is claimed of what
    it is now. ``condition`` is one of live, archived, superseded, quarantined and purged.
    ``proposer`` is who made a proposal, ``is_decided``: it was committed or rejected.
    """

    space: str
    version: int
    is_memory: bool
    is_read: bool = False
    condition: str = ""
    is_episodic: bool = False
    trust: int = 0
    count: int = 0
    created_at: datetime = NO_TIME
    last_seen_at: datetime = NO_TIME
    archived_at: datetime | None = None
    merged_into: str | None = None
    pinned: bool = False
    held: bool = False
    request: Mapping[str, Any] | None = None
    is_purged: bool = False
    proposer: str = ""
    is_decided: bool = False

    @property
    def is_merged_away(self) -> bool:
        """Whether it was merged or folded into another, and not restored."""
        return self.condition == "archived" and self.merged_into is not None


@dataclass(slots=True)
class Absorption:
    """A merge or fold whose sources are still to be archived: at once, under the same command."""

    into: str
    cause: str
    command: str
    left: set[str]

    def takes(self, event: Stored) -> bool:
        """Whether an event is the archive of one of the sources."""
        return (
            event.name == e.Archived.NAME
            and event.facts is not None
            and event.stream in self.left
            and event.command == self.command
            and event["cause"] == self.cause
            and event["merged_into"] == self.into
        )


@dataclass(slots=True)
class Erasing:
    """An erasure; ``left`` are still to be asked for: at once, under the same command.

    ``reached`` are all streams that it names, memories and others.
    """

    id: str
    space: str
    command: str
    reached: tuple[str, ...]
    left: set[str]
    is_done: bool = False

    def takes(self, event: Stored) -> bool:
        """Whether an event asks for the words of one of its streams to be removed."""
        if event.facts is None or event.stream not in self.left or event.command != self.command:
            return False
        if event.name == e.PurgeRequested.NAME:
            return bool(event["basis"] == "erasure")
        return event.name == erasure.WordsPurgeRequested.NAME and event["erasure"] == self.id


@dataclass(slots=True)
class Log:
    """Everything that was said up to a position.

    ``restored`` are the memories that the command under way has restored, and what each was merged
    into: the next of those whose counts may be corrected. ``proposals`` counts those of each space,
    ``come_of`` has the memories that came of each.
    """

    subjects: dict[str, Subject] = field(default_factory=dict[str, Subject])
    recorded_at: datetime | None = None
    command: str = ""
    restored: dict[str, str | None] = field(default_factory=dict[str, "str | None"])
    absorption: Absorption | None = None
    proposals: dict[str, int] = field(default_factory=dict[str, int])
    come_of: dict[str, list[str]] = field(default_factory=dict[str, list[str]])

    def source(self, event: Stored) -> Subject | None:
        """The proposal that an observation of a memory comes of."""
        if event.name not in OBSERVATIONS or event.correlation is None:
            return None
        found = self.subjects.get(event.correlation)
        return found if found is not None and found.proposer else None

    erasures: dict[str, Erasing] = field(default_factory=dict[str, Erasing])
    erasing: Erasing | None = None

    def memory(self, id_: str, space: str) -> Subject | None:
        """The memory of an id, if the space has one."""
        found = self.subjects.get(id_)
        return found if found is not None and found.is_memory and found.space == space else None

    def other(self, id_: str, space: str) -> Subject | None:
        """The stream of an id that is no memory's, if the space has one."""
        found = self.subjects.get(id_)
        return None if found is None or found.is_memory or found.space != space else found

    def missing(self, ids: Iterable[str], space: str) -> list[str]:
        """Those of some ids of which the space has no memory."""
        return [id_ for id_ in ids if self.memory(id_, space) is None]

    def readable(self, ids: Iterable[str], space: str) -> list[Subject] | None:
        """The memories of some ids; None where one is missing or not known in full."""
        found: list[Subject] = []
        for id_ in ids:
            memory = self.memory(id_, space)
            if memory is None or not memory.is_read:
                return None
            found.append(memory)
        return found

    def is_purged(self, id_: str) -> bool:
        """Whether the purge of a memory is recorded."""
        known = self.subjects.get(id_)
        return known is not None and known.is_purged

    def absorbers(self, id_: str) -> Iterator[str]:
        """What a memory was part of when the command under way restored it, the nearest first."""
        into, seen = self.restored.get(id_), {id_}
        while into is not None and into not in seen:
            yield into
            seen.add(into)
            known = self.subjects.get(into)
            into = known.merged_into if known is not None else None

    def apply(self, event: Stored) -> None:
        """Takes in one event."""
        self.recorded_at = event.at
        if event.command != self.command:
            self.command = event.command
            self.restored.clear()
        if self.absorption is not None:
            self._absorb(self.absorption, event)
        if self.erasing is not None:
            self._ask(self.erasing, event)
        known = self.subjects.get(event.stream)
        if event.name == e.Restored.NAME and known is not None:
            self.restored[event.stream] = known.merged_into
        if known is None:
            known = self.subjects[event.stream] = _begun(event)
        else:
            known.version = event.version
            if event.facts is None:
                known.is_read = False
            elif (change := _CHANGES.get(event.name)) is not None:
                change(known, event)
        if event.facts is None:
            return
        if event.name == p.Made.NAME:
            self.proposals[event.space] = self.proposals.get(event.space, 0) + 1
        if event.correlation is not None and self.source(event) is not None:
            self.come_of.setdefault(event.correlation, []).append(event.stream)
        self._relate(known, event)

    def _relate(self, known: Subject, event: Stored) -> None:
        """What an event that names other memories says of them."""
        if event.name == e.MergeRetracted.NAME and event["restored"] in self.restored:
            self.restored[event["restored"]] = known.merged_into
        elif event.name in _ABSORBING:
            cause, sources = _ABSORBING[event.name]
            left = {
                id_
                for id_ in event[sources]
                if id_ != event.stream and self.memory(id_, event.space) is not None
            }
            self.absorption = Absorption(event.stream, cause, event.command, left) if left else None
        elif event.name == erasure.Requested.NAME:
            others = [id_ for kind in OTHERS for id_ in event[kind]]
            left = {id_ for id_ in event["erased"] if self.memory(id_, event.space) is not None}
            left.update(id_ for id_ in others if self.other(id_, event.space) is not None)
            reached = (*event["erased"], *others)
            begun = Erasing(event.stream, event.space, event.command, reached, left)
            self.erasures[event.stream] = begun
            self.erasing = begun if left else None
        elif event.name == erasure.Completed.NAME and event.stream in self.erasures:
            self.erasures[event.stream].is_done = True

    def _absorb(self, absorption: Absorption, event: Stored) -> None:
        if absorption.takes(event):
            absorption.left.discard(event.stream)
        else:
            absorption.left.clear()
        if not absorption.left:
            self.absorption = None

    def _ask(self, erasing: Erasing, event: Stored) -> None:
        if erasing.takes(event):
            erasing.left.discard(event.stream)
        else:
            erasing.left.clear()
        if not erasing.left:
            self.erasing = None


_ABSORBING: Mapping[str, tuple[str, str]] = {
    e.Merged.NAME: ("merge", "merged_from"),
    e.Folded.NAME: ("fold", "folded"),
}

ABSORBED = tuple(cause for cause, _ in _ABSORBING.values())
"""What an archive of a source has as its cause."""


def _begun(event: Stored) -> Subject:
    subject = Subject(sys.intern(event.space), event.version, event.name.startswith(_PREFIX))
    if event.name == p.Made.NAME:
        subject.proposer = event.actor
    if event.facts is None or event.name not in BEGINNINGS:
        return subject
    subject.is_read = True
    subject.condition = "live"
    subject.is_episodic = event["store"] == "episodic"
    subject.trust = event["trust"]
    if event.name == e.Saved.NAME:
        subject.count = 1
        subject.created_at = subject.last_seen_at = event.at
        return subject
    subject.count = event["reinforcement_count"]
    subject.created_at = event["created_at"]
    subject.last_seen_at = event["last_seen_at"]
    if event.name == e.Imported.NAME:
        subject.archived_at = event["archived_at"]
        subject.condition = event["condition"] or (
            "live" if subject.archived_at is None else "archived"
        )
        subject.merged_into = event["merged_into"]
        subject.pinned = event["pinned"]
        subject.held = event["held"]
    return subject


def _reinforced(known: Subject, event: Stored) -> None:
    if event["counted"]:
        known.count += 1
        known.last_seen_at = max(known.last_seen_at, event.at)
        if event["lifts_trust"]:
            known.trust = event["trust"]


def _extended(known: Subject, event: Stored) -> None:
    if event["counted"]:
        known.count += 1
        known.last_seen_at = max(known.last_seen_at, event.at)


def _revised(known: Subject, event: Stored) -> None:
    if event["trust"] is not None:
        known.trust = event["trust"]


def _archived(known: Subject, event: Stored) -> None:
    known.condition = "archived"
    known.archived_at = event.at
    known.merged_into = event["merged_into"]


def _superseded(known: Subject, event: Stored) -> None:
    known.condition = "superseded"
    known.archived_at = event.at


def _restored(known: Subject, _: Stored) -> None:
    known.condition = "live"
    known.archived_at = None
    known.merged_into = None


def _folded(known: Subject, event: Stored) -> None:
    known.count += sum(event["counts"])
    known.created_at = event["created_at"]
    known.last_seen_at = event["last_seen_at"]
    known.trust = event["trust"]


def _retracted(known: Subject, event: Stored) -> None:
    known.count = max(1, known.count - event["count"])


def _requested(known: Subject, event: Stored) -> None:
    known.condition = "purged"
    known.request = event.facts


def _purged(known: Subject, _: Stored) -> None:
    known.condition = "purged"
    known.is_purged = True


def _setting(name: str, value: object) -> Callable[[Subject, Stored], None]:
    def change(known: Subject, _: Stored) -> None:
        setattr(known, name, value)

    return change


_CHANGES: Mapping[str, Callable[[Subject, Stored], None]] = {
    e.Reinforced.NAME: _reinforced,
    e.Extended.NAME: _extended,
    e.Revised.NAME: _revised,
    e.Archived.NAME: _archived,
    e.Superseded.NAME: _superseded,
    e.Restored.NAME: _restored,
    e.Folded.NAME: _folded,
    e.MergeRetracted.NAME: _retracted,
    e.Quarantined.NAME: _setting("condition", "quarantined"),
    e.Released.NAME: _setting("condition", "live"),
    e.Pinned.NAME: _setting("pinned", value=True),
    e.Unpinned.NAME: _setting("pinned", value=False),
    e.Held.NAME: _setting("held", value=True),
    e.HoldReleased.NAME: _setting("held", value=False),
    e.PurgeRequested.NAME: _requested,
    e.Purged.NAME: _purged,
    erasure.WordsPurgeRequested.NAME: _requested,
    erasure.WordsPurged.NAME: _purged,
    p.Committed.NAME: _setting("is_decided", value=True),
    p.Rejected.NAME: _setting("is_decided", value=True),
}
