"""What addresses do that is not word for word a call of the face."""

from collections.abc import Mapping
from datetime import timedelta
from typing import Any, cast

from muniment.domain.errors import Invalid, NotFound
from muniment.log.notes import Checkpoint

from .inputs import PAGE, LogPage
from .route import Call


def search(call: Call) -> object:
    """A search that comes into an agent's context is a recall; one of the past is none."""
    if call.face.point is not None or not call.face.may("recall"):
        return call.face.search(**call.values)
    return call.face.recall(session=call.session, **call.values)


def log(call: Call) -> LogPage:
    """A page of the log."""
    limit = call.values.get("limit", 100)
    # what no limit can be is for the query to refuse
    asked = PAGE if isinstance(limit, int) and PAGE < limit < 2**63 else limit
    filters: dict[str, Any] = {**call.values, "limit": asked}
    entries = tuple(call.face.log(**filters))
    return LogPage(entries, entries[-1].position if len(entries) == asked else None)


def fold(call: Call) -> object:
    """Folds whatever there is to fold."""
    return call.face.fold()


def purge(call: Call) -> object:
    """Purges what is due, or says what is."""
    return call.face.purge(dry_run=call.values["dry_run"])


def erase(call: Call) -> object:
    """Erases one memory."""
    return call.face.erase(call.values["id"], **_erasing(call.values))


def erase_many(call: Call) -> object:
    """Erases what is about somebody, or the space."""
    values = call.values
    subject, is_whole = values.get("subject"), values.get("whole_space", False)
    if is_whole is True and subject is None and "also" not in values and "cascade" not in values:
        return call.face.erase_space(
            call.face.space, basis=values["basis"], dry_run=values["dry_run"]
        )
    if subject is None or is_whole is not False:
        raise Invalid(
            "subject: name somebody, or say that it is the whole_space and nothing else.",
            code="subject_required",
            field="subject",
        )
    return call.face.erase_subject(subject, also=values.get("also", ()), **_erasing(values))


def _erasing(values: Mapping[str, Any]) -> dict[str, Any]:
    given = {name: values[name] for name in ("basis", "cascade", "dry_run") if name in values}
    cascade = given.get("cascade")
    if isinstance(cascade, Mapping):
        kept = cast("Mapping[str, Any]", cascade)
        if list(kept) == ["keep"]:
            given["cascade"] = "keep", kept["keep"]
    return given


def verify(call: Call) -> object:
    """Verifies, against a checkpoint where one is given."""
    return call.face.verify(against=_checkpoint_of(call.values, "against"))


def prove(call: Call) -> object:
    """The bundle of a memory."""
    return call.face.prove(call.values["id"], since=_checkpoint_of(call.values, "since"))


def _checkpoint_of(values: Mapping[str, Any], field: str) -> Checkpoint | None:
    """Only the text of one: a path would be of this machine."""
    text = values.get(field)
    if text is None:
        return None
    if not isinstance(text, str):
        raise Invalid(
            f"{field}: give the text of a checkpoint.", code="checkpoint_malformed", field=field
        )
    return Checkpoint.of(text, field=field)


def audit_latest(call: Call) -> object:
    """The row of the last audit."""
    return _required(call.face.audit.latest())


def audit_report(call: Call) -> object:
    """The last audit."""
    return _required(call.face.audit.report())


def _required(answer: object) -> object:
    if answer is None:
        raise NotFound("There was no audit yet: POST /v1/audit/runs makes one.", code="no_audit")
    return answer


def consolidation(call: Call) -> object:
    """Whether consolidation is paused."""
    return call.face.audit.consolidation


def issue(call: Call) -> object:
    """Makes a token for the space of the one that asks."""
    days = call.values.get("days", 30)
    if isinstance(days, bool) or not isinstance(days, int | float) or not 0 < days <= 90:
        raise Invalid("days: give a number of days, up to 90.", code="days_invalid", field="days")
    role = call.values.get("role")
    return call.face.tokens.issue(
        actor=call.values["actor"], role=role, expires_in=timedelta(days=days)
    )


def tokens(call: Call) -> object:
    """The tokens of the space."""
    return call.face.tokens.list()
