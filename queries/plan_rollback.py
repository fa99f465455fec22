"""What a rollback of a selection would do; nothing is done by asking."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import Annotated, ClassVar

from pydantic import Field

from muniment.domain.memory.state import State
from muniment.domain.rolling_back import Hiding, Part, Step, Written, plan, tainted
from muniment.projections.links import LinkKind
from muniment.projections.provenance import Provenance, Write, WriteKind

from .blast_radius import possibly_reached
from .reading import Reading
from .selected import Selected

_BATCH = 500

_PARTS: dict[WriteKind, Part] = {
    "saved": "whole",
    "imported": "whole",
    "merged": "merge",
    "reinforced": "repetition",
    "lifted": "vouching",
    "extended": "part",
    "revised": "whole",
}


_DESCENDING: tuple[LinkKind, ...] = ("merged", "imported")
"""Links along which a text is handed on. A copy is folded into what said the same before it."""


class PlanRollback(Selected):
    """What would be hidden, brought back and left, so that what was written is out of recall."""

    VERB: ClassVar[str] = "rollback"

    hide: Annotated[Hiding, Field(description="How what is live is hidden.")] = "quarantine"

    def answer(self, reading: Reading) -> tuple[Step, ...]:
        """The steps, decided on the memories as they are now."""
        selection = self.selection(reading)
        with reading.lock:
            provenance = reading.provenance()
            selected = provenance.select(selection)
            reached = _reached(provenance, selected)
            written = list(_written(provenance, reached, selected))
            links = (*provenance.into(reached), *provenance.out_of(reached))
            influenced = possibly_reached(reading, selected)
        taints, touched = tainted(written)
        touched |= {
            id_: f"it was written in a session after {of[-12:]} was recalled there"
            for id_, of in influenced.items()
            if id_ not in taints and id_ not in touched
        }
        ends = (end for link in links for end in link[:2])
        wanted = dict.fromkeys([*reached, *touched, *ends])
        folds = {(link.source, link.target) for link in links if link.kind == "folded"}
        return tuple(plan(taints, touched, _states(reading, list(wanted)), folds))


def _reached(provenance: Provenance, selected: Iterable[Write]) -> list[str]:
    """What the selection wrote to, and all that a text of it could have been handed on to."""
    reached = dict.fromkeys(write.memory for write in selected)
    fresh = list(reached)
    while fresh:
        targets = dict.fromkeys(
            link.target for link in provenance.out_of(fresh) if link.kind in _DESCENDING
        )
        fresh = [target for target in targets if target not in reached]
        reached.update(dict.fromkeys(fresh))
    return list(reached)


def _written(
    provenance: Provenance, reached: list[str], selected: Iterable[Write]
) -> Iterator[Written]:
    mine = {write.position for write in selected}
    sources: defaultdict[tuple[str, int], list[str]] = defaultdict(list)
    for link in provenance.into(reached):
        if link.kind in _DESCENDING:
            sources[link.target, link.position].append(link.source)
    for write in provenance.writes_of(reached):
        yield Written(
            memory=write.memory,
            position=write.position,
            version=write.version,
            part=_PARTS[write.kind],
            is_selected=write.position in mine,
            actor=write.actor,
            sources=tuple(sources.pop((write.memory, write.position), ())),
        )
    for (memory, position), named in sources.items():
        # an import says of a memory that was here before it that it is part of it
        yield Written(
            memory=memory,
            position=position,
            version=0,
            part="part",
            is_selected=False,
            actor="",
            sources=tuple(named),
        )


def _states(reading: Reading, ids: list[str]) -> dict[str, State]:
    mine = reading.identity.space
    found: dict[str, State] = {}
    for start in range(0, len(ids), _BATCH):
        for state in reading.memories(ids[start : start + _BATCH]):
            if state.space == mine:
                found[state.id] = state
    return found
