"""What one transaction of the writer decides, and what a command sees of it."""

from collections.abc import Callable, Iterable, Sequence
from datetime import datetime

import uuid_utils

from muniment.domain.duplicates import Form
from muniment.domain.identity import Identity
from muniment.domain.memory.state import State, evolve
from muniment.domain.ports import Append
from muniment.domain.recorded import Recorded
from muniment.domain.rules import Rules
from muniment.domain.trust.arrivals import Arrivals
from muniment.projections.recall_log import RecallLog
from muniment.projections.similarity import Likeness, Similarity

from .arrivals import RecentArrivals
from .desk import LogDesk
from .read_models import ReadModels
from .rows import Pending
from .store import Store
from .tail import Head, Tail


def new_id() -> str:
    """A fresh UUIDv7."""
    return str(uuid_utils.uuid7())


class Batch:
    """What one transaction has decided so far, its open turn included."""

    def __init__(self, store: Store, models: ReadModels, arrivals: RecentArrivals) -> None:
        self.store = store
        self.arrivals = arrivals
        self.events: list[Recorded] = []
        self.states: dict[str, State] = {}
        self.recall_log = models.recall_log
        self.skewed_at: datetime | None = None
        self._models = models
        self._ahead: dict[str, tuple[Similarity, int]] = {}

    def begin(self, head: Head, at: datetime) -> Tail:
        """The transaction is open, at ``head``, and the projections stand there too."""
        self.began_at = at
        self._first = head.position
        self.tail = self.store.rows.begin(head)
        return self.tail

    def similarity(self, space: str) -> Similarity:
        """What is known of a space: committed, or decided in this batch."""
        ahead = self._ahead.get(space)
        if ahead is None:
            known, seen = self._models.similarity(space), 0
            known.begin_trial()
        else:
            known, seen = ahead
        if ahead is None or seen < len(self.events):
            for recorded in self.events[seen:]:
                if recorded.space == space:
                    known.apply(recorded)
            self._ahead[space] = known, len(self.events)
        return known

    def undo(self, events: int = 0) -> None:
        """Forgets all but the first ``events``: the others were not kept."""
        if len(self.events) > events:
            self.arrivals.forget()
        del self.events[events:]
        for space, (known, seen) in self._ahead.items():
            known.take_back(self._first + events)
            self._ahead[space] = known, min(seen, events)

    def end(self) -> None:
        """What was decided is committed, or undone."""
        for known, _ in self._ahead.values():
            known.end_trial()

    def abandon(self) -> None:
        """It was interrupted, at any point: what it may have left half done is made anew."""
        for space in self._ahead:
            self._models.drop(space, Similarity)


class Work(LogDesk):
    """One command's turn: reads through the batch, appends into its transaction."""

    def __init__(self, batch: Batch, identity: Identity, now: datetime, rules: Rules) -> None:
        super().__init__(batch.store, identity, now, rules)
        self._batch = batch
        self.changed: dict[str, State] = {}
        self._read: dict[str, State | None] = {}

    def _load(self, stream: str) -> State | None:
        known = self.changed.get(stream) or self._batch.states.get(stream)
        if known is None and stream not in self._read:
            self._read[stream] = super()._load(stream)  # nobody else writes during the turn
        return known or self._read[stream]

    def memories(self, ids: Iterable[str]) -> list[State]:
        """Memories of the space by whole ids, in that order, read together."""
        wanted = list(ids)
        # nothing but this transaction moves them from here on, and that is looked up first
        self._read.update(self._store.memories(wanted))
        found = (self._load(id_) for id_ in wanted)
        mine = self.identity.space
        return [state for state in found if state is not None and state.space == mine]

    def recall_log(self) -> RecallLog:
        """What was recalled in the space, as far as it is committed."""
        return self._batch.recall_log(self.identity.space)

    def decided(self) -> Sequence[Recorded]:
        """What commands before this one have appended and not committed."""
        return self._batch.events

    def new_id(self) -> str:
        """A fresh UUIDv7."""
        return new_id()

    def arrivals(self) -> Arrivals:
        """What came into the space within the last minute, what the batch has decided included."""
        return self._batch.arrivals.of(self.identity.space, self.now)

    def same(self, top: str, form: Form) -> Sequence[str]:
        """As ``Similarity.same``, what the batch has decided included."""
        return self._batch.similarity(self.identity.space).same(top, form)

    def similar(self, top: str, form: Form, *, at_least: float, limit: int) -> Sequence[Likeness]:
        """As ``Similarity.similar``, what the batch has decided included."""
        known = self._batch.similarity(self.identity.space)
        return known.similar(top, form, at_least=at_least, limit=limit)

    def append(
        self, appends: Sequence[Append], pending: Callable[[object, Append, int], Pending]
    ) -> list[Recorded]:
        """Appends what was decided, and keeps the states that come of it."""
        waiting = [
            pending(event, append, append.version + number)
            for append in appends
            for number, event in enumerate(append.events, 1)
        ]
        if not waiting:
            return []
        states = {
            append.stream: self._load(append.stream) if append.version else None
            for append in appends
            if append.is_of_memory
        }
        recorded = self._store.append(waiting)
        for one in recorded:
            if one.stream not in states:
                continue
            state = states[one.stream] = evolve(states[one.stream], one)
            if state is not None:
                self.changed[one.stream] = state
        self._batch.events += recorded
        return recorded
