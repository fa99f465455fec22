"""What an operator may set of the audit. Names and figures are RockBot's (``MemoryAudit``)."""

import re
from collections.abc import Mapping
from datetime import timedelta
from typing import Annotated, Final
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, SecretStr, field_validator
from pydantic_core import PydanticCustomError

from muniment.domain.language_model import Tier

from .schedule import Cron, CronInvalid


def _tier(name: object) -> object:
    return name.lower() if isinstance(name, str) else name  # RockBot writes Balanced


class AuditOptions(BaseModel):
    """The audit: when it runs, what it finds worth a word, and whom it tells."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    enabled: bool = Field(default=True, description="Whether audits are scheduled.")
    cron_schedule: str = Field(default="0 4 * * *", description="When audits run (cron).")
    time_zone: str = Field(default="UTC", description="IANA time zone that schedules are read in.")
    initial_delay_minutes: float = Field(
        default=10.0,
        ge=0.0,
        le=10_080.0,
        description="Minutes after a start before which nothing scheduled runs.",
    )
    snapshot_retention_days: float = Field(
        default=400.0, gt=0.0, le=36_500.0, description="Days that trend and dated reports go back."
    )
    near_duplicate_threshold: float = Field(
        default=0.3, gt=0.0, le=1.0, description="Jaccard index from which texts are duplicates."
    )
    shingle_size: int = Field(default=6, ge=1, le=64, description="Words in a shingle.")
    high_reinforcement_floor: int = Field(
        default=20, ge=1, description="Count from which a memory is sampled for evaluation."
    )
    purge_warning_days: float = Field(
        default=7.0, ge=0.0, le=36_500.0, description="Days that the purge outlook looks ahead."
    )
    min_rate_window_hours: float = Field(
        default=12.0, ge=0.0, le=87_600.0, description="Hours between runs under which no rate is."
    )
    max_net_growth_per_day: float = Field(
        default=5.0, ge=0.0, description="Live memories more a day that are still fine."
    )
    max_merge_chain_depth: int = Field(
        default=2, ge=0, description="Merges of merges up to which a memory is not deep."
    )
    max_rejected_merges_per_week: float = Field(
        default=5.0, ge=0.0, description="Sources of refused merges a week that are still fine."
    )
    max_hard_deletes_outside_purge: int = Field(
        default=0, ge=0, description="Memories gone without a purge that are still fine."
    )
    max_loss_percent_between_snapshots: float = Field(
        default=10.0, ge=0.0, le=100.0, description="Fall of the live count that is still fine, %."
    )
    repeated_rejection_runs: int = Field(
        default=3, ge=1, description="Runs in a row in which one cluster may not be refused."
    )
    eval_enabled: bool = Field(default=True, description="Whether samples are evaluated.")
    eval_cron_schedule: str = Field(
        default="0 5 * * 0", description="When samples are evaluated (cron)."
    )
    eval_model_tier: Annotated[Tier, BeforeValidator(_tier)] = Field(
        default="balanced", description="The model that evaluates: low, balanced or high."
    )
    eval_sample_size: int = Field(default=10, ge=1, description="Samples a family and run.")
    eval_window_days: float = Field(
        default=14.0, gt=0.0, le=36_500.0, description="Days that sampled merges go back."
    )
    eval_ephemeral_context_count: int = Field(
        default=5, ge=0, description="Live neighbours shown with what was dropped as ephemeral."
    )
    eval_directive_path: str = Field(
        default="memory-audit.md", description="The evaluator's directive, in directives/."
    )
    alert_on_attention: bool = Field(default=True, description="Whether findings are told.")
    alert_repeat_interval_days: float = Field(
        default=7.0,
        ge=0.0,
        le=36_500.0,
        description="Days after which an unchanged warning is told again; 0: never.",
    )
    digest_cron_schedule: str | None = Field(
        default=None, description="When the whole report is told (cron); none: never."
    )
    copy_report_to_shared: bool = Field(
        default=True, description="Whether reports go to the shared directory too, if one is named."
    )
    shared_report_directory: str | None = Field(
        default=None, description="The shared directory, made anew at each run."
    )
    pause_consolidation_on_alert: bool = Field(
        default=False, description="Whether a loss pauses consolidation until a person resumes it."
    )
    webhook_url: str | None = Field(
        default=None, description="Where findings are posted to, as JSON."
    )
    webhook_secret: SecretStr | None = Field(
        default=None, description="Signs what is posted (Standard Webhooks; whsec_… or a text)."
    )

    @field_validator("cron_schedule", "eval_cron_schedule", "digest_cron_schedule")
    @classmethod
    def _is_cron(cls, text: str | None) -> str | None:
        if text is not None:
            try:
                Cron(text)
            except CronInvalid as error:
                raise PydanticCustomError("told", "{reason}", {"reason": str(error)}) from error
        return text

    @field_validator("time_zone")
    @classmethod
    def _is_zone(cls, name: str) -> str:
        try:
            ZoneInfo(name)
        except (ZoneInfoNotFoundError, ValueError, OSError) as error:
            reason = f"there is no time zone {name!r}"
            raise PydanticCustomError("told", "{reason}", {"reason": reason}) from error
        return name

    @property
    def zone(self) -> ZoneInfo:
        """The time zone that schedules are read in."""
        return ZoneInfo(self.time_zone)

    @property
    def min_rate_window(self) -> timedelta:
        """The shortest time between runs over which a rate means something."""
        return timedelta(hours=self.min_rate_window_hours)

    @property
    def alert_repeat_interval(self) -> timedelta:
        """After so long an unchanged warning is told again; 0: never."""
        return timedelta(days=self.alert_repeat_interval_days)

    @property
    def snapshot_retention(self) -> timedelta:
        """How far the trend goes back."""
        return timedelta(days=self.snapshot_retention_days)


_OURS: Final = frozenset(["time_zone", "webhook_url", "webhook_secret"])
_UNIT: Final = re.compile(r"(?<!purge_warning)_(?:days|hours|minutes)$")

SEED_NAMES: Final[Mapping[str, str]] = {
    f"audit.{name}": "MemoryAudit:" + _UNIT.sub("", name).title().replace("_", "")
    for name in AuditOptions.model_fields
    if name not in _OURS
}
"""The names that the options have in RockBot; durations there carry their unit in the value."""
