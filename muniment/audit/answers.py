"""What is told of the last audit."""

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class AuditReport:
    """The last run: its row, its report, and each finding with what it means; None: none yet."""

    row: dict[str, Any]
    report: str
    findings: list[dict[str, Any]] | None
