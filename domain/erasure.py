"""Erasure on request: what it takes with it, what is recorded of it, and its certificate.

A memory's words may stand in other memories too: in what it was merged into, in what that was
merged into, in repetitions that were folded. An erasure follows them by the ids in the log, never
by comparing texts. Its basis, and the subject that it is about, are words under a key of its own,
so that the certificate can be read when the memories cannot.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import ClassVar, Final, Literal, TypeAlias

from .errors import Refused
from .memory.events import Folded, Imported, Merged, PurgeRequested, Restored
from .memory.state import State
from .recorded import Recorded, Words

Scope: TypeAlias = Literal["memory", "subject", "space"]
Policy: TypeAlias = Literal["cascade", "rewrite", "keep"]

POLICY: Final = "erasure/1"
"""The version of these rules, for the evidence of each removal."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Requested:
    """The keys of ``erased`` are about to be destroyed; the requests stand in the same append.

    ``basis`` is a code such as ``gdpr-17``, ``named`` what was asked for. Of what was derived,
    ``kept`` stays, and ``reason`` says why. What was merged into something that is erased, and is
    not erased itself, is back in recall where ``restored`` names it, and archived where ``left``
    does.
    """

    NAME: ClassVar[str] = "erasure.requested"
    SCHEMA: ClassVar[int] = 1

    scope: Scope
    basis: str
    policy: Policy
    named: tuple[str, ...]
    erased: tuple[str, ...]
    kept: tuple[str, ...] = ()
    restored: tuple[str, ...] = ()
    left: tuple[str, ...] = ()
    basis_text: Words[str] = ""
    subject: Words[str | None] = None
    reason: Words[str] = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Completed:
    """All its keys are destroyed, and nothing that was made of the words is left.

    ``key_backups_until`` is when the master key that backups of the keys were made under ends.
    """

    NAME: ClassVar[str] = "erasure.completed"
    SCHEMA: ClassVar[int] = 1

    key_backups_until: datetime | None = None


Event: TypeAlias = Requested | Completed


@dataclass(frozen=True, slots=True)
class Erasure:
    """An erasure as its events say it is; ``completed_at`` is None while it is under way."""

    id: str
    space: str
    version: int
    requested_by: str
    requested_at: datetime
    request: Requested
    completed_at: datetime | None = None
    key_backups_until: datetime | None = None


def of(events: Iterable[Recorded]) -> Erasure | None:
    """The erasure of a stream; None where it is none, or its request cannot be read."""
    erasure: Erasure | None = None
    for recorded in events:
        event = recorded.event
        if isinstance(event, Requested):
            erasure = Erasure(
                recorded.stream,
                recorded.space,
                recorded.version,
                recorded.actor,
                recorded.recorded_at,
                event,
            )
        elif isinstance(event, Completed) and erasure is not None:
            erasure = Erasure(
                erasure.id,
                erasure.space,
                recorded.version,
                erasure.requested_by,
                erasure.requested_at,
                erasure.request,
                recorded.recorded_at,
                event.key_backups_until,
            )
    return erasure


# what holds the words of what


DERIVING: Final[tuple[str, ...]] = (Merged.NAME, Folded.NAME, Imported.NAME)
"""Names of the events that say whose words a memory holds besides its own."""


@dataclass(slots=True)
class Lineage:
    """Which memories hold the words of which, as far as events say so.

    ``sources`` are what a memory's text was made of, ``results`` the other way. ``alike`` says the
    same text: a fold absorbs exact repetitions, so whoever erases one erases them all. A source
    that was restored counts still: the result has its words.
    """

    sources: Mapping[str, set[str]] = field(default_factory=lambda: defaultdict[str, set[str]](set))
    results: Mapping[str, set[str]] = field(default_factory=lambda: defaultdict[str, set[str]](set))
    alike: Mapping[str, set[str]] = field(default_factory=lambda: defaultdict[str, set[str]](set))

    @classmethod
    def of(cls, events: Iterable[Recorded]) -> "Lineage":
        """The lineage that events of the names in ``DERIVING`` tell."""
        lineage, absorbed = cls(), list[tuple[str, str]]()
        for recorded in events:
            event = recorded.event
            if isinstance(event, Merged | Imported):
                for source in event.merged_from:
                    lineage.sources[recorded.stream].add(source)
                    lineage.results[source].add(recorded.stream)
                if isinstance(event, Imported) and event.merged_into is not None:
                    absorbed.append((recorded.stream, event.merged_into))
            elif isinstance(event, Folded):
                for copy in event.folded:
                    lineage._fold(recorded.stream, copy)
        for copy, into in absorbed:
            # what came merged into something that is not made of it was folded there
            if copy not in lineage.sources.get(into, ()):
                lineage._fold(into, copy)
        return lineage

    def _fold(self, one: str, other: str) -> None:
        self.alike[one].add(other)
        self.alike[other].add(one)


def _reached(start: Iterable[str], *links: Mapping[str, set[str]]) -> dict[str, None]:
    """What is reached from some ids over links, themselves first, each once."""
    reached = dict.fromkeys(start)
    waiting = list(reached)
    while waiting:
        id_ = waiting.pop()
        for link in links:
            for other in sorted(link.get(id_, ())):
                if other not in reached:
                    reached[other] = None
                    waiting.append(other)
    return reached


@dataclass(frozen=True, slots=True)
class Reach:
    """Ids: what an erasure takes, and what of the derived it would keep."""

    erased: tuple[str, ...]
    kept: tuple[str, ...]


