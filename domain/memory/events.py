"""What can happen to a memory. Names and schema numbers are the storage format: add, never change.

A change of shape is a new class with the next schema number; a change of meaning is a new name.
Fields marked ``Words`` are encrypted under the memory's key, all others are facts in the clear.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import cache
from typing import ClassVar, Literal, TypeAlias

from ..recorded import Words

Store: TypeAlias = Literal["semantic", "episodic", "procedural"]
SourceType: TypeAlias = Literal["owner", "user", "tool", "web", "agent", "model"]
Measure: TypeAlias = Literal["canonical", "lexical", "cosine"]
ArchiveCause: TypeAlias = Literal["request", "merge", "fold", "prune", "expansion"]
QuarantineCause: TypeAlias = Literal["request", "policy"]
RemovalBasis: TypeAlias = Literal["retention", "erasure"]
Condition: TypeAlias = Literal["live", "archived", "superseded", "quarantined", "purged"]


def _nothing() -> Mapping[str, str]:
    return {}


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """Where an observation came from. ``ref`` may be a URL, ``session`` the session it was in."""

    type: SourceType = "owner"
    ref: str | None = None
    session: str | None = None
    model: str | None = None


@cache
def _bare(source: SourceType) -> Source:
    """A source of which the type alone is known: one for all, since most are."""
    return Source(type=source)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Observed:
    """What every observation says of itself: who says it, and what it was compared with."""

    importance: float
    trust: int
    source_type: SourceType
    source_model: str | None = None
    source_ref: Words[str | None] = None
    source_session: Words[str | None] = None
    similarity: float | None = None
    measure: Measure | None = None

    @property
    def source(self) -> Source:
        if self.source_ref is None and self.source_session is None and self.source_model is None:
            return _bare(self.source_type)
        return Source(
            type=self.source_type,
            ref=self.source_ref,
            session=self.source_session,
            model=self.source_model,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Saved(_Observed):
    """A new fact. ``chars`` is the length of the text; the ids name live memories like it."""

    NAME: ClassVar[str] = "memory.saved"
    SCHEMA: ClassVar[int] = 1

    content: Words[str] = ""
    category: Words[str | None] = None
    tags: Words[tuple[str, ...]] = ()
    metadata: Words[Mapping[str, str]] = field(default_factory=_nothing)
    store: Store
    chars: int
    resembles: tuple[str, ...] = ()
    conflicts_with: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Imported(_Observed):
    """Brought in with its past from another system, named by ``format``.

    The text is ``content`` and, where it was said in parts, each of ``additions``; ``said_at`` has
    the time of each part, the first included (none: ``created_at``). ``condition`` is what it was
    in (None: archived where ``archived_at`` says so, otherwise live). ``heard`` names the sources
    whose repetition counts no more (None: its own alone).
    """

    NAME: ClassVar[str] = "memory.imported"
    SCHEMA: ClassVar[int] = 1

    format: str
    external_id: Words[str | None] = None
    content: Words[str] = ""
    additions: Words[tuple[str, ...]] = ()
    said_at: tuple[datetime, ...] = ()
    text_version: int = 1
    category: Words[str | None] = None
    tags: Words[tuple[str, ...]] = ()
    metadata: Words[Mapping[str, str]] = field(default_factory=_nothing)
    store: Store
    chars: int
    created_at: datetime
    last_seen_at: datetime
    updated_at: datetime
    scored_at: datetime
    reinforcement_count: int
    access_count: int
    last_accessed_at: datetime
    pinned: bool = False
    archived_at: datetime | None = None
    archive_reason: Words[str | None] = None
    archive_importance: float | None = None
    condition: Condition | None = None
    merged_into: str | None = None
    merged_from: tuple[str, ...] = ()
    resembles: tuple[str, ...] = ()
    conflicts_with: tuple[str, ...] = ()
    superseded_by: str | None = None
    held: bool = False
    heard: Words[tuple[tuple[SourceType, str | None], ...] | None] = None

    @property
    def parts(self) -> tuple[str, ...]:
        """The texts that it was said in."""
        return self.content, *self.additions

    @property
    def begins(self) -> Condition:
        """The condition that it is in from here on."""
        return self.condition or ("live" if self.archived_at is None else "archived")


@dataclass(frozen=True, slots=True, kw_only=True)
class Reinforced(_Observed):
    """An observation said the same again.

    ``importance`` is the base from here on. Uncounted: nothing moves but the record of it.
    ``lifts_trust`` says that the whole memory is trusted as far as this observation from here on.
    """

    NAME: ClassVar[str] = "memory.reinforced"
    SCHEMA: ClassVar[int] = 1

    counted: bool
    lifts_trust: bool = False
    tags_added: Words[tuple[str, ...]] = ()
    metadata_added: Words[Mapping[str, str]] = field(default_factory=_nothing)


@dataclass(frozen=True, slots=True, kw_only=True)
class Extended(_Observed):
    """An observation said the same and more: ``addition`` is appended. ``chars``: after it.

    Uncounted: the text grows, but nothing says that it was observed once more.
    """

    NAME: ClassVar[str] = "memory.extended"
    SCHEMA: ClassVar[int] = 1

    counted: bool = True
    addition: Words[str] = ""
    chars: int
    tags_added: Words[tuple[str, ...]] = ()
    metadata_added: Words[Mapping[str, str]] = field(default_factory=_nothing)


@dataclass(frozen=True, slots=True, kw_only=True)
class Revised:
    """The text was rewritten; trusted as far as who rewrote it, where these say so."""

    NAME: ClassVar[str] = "memory.revised"
    SCHEMA: ClassVar[int] = 1

    content: Words[str] = ""
    chars: int
    trust: int | None = None
    source_type: SourceType | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Recategorized:
    """It was filed elsewhere."""

    NAME: ClassVar[str] = "memory.recategorized"
    SCHEMA: ClassVar[int] = 1

    category: Words[str | None] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Retagged:
    """Its tags were replaced."""

    NAME: ClassVar[str] = "memory.retagged"
    SCHEMA: ClassVar[int] = 1

    tags: Words[tuple[str, ...]] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Rescored:
    """Its importance was set."""

    NAME: ClassVar[str] = "memory.rescored"
    SCHEMA: ClassVar[int] = 1

    importance: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Described:
    """Its metadata was replaced."""

    NAME: ClassVar[str] = "memory.described"
    SCHEMA: ClassVar[int] = 1

    metadata: Words[Mapping[str, str]] = field(default_factory=_nothing)


@dataclass(frozen=True, slots=True, kw_only=True)
class Used:
    """It was recalled and used."""

    NAME: ClassVar[str] = "memory.used"
    SCHEMA: ClassVar[int] = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Pinned:
    """It was put in the vault: no policy decays, prunes or purges it."""

    NAME: ClassVar[str] = "memory.pinned"
    SCHEMA: ClassVar[int] = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class PinnedWhenTold(Pinned):
    """The same, on somebody's words: ``trigger`` quotes them."""

    SCHEMA: ClassVar[int] = 2

    trigger: Words[str] = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Unpinned:
    """It was taken out of the vault."""

    NAME: ClassVar[str] = "memory.unpinned"
    SCHEMA: ClassVar[int] = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class UnpinnedWhenTold(Unpinned):
    """The same, on somebody's words: ``trigger`` quotes them."""

    SCHEMA: ClassVar[int] = 2

    trigger: Words[str] = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Archived:
    """It was hidden from recall. ``importance`` is what it was worth then."""

    NAME: ClassVar[str] = "memory.archived"
    SCHEMA: ClassVar[int] = 1

    cause: ArchiveCause
    importance: float
    merged_into: str | None = None
    reason: Words[str] = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Restored:
    """It was brought back into recall."""

    NAME: ClassVar[str] = "memory.restored"
    SCHEMA: ClassVar[int] = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Merged:
    """It was made as the merge of other memories, which are archived in the same append.

    ``merged_from`` names the distinct sources, ``source_versions`` the version of each. The times
    and the count are computed from them: the earliest, the latest, the sum. ``specifics`` is how
    many specifics of the sources were found again in the text.
    """

    NAME: ClassVar[str] = "memory.merged"
    SCHEMA: ClassVar[int] = 1

    content: Words[str] = ""
    category: Words[str | None] = None
    tags: Words[tuple[str, ...]] = ()
    metadata: Words[Mapping[str, str]] = field(default_factory=_nothing)
    store: Store
    chars: int
    importance: float
    trust: int
    source_type: SourceType
    merged_from: tuple[str, ...]
    source_versions: tuple[int, ...]
    created_at: datetime
    last_seen_at: datetime
    reinforcement_count: int
    access_count: int
    last_accessed_at: datetime
    specifics: int
    heard: Words[tuple[tuple[str, str | None], ...]] = ()

    @property
    def source(self) -> Source:
        """Who asked for the merge."""
        return Source(type=self.source_type)


