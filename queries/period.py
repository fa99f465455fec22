"""What happened in a period, as a reviewer asks: one fold over its events for seven questions.

The events are read once, as they come; what is kept is a count a group, and so many rows.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, ClassVar, Final, Protocol, Self, TypeAlias

from pydantic import Field, model_validator

from muniment.domain import recall
from muniment.domain.access import reads_words
from muniment.domain.denial import Denied
from muniment.domain.errors import Invalid
from muniment.domain.inputs import Input, Moment
from muniment.domain.memory import events
from muniment.domain.moments import Point
from muniment.domain.proposal import events as proposals
from muniment.domain.recorded import Recorded

from .reading import Reading
from .told import summary

ROWS: Final = 50
"""Rows that an answer shows; of the rest it says how many there are."""

Value: TypeAlias = str | int | float | bool | datetime | None
Row: TypeAlias = Mapping[str, Value]

_Tell: TypeAlias = Callable[[Recorded], str]
_OBSERVED: Final = (events.Saved, events.Imported, events.Reinforced, events.Extended)
_WRITTEN: Final = (events.Saved, events.Imported, events.Merged, events.Extended, events.Revised)


@dataclass(frozen=True, slots=True)
class Found:
    """What was found: ``figures`` over all of it, ``rows`` of the same columns, and ``more``.

    ``more`` counts the rows that are not shown.
    """

    figures: Mapping[str, Value]
    rows: tuple[Row, ...] = ()
    more: int = 0


def shown(figures: Mapping[str, Value], rows: Iterable[Row]) -> Found:
    """Figures, and the first of some rows."""
    every = list(rows)
    return Found(figures, tuple(every[:ROWS]), max(0, len(every) - ROWS))


@dataclass(frozen=True, slots=True, kw_only=True)
class Period:
    """What was recorded in a space after ``since`` and by ``until``: so many ``events``."""

    since: Point
    until: Point
    events: int
    written: Found
    sources: Found
    versions: Found
    left: Found
    refused: Found
    read: Found
    vanished: Found


class ReadPeriod(Input):
    """What was recorded in a period, from which a reviewer's questions are answered.

    Made with a beginning after its end it is refused (``period_invalid``).
    """

    VERB: ClassVar[str] = "report"

    since: Annotated[Moment, Field(description="What was recorded after then.")]
    until: Annotated[Moment, Field(description="What was recorded by then.")]

    @model_validator(mode="after")
    def _in_order(self) -> Self:
        if self.since > self.until:
            raise Invalid(
                "since: a period begins before it ends: exchange the two.",
                code="period_invalid",
                field="since",
            )
        return self

    def answer(self, reading: Reading) -> Period:
        """Reads the events of the period once."""
        since, until = reading.point(self.since), reading.point(self.until)
        written, sources, versions = _Written(), _Sources(), _Versions()
        left, refused, read, vanished = _Left(), _Refused(), _Read(), _Vanished()
        parts: tuple[_Part, ...] = (written, sources, versions, left, refused, read, vanished)
        tell = _telling(reading)
        count = 0
        for recorded in reading.recorded(
            after=since.position, until=until.position, space=reading.identity.space
        ):
            count += 1
            for part in parts:
                part.take(recorded, tell)
        return Period(
            since=since,
            until=until,
            events=count,
            written=written.found(),
            sources=sources.found(),
            versions=versions.found(),
            left=left.found(),
            refused=refused.found(),
            read=read.found(),
            vanished=vanished.found(),
        )


def _telling(reading: Reading) -> _Tell:
    """How an event is told to who asks."""
    with_words = reads_words(reading.identity.role, reading.rules.access)

    def tell(recorded: Recorded) -> str:
        is_purged = False
        if recorded.fault == "key_missing":
            state = reading.found([recorded.stream]).get(recorded.stream)
            is_purged = state is not None and state.condition == "purged"
        return summary(recorded, is_purged=is_purged, with_words=with_words)

    return tell


class _Part(Protocol):
    """The answer to one question, as far as it was read."""

    def take(self, recorded: Recorded, tell: _Tell, /) -> None:
        """Takes in one more event of the period."""
        ...


class _Rows:
    """The first rows of many."""

    def __init__(self) -> None:
        self.kept: list[Row] = []
        self.count = 0

    def add(self, row: Callable[[], Row]) -> None:
        self.count += 1
        if len(self.kept) < ROWS:
            self.kept.append(row())

    def found(self, figures: Mapping[str, int]) -> Found:
        return Found({**figures}, tuple(self.kept), self.count - len(self.kept))


class _Written:
    """By whom: an actor a row, who wrote most first."""

    def __init__(self) -> None:
        self._events: Counter[str] = Counter()
        self._memories: Counter[str] = Counter()
        self._spans: dict[str, tuple[datetime, datetime]] = {}

    def take(self, recorded: Recorded, _: _Tell) -> None:
        actor, at = recorded.actor, recorded.recorded_at
        self._events[actor] += 1
        self._memories[actor] += isinstance(recorded.event, events.Beginning)
        self._spans[actor] = self._spans.get(actor, (at, at))[0], at

    def found(self) -> Found:
        figures: dict[str, Value] = {
            "events": self._events.total(),
            "memories_begun": self._memories.total(),
            "actors": len(self._events),
        }
        return shown(
            figures,
            (
                {
                    "actor": actor,
                    "memories_begun": self._memories[actor],
                    "events": count,
                    "first_at": self._spans[actor][0],
                    "last_at": self._spans[actor][1],
                }
                for actor, count in self._events.most_common()
            ),
        )


class _Sources:
    """What observations came from: a type, trust, model and format a row."""

    def __init__(self) -> None:
        self._counts: Counter[tuple[str, int, str | None, str | None]] = Counter()

    def take(self, recorded: Recorded, _: _Tell) -> None:
        event = recorded.event
        if isinstance(event, _OBSERVED):
            format_ = event.format if isinstance(event, events.Imported) else None
            self._counts[event.source_type, event.trust, event.source_model, format_] += 1

    def found(self) -> Found:
        rows = (
            {"source": type_, "trust": trust, "model": model, "format": format_, "observations": n}
            for (type_, trust, model, format_), n in self._counts.most_common()
        )
        return shown({"observations": self._counts.total()}, rows)


class _Versions:
    """How memories changed: a kind of event a row."""

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()
        self._texts = 0

    def take(self, recorded: Recorded, _: _Tell) -> None:
        if isinstance(recorded.event, events.Event):
            self._counts[recorded.name] += 1
            self._texts += isinstance(recorded.event, _WRITTEN)

    def found(self) -> Found:
        figures: dict[str, Value] = {
            "changes": self._counts.total(),
            "versions_of_texts": self._texts,
        }
        counts = self._counts.most_common()
        return shown(figures, ({"event": name, "count": count} for name, count in counts))


class _Left:
    """Why memories went out of recall: an event a row, with the rule that it went by."""

    def __init__(self) -> None:
        self._counts: dict[str, int] = dict.fromkeys(
            ("archived", "superseded", "quarantined", "merged", "folded", "purged"), 0
        )
        self._rows = _Rows()

    def take(self, recorded: Recorded, tell: _Tell) -> None:
        rule = _rule(recorded.event)
        if rule is not None:
            self._counts[recorded.name.partition(".")[2]] += 1
            self._rows.add(lambda: _row(recorded, rule, tell))

    def found(self) -> Found:
        return self._rows.found(self._counts)


def _rule(event: object) -> str | None:
    """What a memory was archived, merged or purged by; None for what else happens."""
    match event:
        case events.Archived():
            return event.cause
        case events.Superseded():
            return "contradiction"
        case events.Quarantined():
            return ", ".join((event.cause, *event.signs))
        case events.Merged():
            return f"merge, asked for by {event.source_type}"
        case events.Folded():
            return "exact repetition"
        case events.Purged():
            return f"{event.basis}, {event.policy}"
        case _:
            return None


def _row(recorded: Recorded, rule: str, tell: _Tell) -> Row:
    return {
        "at": recorded.recorded_at,
        "position": recorded.position,
        "id": recorded.stream,
        "event": recorded.name,
        "rule": rule,
        "actor": recorded.actor,
        "told": tell(recorded),
    }


class _Refused:
    """What a rule or a role said no to. A merge stamps each source, and counts once."""

    def __init__(self) -> None:
        self._counts: dict[str, int] = dict.fromkeys(
            ("requests_denied", "merges", "proposals_rejected", "quarantined_by_policy"), 0
        )
        self._rows = _Rows()
        self._last_merge: tuple[str, str] | None = None

    def take(self, recorded: Recorded, tell: _Tell) -> None:
        match recorded.event:
            case Denied(count=count, operation=operation):
                self._add("requests_denied", count, f"role, {operation}", recorded, tell)
            case events.MergeRejected(cluster=cluster):
                merge = recorded.command_id, cluster
                if merge != self._last_merge:  # its stamps are at adjoining positions
                    self._add("merges", 1, "coverage", recorded, tell)
                self._last_merge = merge
            case proposals.Rejected(cause=cause):
                self._add("proposals_rejected", 1, cause, recorded, tell)
            case events.Quarantined(cause="policy", signs=signs):
                self._add("quarantined_by_policy", 1, ", ".join(signs), recorded, tell)
            case _:
                pass

    def _add(self, figure: str, count: int, rule: str, recorded: Recorded, tell: _Tell) -> None:
        self._counts[figure] += count
        self._rows.add(lambda: _row(recorded, rule, tell))

    def found(self) -> Found:
        return self._rows.found(self._counts)


class _Read:
    """Into whose context memories came: an agent a row."""

    def __init__(self) -> None:
        self._recalls: Counter[str] = Counter()
        self._memories: Counter[str] = Counter()
        self._spans: dict[str, tuple[datetime, datetime]] = {}

    def take(self, recorded: Recorded, _: _Tell) -> None:
        event = recorded.event
        if not isinstance(event, recall.Recalled):
            return
        agent = event.agent or recorded.actor
        for one in event.recalls:
            self._recalls[agent] += 1
            self._memories[agent] += len(one.memories)
            first, last = self._spans.get(agent, (one.at, one.at))
            self._spans[agent] = min(first, one.at), max(last, one.at)

    def found(self) -> Found:
        figures: dict[str, Value] = {
            "recalls": self._recalls.total(),
            "memories_recalled": self._memories.total(),
            "agents": len(self._recalls),
        }
        return shown(
            figures,
            (
                {
                    "agent": agent,
                    "recalls": count,
                    "memories_recalled": self._memories[agent],
                    "first_at": self._spans[agent][0],
                    "last_at": self._spans[agent][1],
                }
                for agent, count in self._recalls.most_common()
            ),
        )


class _Vanished:
    """Whose words are gone for good: a memory a row, with the evidence that it was due."""

    def __init__(self) -> None:
        self._counts: dict[str, int] = dict.fromkeys(
            ("asked_for", "retention", "erasure", "recall_logs"), 0
        )
        self._rows = _Rows()

    def take(self, recorded: Recorded, _: _Tell) -> None:
        match recorded.event:
            case events.PurgeRequested():
                self._counts["asked_for"] += 1
            case events.Purged() as purged:
                self._counts[purged.basis] += 1
                self._rows.add(
                    lambda: {
                        "at": recorded.recorded_at,
                        "position": recorded.position,
                        "id": recorded.stream,
                        "basis": purged.basis,
                        "archived_at": purged.archived_at,
                        "kept_for_days": purged.retention_days,
                        "policy": purged.policy,
                        "actor": recorded.actor,
                    }
                )
            case recall.Purged():
                self._counts["recall_logs"] += 1
            case _:
                pass

    def found(self) -> Found:
        return self._rows.found(self._counts)
