"""Replace several memories by one that says all of it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, ClassVar

from pydantic import Field

from muniment.domain.errors import MergeRejected
from muniment.domain.identity import TRUST
from muniment.domain.inputs import Category, Content, Importance, MemoryId, Tags
from muniment.domain.memory import events, merging
from muniment.domain.memory.merging import Proposal
from muniment.domain.memory.state import State
from muniment.domain.memory.view import Memory, view
from muniment.domain.ports import Append, Outcome
from muniment.domain.trust.quarantine import held_back, quarantine, words
from muniment.domain.trust.suspicion import TRUSTED_FROM

from .command import Command, Work


@dataclass(frozen=True, slots=True)
class Merged:
    """The memory that a merge made, and the ids that it replaces."""

    id: str
    memory: Memory
    sources: tuple[str, ...]


class Merge(Command):
    """Replace several memories by one that says all of it; refused where something would be lost.

    A refused merge leaves its sources as they are, but for a stamp on each.
    """

    VERB: ClassVar[str] = "merge"
    POSITIONAL: ClassVar[tuple[str, ...]] = ("ids", "content")

    ids: Annotated[tuple[MemoryId, ...], Field(max_length=100, description="The sources, 2 to 20.")]
    content: Content
    category: Category = None
    tags: Tags | None = None
    importance: Importance | None = None

    def decide(self, work: Work) -> Sequence[Append]:
        """The result and the archived sources in one append; or the stamps of a refusal."""
        sources = merging.distinct([work.memory(name) for name in self.ids])
        may_move_pinned = work.identity.role == "owner"
        for source in sources:
            merging.require_mergeable(source, may_move_pinned=may_move_pinned)
        lost = merging.lost(sources, self.content, work.rules.vocabulary)
        if lost:
            return [self._rejection(source, sources, lost, work) for source in sources]
        proposal = Proposal(
            content=self.content,
            category=self.category,
            tags=self.tags,
            importance=self.importance,
            source_type=work.identity.source_type,
        )
        now, decay, id_ = work.now, work.rules.decay, work.new_id()
        merged = merging.merge(sources, proposal, now=now, decay=decay)
        trust = min(merged[0].trust, TRUST[work.identity.source_type])
        signs = held_back(trust, self._says(sources), enabled=work.rules.distrust.enabled)
        return [
            Append(id_, 0, merged),
            *(
                Append(
                    source.id,
                    source.version,
                    merging.absorb(source, id_, is_fold=False, now=now, decay=decay),
                )
                for source in sources
            ),
            # last, for the sources are archived into what is live
            *([Append(id_, 1, quarantine(signs))] if signs else []),
        ]

    def _says(self, sources: Sequence[State]) -> Sequence[str]:
        """The texts that it adds to those of sources that people vouch for, line by line."""
        vouched = [source for source in sources if source.trust >= TRUSTED_FROM]
        known = {line for source in vouched for line in source.content.splitlines()}
        lines = [line for line in self.content.splitlines() if line not in known]
        return words("\n".join(lines), self.category, tags=self.tags or ())

    def _rejection(
        self, source: State, sources: Sequence[State], lost: Sequence[str], work: Work
    ) -> Append:
        own = merging.lost([source], self.content, work.rules.vocabulary)
        return Append(source.id, source.version, merging.reject(source, sources, lost, own))

    def answer(self, outcome: Outcome) -> Merged | MergeRejected:
        """The result, or the error that a refusal is: its stamps are kept all the same."""
        first = outcome.recorded[0]
        if isinstance(first.event, events.MergeRejected):
            stamps = (recorded.event for recorded in outcome.recorded)
            lost = {word for stamp in stamps for word in stamp.missing}
            return MergeRejected(sorted(lost))
        memory = outcome.desk.memory(first.stream)
        desk = outcome.desk
        return Merged(first.stream, view(memory, desk.now, desk.rules.decay), memory.merged_from)
