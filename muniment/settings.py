"""What an operator may set: in ``settings.toml`` of the directory, the environment, or a call.

``MUNIMENT_<SECTION>__<NAME>`` in the environment wins over the file, an argument over both.
"""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any, Literal, TypeAlias, cast

from pydantic import BaseModel, ConfigDict, Field, SecretStr, ValidationError
from pydantic_settings import BaseSettings, EnvSettingsSource, SettingsConfigDict

from .audit.options import SEED_NAMES, AuditOptions
from .domain.access import Grants
from .domain.errors import Invalid
from .domain.importance import Decay
from .domain.inputs import invalid
from .domain.rules import Distrust, DuplicateCheck, Gate, Retention, Rules, Scratch, Talk
from .domain.trust.secrets import Handling
from .log.checkpoints import Cadence
from .log.read_models import Ranking


class _Section(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


_SEEDS = {
    "memory.dedupe_similarity_threshold": "Memory:DedupeSimilarityThreshold",
    "embedding.endpoint": "Embedding:Endpoint",
    "embedding.model": "Embedding:Model",
    "embedding.api_key": "Embedding:ApiKey",
    "embedding.max_input_chars": "Embedding:MaxInputChars",
    "embedding.min_similarity_threshold": "Embedding:MinSimilarityThreshold",
    "dream.memory_archive_retention_days": "Dream:MemoryArchiveRetention",
    "dream.pruning_protection_importance": "Dream:PruningProtectionImportance",
    "dream.pruning_protection_reinforcement_count": "Dream:PruningProtectionReinforcementCount",
    "memory.dedupe_enabled": "Memory:DedupeEnabled",
    "memory.dedupe_lexical_similarity_threshold": "Memory:DedupeLexicalSimilarityThreshold",
    "memory.dedupe_max_extended_content_length": "Memory:DedupeMaxExtendedContentLength",
    "memory.importance_decay_grace_days": "Dream:ImportanceDecayGraceDays",
    "memory.importance_decay_half_life_days": "Dream:ImportanceDecayHalfLifeDays",
    "memory.importance_decay_floor": "Dream:ImportanceDecayFloor",
    "working.default_ttl_seconds": "WorkingMemory:DefaultTtl",
    "working.max_entries_per_namespace": "WorkingMemory:MaxEntriesPerNamespace",
    "conversation.max_llm_context_turns": "MaxLlmContextTurns",
    **SEED_NAMES,
}
"""The names that settings have in RockBot, where most of them come from."""


RecallMode: TypeAlias = Literal["batched", "synchronous", "off"]


class MemorySettings(_Section):
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


class DreamSettings(_Section):
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


class WorkingSettings(_Section):
    """Working memory: how long entries live, and how many there are."""

    default_ttl_seconds: float = Field(
        default=300.0, gt=0.0, le=315_532_800.0, description="Seconds that an entry lives."
    )
    max_entries_per_namespace: int = Field(
        default=50, ge=1, le=10_000, description="Entries of a namespace; one more is refused."
    )


class ConversationSettings(_Section):
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


class SearchSettings(_Section):
    """How keyword search ranks."""

    k1: float = Field(
        default=0.9, ge=0.0, le=10.0, description="BM25: how soon a repeated word saturates."
    )
    b: float = Field(
        default=0.4, ge=0.0, le=1.0, description="BM25: how much long texts are held back."
    )


class _ServiceSettings(_Section):
    """An outside service: where it is, and how long it is waited for."""

    endpoint: str | None = Field(
        default=None, description="Base URL of an OpenAI-compatible service, with or without /v1."
    )
    api_key: SecretStr | None = Field(default=None, description="Sent as a bearer token.")
    connect_timeout: float = Field(default=3.0, gt=0.0, description="Seconds to connect.")
    deadline: float = Field(default=30.0, gt=0.0, description="Seconds for a whole call.")

    @property
    def key(self) -> str | None:
        """The API key itself."""
        return self.api_key.get_secret_value() if self.api_key else None


class EmbeddingSettings(_ServiceSettings):
    """The model that makes vectors of texts; without an endpoint, search is by words alone."""

    model: str | None = Field(default=None, description="The model's name at the endpoint.")
    dimension: int | None = Field(
        default=None, ge=1, le=65_536, description="Components of a vector, if it is to be fixed."
    )
    max_input_chars: int = Field(
        default=30_000, ge=1, description="Characters after which a text is cut."
    )
    min_similarity_threshold: float | None = Field(
        default=None,
        ge=-1.0,
        le=1.0,
        description="Cosine under which a memory is no hit by meaning; none: as measured for the"
        " model, else 0.5.",
    )
    query_deadline: float = Field(
        default=2.0, gt=0.0, description="Seconds that a search waits for a query's vector."
    )


class AccessSettings(_Section):
    """What may be granted beyond the table of roles."""

    auditors_read_content: bool = Field(
        default=False, description="Whether auditors may read what memories say."
    )
    proposal_days: float = Field(
        default=7.0, gt=0.0, le=3_650.0, description="Days after which an open proposal expires."
    )
    max_pending_proposals: int = Field(
        default=1_000, ge=1, le=100_000, description="How many proposals of one agent may be open."
    )
    auto_commit_from: tuple[str, ...] = Field(
        default=(),
        description="Agents whose proposals of high confidence are committed without a review.",
    )


class RecallSettings(_Section):
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


class TierSettings(_Section):
    """The models by what they can do; where one is not named, it is ``model.name``."""

    low: str | None = Field(default=None, description="The quick one.")
    balanced: str | None = Field(default=None, description="The usual one.")
    high: str | None = Field(default=None, description="The most able one.")


class ModelSettings(_ServiceSettings):
    """The language model; without an endpoint, nothing is judged."""

    name: str | None = Field(default=None, description="The model's name at the endpoint.")
    tiers: TierSettings = Field(
        default_factory=TierSettings,
        description="Other names for the tiers low, balanced and high.",
    )


class LogSettings(_Section):
    """The event log."""

    busy_timeout: float = Field(
        default=10.0, ge=0.0, le=3_600.0, description="Seconds to wait for another process's write."
    )
    key_batch: int = Field(
        default=256, ge=1, le=100_000, description="How many encryption keys are minted at a time."
    )
    key_backup_retention_days: float = Field(
        default=30.0,
        le=36_500.0,
        description="Days after a purge or erasure in which the master key is replaced, so that"
        " older backups of the keys end; 0 or less: never by itself.",
    )
    keep_state: bool = Field(
        default=True,
        description="Whether read models are kept, encrypted, so that a large store opens fast.",
    )
    keep_state_after: int = Field(
        default=10_000,
        ge=1,
        le=1_000_000_000,
        description="New events of a space after which its read models are kept at close.",
    )
    checkpoint_events: int = Field(
        default=1_000,
        ge=0,
        le=1_000_000_000,
        description="New events after which a checkpoint is signed; 0: never by count.",
    )
    checkpoint_minutes: float = Field(
        default=60.0,
        ge=0.0,
        le=525_600.0,
        description="Minutes after which one is signed at the next new event; 0: never by time.",
    )
    checkpoint_command: tuple[str, ...] = Field(
        default=(),
        description="Program and arguments that get each checkpoint on the standard input.",
    )


class ServerSettings(_Section):
    """Who may ask the server."""

    hosts: tuple[str, ...] = Field(
        default=("localhost", "127.0.0.1", "::1"),
        description="Names that the server answers to; the one that it listens on is another.",
    )
    origins: tuple[str, ...] = Field(
        default=(), description="Web origins whose pages may ask, such as https://console.example."
    )
    proxies: tuple[str, ...] = Field(
        default=(),
        description="Addresses of proxies whose X-Forwarded-For says who asks; nobody else's does.",
    )


class LimitSettings(_Section):
    """How much the server takes from a client."""

    body_bytes: int = Field(
        default=1_048_576, ge=1_024, le=1 << 30, description="Bytes that a request may have."
    )
    connections: int = Field(
        default=1_000, ge=1, le=1_000_000, description="Connections at once; one more is closed."
    )
    head_seconds: float = Field(
        default=10.0, gt=0, le=3_600, description="Seconds within which a request's head comes."
    )
    body_seconds: float = Field(
        default=60.0, gt=0, le=3_600, description="Seconds within which a request's body comes."
    )
    reads_per_minute: int = Field(
        default=600, ge=0, description="Reads a minute of each token; 0: as many as it likes."
    )
    writes_per_minute: int = Field(
        default=60, ge=0, description="Writes a minute of each token; 0: as many as it likes."
    )


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


@dataclass(frozen=True, slots=True)
class Setting:
    """One setting: its value, where that comes from, and its name in RockBot (``seed``)."""

    name: str
    value: Any
    origin: str
    seed: str | None
    description: str


def load(directory: Path | None, arguments: Mapping[str, Any] | None = None) -> Settings:
    """The settings that hold for a store.

    Args:
        directory: Where ``settings.toml`` may lie.
        arguments: Sections by name, each a mapping of names to values.

    Raises:
        Invalid: ``settings_invalid``, naming file, variable or argument.
    """
    given: object = arguments or {}
    if not isinstance(given, Mapping):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise Invalid("settings: give sections by name.", code="settings_invalid", field="settings")
    return _validated(_layers(directory, cast("Mapping[str, Any]", given)))


def described(directory: Path | None, arguments: Mapping[str, Any] | None = None) -> list[Setting]:
    """Every setting with its value and origin."""
    layers = _layers(directory, arguments or {})
    settings = _validated(layers)
    found: list[Setting] = []
    for section, field in Settings.model_fields.items():
        model = field.annotation
        assert isinstance(model, type)  # noqa: S101 (every section is a model)
        assert issubclass(model, BaseModel)  # noqa: S101
        for name, inner in model.model_fields.items():
            found.append(
                Setting(
                    name=f"{section}.{name}",
                    value=getattr(getattr(settings, section), name),
                    origin=next(
                        (label for label, given in layers if name in given.get(section, {})),
                        "default",
                    ),
                    seed=_SEEDS.get(f"{section}.{name}"),
                    description=inner.description or "",
                )
            )
    return found


_Layers = list[tuple[str, Mapping[str, Any]]]


def _layers(directory: Path | None, arguments: Mapping[str, Any]) -> _Layers:
    """What was given, strongest first."""
    return [
        ("argument", arguments),
        ("environment", EnvSettingsSource(Settings)()),
        ("settings.toml", _file(directory)),
    ]


def _file(directory: Path | None) -> Mapping[str, Any]:
    path = None if directory is None else directory / "settings.toml"
    try:
        if path is None or not path.is_file():
            return {}
    except OSError:
        return {}  # a name that no file can have: opening the store says so
    try:
        given = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise Invalid(
            f"{path} cannot be read ({error}).", code="settings_invalid", field="settings"
        ) from error
    unknown = given.keys() - Settings.model_fields.keys()
    if unknown:
        raise Invalid(
            f"{path} has a section {min(unknown)!r} that does not exist.",
            code="settings_invalid",
            field="settings",
        )
    if "checkpoint_command" in _section(given, "log"):
        raise Invalid(
            f"{path} names a program to run (log.checkpoint_command), and a directory may come from"
            " elsewhere: set MUNIMENT_LOG__CHECKPOINT_COMMAND, or give it as an argument.",
            code="settings_invalid",
            field="settings.log.checkpoint_command",
        )
    return given


def _section(given: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    section = given.get(name)
    return cast("Mapping[str, Any]", section) if isinstance(section, Mapping) else {}


def _validated(layers: _Layers) -> Settings:
    merged: dict[str, dict[str, Any]] = {section: {} for section in Settings.model_fields}
    for label, given in reversed(layers):
        for section, values in given.items():
            if section not in merged or not isinstance(values, Mapping):
                if label == "argument":
                    raise Invalid(
                        f"settings: there is no section {section!r}.",
                        code="settings_invalid",
                        field="settings",
                    )
                continue
            merged[section].update(cast("Mapping[str, Any]", values))
    try:
        return Settings.model_validate(merged)
    except ValidationError as error:
        found = invalid(error)
        raise Invalid(
            f"settings.{found.message}", code="settings_invalid", field=f"settings.{found.field}"
        ) from error
