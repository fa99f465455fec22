"""All sections together, and what the rest of the product reads from them."""

from datetime import timedelta

from pydantic import Field
from pydantic_settings import BaseSettings, SettingsConfigDict

from muniment.audit.options import AuditOptions
from muniment.domain.access import Grants
from muniment.domain.importance import Decay
from muniment.domain.rules import Distrust, DuplicateCheck, Gate, Retention, Rules, Scratch, Talk
from muniment.log.checkpoints import Cadence
from muniment.log.read_models import Ranking

from .contexts import ConversationSettings, RecallSettings, WorkingSettings
from .log import LogSettings
from .memories import DreamSettings, MemorySettings, SearchSettings
from .server import AccessSettings, LimitSettings, ServerSettings
from .services import EmbeddingSettings, ModelSettings


class Settings(BaseSettings):
    """Every setting, frozen once it is made."""

    model_config = SettingsConfigDict(
        env_prefix="MUNIMENT_", env_nested_delimiter="__", frozen=True, extra="ignore"
    )

    memory: MemorySettings = Field(default_factory=MemorySettings)
    dream: DreamSettings = Field(default_factory=DreamSettings)
    working: WorkingSettings = Field(default_factory=WorkingSettings)
    conversation: ConversationSettings = Field(default_factory=ConversationSettings)
    search: SearchSettings = Field(default_factory=SearchSettings)
    embedding: EmbeddingSettings = Field(default_factory=EmbeddingSettings)
    access: AccessSettings = Field(default_factory=AccessSettings)
    recall: RecallSettings = Field(default_factory=RecallSettings)
    model: ModelSettings = Field(default_factory=ModelSettings)
    log: LogSettings = Field(default_factory=LogSettings)
    server: ServerSettings = Field(default_factory=ServerSettings)
    limits: LimitSettings = Field(default_factory=LimitSettings)
    audit: AuditOptions = Field(default_factory=AuditOptions)

    @property
    def rules(self) -> Rules:
        """The figures that decisions go by."""
        memory, dream, talk = self.memory, self.dream, self.conversation
        return Rules(
            decay=Decay(
                grace_days=memory.importance_decay_grace_days,
                half_life_days=memory.importance_decay_half_life_days,
                floor=memory.importance_decay_floor,
            ),
            duplicate_check=DuplicateCheck(
                enabled=memory.dedupe_enabled,
                lexical_threshold=memory.dedupe_lexical_similarity_threshold,
                max_extended=memory.dedupe_max_extended_content_length,
            ),
            retention=Retention(
                archive_days=dream.memory_archive_retention_days,
                protection_importance=dream.pruning_protection_importance,
                protection_count=dream.pruning_protection_reinforcement_count,
                protected_days=dream.purge_protected_after_days,
            ),
            distrust=Distrust(
                enabled=memory.quarantine_untrusted,
                burst=memory.quarantine_burst,
                flood=memory.quarantine_flood,
            ),
            access=Grants(auditors_read_content=self.access.auditors_read_content),
            gate=Gate(
                life_days=self.access.proposal_days,
                max_pending=self.access.max_pending_proposals,
                auto_commit=frozenset(self.access.auto_commit_from),
            ),
            scratch=Scratch(
                default_ttl=timedelta(seconds=self.working.default_ttl_seconds),
                per_namespace=self.working.max_entries_per_namespace,
            ),
            talk=Talk(
                window=talk.max_llm_context_turns,
                idle=timedelta(minutes=talk.session_idle_minutes),
                retention=timedelta(days=talk.log_retention_days),
                report_retention=timedelta(days=talk.tool_report_retention_days),
                budget=talk.context_tokens,
            ),
        )

    @property
    def cadence(self) -> Cadence:
        """When checkpoints are made, and what they are handed to."""
        log = self.log
        return Cadence(log.checkpoint_events, log.checkpoint_minutes, log.checkpoint_command)

    @property
    def ranking(self) -> Ranking:
        """What ranking is done with."""
        return Ranking(k1=self.search.k1, b=self.search.b)
