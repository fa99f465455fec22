"""What the addresses take that have no operation's model of their own, and pages of the log."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any, Final, Literal

from pydantic import Field, RootModel

from muniment.domain.identity import Role
from muniment.domain.inputs import ActorName, IdempotencyKey, Input, Line, MemoryId, When
from muniment.queries.log import LogEntry
from muniment.queries.plan_rollback import PlanRollback
from muniment.working import ReportToolCall, SaveEntry

PAGE: Final = 500
"""How many entries of the log one answer holds at most; 100 unless asked for."""


@dataclass(frozen=True, slots=True)
class LogPage:
    """A part of the log; ``next`` is the ``after`` of the part that follows, None at the end."""

    entries: tuple[LogEntry, ...]
    next: int | None


class Nothing(Input):
    """Nothing is taken."""


class DryRun(Input):
    """What is destroyed for good is shown first."""

    dry_run: Annotated[bool, Field(description="Only say what would be done.")] = False
    confirm: Annotated[
        str | None, Field(description="The digest that a dry run of the same gave.")
    ] = None


class Against(Input):
    """A checkpoint to compare with."""

    against: Annotated[
        str | None, Field(description="The text of a checkpoint that was kept elsewhere.")
    ] = None


class Proven(Input):
    """A memory whose events are to be proven."""

    id: MemoryId
    since: Annotated[
        str | None, Field(description="The text of a checkpoint that the log is proven to extend.")
    ] = None


class Items(Input):
    """Several saves."""

    items: Annotated[
        tuple[Mapping[str, Any], ...],
        Field(description="Each with the fields of a save; at most 50,000.", max_length=50_000),
    ]
    idempotency_key: IdempotencyKey | None = None


class Basis(Input):
    """Why something is erased: a code, which stays in the clear, and words, which do not."""

    code: Annotated[str, Field(pattern="^[a-z0-9._-]{1,64}$")]
    text: Annotated[str | None, Field(max_length=2_000)] = None


class Keep(Input):
    """What was derived stays, for a reason."""

    keep: Annotated[str, Field(description="Why.")]


class Erasing(DryRun):
    """An erasure, whatever of."""

    basis: Annotated[
        str | Basis, Field(description="Why: a code such as gdpr-17, a text, or both.")
    ]
    cascade: Annotated[
        Literal["cascade", "rewrite"] | Keep,
        Field(description="What becomes of merges of it; {keep: reason} leaves them."),
    ] = "cascade"


class ErasingMemory(Erasing):
    """A memory that is to be erased."""

    id: MemoryId


class ErasingMany(Erasing):
    """All that is about somebody, or the whole space of the token."""

    subject: Annotated[
        str | None, Field(description="All whose metadata has this name as its subject.")
    ] = None
    also: Annotated[
        tuple[MemoryId, ...], Field(description="Memories that were confirmed besides.")
    ] = ()
    whole_space: Annotated[
        bool, Field(description="Every memory of the space instead of somebody's.")
    ] = False


class RollingBack(DryRun, PlanRollback):
    """What is to be taken out of recall, or a rollback that is to be taken back."""

    reason: Annotated[Line | None, Field(description="Why; needed to do it.")] = None
    undo: Annotated[MemoryId | None, Field(description="A rollback, to take it back.")] = None


class WorkingText(SaveEntry):
    """An entry of working memory."""

    ttl: Annotated[  # pyright: ignore[reportIncompatibleVariableOverride]
        float | None,
        Field(gt=0, description="Seconds until it expires; five minutes unless given or set."),
    ] = None  # type: ignore[assignment]  # as JSON has it


class ToolCall(ReportToolCall):
    """How a call of a tool went."""

    arguments: Annotated[  # type: ignore[assignment]  # as JSON has it
        Mapping[str, Any], Field(description="What it was called with.")
    ]


class Days(Input):
    """How far back."""

    days: Annotated[float, Field(gt=0, le=36_500, description="Days, up to 36,500.")] = 30
    replayed: Annotated[
        bool | None,
        Field(description="What would have been recorded, had every scheduled audit run."),
    ] = None


class Moment(Input):
    """A moment of the past."""

    when: When


class Period(Input):
    """What a report is about."""

    since: Annotated[
        datetime | str, Field(description="Only recorded after this time, as 2026-03-01T00:00:00Z.")
    ]
    until: Annotated[datetime | str, Field(description="Only recorded until this time.")]
    subject: Annotated[str | None, Field(description="Whom the last two questions are about.")] = (
        None
    )


class Finding(Input):
    """The name of an invariant."""

    name: Annotated[str, Field(description="Such as log-intact.")]


class Why(Input):
    """A reason."""

    reason: Annotated[str, Field(description="Why.")]


class NewToken(Input):
    """Who a token is for."""

    actor: ActorName
    role: Annotated[Role | None, Field(description="The actor's own unless given.")] = None
    days: Annotated[float, Field(gt=0, le=90, description="How long it lives.")] = 30


class Named(Input):
    """Something by its id."""

    id: MemoryId


class AuditRow(RootModel[dict[str, Any]]):
    """A row of the audit: its names are those of the page on audits."""
