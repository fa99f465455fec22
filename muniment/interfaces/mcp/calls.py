"""What each tool does, and how its answer reads to a model.

Texts that others wrote stand in JSON strings on one line, so that nothing in them ends the line.
"""

from collections.abc import Iterable
from datetime import timedelta
from typing import Final

from muniment.domain.errors import Invalid, NotFound
from muniment.domain.moments import minute, second
from muniment.domain.working.keys import SESSION
from muniment.domain.working.lifetimes import LONGEST
from muniment.interfaces.documents import document

from .guides import GUIDES
from .outputs import Events, Guide, Kept, Trend, Verdicts
from .tool import Answer, Caller, Values

RECOVERABLE: Final = "It is archived, not deleted: a person can restore it."

_LONGEST: Final = LONGEST / timedelta(minutes=1)
_COLUMNS: Final = (
    "takenAt",
    "status",
    "live",
    "archived",
    "createdSinceLast",
    "archivedSinceLast",
    "purgedSinceLast",
    "nearDupPairs",
    "maxChainDepth",
)


def save(caller: Caller, values: Values) -> Answer:
    """Saves a memory."""
    saved = caller.face.save(**values)
    said = {
        "created": "Saved as a new memory.",
        "reinforced": "Known already: it was reinforced.",
        "extended": "Known already: what was new was added to it.",
    }[saved.outcome]
    notes = [said, f"id: {saved.id}", *saved.warnings]
    if saved.conflicts_with:
        notes.append(f"It may contradict: {', '.join(saved.conflicts_with)}.")
    return Answer("\n".join(notes), saved)


def search(caller: Caller, values: Values) -> Answer:
    """A search comes into the caller's context, so it is recorded where the role has recalls."""
    face = caller.face
    found = (
        face.recall(session=caller.session, **values)
        if face.may("recall")
        else face.search(**values)
    )
    return Answer(face.agent_text(found), found)


def delete(caller: Caller, values: Values) -> Answer:
    """Archives a memory."""
    memory = caller.face.archive(values["id"], "deleted by its agent")
    return Answer(f"Archived {memory.id}. {RECOVERABLE}", memory)


def rescore(caller: Caller, values: Values) -> Answer:
    """Sets the importance of a memory."""
    memory = caller.face.rescore(values["id"], values["importance"])
    return Answer(f"{memory.id} now has importance {memory.importance:.2f}.", memory)


def history(caller: Caller, values: Values) -> Answer:
    """The events of a memory."""
    entries = caller.face.history(values["id"])
    lines = [f"{minute(entry.recorded_at)} {entry.actor}: {entry.summary}" for entry in entries]
    return Answer("\n".join(lines), Events(tuple(entries)))


def propose(caller: Caller, values: Values) -> Answer:
    """Proposes a memory."""
    made = caller.face.propose(**values)
    return Answer(f"Proposal {made.number} is {made.state}.", made)


def note(caller: Caller, values: Values) -> Answer:
    """Keeps a text in working memory."""
    given = dict(values)
    ttl = given.pop("ttl_minutes", None)
    if ttl is not None:
        if isinstance(ttl, bool) or not isinstance(ttl, int | float) or not 0 < ttl <= _LONGEST:
            raise Invalid(
                f"ttl_minutes: give a number of minutes over 0, and at most {_LONGEST:,.0f}.",
                code="ttl_invalid",
                field="ttl_minutes",
            )
        given["ttl"] = timedelta(minutes=ttl)
    key, text = _placed(caller, given.pop("key")), given.pop("data")
    if not isinstance(text, str):
        raise Invalid("data: give a text.", code="value_invalid", field="data")
    try:
        entry = caller.face.working.save(key, text, **given)
    except Invalid as error:
        if error.field != "value":
            raise
        said = error.message.replace("value", "data", 1)
        raise Invalid(said, code=error.code, field="data") from error
    until = second(entry.expires_at)
    return Answer(f"Kept under {entry.key} until {until} UTC.", Kept(entry.key))


def _placed(caller: Caller, key: str) -> str:
    """The key; a plain one of who has no namespace lies in that of the session."""
    if caller.face.namespace is not None or not isinstance(key, str) or key.count("/") > 1:  # pyright: ignore[reportUnnecessaryIsInstance] (models err)
        return key
    return f"{SESSION}/{caller.session}/{key}"


