"""Say how an agent did."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, ClassVar

from pydantic import BeforeValidator, Field, ValidationInfo

from muniment.domain import texts
from muniment.domain.feedback import KINDS, Given, Kind
from muniment.domain.inputs import MemoryId
from muniment.domain.ports import Append, Outcome
from muniment.domain.working.inputs import Session

from .command import Command, Work


@dataclass(frozen=True, slots=True, kw_only=True)
class Feedback:
    """What was said about how an agent did; ``id`` names it in the log."""

    id: str
    kind: Kind
    text: str
    session: str | None
    memory_ids: tuple[str, ...]
    given_at: datetime
    actor: str


def _text(value: object, info: ValidationInfo) -> object:
    return texts.content(value, info.field_name or "text") if isinstance(value, str) else value


class GiveFeedback(Command):
    """Say how an agent did, and about which memories: dreaming learns from it."""

    VERB: ClassVar[str] = "feedback"
    POSITIONAL: ClassVar[tuple[str, ...]] = ("kind", "text")

    kind: Annotated[Kind, Field(description=f"{', '.join(KINDS[:-1])} or {KINDS[-1]}.")]
    text: Annotated[str, Field(description="The words, up to 64 KiB."), BeforeValidator(_text)]
    session: Annotated[Session | None, Field(description="The session that it is about.")] = None
    memory_ids: Annotated[
        tuple[MemoryId, ...], Field(max_length=50, description="Memories that it is about.")
    ] = ()

    def decide(self, work: Work) -> Sequence[Append]:
        """One event, in a stream of its own, so that its words can be erased alone."""
        ids = dict.fromkeys(work.memory(name).id for name in self.memory_ids)
        given = Given(kind=self.kind, text=self.text, session=self.session, memory_ids=tuple(ids))
        return [Append(work.new_id(), 0, [given])]

    def answer(self, outcome: Outcome) -> Feedback:
        """What was recorded."""
        (recorded,) = outcome.recorded
        given: Given = recorded.event
        return Feedback(
            id=recorded.stream,
            kind=given.kind,
            text=given.text,
            session=given.session,
            memory_ids=given.memory_ids,
            given_at=recorded.recorded_at,
            actor=recorded.actor,
        )