@dataclass(frozen=True, slots=True, kw_only=True)
class Folded:
    """It absorbed exact repetitions of itself, which are archived in the same append.

    ``counts`` is what each of ``folded`` adds to the count; ``created_at`` is the earliest of all,
    ``importance`` (the base from here on), ``trust`` and ``last_seen_at`` are the greatest.
    """

    NAME: ClassVar[str] = "memory.folded"
    SCHEMA: ClassVar[int] = 1

    folded: tuple[str, ...]
    counts: tuple[int, ...]
    importance: float
    trust: int
    created_at: datetime
    last_seen_at: datetime
    heard: Words[tuple[tuple[str, str | None], ...]] = ()
    tags_added: Words[tuple[str, ...]] = ()
    metadata_added: Words[Mapping[str, str]] = field(default_factory=_nothing)


@dataclass(frozen=True, slots=True, kw_only=True)
class MergeRetracted:
    """A memory that it had absorbed was restored: its ``count`` is taken out again."""

    NAME: ClassVar[str] = "memory.merge_retracted"
    SCHEMA: ClassVar[int] = 1

    restored: str
    count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class MergeRejected:
    """A merge of it was refused, because something would have been lost.

    ``cluster`` is a hash of the sorted ids, so that a cluster refused again is recognised;
    ``text_version`` says of which text of this memory. ``missing`` has those words that are this
    memory's own, ``missing_count`` counts those of all sources.
    """

    NAME: ClassVar[str] = "memory.merge_rejected"
    SCHEMA: ClassVar[int] = 1

    cluster: str
    sources: tuple[str, ...]
    text_version: int
    missing_count: int
    missing: Words[tuple[str, ...]] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Superseded:
    """A contradiction was decided against it, in favour of ``by``."""

    NAME: ClassVar[str] = "memory.superseded"
    SCHEMA: ClassVar[int] = 1

    by: str
    importance: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Quarantined:
    """It is hidden from recall until a person says that it may be trusted.

    ``signs`` names what a policy saw in it.
    """

    NAME: ClassVar[str] = "memory.quarantined"
    SCHEMA: ClassVar[int] = 1

    cause: QuarantineCause
    signs: tuple[str, ...] = ()
    reason: Words[str] = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Released:
    """A person let it out of quarantine."""

    NAME: ClassVar[str] = "memory.released"
    SCHEMA: ClassVar[int] = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """It is under a legal hold: nothing may remove its words."""

    NAME: ClassVar[str] = "memory.held"
    SCHEMA: ClassVar[int] = 1

    reason: Words[str] = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class HoldReleased:
    """The legal hold was lifted."""

    NAME: ClassVar[str] = "memory.hold_released"
    SCHEMA: ClassVar[int] = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class _Removal:
    """Why words are removed for good, without a word of them.

    ``basis`` is the rule. For the retention purge ``archived_at`` and ``retention_days`` are the
    evidence that it was due, ``importance`` and ``reinforcement_count`` that it was not protected.
    """

    basis: RemovalBasis
    archived_at: datetime | None = None
    retention_days: float | None = None
    importance: float
    reinforcement_count: int
    policy: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PurgeRequested(_Removal):
    """Its key is about to be destroyed; from here on every read answers as purged."""

    NAME: ClassVar[str] = "memory.purge_requested"
    SCHEMA: ClassVar[int] = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Purged(_Removal):
    """Its key has been destroyed: its words are gone from the log and from every copy of it."""

    NAME: ClassVar[str] = "memory.purged"
    SCHEMA: ClassVar[int] = 1


Event: TypeAlias = (
    Saved
    | Imported
    | Reinforced
    | Extended
    | Revised
    | Recategorized
    | Retagged
    | Rescored
    | Described
    | Used
    | Pinned
    | Unpinned
    | Archived
    | Restored
    | Merged
    | Folded
    | MergeRetracted
    | MergeRejected
    | Superseded
    | Quarantined
    | Released
    | Held
    | HoldReleased
    | PurgeRequested
    | Purged
)

Beginning: TypeAlias = Saved | Imported | Merged
"""What a memory can begin with."""

Hiding: TypeAlias = Archived | Superseded | Quarantined
"""What takes a memory out of recall."""

Showing: TypeAlias = Restored | Released
"""What brings a memory back into recall."""
