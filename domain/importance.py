"""Importance at a moment: a pure function of what the log says and of that moment.

The curve is RockBot's: untouched for a time of grace, then halved every
half-life, down to a floor. Because it is computed and never written back, passes at any cadence see
the same curve, and a question about the past is answered exactly.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta

DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Decay:
    """Days of grace, days of half-life (0 or less: no decay) and the floor in [0, 1]."""

    grace_days: float = 30.0
    half_life_days: float = 45.0
    floor: float = 0.10

    def anchor(self, last_seen_at: datetime, scored_at: datetime) -> datetime:
        """When the base begins to fade: the end of grace, or the last scoring if that is later."""
        return max(last_seen_at + self.grace_days * DAY, scored_at)

    def at(
        self, now: datetime, *, base: float, last_seen_at: datetime, scored_at: datetime
    ) -> float:
        """Importance in [0, 1] at ``now``. A base at or under the floor never moves."""
        if base <= self.floor or self.half_life_days <= 0:
            return base
        days = (now - self.anchor(last_seen_at, scored_at)) / DAY
        if days <= 0:
            return base
        faded: float = base * 0.5 ** (days / self.half_life_days)
        return max(self.floor, faded)
