"""The page of the documentation says what the code has."""

from dataclasses import fields
from pathlib import Path

from muniment import settings
from muniment.audit import reference
from muniment.audit.glossary import GLOSSARY
from muniment.audit.options import SEED_NAMES, AuditOptions
from muniment.domain.audit import Completed

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "audit.md").read_text(encoding="utf-8")

SEED = {
    "Enabled": True, "CronSchedule": "0 4 * * *", "InitialDelay": 10.0, "SnapshotRetention": 400.0,
    "NearDuplicateThreshold": 0.3, "ShingleSize": 6, "HighReinforcementFloor": 20,
    "PurgeWarningDays": 7.0, "MinRateWindow": 12.0, "MaxNetGrowthPerDay": 5.0,
    "MaxMergeChainDepth": 2, "MaxRejectedMergesPerWeek": 5.0, "MaxHardDeletesOutsidePurge": 0,
    "MaxLossPercentBetweenSnapshots": 10.0, "RepeatedRejectionRuns": 3, "EvalEnabled": True,
    "EvalCronSchedule": "0 5 * * 0", "EvalModelTier": "Balanced", "EvalSampleSize": 10,
    "EvalWindow": 14.0, "EvalEphemeralContextCount": 5, "EvalDirectivePath": "memory-audit.md",
    "AlertOnAttention": True, "AlertRepeatInterval": 7.0, "DigestCronSchedule": None,
    "CopyReportToShared": True, "SharedReportDirectory": None, "PauseConsolidationOnAlert": False,
}  # fmt: skip
"""RockBot's options and defaults; the shared directory is a path of its own platform there."""


def test_every_option_has_the_seeds_name_and_default() -> None:
    options = AuditOptions()
    named = {
        seed.removeprefix("MemoryAudit:"): getattr(options, name.removeprefix("audit."))
        for name, seed in SEED_NAMES.items()
    }
    assert named == SEED


def test_the_settings_tell_the_seeds_names() -> None:
    told = {setting.name: setting.seed for setting in settings.described(None)}
    assert told["audit.min_rate_window_hours"] == "MemoryAudit:MinRateWindow"
    assert told["audit.purge_warning_days"] == "MemoryAudit:PurgeWarningDays"
    assert told["audit.webhook_url"] is None


def test_the_page_has_every_option_and_every_finding() -> None:
    remedy = "python -m muniment.audit.reference prints what belongs into docs/audit.md"
    assert reference.options() in PAGE, remedy
    assert reference.findings() in PAGE, remedy
    assert all(f"\n### {name}\n" in PAGE for name in GLOSSARY)


def test_the_page_has_every_field_of_a_row() -> None:
    for field in fields(Completed):
        first, *others = field.name.split("_")
        name = first + "".join(other.capitalize() for other in others)
        assert field.name in ("deep_limit", "told") or f"`{name}`" in PAGE, name
