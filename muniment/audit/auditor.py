"""Audits of a log: of now, of any moment before, and of every day that nobody audited."""

import math
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import takewhile
from typing import Final, NamedTuple
from uuid import UUID, uuid5

from muniment.domain.audit import Completed

from .corpus import Corpus
from .evidence import Before, Evidence, Fault, Shown
from .fold import Fold
from .ledger import Entry, Ledger
from .reader import Reader, Run
from .row import Figures, Growth, measured

_REPLAYED: Final = UUID("6d756e69-6d65-4e74-8072-65706c617900")
_CATEGORIES_SHOWN: Final = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Outside:
    """What a run looks at besides the log.

    ``position`` is what the read models stand at; ``shown`` is None where they cannot be read.
    """

    position: int
    shown: Shown | None
    faults: Sequence[Fault]
    embedding_dup_clusters: int | None = None


class Audited(NamedTuple):
    """A run, how the categories moved, and what the ledger keeps of it."""

    run: Completed
    growth: tuple[Growth, ...]
    evidence: Evidence


@dataclass(frozen=True, slots=True)
class _Kept:
    """A space as it was at the end of a run: the fold, the words, and the chain there."""

    fold: Fold
    corpus: Corpus
    chain: bytes | None


class Auditor:
    """Audits the spaces of one log.

    Between runs it keeps what it has folded, and goes on from there as long as ``verify`` finds
    nothing and the chain there is the one that it was: then no row before has changed.

    Args:
        reader: The log.
        by: What figures are reckoned by.
    """

    def __init__(self, reader: Reader, by: Figures) -> None:
        self._reader = reader
        self._by = by
        self._kept: dict[str, _Kept] = {}

    def now(
        self, space: str, outside: Outside, ledger: Ledger, *, taken_at: datetime, snapshot_id: str
    ) -> Audited:
        """A run as of now, measured against the last one that is in the log or in the ledger."""
        runs = [run.said for run in self._reader.runs(space)]
        entry = ledger.last(space)
        is_other = entry is not None and self._reader.chain_at(entry.recorded) != entry.chain
        if entry is not None and (not runs or runs[-1].position <= entry.said.position):
            runs = [*(run for run in runs if run.position < entry.said.position), entry.said]
        marks = [min(run.position, outside.position) for run in runs]
        kept = self._kept.pop(space, None)
        if outside.faults or is_other or kept is None or not self._goes_on(kept, marks):
            kept = _Kept(Fold(space), self._fresh(), None)
        fold, corpus = kept.fold, kept.corpus
        conditions = self._replay(fold, corpus, marks, outside.position)
        before = Before(runs[-1], conditions) if runs else None
        if entry is not None and before is not None and before.said is entry.said:
            before = Before(entry.said, ledger.memories(space))
        audited = self._audited(
            Evidence(
                taken_at=taken_at,
                fold=fold,
                corpus=corpus,
                before=before,
                faults=outside.faults,
                is_other_log=is_other,
                shown=outside.shown,
                is_unsearchable=outside.shown is None,
                embedding_dup_clusters=outside.embedding_dup_clusters,
            ),
            snapshot_id,
        )
        self._kept[space] = _Kept(fold, corpus, self._reader.chain_at(fold.position))
        return audited

    def _goes_on(self, kept: _Kept, marks: Sequence[int]) -> bool:
        """Whether what was kept is the beginning of what is to be folded."""
        marked, position = kept.fold.marks, kept.fold.position
        return (
            self._reader.chain_at(position) == kept.chain
            and list(marks[: len(marked)]) == marked
            and all(mark >= position for mark in marks[len(marked) :])
            and len(marks) > len(marked)  # or the conditions at the last would not be known
        )

    def then(
        self, space: str, *, position: int, taken_at: datetime, faults: Sequence[Fault]
    ) -> Audited:
        """The run that would have been recorded then, from the log alone."""
        runs = list(takewhile(lambda run: run.recorded <= position, self._reader.runs(space)))
        fold, corpus = Fold(space), self._fresh()
        conditions = self._replay(fold, corpus, [run.said.position for run in runs], position)
        return self._audited(
            Evidence(
                taken_at=taken_at,
                fold=fold,
                corpus=corpus,
                before=Before(runs[-1].said, conditions) if runs else None,
                faults=[fault for fault in faults if fault.position <= position],
            ),
            _replayed_id(space, position, taken_at),
        )

    def replayed(self, space: str, moments: Sequence[datetime]) -> Iterator[Audited]:
        """The runs that would have been recorded at some moments, had there been no others."""
        fold, corpus = Fold(space), self._fresh()
        before: Before | None = None
        for moment in moments:
            position = self._reader.position_at(moment)
            self._feed(fold, corpus, position)
            evidence = Evidence(taken_at=moment, fold=fold, corpus=corpus, before=before)
            audited = self._audited(evidence, _replayed_id(space, position, moment))
            yield audited
            before = Before(audited.run, evidence.conditions)
            fold.mark(position)

    def growth(self, space: str, runs: Sequence[Run]) -> Iterator[tuple[Growth, ...]]:
        """How the categories moved up to each of some runs, the first of all among them."""
        fold, corpus = Fold(space), self._fresh()
        before: Before | None = None
        for run in runs:
            self._feed(fold, corpus, run.said.position)
            evidence = Evidence(taken_at=run.said.taken_at, fold=fold, corpus=corpus, before=before)
            yield _growth(evidence)
            before = Before(run.said, evidence.conditions)

    def keep(self, space: str, ledger: Ledger, recorded: int, audited: Audited) -> None:
        """Puts a run into the ledger once it is recorded, at a position."""
        chain = self._reader.chain_at(recorded)
        if chain is not None:
            known = audited.evidence.fold.known.items()
            ledger.keep(
                space,
                Entry(recorded, chain, audited.run),
                audited.evidence.conditions,
                ((id_, one.first) for id_, one in known),
            )

    def forget(self) -> None:
        """Drops what is known of words: some were removed."""
        self._kept.clear()

    def _audited(self, evidence: Evidence, snapshot_id: str) -> Audited:
        run = measured(evidence, snapshot_id, self._by)
        return Audited(run, _growth(evidence), evidence)

    def _fresh(self) -> Corpus:
        options = self._by.options
        return Corpus(
            self._reader, size=options.shingle_size, threshold=options.near_duplicate_threshold
        )

    def _replay(
        self, fold: Fold, corpus: Corpus, marks: Sequence[int], until: int
    ) -> dict[str, str]:
        """Takes in the log, and says how every memory was at the last of the ``marks``."""
        conditions: dict[str, str] = {}
        left = deque(marks[len(fold.marks) :])

        def pass_marks(before: float) -> None:
            while left and left[0] < before:
                if len(left) == 1:
                    conditions.update(fold.conditions())
                fold.mark(left.popleft())

        for row in self._reader.rows(fold.space, fold.position, until):
            pass_marks(row.position)
            fold.take(row)
            corpus.take(row)
        pass_marks(math.inf)
        fold.position = until
        return conditions

    def _feed(self, fold: Fold, corpus: Corpus, until: int) -> None:
        self._replay(fold, corpus, fold.marks, until)


def _replayed_id(space: str, position: int, moment: datetime) -> str:
    """The same for the same question, however often it is asked."""
    return str(uuid5(_REPLAYED, f"{space}\0{position}\0{moment.isoformat()}"))


def _growth(evidence: Evidence) -> tuple[Growth, ...]:
    """The categories that moved most since the run before; of what was purged none is known."""
    if evidence.before is None:
        return ()
    before, filed = evidence.known_before, evidence.corpus.category
    moved: dict[str, Growth] = {}
    for id_, condition in evidence.conditions.items():
        category = filed.get(id_)
        is_created = id_ not in before
        is_archived = before.get(id_) == "live" and condition == "archived"
        if category is not None and (is_created or is_archived):
            one = moved.get(category) or Growth(category, 0, 0)
            moved[category] = replace(
                one, created=one.created + is_created, archived=one.archived + is_archived
            )
    ranked = sorted(moved.values(), key=lambda one: (-abs(one.net), -one.created, one.category))
    return tuple(ranked[:_CATEGORIES_SHOWN])
