"""Bring in a memory of another system, with its past."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, ClassVar

from pydantic import Field, StringConstraints

from muniment.domain.errors import Invalid, NotFound
from muniment.domain.identity import TRUST
from muniment.domain.inputs import (
    Category,
    Content,
    Importance,
    Line,
    Metadata,
    Moment,
    SourceField,
    Tags,
    Trust,
)
from muniment.domain.memory.events import Condition, Imported, Source, SourceType, Store
from muniment.domain.ports import Append, Outcome
from muniment.domain.trust.quarantine import held_back, quarantine, words
from muniment.domain.trust.suspicion import Sign

from .command import Command, Work

WholeId = Annotated[
    str,
    StringConstraints(pattern=r"^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$"),
]
"""An id as it is kept: in full, in lower case."""

Count = Annotated[int, Field(ge=1, lt=2**31)]


@dataclass(frozen=True, slots=True)
class Brought:
    """Which memory it became, whether this run brought it in, and whether into quarantine."""

    id: str
    is_new: bool
    is_held_back: bool = False


class ImportMemory(Command):
    """Bring in a memory of another system, with its past.

    ``importance`` is what it was last scored, at ``scored_at`` (the import unless told). Times left
    out follow from those that are there; an archived memory has a time and a reason of it. ``id``
    and what is not told of other systems' memories is for those that Muniment itself exported.
    """

    VERB: ClassVar[str] = "import"

    format: Line
    external_id: Line | None = None
    id: WholeId | None = None
    content: Content | None = None
    additions: tuple[Content, ...] = ()
    said_at: tuple[Moment, ...] = ()
    text_version: Count = 1
    category: Category = None
    tags: Tags = ()
    metadata: Metadata = Field(default_factory=dict)
    importance: Importance = 0.5
    scored_at: Moment | None = None
    store: Store = "semantic"
    source: SourceField | None = None
    trust: Trust | None = None
    heard: tuple[tuple[SourceType, Line | None], ...] | None = None
    created_at: Moment | None = None
    last_seen_at: Moment | None = None
    updated_at: Moment | None = None
    reinforcement_count: Count = 1
    access_count: Count = 1
    last_accessed_at: Moment | None = None
    pinned: bool = False
    held: bool = False
    condition: Condition | None = None
    archived_at: Moment | None = None
    archive_reason: Line | None = None
    archive_importance: Importance | None = None
    merged_into: WholeId | None = None
    merged_from: tuple[WholeId, ...] = ()
    resembles: tuple[WholeId, ...] = ()
    conflicts_with: tuple[WholeId, ...] = ()
    superseded_by: WholeId | None = None

    def decide(self, work: Work) -> Sequence[Append]:
        """A memory of its own; the duplicate check is for observations.

        Nothing where the space has one of its ``id`` already. What comes into recall is judged as
        if it were saved, what is archived when it is restored.

        Raises:
            Invalid: ``content_required``; ``archived_at_required`` where the condition wants one;
                ``timestamp_invalid`` where the times contradict each other.
        """
        if self.id is not None and _is_here(work, self.id):
            return []
        self._check()
        created = self.created_at or work.now
        seen = self.last_seen_at or created
        if seen < created:
            raise Invalid(
                "last_seen_at lies before created_at.",
                code="timestamp_invalid",
                field="last_seen_at",
            )
        source = self.source or Source(type=work.identity.source_type)
        is_archived = self.archived_at is not None and self.condition is None
        event = Imported(
            format=self.format,
            external_id=self.external_id,
            content=self.content or "",
            additions=self.additions,
            said_at=self.said_at,
            text_version=self.text_version,
            category=self.category,
            tags=self.tags,
            metadata=self.metadata,
            importance=self.importance,
            store=self.store,
            trust=TRUST[source.type] if self.trust is None else self.trust,
            source_type=source.type,
            source_model=source.model,
            source_ref=source.ref,
            source_session=source.session,
            heard=self.heard,
            chars=len("\n\n".join([self.content or "", *self.additions])),
            created_at=created,
            last_seen_at=seen,
            updated_at=self.updated_at or created,
            scored_at=self.scored_at or work.now,
            reinforcement_count=self.reinforcement_count,
            access_count=self.access_count,
            last_accessed_at=self.last_accessed_at or seen,
            pinned=self.pinned,
            held=self.held,
            condition=self.condition,
            archived_at=self.archived_at,
            archive_reason=self.archive_reason,
            archive_importance=self.importance if is_archived else self.archive_importance,
            merged_into=self.merged_into,
            merged_from=self.merged_from,
            resembles=self.resembles,
            conflicts_with=self.conflicts_with,
            superseded_by=self.superseded_by,
        )
        held = quarantine(self._signs(event, work)) if event.begins == "live" else []
        return [Append(self.id or work.new_id(), 0, [event, *held])]

    def _signs(self, event: Imported, work: Work) -> tuple[Sign, ...]:
        said = words(
            *event.parts,
            event.category,
            event.source_ref,
            tags=event.tags,
            metadata=event.metadata,
        )
        return held_back(event.trust, said, enabled=work.rules.distrust.enabled)

    def _check(self) -> None:
        if self.content is None and self.condition != "purged":
            raise Invalid("content: it has no text.", code="content_required", field="content")
        if self.condition in ("archived", "superseded") and self.archived_at is None:
            raise Invalid(
                f"archived_at: what is {self.condition} has been so since a moment.",
                code="archived_at_required",
                field="archived_at",
            )

    def answer(self, outcome: Outcome) -> Brought:
        """Which memory it became, or which was here."""
        if not outcome.recorded and self.id is not None:
            return Brought(self.id, is_new=False)
        brought, *held = outcome.recorded
        return Brought(brought.stream, is_new=not outcome.repeated, is_held_back=bool(held))


def _is_here(work: Work, id_: str) -> bool:
    try:
        work.memory(id_)
    except NotFound:
        return False
    return True
