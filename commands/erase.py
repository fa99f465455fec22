"""Erase on request: ask for it, and record that it is done.

Everything is decided in the transaction that asks: what is merged meanwhile is reached too. Between
the two commands the keys are destroyed; whatever happens in between, the second can be given again.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Annotated, Any, ClassVar, Final, cast

import regex
from pydantic import BeforeValidator, Field

from muniment.domain import subjects, texts
from muniment.domain.erasure import besides, decisions
from muniment.domain.erasure.besides import NOTHING, Besides
from muniment.domain.erasure.decisions import Basis, Cascade, Plan
from muniment.domain.erasure.events import Scope
from muniment.domain.erasure.lineage import DERIVING, Lineage
from muniment.domain.erasure.state import Erasure, erasure
from muniment.domain.errors import Invalid
from muniment.domain.inputs import Line, MemoryId, Moment
from muniment.domain.memory.retiring import complete_purge
from muniment.domain.ports import Append, Desk, Outcome

from .command import Command, Work

MAX_TEXT: Final = 2_000
UNCODED: Final = "request"
"""The code of a basis that is told in words alone."""

_CODE = regex.compile(r"[a-z0-9._-]{1,64}")


def _basis(value: object) -> object:
    if isinstance(value, Basis):
        value = {"code": value.code, "text": value.text}
    if isinstance(value, str):
        value = {"code": value} if _CODE.fullmatch(value) else {"code": UNCODED, "text": value}
    if not isinstance(value, Mapping):
        raise _no_basis("give a code such as gdpr-17, a text, or both as code and text")
    given = {"text": "", **cast("Mapping[str, Any]", value)}
    code = given.get("code", UNCODED)
    if given.keys() - {"code", "text"}:
        raise _no_basis("it has a code and a text, nothing else")
    if not isinstance(code, str) or not _CODE.fullmatch(code):
        raise _no_basis("a code has 1 to 64 of a-z 0-9 . _ -")
    text = _told(given["text"], "basis")
    if code == UNCODED and texts.is_blank(text):
        raise _no_basis("say why, by a code such as gdpr-17 or in words")
    return Basis(code=code, text=text)


def _no_basis(rule: str) -> Invalid:
    return Invalid(f"basis: {rule}.", code="basis_invalid", field="basis")


def _cascade(value: object) -> object:
    policy, reason = value, ""
    if isinstance(value, Cascade):
        policy, reason = value.policy, value.reason
    elif isinstance(value, tuple):
        pair = cast("Sequence[Any]", value)
        policy, reason = pair if len(pair) == 2 and pair[0] == "keep" else ("", "")
    if policy not in ("cascade", "rewrite", "keep"):
        raise Invalid(
            "cascade: say cascade, rewrite, or keep with a reason.",
            code="cascade_invalid",
            field="cascade",
        )
    reason = _told(reason, "cascade")
    if (policy == "keep") == texts.is_blank(reason):
        raise Invalid(
            "cascade: what is kept needs a reason, and nothing else takes one.",
            code="cascade_invalid",
            field="cascade",
        )
    return Cascade(policy=policy, reason=reason)


def _told(value: object, field: str) -> str:
    if not isinstance(value, str) or len(value) > MAX_TEXT:
        raise Invalid(
            f"{field}: a text of at most {MAX_TEXT:,} characters.",
            code=f"{field}_invalid",
            field=field,
        )
    return texts.well_formed(value, field).strip()


BasisField = Annotated[
    Basis,
    Field(description="A code such as gdpr-17, or a text; the code stays in the clear."),
    BeforeValidator(_basis),
]
"""A code, a text, or a mapping of both (``code`` and ``text``)."""

CascadeField = Annotated[
    Cascade,
    Field(description="What becomes of derived texts: cascade, rewrite or keep."),
    BeforeValidator(_cascade),
]
"""``cascade``, ``rewrite``, or ``("keep", reason)``."""


class RequestErasure(Command):
    """Ask for the keys of memories to be destroyed, and of all that holds their words."""

    VERB: ClassVar[str] = "erase"

    ids: tuple[MemoryId, ...]
    basis: BasisField
    cascade: CascadeField = Cascade()
    scope: Scope = "memory"
    subject: Line | None = None
    others: frozenset[str] = frozenset()
    kept: Besides = NOTHING

    def plan(self, desk: Desk) -> Plan:
        """What it would do.

        Raises:
            NotFound: There is no memory of one of ``ids``.
        """
        named = dict.fromkeys(desk.memory(name).id for name in self.ids)
        lineage = Lineage.of(desk.facts(*DERIVING))
        planned = decisions.plan(
            tuple(named), lineage, desk.found, self.cascade.policy, self.others
        )
        worded = besides.find(desk, self.scope, self.subject, planned.erased)
        return replace(planned, worded=tuple(worded))

    def decide(self, work: Work) -> Sequence[Append]:
        """The erasure, the request on each stream, and what comes back into recall."""
        if self.subject is not None and subjects.is_spelt_in(self.basis.code, self.subject):
            raise Invalid(
                "basis: the code has the subject's name in it, and codes are never erased: put it"
                " into the text of the basis.",
                code="basis_names_subject",
                field="basis",
            )
        planned = self.plan(work)
        asked = decisions.request(
            planned, self.scope, self.basis, self.cascade, self.subject, kept=self.kept
        )
        if not asked:
            return []
        id_, worded = work.new_id(), {one.id: one for one in planned.worded}
        return [
            Append(id_, 0, asked),
            *(Append(one.id, one.version, decisions.removal(one)) for one in planned.erased),
            *(
                Append(stream, worded[stream].version, decisions.words_removal(id_))
                for stream in asked[0].streams
            ),
            *(Append(one.id, one.version, decisions.bring_back()) for one in planned.restored),
        ]

    def answer(self, outcome: Outcome) -> str | None:
        """The id of the erasure, or None where no words were left to erase."""
        return outcome.recorded[0].stream if outcome.recorded else None


class CompleteErasure(Command):
    """Record that all keys of an erasure are destroyed, of each stream and of the whole.

    No caller asks for it.
    """

    id: str
    key_backups_until: Moment | None

    def decide(self, work: Work) -> Sequence[Append]:
        """Nothing where it is recorded already."""
        found = erasure(work.history(self.id))
        if found is None:
            return []
        done = decisions.complete(found, key_backups_until=self.key_backups_until)
        if not done:
            return []
        return [
            *(
                Append(memory.id, memory.version, purged)
                for memory in map(work.memory, found.request.erased)
                if (purged := complete_purge(memory))
            ),
            *(
                Append(one.id, one.version, decisions.words_gone(found.id))
                for one in work.states(found.request.streams, besides.evolve).values()
            ),
            Append(found.id, found.version, done),
        ]

    def answer(self, outcome: Outcome) -> Erasure | None:
        """The erasure as it stands."""
        return erasure(outcome.desk.history(self.id))
