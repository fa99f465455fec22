"""What an agent works with: working memory, conversations, and the record of its recalls."""

from typing import Literal, TypeAlias

from pydantic import Field

from .section import Section

RecallMode: TypeAlias = Literal["batched", "synchronous", "off"]


class WorkingSettings(Section):
    """Working memory: how long entries live, and how many there are."""

    default_ttl_seconds: float = Field(
        default=300.0, gt=0.0, le=315_532_800.0, description="Seconds that an entry lives."
    )
    max_entries_per_namespace: int = Field(
        default=50, ge=1, le=10_000, description="Entries of a namespace; one more is refused."
    )


class ConversationSettings(Section):
    """Conversations: what is replayed, what is kept, and how much a turn is told."""

    max_llm_context_turns: int = Field(
        default=20, ge=0, le=500, description="The latest turns that are replayed."
    )
    session_idle_minutes: float = Field(
        default=60.0, gt=0.0, le=525_600.0, description="Minutes of silence that end a session."
    )
    log_retention_days: float = Field(
        default=30.0, gt=0.0, le=36_500.0, description="Days after which a turn is deleted."
    )
    tool_report_retention_days: float = Field(
        default=7.0, gt=0.0, le=36_500.0, description="Days that reports of tool calls are kept."
    )
    context_tokens: int = Field(
        default=16_000, ge=256, le=10_000_000, description="Tokens of a context, by estimate."
    )


class RecallSettings(Section):
    """How it is recorded what was recalled into an agent's context."""

    mode: RecallMode = Field(
        default="batched",
        description="batched; synchronous: recorded before the answer; off: not at all.",
    )
    batch: int = Field(
        default=64, ge=1, le=10_000, description="Recalls of a session after which it is recorded."
    )
    seconds: float = Field(
        default=60.0,
        gt=0.0,
        le=86_400.0,
        description="Seconds after which a recall is recorded: so many may be lost in a crash.",
    )
    retention_days: float = Field(
        default=400.0,
        le=36_500.0,
        description="Days after which queries and sessions' names are purged; 0 or less: never.",
    )
