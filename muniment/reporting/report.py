"""The report of a period: what was found, put under the questions that it answers."""

import shlex
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime

from muniment.domain.identity import Identity
from muniment.domain.moments import rfc3339
from muniment.engine import Engine
from muniment.erasing import ErasureCertificate, ListErasures
from muniment.investigating import recalls_may_lack
from muniment.log.notes import Checkpoint
from muniment.log.shelf import Against, given
from muniment.log.verify import verify
from muniment.past import PastEngine
from muniment.proving import prove_invariants
from muniment.queries.about_subject import AboutSubject
from muniment.queries.period import Found, Period, ReadPeriod, Row, Value, shown
from muniment.queries.stats import GetStats

from .questions import QUESTIONS
from .standing import Standing, about, erased, held, writers


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """One question with its answer.

    ``figures`` are over all that was found; of its ``rows``, which have the same columns, the first
    are shown and ``more`` counts the rest. ``commands`` answer in detail, ``notes`` say in
    sentences what the answer does not say.
    """

    question: str
    figures: Mapping[str, Value]
    rows: tuple[Row, ...]
    more: int
    commands: tuple[str, ...]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """The twelve answers about what was recorded in a space after ``since`` and by ``until``.

    The events are those past position ``after`` and up to ``position``. ``checkpoint`` is the
    newest that the store signed (None: there is none), and ``is_covered`` says whether it takes in
    every position of the period. ``with_words``: whether sentences have words of memories in them.
    """

    space: str
    since: datetime
    until: datetime
    made_at: datetime
    made_by: str
    with_words: bool
    after: int
    position: int
    events: int
    checkpoint: Checkpoint | None
    is_covered: bool
    answers: Mapping[str, Answer]


def report(
    engine: Engine,
    identity: Identity,
    query: ReadPeriod,
    *,
    against: Against | None,
    subject: str | None,
    with_words: bool,
) -> Report:
    """Answers the twelve questions.

    Raises:
        Invalid: ``checkpoint_malformed``, ``checkpoint_unreadable`` or ``subject_invalid``.
    """
    outside = None if against is None else given(against, "against")
    asked = None if subject is None else AboutSubject.of(subject=subject)
    if not engine.store.read_only:
        engine.recalls.flush()
    period = engine.ask(query, identity)
    standing = None if asked is None else engine.ask(about(asked), identity)
    checkpoint = engine.checkpoints.newest()
    certificates = engine.ask(ListErasures(), identity)
    found: dict[str, tuple[Found, Iterable[str]]] = {
        "written": (period.written, ()),
        "sources": (period.sources, ()),
        "versions": (period.versions, ()),
        "visible": (_visible(engine, identity, period), ()),
        "left": (period.left, ()),
        "refused": (period.refused, ()),
        "read": (period.read, recalls_may_lack(engine, period.until.at, engine.now())),
        "whole": _whole(engine, outside, checkpoint),
        "vanished": (period.vanished, ()),
        "writers": writers(engine, identity, period.until),
        "held": held(standing),
        "erased": _erased(certificates, period, standing, engine.now()),
    }
    return Report(
        space=identity.space,
        since=query.since,
        until=query.until,
        made_at=engine.now(),
        made_by=identity.actor,
        with_words=with_words,
        after=period.since.position,
        position=period.until.position,
        events=period.events,
        checkpoint=checkpoint,
        is_covered=checkpoint is not None and checkpoint.size >= period.until.position,
        answers={
            name: _answer(name, *found[name], period=period, subject=subject) for name in QUESTIONS
        },
    )


def _answer(
    name: str, found: Found, notes: Iterable[str], *, period: Period, subject: str | None
) -> Answer:
    question = QUESTIONS[name]
    filled = {
        "after": str(period.since.position),
        "since": rfc3339(period.since.at),
        "until": rfc3339(period.until.at),
        "subject": "NAME" if subject is None else shlex.quote(subject),
    }
    return Answer(
        question=question.text,
        figures=found.figures,
        rows=found.rows,
        more=found.more,
        commands=tuple(command.format(**filled) for command in question.commands),
        notes=tuple(notes),
    )


def _visible(engine: Engine, identity: Identity, period: Period) -> Found:
    """How many memories there were in each state when the period began, and when it ended."""
    before, after = (
        PastEngine(engine, point).ask(GetStats.of(), identity).memories
        for point in (period.since, period.until)
    )
    rows = (
        {"state": state, "at_since": before.get(state, 0), "at_until": count}
        for state, count in after.items()
    )
    live = {"live_at_since": before.get("live", 0), "live_at_until": after.get("live", 0)}
    return shown(live, rows)


def _whole(
    engine: Engine, outside: Checkpoint | None, newest: Checkpoint | None
) -> tuple[Found, list[str]]:
    verification, proof = verify(engine.store, outside), prove_invariants(engine, None)
    figures: dict[str, Value] = {
        "intact": verification.intact,
        "invariants_hold": proof.holds,
        "events": verification.events,
        "checkpoints_compared": verification.checkpoints,
        "kept_elsewhere_of": None if outside is None else outside.size,
        "root": verification.root,
    }
    rows: list[Row] = [
        {"what": one.kind, "position": one.position, "count": one.count, "told": one.message}
        for one in verification.findings
    ]
    rows += [
        {"what": one.invariant, "position": one.position, "count": one.count, "told": one.message}
        for one in proof.violations
    ]
    notes = [f"Not ruled out: {sentence}" for sentence in verification.not_ruled_out]
    if newest is None:
        notes.append("No checkpoint was signed yet: muniment checkpoint makes one.")
    return shown(figures, rows), notes


def _erased(
    certificates: Iterable[ErasureCertificate],
    period: Period,
    standing: Standing | None,
    now: datetime,
) -> tuple[Found, list[str]]:
    """Of the subject where one is named, else of every erasure that was asked for in the period."""
    if standing is not None:
        return erased([one for one in certificates if standing.is_of(one)], standing, now)
    since, until = period.since.at, period.until.at
    some = [one for one in certificates if since < one.requested_at <= until]
    return erased(some, None, now)
