"""Relevance at a moment, and its band: the Cognitive Memory System's model, never stored.

``relevance(t) = base · e^(−0.03 · days since access) · log2(access count + 1) · weight of the
store``. It is raw and may exceed 1. It is reported beside importance and ranks nothing unless a
space asks for it.
"""

from datetime import datetime, timedelta
from math import exp, log2
from typing import Literal

from .memory.events import Store

RATE_PER_DAY = 0.03
WEIGHTS: dict[Store, float] = {"episodic": 0.8, "semantic": 1.2, "procedural": 1.0}

Band = Literal["active", "fading", "dormant", "hidden"]


def relevance(
    now: datetime,
    *,
    store: Store,
    access_count: int,
    last_accessed_at: datetime,
    pinned: bool,
    base: float = 1.0,
) -> float:
    """Raw relevance; what is pinned is always 1."""
    if pinned:
        return 1.0
    days = max(0.0, (now - last_accessed_at) / timedelta(days=1))
    return base * exp(-RATE_PER_DAY * days) * log2(access_count + 1) * WEIGHTS[store]


def band(value: float) -> Band:
    """The band that a relevance falls in; edges belong to the upper band."""
    if value >= 0.5:
        return "active"
    if value >= 0.2:
        return "fading"
    if value >= 0.05:
        return "dormant"
    return "hidden"