def noted(caller: Caller, values: Values) -> Answer:
    """The text under a key, as it is."""
    entry = caller.face.working.get(_placed(caller, values["key"]))
    return Answer(entry.value, entry)


def search_notes(caller: Caller, values: Values) -> Answer:
    """What is found in working memory."""
    found = caller.face.working.search(**values)
    lines = [
        f"- {hit.key} (expires in {hit.expires_in})"
        + ("" if hit.preview is None else f": {document(hit.preview)}")
        for hit in found.hits
    ]
    if not found.hits and found.message is None:
        lines = ["Working memory holds nothing there."]
    return Answer(_with(lines, found.message, found.degraded), found)


def search_said(caller: Caller, values: Values) -> Answer:
    """What was said."""
    found = caller.face.conversation.search(**values)
    lines = [
        f"- {minute(hit.turn.at)} {hit.turn.role} in {document(hit.turn.session)}:"
        f" {document(hit.turn.content)}"
        for hit in found.hits
    ]
    if not found.hits and found.message is None:
        lines = ["Give words that were said."]
    return Answer(_with(lines, found.message), found)


def audit(caller: Caller, _: Values) -> Answer:
    """The last audit, explained."""
    report = caller.face.audit.report()
    if report is None:
        raise NotFound(
            "There was no audit yet: they run by themselves every night where the server runs, or"
            " by 'muniment audit run'.",
            code="no_audit",
        )
    return Answer(report.report, report)


def trend(caller: Caller, values: Values) -> Answer:
    """The figures of the last audits."""
    rows = caller.face.audit.trend(**values)
    lines = [
        document({name: row[name] for name in _COLUMNS if name in row}, indent=None) for row in rows
    ]
    return Answer("\n".join(lines) or "There was no audit in that time.", Trend(tuple(rows)))


def evaluation(caller: Caller, _: Values) -> Answer:
    """The last verdicts of a language model."""
    row = caller.face.audit.evaluation()
    if row is None:
        return Answer("No samples have been evaluated.", Verdicts(None))
    return Answer(document(row), Verdicts(row))


def resume(caller: Caller, values: Values) -> Answer:
    """Lets consolidation go on; the record says no more than was said."""
    reason = values.get("reason")
    if reason is None and caller.face.role != "owner":
        raise Invalid(
            "reason: say what the user looked into; it is recorded.",
            code="reason_required",
            field="reason",
        )
    now = caller.face.audit.resume_consolidation(reason or "No reason was given.")
    return Answer("Consolidation goes on.", now)


def verify(caller: Caller, _: Values) -> Answer:
    """Whether the log is intact."""
    found = caller.face.verify()
    if found.intact:
        text = f"The log is intact: {found.events:,} events up to position {found.head:,}."
    else:
        kinds = ", ".join(f"{one.kind} from position {one.position:,}" for one in found.findings)
        text = f"The log is NOT intact: {kinds}. Tell the owner."
    doubts = [f"- {sentence}" for sentence in found.not_ruled_out]
    return Answer("\n".join([text, *(["Not ruled out:"] if doubts else []), *doubts]), found)


def feedback(caller: Caller, values: Values) -> Answer:
    """Keeps what is said of how an agent did."""
    given = caller.face.feedback(**values)
    return Answer(f"Kept as {given.kind}.", given)


def guide(_: Caller, values: Values) -> Answer:
    """A guide."""
    name = values["name"]
    text = GUIDES.get(name) if isinstance(name, str) else None
    if text is None:
        raise NotFound(
            f"There is no such guide; there are {', '.join(GUIDES)}.",
            code="guide_unknown",
            field="name",
        )
    return Answer(text, Guide(name, text))


def _with(lines: Iterable[str], *notes: str | None) -> str:
    return "\n".join([*lines, *filter(None, notes)])


def inbox(caller: Caller) -> str:
    """The resource of the inbox: what the system said by itself, in Markdown."""
    told = [
        f"## {minute(message.sent_at)} UTC, {message.kind}\n\n{message.text}"
        for message in caller.face.inbox()
    ]
    return "\n\n".join(told) or "Nothing was said."
