"""What an erasure does: a plan from what the log says, and the events of a plan."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final

from ..errors import Refused
from ..memory.events import PurgeRequested, Restored
from ..memory.state import State
from .besides import NOTHING, Besides, Kind, Worded
from .events import Completed, Policy, Requested, Scope, WordsPurged, WordsPurgeRequested
from .lineage import Lineage, reach
from .state import Erasure

POLICY: Final = "erasure/1"
"""The version of these rules, for the evidence of each removal."""


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
    among ``restored``, and is ``left`` archived otherwise. ``worded`` are the streams besides
    memories whose words go too.
    """

    named: tuple[str, ...]
    erased: tuple[State, ...]
    already: tuple[str, ...]
    kept: tuple[str, ...]
    held: tuple[str, ...]
    restored: tuple[State, ...]
    left: tuple[str, ...]
    worded: tuple[Worded, ...] = ()


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
    parts = (source for id_ in reached.erased for source in sorted(lineage.sources.get(id_, ())))
    memories = find(dict.fromkeys([*reached.erased, *reached.kept, *parts]))
    there = [memories[id_] for id_ in reached.erased if id_ in memories]
    erased = tuple(memory for memory in there if memory.condition != "purged")
    gone = frozenset(memory.id for memory in erased)
    sources = {source for id_ in gone for source in lineage.sources.get(id_, ())}
    parted = [
        memory
        for memory in memories.values()
        if memory.id not in gone
        and memory.condition == "archived"
        and (memory.merged_into in gone or (memory.merged_into is None and memory.id in sources))
    ]
    restored = tuple(
        memory
        for memory in parted
        if policy == "rewrite"
        and memory.fault is None
        and memory.merged_into is not None  # one that was archived by itself stays so
        and _was_in_recall(memory.merged_into, memories)
    )
    back = frozenset(memory.id for memory in restored)
    return Plan(
        named=tuple(named),
        erased=erased,
        already=tuple(id_ for id_ in named if memories[id_].condition == "purged"),
        kept=tuple(
            id_ for id_ in reached.kept if id_ in memories and memories[id_].condition != "purged"
        ),
        held=tuple(memory.id for memory in erased if memory.held),
        restored=restored,
        left=tuple(memory.id for memory in parted if memory.id not in back),
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


def besides(planned: Plan, kept: Besides) -> Besides:
    """How much it reaches besides memories; ``kept`` counts what is not in the log."""
    return replace(
        kept,
        recalls=len(_ids(planned, "recalls")),
        proposals=len(_ids(planned, "proposals")),
        feedback=len(_ids(planned, "feedback")),
    )


def _ids(planned: Plan, kind: Kind) -> tuple[str, ...]:
    return tuple(one.id for one in planned.worded if one.kind == kind)


def request(
    planned: Plan,
    scope: Scope,
    basis: Basis,
    cascade: Cascade,
    subject: str | None,
    *,
    kept: Besides = NOTHING,
) -> list[Requested]:
    """The erasure that is asked for; nothing where no words are left to erase.

    ``kept`` counts what it reaches that is not in the log.

    Raises:
        Refused: ``held`` or ``newer_release``.
    """
    require_erasable(planned)
    if not planned.erased and besides(planned, kept) == NOTHING:
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
            recalls=_ids(planned, "recalls"),
            proposals=_ids(planned, "proposals"),
            feedback=_ids(planned, "feedback"),
            entries=kept.entries,
            turns=kept.turns,
            reports=kept.reports,
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


def words_removal(erasure_id: str) -> list[WordsPurgeRequested]:
    """Asks for the key of a stream besides memories to be destroyed."""
    return [WordsPurgeRequested(erasure=erasure_id)]


def words_gone(erasure_id: str) -> list[WordsPurged]:
    """Records that the key of such a stream is destroyed."""
    return [WordsPurged(erasure=erasure_id)]


def bring_back() -> list[Restored]:
    """A source of what is erased says its own part again."""
    return [Restored()]


def complete(erasure: Erasure, *, key_backups_until: datetime | None) -> list[Completed]:
    """Records that the keys are destroyed; nothing where that is recorded already."""
    if erasure.completed_at is not None:
        return []
    return [Completed(key_backups_until=key_backups_until)]
