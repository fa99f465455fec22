"""What is recorded of clocks: one that ran behind the log."""

from dataclasses import dataclass
from typing import ClassVar


@dataclass(frozen=True, slots=True, kw_only=True)
class Skewed:
    """This process's clock was ``behind_seconds`` behind the newest event of the log."""

    NAME: ClassVar[str] = "clock.skewed"
    SCHEMA: ClassVar[int] = 1

    behind_seconds: float
