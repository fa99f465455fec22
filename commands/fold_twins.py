"""Fold repetitions of a memory into one."""

from collections.abc import Sequence
from typing import Annotated, ClassVar

from pydantic import Field

from muniment.domain.inputs import MemoryId
from muniment.domain.memory import merging
from muniment.domain.memory.events import Folded
from muniment.domain.ports import Append, Outcome

from .command import Command, Work


class FoldTwins(Command):
    """Fold exact repetitions into the oldest, or the pinned one; what no longer is one is left."""

    VERB: ClassVar[str] = "fold"

    ids: Annotated[tuple[MemoryId, ...], Field(min_length=2)]

    def decide(self, work: Work) -> Sequence[Append]:
        """The survivor's gain and the archived copies in one append."""
        twins = {memory.id: memory for memory in map(work.memory, self.ids)}
        found = merging.fold_of(list(twins.values()))
        if found is None:
            return []
        now, decay, survivor = work.now, work.rules.decay, found.survivor
        return [
            Append(survivor.id, survivor.version, merging.fold(found, now=now, decay=decay)),
            *(
                Append(
                    copy.id,
                    copy.version,
                    merging.absorb(copy, survivor.id, is_fold=True, now=now, decay=decay),
                )
                for copy in found.copies
            ),
        ]

    def answer(self, outcome: Outcome) -> tuple[str, ...]:
        """The ids that were folded away."""
        return tuple(
            id_
            for recorded in outcome.recorded
            if isinstance(recorded.event, Folded)
            for id_ in recorded.event.folded
        )
