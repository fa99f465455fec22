"""What each finding of an audit means, in the words of its reader, and what to do about it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from muniment.domain.audit import Violation

Severity: TypeAlias = Literal["warning", "alert"]


@dataclass(frozen=True, slots=True)
class Entry:
    """An invariant for people.

    ``message`` says what was found; in it stand ``{count}``, ``{measured}`` and ``{limit}``.
    """

    severity: Severity
    title: str
    meaning: str
    advice: str
    message: str


_VERIFY: Final = (
    "Run `muniment verify` and compare with a checkpoint that was kept elsewhere; restore from a"
    " backup that verifies, and keep this store as evidence."
)
_BUG: Final = "Report it with `muniment prove-invariants`: no command writes such an event."

GLOSSARY: Final[Mapping[str, Entry]] = {
    "no-hard-delete-outside-purge": Entry(
        "alert",
        "Memories are gone without a purge",
        "An id that was there at the last audit is in the log no more, its beginning is missing, or"
        " the log has it and the catalog does not, and no purge or erasure says why. A purged"
        " memory keeps its events, so nothing but a hand on the files takes an id away.",
        _VERIFY,
        "Memories that are gone, with no purge or erasure to explain it: {count} (limit {limit:g})",
    ),
    "loss-percent-threshold": Entry(
        "alert",
        "Much of the memory left recall at once",
        "Live memories fell by more than the limit since the last audit, by whatever path:"
        " archives, merges, purges or worse.",
        "Look at what was archived (`muniment log --name memory.archived`), by whom, and restore"
        " what should not have gone; pause the policy or agent that did it.",
        "{measured:g} % of the live memories left since the last audit (limit {limit:g} %)",
    ),
    "merge-chain-unbroken": Entry(
        "alert",
        "A merged memory leads nowhere",
        "A memory is archived as merged into another, and following that leads to an id that the"
        " log does not have. What it said has no surviving copy in recall.",
        "Restore the memories that are named: their own words are still there.",
        "Memories that were merged into what exists nowhere: {count}",
    ),
    "log-intact": Entry(
        "alert",
        "The log is not what was written",
        "`verify` found rows that were altered, removed or added by other means than Muniment, or"
        " the log is shorter, or another, than the one that the last audit saw.",
        _VERIFY,
        "Kinds of damage found in the log: {count}",
    ),
    "read-model-agrees": Entry(
        "alert",
        "What is searched is not what the log says",
        "The catalog or the search index of the space differs from a replay of the log, or cannot"
        " be read: searches may miss memories, or find what is not there.",
        "Run `muniment rebuild`. If it happens again, report it.",
        "Memories that differ between the log and what is searched: {count}",
    ),
    "merged-from-resolves": Entry(
        "warning",
        "A merge names what is not there",
        "A merge or fold names sources that the log does not have, and that no purge explains."
        " Where the text came from can be shown no more.",
        _VERIFY,
        "Merges that name missing sources: {count}",
    ),
    "archive-fields-present": Entry(
        "warning",
        "An archive says too little",
        "A memory is archived without a cause, a reason or a time.",
        "Restore the memory and archive it again, with a reason.",
        "Archived memories without a reason or a time: {count}",
    ),
    "live-not-merge-source": Entry(
        "warning",
        "A merged memory is in recall beside its merge",
        "A memory is live that was merged or folded into another and not restored: both copies are"
        " found, and it is counted twice.",
        _BUG,
        "Merged memories that are live beside their merge: {count}",
    ),
    "no-repeated-rejection": Entry(
        "warning",
        "The same merge is refused again and again",
        "One set of memories was proposed for a merge, and refused, in several audits in a row:"
        " consolidation spends calls on work that it cannot complete.",
        "Read what would have been lost in `muniment history` of one of them; merge by hand with"
        " all of it said, or leave them apart.",
        "Sets of memories refused as a merge in {limit:g} audits in a row: {count}",
    ),
    "net-growth-threshold": Entry(
        "warning",
        "The memory grows faster than it is consolidated",
        "More live memories are added a day than the limit.",
        "See which categories moved, and whether one agent saves what is of no lasting use.",
        "Live memories grow by {measured:g} a day (limit {limit:g})",
    ),
    "chain-depth-threshold": Entry(
        "warning",
        "More memories are merges of merges of merges",
        "More live memories are deeper than the limit than at the last audit: a text that a model"
        " wrote from texts that a model wrote. Nothing shortens a chain, so only growth is told.",
        "Compare the deepest with their sources, and correct what was lost on the way.",
        "Live memories that are merges deeper than {limit:g}: {count}, {measured:g} more than"
        " before",
    ),
    "rejected-merges-threshold": Entry(
        "warning",
        "Many merges are refused",
        "Sources of refused merges since the last audit, as a rate a week, are above the limit.",
        "See what the refused merges would have lost; the directive of consolidation may ask for"
        " texts that are too short.",
        "Refused merges: {count}; their sources come to {measured:g} a week (limit {limit:g})",
    ),
    "no-malformed-files": Entry(
        "warning",
        "Events cannot be read",
        "Events of memories whose facts or words cannot be read: damaged, written by a newer"
        " release, or sealed under a key that is gone without a purge.",
        "Run `muniment doctor`: it says which of these it is.",
        "Events that cannot be read: {count}",
    ),
    "lost-reinforcement": Entry(
        "warning",
        "A count that no events explain",
        "How often a memory was observed, as an event states it, is not what the events before it"
        " come to.",
        _BUG,
        "Memories with a count that their events do not explain: {count}",
    ),
}


def message(violation: Violation) -> str:
    """What was found, in a sentence without its stop."""
    return GLOSSARY[violation.name].message.format(
        count=f"{violation.count:,}", measured=violation.measured, limit=violation.limit
    )
