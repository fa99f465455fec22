"""What each invariant means and what to do where it broke; ``docs/invariants.md`` is made of it.

python -m muniment.proofs.reference > docs/invariants.md
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Entry:
    """An invariant for its reader: what it is called, what it says, what to do where it broke."""

    title: str
    meaning: str
    advice: str


_EDITED = "Run `muniment verify`: a log that was altered shows there; restore it from a backup."
_BUG = (
    "Run `muniment verify`. If the log is intact, a release wrote this: report it with the event."
)

GLOSSARY: Final[Mapping[str, Entry]] = {
    "facts-readable": Entry(
        "An event cannot be read",
        "Every event of a name that this release knows has a time and the facts that its name"
        " promises. Where one has not, nothing more is claimed of its memory.",
        _EDITED,
    ),
    "recorded-times-never-fall": Entry(
        "Time ran backwards",
        "No event is recorded before the one at the position before it.",
        _EDITED,
    ),
    "streams-contiguous": Entry(
        "A stream has a gap",
        "The versions of each stream are 1, 2, 3 … in the order of positions.",
        _EDITED,
    ),
    "one-space-per-memory": Entry(
        "A memory changed its space",
        "Every event of a memory is in the space of its first: nothing crosses a tenant's border.",
        _BUG,
    ),
    "memory-begins-once": Entry(
        "A memory without a beginning, or with two",
        "A memory begins with being saved, imported or merged, and does so once.",
        _BUG,
    ),
    "no-memory-event-by-subagent": Entry(
        "A subagent wrote to the memory",
        "No `memory.…` event is by an actor `subagent:…`: subagents propose.",
        "Look at what it wrote with `muniment log`, quarantine what nobody vouches for, and see who"
        " opened the store for it with another role.",
    ),
    "nothing-after-purge": Entry(
        "Something happened to a purged memory",
        "From the request of a purge on, its end is all that happens to a memory.",
        _BUG,
    ),
    "merge-sources-archived": Entry(
        "A merge or fold is not whole",
        "The sources of a merge, and the copies of a fold, are archived into it at the positions"
        " that follow, under the same command; nothing else is archived as merged or folded.",
        _BUG + " Archive sources that stayed live, or restore them and merge again.",
    ),
    "erasure-whole": Entry(
        "An erasure is not whole",
        "The memories that an erasure names are asked to be purged at the positions that follow,"
        " under the same command; nothing else has an erasure as the basis of its purge.",
        _BUG + " Erase again what has its words still.",
    ),
    "no-hard-delete-outside-purge": Entry(
        "An id is gone without a purge",
        "A memory that a new one is said to resemble or contradict is in the log: a purged one"
        " keeps its events, so an id that is missing was deleted by other means.",
        _EDITED,
    ),
    "episodes-final": Entry(
        "An episode was rewritten",
        "What happened stays as it was told: an episodic memory is not revised, extended, folded"
        " into or begun anew.",
        "Read the first text in `muniment history`, and save it as a memory of its own.",
    ),
    "archive-fields-present": Entry(
        "An archive says too little",
        "Every archive has a cause, a reason and a time, and names what took it in where the cause"
        " is a merge or a fold, and only there. What is imported as archived has a time of it.",
        "Restore the memory and archive it again, with a reason.",
    ),
    "pinned-kept-from-policies": Entry(
        "A policy retired a pinned memory",
        "No actor `system:…` archives, supersedes or asks to purge what is pinned, but for an"
        " erasure.",
        "Restore the memory where it is archived, and pause the policy that did it.",
    ),
    "held-never-purged": Entry(
        "A legal hold was broken",
        "Nothing that is under a legal hold is purged, or asked to be.",
        "Its words cannot come back but from a backup of the keys from before: tell who is"
        " responsible for the hold at once.",
    ),
    "purge-requested-first": Entry(
        "A purge that nobody asked for",
        "A purge ends a request, and gives the same evidence.",
        _BUG,
    ),
    "purged-once": Entry(
        "A memory was purged twice",
        "A memory that leaves has one request and one purge.",
        _BUG,
    ),
    "retention-held": Entry(
        "A memory was purged too early",
        "A purge has an erasure as its basis, or retention: the memory was archived at the very"
        " time that the request gives, and for as long as the request says that it had to be.",
        "Check `dream.memory_archive_retention_days` and the machine's clock. Its words can come"
        " back only from a backup of the keys from before.",
    ),
    "erasure-fields": Entry(
        "An erasure says too little",
        "An erasure begins its stream, has a code as its basis, and names memories of its space,"
        " each once; what it keeps, restores or leaves it does not erase, and it keeps only where"
        " that is its policy.",
        _BUG,
    ),
    "erasure-done-last": Entry(
        "An erasure ended before it was done",
        "An erasure ends once, after all that it names is purged.",
        _BUG + " Open the store for writing: what is unfinished is finished then.",
    ),
    "merged-from-resolves": Entry(
        "A merge names what is not there",
        "The sources of a merge, at least two, and the copies of a fold are different memories of"
        " its space.",
        _EDITED,
    ),
    "merge-sources-live": Entry(
        "A merge took in what was not live",
        "What is merged or folded is in recall at that moment, so that nothing is counted twice.",
        _BUG,
    ),
    "merge-source-versions": Entry(
        "A merge was decided on another version",
        "A merge names the version of each source that stands right before it in the log.",
        _BUG + " Compare the merged text with its sources: it may lack what came in between.",
    ),
    "merge-figures-follow": Entry(
        "A merge does not add up",
        "A merge is as old as its oldest source, seen as late as its latest, as often as all of"
        " them together, and trusted as little as the least.",
        _BUG,
    ),
    "fold-figures-follow": Entry(
        "A fold does not add up",
        "A fold adds the count of each copy, takes the earliest beginning and the latest sighting,"
        " and the greatest trust.",
        _BUG,
    ),
    "merge-chain-unbroken": Entry(
        "A merged memory leads nowhere",
        "What is archived as merged or folded names a memory of its space that is live at that"
        " moment. That this one is archived or purged later is told by events of its own.",
        _EDITED,
    ),
    "live-not-merge-source": Entry(
        "A merged memory acts as a live one",
        "What was merged or folded away is not used, edited, released or archived before it is"
        " restored: it would be in recall beside what it is part of.",
        _BUG,
    ),
    "seen-never-falls": Entry(
        "A memory was seen less than before",
        "When a memory was last seen and how often never fall, but for a count that is taken out"
        " when a source is restored.",
        "If the memory was imported with a time in the future, correct the other system's clock."
        " Otherwise: " + _BUG,
    ),
    "lost-reinforcement": Entry(
        "A count that no events explain",
        "A memory counts 1 when it is saved, what it came with when it is imported, the sum of its"
        " sources when it is merged; 1 more for each counted observation, and what a fold adds or"
        " a restore takes out, never under 1. Wherever an event states a count, it is that.",
        _BUG,
    ),
    "retraction-follows-restore": Entry(
        "A count was taken out without a restore",
        "A count is taken out by the command that restores the source, once of what it was merged"
        " into and once of what that was merged into in turn.",
        _BUG,
    ),
    "superseded-by-another": Entry(
        "A memory gave way to nothing",
        "What a memory is superseded by is another memory of its space.",
        "Restore the memory: nothing in recall says what it said.",
    ),
    "rejection-names-sources": Entry(
        "A refused merge names what is not there",
        "The stamp of a refused merge names at least two memories of the space, the stamped one"
        " among them.",
        _BUG,
    ),
    "proposal-begins-once": Entry(
        "A proposal without a beginning, or out of number",
        "What happens to a proposal follows on its being made, once; those of a space are numbered"
        " 1, 2, 3 … in the order of positions.",
        _BUG,
    ),
    "proposal-decided-by-another": Entry(
        "A proposal was decided twice, or by who made it",
        "A proposal is committed, rejected or deferred by another actor than its own, and nothing"
        " is decided about it once it is committed or rejected.",
        "Look at what it came to with `muniment log`, and quarantine what nobody vouches for."
        " " + _BUG,
    ),
    "proposal-commits-one-memory": Entry(
        "A proposal came to no memory, or to several",
        "Right before a proposal is committed, one memory was saved, reinforced or extended with"
        " the proposal as its correlation id, by an actor `bot:commit-from:…`: the one that the"
        " commit names. No other observation has that correlation id.",
        _BUG,
    ),
}
