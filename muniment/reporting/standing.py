"""What stands rather than happened: who may write, what is held about somebody, what was erased."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from muniment.domain import subjects
from muniment.domain.access import ROLES
from muniment.domain.identity import Identity, identity, is_actor
from muniment.domain.moments import Point, rfc3339, told_time
from muniment.engine import Engine
from muniment.erasing import ErasureCertificate
from muniment.queries.about_subject import About, AboutSubject
from muniment.queries.period import Found, Row, Value, shown
from muniment.queries.reading import Reading
from muniment.queries.tokens import ListTokens

_WRITING: Final = ("save", "propose", "purge", "erase")
_UNNAMED: Final = "No subject was named: --subject does."
_MEMORIES_ALONE: Final = (
    "It is as of now, and of memories alone: proposals, feedback, the queries of recalls, working"
    " memory and conversations are not looked through, nor are other forms of the name."
)
_ROLES: Final = (
    "Roles of actors are those that follow from their names: a role that was named when the store"
    " was opened is in no event, and whoever can write to the directory can write here."
)


@dataclass(frozen=True, slots=True)
class Standing:
    """A subject, and which memories are about them or mention them now."""

    subject: str
    found: About
    wordless: frozenset[str]

    def is_of(self, certificate: ErasureCertificate) -> bool:
        """Whether an erasure was of this subject."""
        told = certificate.subject
        return told is not None and subjects.canonical(told) == subjects.canonical(self.subject)


@dataclass(frozen=True, slots=True)
class _Standing:
    query: AboutSubject

    def answer(self, reading: Reading) -> Standing:
        """The memories, and those of the space that are without words."""
        with reading.lock:
            catalog = reading.catalog()
            rows: list[int] = catalog.every_row()[
                catalog.in_condition(catalog.every_row(), "purged")
            ].tolist()
            wordless = frozenset(catalog.ids[row] for row in rows)
        return Standing(self.query.subject, self.query.answer(reading), wordless)


def about(query: AboutSubject) -> _Standing:
    """Asks what is held about a subject."""
    return _Standing(query)


def held(standing: Standing | None) -> tuple[Found, list[str]]:
    """What is held about a subject, as of now."""
    if standing is None:
        return Found({}), [_UNNAMED]
    found = standing.found
    rows: list[Row] = [{"id": id_, "how": "about"} for id_ in found.about]
    rows += [{"id": id_, "how": "mentions"} for id_ in found.mentioning]
    figures: dict[str, Value] = {"about": len(found.about), "mentions": len(found.mentioning)}
    return shown(figures, rows), [_MEMORIES_ALONE]


def erased(
    certificates: Sequence[ErasureCertificate], standing: Standing | None, now: datetime
) -> tuple[Found, list[str]]:
    """What certificates say, and of a subject whether anything is left."""
    figures: dict[str, Value] = {
        "certificates": len(certificates),
        "memories_erased": sum(len(one.erased) for one in certificates),
        "memories_kept": sum(len(one.kept) for one in certificates),
        "unfinished": sum(one.completed_at is None for one in certificates),
    }
    notes: list[str] = []
    if standing is None:
        notes.append(_UNNAMED)
    else:
        kept = {id_ for one in certificates for id_ in one.kept} - standing.wordless
        left = {*standing.found.about, *standing.found.mentioning, *kept}
        figures["left"] = len(left)
        is_done = bool(certificates) and not figures["unfinished"]
        figures["erased_from_every_memory"] = is_done and not left
        notes.append(_MEMORIES_ALONE)
    dates = [one.key_backups_until for one in certificates if one.key_backups_until is not None]
    if dates and max(dates) > now:
        notes.append(f"Backups of the keys from before may open it until {rfc3339(max(dates))}.")
    return shown(figures, map(_certified, certificates)), notes


def _certified(one: ErasureCertificate) -> Row:
    return {
        "certificate": one.id,
        "scope": one.scope,
        "basis": one.basis,
        "cascade": one.cascade,
        "requested_by": one.requested_by,
        "requested_at": one.requested_at,
        "completed_at": one.completed_at,
        "erased": len(one.erased),
        "kept": len(one.kept),
        "key_backups_until": one.key_backups_until,
    }


def writers(engine: Engine, acting: Identity, until: Point) -> tuple[Found, list[str]]:
    """Every actor that the space's log names up to a point, and every token that was issued."""
    rows: list[Row] = [
        {
            "who": actor,
            "how": "actor",
            "role": identity(acting.space, actor).role if is_actor(actor) else None,
            "since": told_time(since),
            "last_at": told_time(last),
            "until": None,
            "given_by": None,
            "events": count,
        }
        for actor, since, last, count in engine.store.rows.select_actors(
            acting.space, until.position
        )
    ]
    actors = len(rows)
    tokens = [one for one in engine.ask(ListTokens.of(), acting) if one.issued_at <= until.at]
    rows += [
        {
            "who": one.actor,
            "how": "token",
            "role": one.role,
            "since": one.issued_at,
            "last_at": None,
            "until": min(filter(None, (one.revoked_at, one.expires_at))),
            "given_by": one.issued_by,
            "events": None,
        }
        for one in tokens
    ]
    figures: dict[str, Value] = {"actors": actors, "tokens": len(tokens)}
    figures |= {f"may_{verb}": ", ".join(sorted(ROLES[verb])) for verb in _WRITING}
    return shown(figures, rows), [_ROLES]
