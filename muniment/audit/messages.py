"""What an audit tells people: in the inbox, to a webhook, and in one line of the log."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, Literal, TypeAlias

from pydantic_core import to_json

from muniment.domain.audit import Completed, Status, Told

from .glossary import GLOSSARY, message

SESSION: Final = "scheduled-system"
"""The session that the system speaks in by itself."""

Kind: TypeAlias = Literal["audit.alert", "audit.digest"]

_OCCASIONS: Final = {
    "alert": "An alert is told at every audit that finds it.",
    "changed": "What fails is not what it was.",
    "repeated": "Nothing has changed since this was last told.",
}


@dataclass(frozen=True, slots=True)
class Message:
    """Something that the system said by itself: ``id`` names it, ``text`` is Markdown."""

    id: str
    session: str
    sent_at: datetime
    kind: Kind
    status: Status
    text: str


def alert(run: Completed, told: Told, *, is_paused: bool) -> Message:
    """What a run says; ``is_paused``: it paused consolidation."""
    text = _alert(run, told, is_paused=is_paused)
    return Message(run.snapshot_id, SESSION, run.taken_at, "audit.alert", run.status, text)


def digest(run: Completed, sent_at: datetime, report: str) -> Message:
    """The report of a run, told because it was time to."""
    id_ = f"{run.snapshot_id}-digest"
    return Message(id_, SESSION, sent_at, "audit.digest", run.status, report)


def _alert(run: Completed, told: Told, *, is_paused: bool) -> str:
    lines = [f"Memory audit: {run.status}. {_OCCASIONS[told.occasion]}", ""]
    for violation in run.invariants:
        entry = GLOSSARY[violation.name]
        lines.append(f"- {entry.title} ({violation.name}): {message(violation)}.")
        lines.append(f"  {entry.advice}")
    for label, names in (("New", told.new), ("Cleared", told.cleared)):
        if names:
            lines.append(f"{label}: {', '.join(names)}.")
    if is_paused:
        lines.append("Consolidation is paused until a person resumes it (`muniment audit resume`).")
    return "\n".join(lines)


def findings(run: Completed) -> list[dict[str, Any]]:
    """Each violation with what it means and what to do."""
    return [
        {
            "name": violation.name,
            "severity": entry.severity,
            "title": entry.title,
            "message": message(violation),
            "meaning": entry.meaning,
            "whatToDo": entry.advice,
            "ids": list(violation.ids),
        }
        for violation in run.invariants
        for entry in [GLOSSARY[violation.name]]
    ]


def posted(kind: Kind, space: str, row: Mapping[str, Any], **data: object) -> bytes:
    """What a webhook gets: the kind, the time, and what there is to say of a run."""
    said_of = {"space": space, "snapshotId": row["snapshotId"], "status": row["status"], **data}
    return to_json({"type": kind, "timestamp": row["takenAt"], "data": said_of})


def headline(row: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    """The line of the log, and every figure of the row by name; no category and no id."""
    failing = [one["name"] for one in row["invariants"]]
    figures = {
        name: value
        for name, value in row.items()
        if isinstance(value, int | float | str) or name in ("reinforcement", "mergeChainDepth")
    }
    line = (
        f"memory audit — {row['status']}: {row['live']:,} live, {row['archived']:,} archived,"
        f" {row['createdSinceLast']:,} new, {row['hardDeletedOutsidePurge']:,} gone without a purge"
    )
    return line, {**figures, "purge": row["purge"], "failing": failing}
