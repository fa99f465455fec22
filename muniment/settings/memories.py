"""What becomes of memories: the duplicate check, quarantine, fading, retention, ranking."""

from pydantic import Field

from muniment.domain.trust.secrets import Handling

from .section import Section


class MemorySettings(Section):
    """The duplicate check and the fading of importance."""

    dedupe_enabled: bool = Field(
        default=True,
        description="Whether a save looks for what is known already.",
    )
    dedupe_lexical_similarity_threshold: float = Field(
        default=0.60,
        ge=0.5,
        le=1.0,
        description="Jaccard index from which a memory may be extended by a save.",
    )
    dedupe_similarity_threshold: float = Field(
        default=0.88,
        ge=0.0,
        le=1.0,
        description="Cosine from which memories are compared once their vectors have come.",
    )
    dedupe_max_extended_content_length: int = Field(
        default=2_000,
        ge=0,
        description="Characters up to which a memory grows by being extended.",
    )
    secrets: Handling = Field(
        default="redact",
        description="What is done about secrets in what comes in: redact, reject or allow.",
    )
    quarantine_untrusted: bool = Field(
        default=True,
        description="Whether what reads like an instruction, hides text or floods is held back"
        " where its source is trusted less than a user.",
    )
    quarantine_burst: int = Field(
        default=300,
        ge=1,
        le=1_000_000,
        description="Observations of one tool or page in a minute from which more are held back.",
    )
    quarantine_flood: int = Field(
        default=100,
        ge=1,
        le=1_000_000,
        description="Observations in a minute, nearly the same, from which more are held back.",
    )
    importance_decay_grace_days: float = Field(
        default=30.0,
        ge=0.0,
        le=36_500.0,
        description="Days after the last observation in which importance does not fade.",
    )
    importance_decay_half_life_days: float = Field(
        default=45.0,
        le=36_500.0,
        description="Days in which importance halves after that; 0 or less: never.",
    )
    importance_decay_floor: float = Field(
        default=0.10,
        ge=0.0,
        le=1.0,
        description="Importance below which nothing fades.",
    )


class DreamSettings(Section):
    """How long archived memories are kept, and which ones longer."""

    memory_archive_retention_days: float = Field(
        default=90.0,
        le=36_500.0,
        description="Days after which an archived memory may be purged; 0 or less: never.",
    )
    pruning_protection_importance: float = Field(
        default=0.80, ge=0.0, le=1.0, description="Importance from which nothing is purged."
    )
    pruning_protection_reinforcement_count: int = Field(
        default=5, ge=1, description="Observations from which nothing is purged."
    )
    purge_protected_after_days: float | None = Field(
        default=None,
        ge=0.0,
        le=36_500.0,
        description="Days after which even protected memories are purged; none: never.",
    )


class SearchSettings(Section):
    """How keyword search ranks."""

    k1: float = Field(
        default=0.9, ge=0.0, le=10.0, description="BM25: how soon a repeated word saturates."
    )
    b: float = Field(
        default=0.4, ge=0.0, le=1.0, description="BM25: how much long texts are held back."
    )
