"""What an investigator asks for that is more than one question or one command."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from .commands.roll_back import RollBack, UndoRollback
from .domain.errors import Conflict, Invalid
from .domain.identity import Identity
from .domain.rolling_back import Step
from .engine import Engine
from .projections.provenance import SOURCES
from .queries.knew import Knew, KnewReport
from .queries.plan_rollback import PlanRollback
from .queries.plan_undo import PlanUndo

_TRIES = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class RollbackReport:
    """What a rollback did, or of a dry run would do, memory by memory.

    ``id`` names it, and undoes it; None where nothing was done. ``undone`` is that of the rollback
    that was, or would be, taken back.
    """

    id: str | None
    dry_run: bool
    steps: tuple[Step, ...]
    undone: str | None = None


def knew(engine: Engine, identity: Identity, query: Knew) -> KnewReport:
    """What an agent had been told by a moment, and what could be missing from that."""
    if not engine.store.read_only:
        engine.recalls.flush()
    report = engine.ask(query, identity)
    now = engine.clock()
    return replace(report, may_lack=tuple(_may_lack(engine, report, now)))


def recalls_may_lack(engine: Engine, when: datetime, now: datetime) -> Iterator[str]:
    """What could be missing from the recalls that are recorded by a moment, a sentence each."""
    settings = engine.settings.recall
    yield "What was found by `search` and not by `recall` is not recorded."
    if settings.mode == "off":
        yield "Recalls are not recorded at present: recall.mode is off."
    elif settings.mode == "batched":
        yield (
            f"Recalls of the last {settings.seconds:g} s of a process that ended without closing,"
            f" at most {settings.batch - 1} a session and agent, were not recorded."
        )
        if now - when <= timedelta(seconds=settings.seconds):
            yield (
                f"Other processes may hold recalls of the last {settings.seconds:g} s that they"
                " have yet to record."
            )


def _may_lack(engine: Engine, report: KnewReport, now: datetime) -> Iterator[str]:
    yield from recalls_may_lack(engine, report.when, now)
    settings = engine.settings.recall
    nameless = sum(known.session is None for known in report.known)
    if nameless:
        yield (
            f"Of {nameless:,} recalls the session and the query cannot be read: their key was"
            f" destroyed after recall.retention_days, at present {settings.retention_days:g}, or"
            " is missing."
        )


def roll_back(
    engine: Engine, identity: Identity, query: PlanRollback, reason: str
) -> RollbackReport:
    """Decides and does a rollback; where memories move meanwhile it is decided anew.

    Raises:
        Conflict: ``rollback_moved`` where they go on moving.
    """
    moved: Conflict | None = None
    for _ in range(_TRIES):
        steps = engine.ask(query, identity)
        try:
            done = engine.run(_command(query, steps, reason), identity)
        except Conflict as error:
            if error.code != "rollback_moved":
                raise
            moved = error
        else:
            return RollbackReport(id=done, dry_run=False, steps=steps)
    assert moved is not None  # noqa: S101 (it was tried)
    raise moved


def _command(query: PlanRollback, steps: tuple[Step, ...], reason: str) -> RollBack:
    is_type = query.source in SOURCES
    return RollBack.of(
        steps=steps,
        reason=reason,
        hide=query.hide,
        memory=query.memory,
        actor=query.actor,
        source_type=query.source if is_type else None,
        source_ref=None if is_type else query.source,
        session=query.session,
        since=query.since,
        until=query.until,
    )


def undo_rollback(
    engine: Engine, identity: Identity, query: PlanUndo, reason: str
) -> RollbackReport:
    """Takes a rollback back.

    Raises:
        Conflict: ``rollback_moved`` where a memory moved between the look and the commit.
    """
    plan = engine.ask(query, identity)
    command = UndoRollback.of(id=plan.id, version=plan.version, steps=plan.steps, reason=reason)
    done = engine.run(command, identity)
    return RollbackReport(id=done, dry_run=False, steps=plan.steps, undone=plan.id)


def require_reason(reason: str | None) -> str:
    """The reason of what is done.

    Raises:
        Invalid: ``reason_required``.
    """
    if reason is None:
        raise Invalid(
            "reason: say why; it is not needed for a dry run.",
            code="reason_required",
            field="reason",
        )
    return reason
