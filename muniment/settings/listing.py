"""Every setting told: its value, where that comes from, and what RockBot calls it."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from muniment.audit.options import SEED_NAMES

from .root import Settings
from .sources import layers, validated

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


@dataclass(frozen=True, slots=True)
class Setting:
    """One setting: its value, where that comes from, and its name in RockBot (``seed``)."""

    name: str
    value: Any
    origin: str
    seed: str | None
    description: str


def described(directory: Path | None, arguments: Mapping[str, Any] | None = None) -> list[Setting]:
    """Every setting with its value and origin."""
    layered = layers(directory, arguments or {})
    settings = validated(layered)
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
                        (label for label, given in layered if name in given.get(section, {})),
                        "default",
                    ),
                    seed=_SEEDS.get(f"{section}.{name}"),
                    description=inner.description or "",
                )
            )
    return found
