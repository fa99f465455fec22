"""Erasure as a whole: what it would reach, the request, the end, and the certificate of both."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import ClassVar, Final

from . import removals
from .commands.erase import RequestErasure
from .domain import subjects
from .domain.access import Operation
from .domain.erasure import decisions
from .domain.erasure.besides import NOTHING, Besides
from .domain.erasure.decisions import Plan
from .domain.erasure.events import Policy, Requested, Scope
from .domain.erasure.state import Erasure, erasure
from .domain.identity import Identity, identity
from .engine import Engine
from .exporting import Held
from .queries.about_subject import AboutSubject
from .queries.reading import Reading

NAMES_SUBJECT: Final = (
    "certificate_names_subject: the words of the basis name the subject, and stay readable in the"
    " certificate"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ErasureCertificate:
    """What was erased, by whom, why and when, as the log holds it.

    Ids: ``named`` were asked for, ``erased`` are without words since, ``already`` were before.
    ``kept`` were derived from them and stay for ``reason``; of what had been merged into something
    that is erased, ``restored`` came back into recall and ``left`` stays archived. ``mentions``
    have the subject's name and were left. ``besides`` counts what else was reached; what is not
    in the log is counted as of the request.

    ``key_backups_until`` is when the master key ends that backups of the keys from before were made
    under (None: it is not replaced by itself). One that was made with a passphrase, or is kept with
    a copy of that master key, does not end so: destroy it by then.

    ``id`` is None, and ``completed_at`` the moment of asking, where nothing was left to erase:
    nothing is recorded of that.
    """

    id: str | None
    space: str
    scope: Scope
    basis: str
    basis_text: str
    subject: str | None
    cascade: Policy
    reason: str
    requested_by: str
    requested_at: datetime
    completed_at: datetime | None
    named: tuple[str, ...]
    erased: tuple[str, ...]
    already: tuple[str, ...]
    kept: tuple[str, ...]
    restored: tuple[str, ...]
    left: tuple[str, ...]
    key_backups_until: datetime | None
    besides: Besides = NOTHING
    mentions: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ErasurePreview:
    """What an erasure would do, by ids as in the certificate; ``held`` would block it whole.

    ``subject`` is whom it is about, where it was asked for by that.
    """

    space: str
    named: tuple[str, ...]
    erased: tuple[str, ...]
    already: tuple[str, ...]
    kept: tuple[str, ...]
    restored: tuple[str, ...]
    left: tuple[str, ...]
    held: tuple[str, ...]
    besides: Besides = NOTHING
    mentions: tuple[str, ...] = ()
    subject: str | None = None


@dataclass(frozen=True, slots=True)
class Request:
    """A command that is ready to be run or looked at, and who only mentions the subject."""

    command: RequestErasure
    acting: Identity
    mentions: tuple[str, ...] = ()

    def answer(self, reading: Reading) -> Plan:
        """What it would do."""
        return self.command.plan(reading)


def of_memories(acting: Identity, ids: Sequence[str], basis: object, cascade: object) -> Request:
    """An erasure of memories by id."""
    return Request(RequestErasure.of(ids=tuple(ids), basis=basis, cascade=cascade), acting)


def of_subject(
    engine: Engine,
    acting: Identity,
    subject: str,
    *,
    also: Iterable[str],
    basis: object,
    cascade: object,
) -> Request:
    """An erasure of what is about somebody by its metadata, and of what was confirmed besides."""
    found = engine.ask(AboutSubject.of(subject=subject), acting)
    command = RequestErasure.of(
        ids=(*found.about, *also),
        basis=basis,
        cascade=cascade,
        scope="subject",
        subject=subject,
        others=frozenset(found.others),
    )
    return Request(command, acting, found.mentioning)


def of_space(engine: Engine, acting: Identity, space: str, basis: object) -> Request:
    """An erasure of every memory of a space, and of all else that it has words in."""
    there = identity(space, acting.actor, acting.role)
    ids = engine.ask(_Everything(), there)
    return Request(RequestErasure.of(ids=ids, basis=basis, scope="space"), there)


def held_about(engine: Engine, acting: Identity, subject: str) -> Held:
    """What an erasure of what is about somebody would erase."""
    asked = of_subject(engine, acting, subject, also=(), basis="export", cascade="cascade")
    planned = engine.ask(asked, acting)
    return Held(subject, frozenset(memory.id for memory in planned.erased))


def preview(engine: Engine, asked: Request) -> ErasurePreview:
    """What an erasure would do."""
    if not engine.store.read_only:
        engine.recalls.flush()
    planned = engine.ask(asked, asked.acting)
    return ErasurePreview(
        space=asked.acting.space,
        named=planned.named,
        erased=tuple(memory.id for memory in planned.erased),
        already=planned.already,
        kept=planned.kept,
        restored=tuple(memory.id for memory in planned.restored),
        left=planned.left,
        held=planned.held,
        besides=decisions.besides(planned, _kept(engine, asked, planned)),
        mentions=_besides(asked.mentions, [memory.id for memory in planned.erased]),
        subject=asked.command.subject,
    )


def erase(engine: Engine, asked: Request) -> ErasureCertificate:
    """Erases, and certifies it. What was begun before in the space is finished with it.

    Raises:
        Refused: ``held`` or ``newer_release``; nothing is recorded then.
    """
    acting = asked.acting
    removals.renew_master(engine)
    engine.recalls.flush()  # what waits to be recorded is of before it
    kept = _kept(engine, asked)
    id_ = engine.run(asked.command.model_copy(update={"kept": kept}), acting)
    removals.finish(engine, acting)
    done = None if id_ is None else erasure(engine.store.history(id_))
    certificate = (
        _of_nothing(asked, engine.ask(asked, acting), engine.now())
        if done is None
        else certified(done)
    )
    return replace(
        certificate,
        mentions=_besides(asked.mentions, certificate.erased),
        warnings=_warnings(certificate),
    )


def _kept(engine: Engine, asked: Request, planned: Plan | None = None) -> Besides:
    """What an erasure reaches that is not in the log; it is planned first where it is not yet."""
    forgetting = engine.forgetting()
    if forgetting is None:
        return NOTHING
    space, subject = asked.acting.space, asked.command.subject
    if asked.command.scope == "space":
        found = forgetting.of_space(space)
    else:
        planned = planned or engine.ask(asked, asked.acting)
        names = [] if subject is None else [subject]
        ids = [memory.id for memory in planned.erased]
        if not names and not ids:
            return NOTHING
        found = forgetting.of_subject(space, names, ids)
    return Besides(entries=found.entries, turns=found.turns, reports=found.reports)


def certified(asked: Erasure) -> ErasureCertificate:
    """The certificate of an erasure; of one that is not done yet, without its end."""
    request = asked.request
    return ErasureCertificate(
        id=asked.id,
        space=asked.space,
        scope=request.scope,
        basis=request.basis,
        basis_text=request.basis_text,
        subject=request.subject,
        cascade=request.policy,
        reason=request.reason,
        requested_by=asked.requested_by,
        requested_at=asked.requested_at,
        completed_at=asked.completed_at,
        named=request.named,
        erased=request.erased,
        already=tuple(id_ for id_ in request.named if id_ not in set(request.erased)),
        kept=request.kept,
        restored=request.restored,
        left=request.left,
        besides=asked.besides,
        key_backups_until=asked.key_backups_until,
    )


def _of_nothing(asked: Request, planned: Plan, now: datetime) -> ErasureCertificate:
    command = asked.command
    return ErasureCertificate(
        id=None,
        space=asked.acting.space,
        scope=command.scope,
        basis=command.basis.code,
        basis_text=command.basis.text,
        subject=command.subject,
        cascade=command.cascade.policy,
        reason=command.cascade.reason,
        requested_by=asked.acting.actor,
        requested_at=now,
        completed_at=now,
        named=planned.named,
        erased=(),
        already=planned.already,
        kept=(),
        restored=(),
        left=(),
        key_backups_until=None,
    )


def _besides(mentions: Sequence[str], erased: Sequence[str]) -> tuple[str, ...]:
    gone = set(erased)
    return tuple(id_ for id_ in mentions if id_ not in gone)


def _warnings(certificate: ErasureCertificate) -> tuple[str, ...]:
    subject = certificate.subject
    told = (certificate.basis_text, certificate.reason)
    if subject is not None and any(subjects.is_named_in(text, subject) for text in told):
        return (NAMES_SUBJECT,)
    return ()


class ListErasures(Operation):
    """The operation, for the table of roles."""

    VERB: ClassVar[str] = "erasures"

    def answer(self, reading: Reading) -> list[ErasureCertificate]:
        """The certificates of the space, oldest first."""
        asked = [recorded.stream for recorded in reading.facts(Requested.NAME)]
        erasures = (erasure(reading.history(stream)) for stream in asked)
        return [certified(one) for one in erasures if one is not None]


class _Everything:
    def answer(self, reading: Reading) -> tuple[str, ...]:
        """The ids of all memories of the space that have words."""
        with reading.lock:
            catalog = reading.catalog()
            rows = catalog.every_row()
            rows = rows[~catalog.in_condition(rows, "purged")]
            numbers: list[int] = rows.tolist()
            return tuple(catalog.ids[row] for row in numbers)
