"""What an audit looks at: the fold of the log, what people search, and what was there before."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol

from muniment.domain.audit import Completed
from muniment.proofs.fold import Subject

from .corpus import Corpus
from .fold import Conditions, Fold, Known


class Fault(Protocol):
    """A finding of ``verify``."""

    @property
    def position(self) -> int:
        """The first position that shows it."""
        ...


@dataclass(frozen=True, slots=True)
class Shown:
    """What the read models of a space hold at one position.

    ``conditions`` is the catalog, ``searchable`` how many memories the index has in recall.
    """

    conditions: Conditions
    searchable: int


@dataclass(frozen=True, slots=True)
class Before:
    """The run before: what it said, and the condition of each memory then."""

    said: Completed
    conditions: Conditions


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """Everything that a run goes by.

    ``faults`` is what ``verify`` found; ``is_other_log`` says that the log is not the one, grown,
    that the last run saw. ``shown`` is None where nobody asked the read models, and
    ``is_unsearchable`` that they were asked and could not be read.
    """

    taken_at: datetime
    fold: Fold
    corpus: Corpus
    before: Before | None = None
    faults: Sequence[Fault] = ()
    is_other_log: bool = False
    shown: Shown | None = None
    is_unsearchable: bool = False
    embedding_dup_clusters: int | None = None
    memories: Sequence[tuple[str, Subject, Known]] = field(init=False)
    conditions: Conditions = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "memories", self.fold.memories())
        object.__setattr__(self, "conditions", self.fold.conditions())

    @property
    def known_before(self) -> Conditions:
        """The condition of each memory at the run before; empty on a first run."""
        empty: Mapping[str, str] = {}
        return empty if self.before is None else self.before.conditions

    def vanished(self) -> list[str]:
        """Memories that are gone from the log or the catalog, and no event says so."""
        gone = dict.fromkeys(id_ for id_ in self.known_before if id_ not in self.conditions)
        if self.before is None:
            gone.update(dict.fromkeys(self.fold.headless()))
        if self.shown is not None:
            shown = self.shown.conditions
            gone.update(dict.fromkeys(id_ for id_ in self.conditions if id_ not in shown))
        return list(gone)

    def unreadable(self) -> dict[int, str]:
        """The events that cannot be read, by position, and the memory of each."""
        return dict(sorted((self.fold.malformed | self.corpus.sealed).items()))
