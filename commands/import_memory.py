"""Bring in a memory of another system, with its past."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, ClassVar

from pydantic import Field

from muniment.domain.errors import Invalid
from muniment.domain.identity import TRUST, Role
from muniment.domain.inputs import (
    Category,
    Content,
    Importance,
    Line,
    Metadata,
    Moment,
    SourceField,
    Tags,
)
from muniment.domain.memory.events import Imported, Source, Store
from muniment.domain.ports import Append, Outcome

from .command import Command, Work


@dataclass(frozen=True, slots=True)
class Brought:
    """Which memory it became, and whether this run brought it in."""

    id: str
    is_new: bool


class ImportMemory(Command):
    """Bring in a memory of another system, with its past.

    ``importance`` is what it is worth at the import. Times left out follow from those that are
    there; an archived memory has a time and a reason of it.
    """

    VERB: ClassVar[str] = "import"
    ROLES: ClassVar[frozenset[Role]] = frozenset(["owner"])

    format: Line
    external_id: Line | None = None
    content: Content
    category: Category = None
    tags: Tags = ()
    metadata: Metadata = Field(default_factory=dict)
    importance: Importance = 0.5
    store: Store = "semantic"
    source: SourceField | None = None
    created_at: Moment | None = None
    last_seen_at: Moment | None = None
    updated_at: Moment | None = None
    reinforcement_count: Annotated[int, Field(ge=1, lt=2**31)] = 1
    pinned: bool = False
    archived_at: Moment | None = None
    archive_reason: Line | None = None

    def decide(self, work: Work) -> Sequence[Append]:
        """A memory of its own; the duplicate check is for observations.

        Raises:
            Invalid: ``timestamp_invalid`` where the times contradict each other.
        """
        created = self.created_at or work.now
        seen = self.last_seen_at or created
        if seen < created:
            raise Invalid(
                "last_seen_at lies before created_at.",
                code="timestamp_invalid",
                field="last_seen_at",
            )
        source = self.source or Source(type=work.identity.source_type)
        event = Imported(
            format=self.format,
            external_id=self.external_id,
            content=self.content,
            category=self.category,
            tags=self.tags,
            metadata=self.metadata,
            importance=self.importance,
            store=self.store,
            trust=TRUST[source.type],
            source_type=source.type,
            source_model=source.model,
            source_ref=source.ref,
            source_session=source.session,
            chars=len(self.content),
            created_at=created,
            last_seen_at=seen,
            updated_at=self.updated_at or created,
            scored_at=work.now,
            reinforcement_count=self.reinforcement_count,
            access_count=1,
            last_accessed_at=seen,
            pinned=self.pinned,
            archived_at=self.archived_at,
            archive_reason=self.archive_reason,
            archive_importance=None if self.archived_at is None else self.importance,
        )
        return [Append(work.new_id(), 0, [event])]

    def answer(self, outcome: Outcome) -> Brought:
        """Which memory it became."""
        return Brought(outcome.recorded[0].stream, is_new=not outcome.repeated)
