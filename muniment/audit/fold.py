"""What the log says of the memories of one space, as far as an audit asks.

On top of the fold of the proofs, which says what each memory is, it keeps what the proofs have no
use for: what was merged into what and by which words, what was worth how much when it was archived,
and what happened since the audit before.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final, TypeAlias

from muniment.domain.memory import events as e
from muniment.log.rows import Row
from muniment.proofs.checks import memories
from muniment.proofs.facts import Stored, read
from muniment.proofs.fold import Log, Subject

Conditions: TypeAlias = Mapping[str, str]
"""The condition of each memory by its id."""

STARTED: Final = "process.started"
DREAMT: Final = "dream.completed"

UNREAD: Final = "quarantined"
"""The condition of a memory whose first event cannot be read: it is out of recall."""


@dataclass(slots=True)
class Known:
    """What an audit knows of a memory besides.

    ``merged_from`` are the sources of a merge that wrote the text anew. ``absorbed_into`` is what
    took it in, until it is restored; ``worth`` is what it was worth when it was archived, ``cause``
    why it was.
    ``is_whole``: its first event is there.
    """

    first: int
    is_whole: bool
    is_imported: bool = False
    merged_from: tuple[str, ...] = ()
    folded: tuple[str, ...] = ()
    absorbed_into: str | None = None
    worth: float = 0.0
    cause: str | None = None
    basis: str | None = None
    is_archived_in_full: bool = True
    is_counted: bool = True


@dataclass(slots=True)
class Since:
    """What happened since the audit before.

    ``rejected`` has the newest position at which a merge of a memory was refused; ``clusters`` the
    memories of each set that was refused.
    """

    reinforced: set[str] = field(default_factory=set[str])
    rejected: dict[str, int] = field(default_factory=dict[str, int])
    rejections: set[tuple[str, str]] = field(default_factory=set[tuple[str, str]])
    clusters: dict[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    restarts: int = 0
    dreams: int = 0


class Fold:
    """The memories of a space up to ``position``; rows are taken in by ``take``, in order."""

    def __init__(self, space: str) -> None:
        self.space = space
        self.position = 0
        self.log = Log()
        self.known: dict[str, Known] = {}
        self.malformed: dict[int, str] = {}
        self.since = Since()
        self.marks: list[int] = []
        self.dreamt_at: datetime | None = None
        self._runs_refused: dict[str, int] = {}

    def take(self, row: Row) -> None:
        """Takes in one row."""
        event, wrong = read(row, self.log.recorded_at)
        is_memory = event.name.startswith("memory.")
        self.position = event.position
        if is_memory and (wrong is not None or event.facts is None):
            self.malformed[event.position] = event.stream
        if not is_memory:
            self._beside(event)
        else:
            self._memory(event)
        self.log.apply(event)

    def mark(self, position: int) -> None:
        """An audit was recorded as of a position, which is here: what comes is since then."""
        self.marks.append(position)
        self._runs_refused = self.runs_refused()
        self.since = Since()

    def runs_refused(self) -> dict[str, int]:
        """How many audits in a row each set of memories was refused in, this one included."""
        return {name: self._runs_refused.get(name, 0) + 1 for name in self.since.clusters}

    def memories(self) -> list[tuple[str, Subject, Known]]:
        """Every memory whose beginning is there: its id, and what is known of it."""
        subjects = self.log.subjects
        return [(id_, subjects[id_], known) for id_, known in self.known.items() if known.is_whole]

    def conditions(self) -> dict[str, str]:
        """The condition of every memory."""
        return {id_: subject.condition or UNREAD for id_, subject, _ in self.memories()}

    def headless(self) -> list[str]:
        """Streams of memories whose beginning is gone."""
        return [id_ for id_, known in self.known.items() if not known.is_whole]

    def _beside(self, event: Stored) -> None:
        if event.name == STARTED:
            self.since.restarts += 1
        elif event.name == DREAMT:
            self.since.dreams += 1
            self.dreamt_at = event.at

    def _memory(self, event: Stored) -> None:
        known = self.known.get(event.stream)
        if known is None:
            known = self.known[event.stream] = Known(event.position, event.version == 1)
        if event.facts is None:
            return
        change = _CHANGES.get(event.name)
        if change is not None:
            change(self, known, event)


def _imported(fold: Fold, known: Known, event: Stored) -> None:
    known.is_imported = True
    known.merged_from = event["merged_from"]
    worth = event["archive_importance"]
    known.worth = event["importance"] if worth is None else worth
    known.is_archived_in_full = memories.import_fields(fold.log, event) is None
    known.is_counted = memories.counts_explained(fold.log, event) is None


def _merged(fold: Fold, known: Known, event: Stored) -> None:
    known.merged_from = event["merged_from"]
    sources = fold.log.readable(dict.fromkeys(known.merged_from), fold.space)
    if sources is not None:
        known.is_counted = event["reinforcement_count"] == sum(one.count for one in sources)
    _absorb(fold, event.stream, known.merged_from)


def _folded(fold: Fold, known: Known, event: Stored) -> None:
    known.folded += event["folded"]
    copies = fold.log.readable(event["folded"], fold.space)
    if copies is not None and event["counts"] != tuple(copy.count for copy in copies):
        known.is_counted = False
    _absorb(fold, event.stream, event["folded"])


def _absorb(fold: Fold, into: str, ids: tuple[str, ...]) -> None:
    for id_ in ids:
        source = fold.known.get(id_)
        if source is not None:
            source.absorbed_into = into


def _archived(fold: Fold, known: Known, event: Stored) -> None:
    known.worth, known.cause = event["importance"], event["cause"]
    known.is_archived_in_full = memories.archive_fields(fold.log, event) is None


def _superseded(_: Fold, known: Known, event: Stored) -> None:
    known.worth = event["importance"]
    known.is_archived_in_full = True


def _restored(_: Fold, known: Known, __: Stored) -> None:
    known.absorbed_into = None
    known.is_archived_in_full = True


def _observed(fold: Fold, _: Known, event: Stored) -> None:
    if event["counted"]:
        fold.since.reinforced.add(event.stream)


def _retracted(fold: Fold, known: Known, event: Stored) -> None:
    if memories.counts_explained(fold.log, event) is not None:
        known.is_counted = False


def _rejected(fold: Fold, _: Known, event: Stored) -> None:
    cluster = event["cluster"]
    fold.since.rejected[event.stream] = event.position
    fold.since.rejections.add((event.command, cluster))
    fold.since.clusters[cluster] = event["sources"]


def _removed(fold: Fold, known: Known, event: Stored) -> None:
    known.basis = event["basis"]
    if memories.counts_explained(fold.log, event) is not None:
        known.is_counted = False


_CHANGES: Final[Mapping[str, Callable[[Fold, Known, Stored], None]]] = {
    e.Imported.NAME: _imported,
    e.Merged.NAME: _merged,
    e.Folded.NAME: _folded,
    e.Archived.NAME: _archived,
    e.Superseded.NAME: _superseded,
    e.Restored.NAME: _restored,
    e.Reinforced.NAME: _observed,
    e.Extended.NAME: _observed,
    e.MergeRetracted.NAME: _retracted,
    e.MergeRejected.NAME: _rejected,
    e.PurgeRequested.NAME: _removed,
}


def depths(fold: Fold, conditions: Conditions) -> dict[str, int]:
    """How deep each live memory is: 0 where it is no merge, else 1 + its deepest source.

    A source that was purged, or is not there, ends a chain; one on a way back to itself counts 0.
    """
    deep: dict[str, int] = {}
    for id_, condition in conditions.items():
        if condition == "live":
            if fold.known[id_].merged_from:
                _deepen(fold, conditions, id_, deep)
            else:
                deep[id_] = 0
    return {id_: depth for id_, depth in deep.items() if conditions[id_] == "live"}


def _deepen(fold: Fold, conditions: Conditions, start: str, deep: dict[str, int]) -> None:
    """Finds the depth of a merge, and of all that it was made of."""
    waiting, under_way = [start], set[str]()
    while waiting:
        id_ = waiting[-1]
        sources = [
            source
            for source in fold.known[id_].merged_from
            if conditions.get(source, "purged") != "purged"
        ]
        under_way.add(id_)
        left = [one for one in sources if one not in deep and one not in under_way]
        if left:
            waiting += left
            continue
        waiting.pop()
        if id_ not in deep:
            below = max((deep.get(source, 0) for source in sources), default=0)
            deep[id_] = 1 + below if fold.known[id_].merged_from else 0
