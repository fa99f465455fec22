"""What verify finds: each fault by its class, the first position that shows it, and how often."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

FindingKind: TypeAlias = Literal[
    "row_shape",
    "position_gap",
    "stream_gap",
    "leaf",
    "chain",
    "time_fell",
    "unguarded",
    "damaged",
    "cut_off",
    "rewritten",
    "other_store",
    "signing_key",
    "checkpoint_chain",
    "checkpoint_malformed",
    "checkpoint_misplaced",
    "checkpoint_missing",
    "checkpoint_signature",
]

_MESSAGES: dict[FindingKind, str] = {
    "row_shape": "a column holds a value of another type",
    "position_gap": "a position is missing or out of order",
    "stream_gap": "a stream is not contiguous from version 1",
    "leaf": "a row is not what was hashed when it was written",
    "chain": "a row is not the one that followed its predecessor",
    "time_fell": "a recorded time lies before its predecessor's",
    "unguarded": "a trigger that makes the log append-only is missing or altered",
    "damaged": "the database file cannot be read on from here",
    "cut_off": "the log ends before what a checkpoint was made of: its end was cut off, or an older"
    " copy put in its place",
    "rewritten": "from here on the log is not proven to be, and up to the next checkpoint is not,"
    " what a checkpoint was made of",
    "other_store": "a checkpoint is of another store's log",
    "signing_key": "the signing key is not the one that its predecessor vouched for",
    "checkpoint_chain": "the chain is not the one that a checkpoint was made of",
    "checkpoint_malformed": "a checkpoint of this size cannot be read",
    "checkpoint_misplaced": "under the name of this size lies a checkpoint of another",
    "checkpoint_missing": "the newest checkpoint, of this size, is gone",
    "checkpoint_signature": "a checkpoint of this size is not signed by the store's key",
}


@dataclass(frozen=True, slots=True)
class Finding:
    """What is wrong, the first position that shows it, and at how many positions it shows."""

    kind: FindingKind
    position: int
    message: str
    count: int = 1


class Findings:
    """Findings as they come, those of a kind together."""

    def __init__(self) -> None:
        self._found: dict[FindingKind, Finding] = {}

    def add(self, kind: FindingKind, position: int) -> None:
        """One more; the first of its kind says where."""
        known = self._found.get(kind)
        self._found[kind] = (
            Finding(kind, position, _MESSAGES[kind])
            if known is None
            else Finding(kind, known.position, known.message, known.count + 1)
        )

    def all(self) -> tuple[Finding, ...]:
        """All of them, by position."""
        return tuple(sorted(self._found.values(), key=lambda one: (one.position, one.kind)))