def reach(
    named: Sequence[str], lineage: Lineage, policy: Policy, others: frozenset[str] = frozenset()
) -> Reach:
    """How far an erasure of some memories goes.

    What a named memory was made of goes with it, and so does what says the same: the words are
    there. But for ``others``, which are known to be about somebody else. What is derived from any
    of them goes too, unless it is kept; what else that was made of stays.
    """
    sources = {id_: made_of - others for id_, made_of in lineage.sources.items()}
    taken = _reached(named, sources, lineage.alike)
    derived = _reached(taken, lineage.results, lineage.alike)
    if policy == "keep":
        return Reach(tuple(taken), tuple(id_ for id_ in derived if id_ not in taken))
    return Reach(tuple(derived), ())


# decisions


@dataclass(frozen=True, slots=True, kw_only=True)
class Basis:
    """Why words are erased: a ``code`` for everyone to read, and ``text`` for who may."""

    code: str
    text: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cascade:
    """What becomes of what was derived from the words, and the ``reason`` where it is kept."""

    policy: Policy = "cascade"
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Plan:
    """What an erasure would do. ``already`` were without words before; ``held`` block it whole.

    What was merged into something that is erased, and stays, comes back into recall where it is
    among ``restored``, and is ``left`` archived otherwise.
    """

    named: tuple[str, ...]
    erased: tuple[State, ...]
    already: tuple[str, ...]
    kept: tuple[str, ...]
    held: tuple[str, ...]
    restored: tuple[State, ...]
    left: tuple[str, ...]


def plan(
    named: Sequence[str],
    lineage: Lineage,
    find: Callable[[Iterable[str]], Mapping[str, State]],
    policy: Policy,
    others: frozenset[str] = frozenset(),
) -> Plan:
    """What becomes of each memory that an erasure reaches, and of what was merged into those.

    ``find`` gives the memories of ids, those that there are; all of ``named`` are there.
    """
    reached = reach(named, lineage, policy, others)
    parts = (source for id_ in reached.erased for source in lineage.sources.get(id_, ()))
    memories = find(dict.fromkeys([*reached.erased, *reached.kept, *parts]))
    there = [memories[id_] for id_ in reached.erased if id_ in memories]
    erased = tuple(memory for memory in there if memory.condition != "purged")
    gone = frozenset(memory.id for memory in erased)
    parted = [
        memory
        for memory in memories.values()
        if memory.id not in gone and memory.condition == "archived" and memory.merged_into in gone
    ]
    restored = tuple(
        memory
        for memory in parted
        if policy == "rewrite" and _was_in_recall(memory.merged_into, memories)
    )
    return Plan(
        named=tuple(named),
        erased=erased,
        already=tuple(id_ for id_ in named if memories[id_].condition == "purged"),
        kept=tuple(
            id_ for id_ in reached.kept if id_ in memories and memories[id_].condition != "purged"
        ),
        held=tuple(memory.id for memory in erased if memory.held),
        restored=restored,
        left=tuple(memory.id for memory in parted if memory not in restored),
    )


def _was_in_recall(into: str | None, memories: Mapping[str, State]) -> bool:
    """Whether what absorbed a memory in the end was live, so that what it said was in recall."""
    seen = set[str]()
    while into is not None and into not in seen:
        seen.add(into)
        memory = memories.get(into)
        if memory is None:
            return False
        if memory.condition == "live":
            return True
        into = memory.merged_into if memory.condition == "archived" else None
    return False


def require_erasable(planned: Plan) -> None:
    """Refuses an erasure of what a legal hold is on, or a newer release wrote to.

    Raises:
        Refused: ``held`` or ``newer_release``; the message names the ids.
    """
    if planned.held:
        raise Refused(
            f"A legal hold is on {', '.join(planned.held)}: nothing is erased before it is lifted.",
            code="held",
            field="id",
        )
    newer = [memory.id for memory in planned.erased if memory.fault == "newer_release"]
    if newer:
        raise Refused(
            f"A newer release wrote to {', '.join(newer)}, which this one cannot read: upgrade to"
            " erase it.",
            code="newer_release",
            field="id",
        )


def request(
    planned: Plan, scope: Scope, basis: Basis, cascade: Cascade, subject: str | None
) -> list[Requested]:
    """The erasure that is asked for; nothing where no words are left to erase.

    Raises:
        Refused: ``held`` or ``newer_release``.
    """
    require_erasable(planned)
    if not planned.erased:
        return []
    return [
        Requested(
            scope=scope,
            basis=basis.code,
            policy=cascade.policy,
            named=planned.named,
            erased=tuple(memory.id for memory in planned.erased),
            kept=planned.kept,
            restored=tuple(memory.id for memory in planned.restored),
            left=planned.left,
            basis_text=basis.text,
            subject=subject,
            reason=cascade.reason,
        )
    ]


def removal(memory: State) -> list[PurgeRequested]:
    """Asks for the key of one memory of an erasure to be destroyed."""
    return [
        PurgeRequested(
            basis="erasure",
            importance=memory.base if memory.archived_base is None else memory.archived_base,
            reinforcement_count=memory.reinforcement_count,
            policy=POLICY,
        )
    ]


def bring_back() -> list[Restored]:
    """A source of what is erased says its own part again."""
    return [Restored()]


def complete(erasure: Erasure, *, key_backups_until: datetime | None) -> list[Completed]:
    """Records that the keys are destroyed; nothing where that is recorded already."""
    if erasure.completed_at is not None:
        return []
    return [Completed(key_backups_until=key_backups_until)]
