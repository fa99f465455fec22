"""Which writes a question is about: by memory, source, actor, session and time."""

from typing import Annotated

from pydantic import Field

from muniment.domain.errors import Invalid
from muniment.domain.inputs import ActorName, Input, Line, MemoryId, Moment
from muniment.projections.catalog import microseconds
from muniment.projections.provenance import Selection

from .reading import Reading


class Selected(Input):
    """Writes for which all that is given holds; something has to be."""

    memory: Annotated[MemoryId | None, Field(description="What was written to this memory.")] = None
    source: Annotated[
        Annotated[Line, Field(min_length=1, max_length=2_048)] | None,
        Field(
            description="From this source: owner, user, tool, web, agent, model, or a reference;"
            " with * at its end all that begin so."
        ),
    ] = None
    actor: Annotated[ActorName | None, Field(description="By this actor.")] = None
    session: Annotated[
        Annotated[Line, Field(min_length=1, max_length=256)] | None,
        Field(description="Whose source is this session."),
    ] = None
    since: Annotated[Moment | None, Field(description="Recorded from then on.")] = None
    until: Annotated[Moment | None, Field(description="Recorded until then.")] = None

    def selection(self, reading: Reading) -> Selection:
        """What the projections are asked with.

        Raises:
            Invalid: ``selection_required`` where nothing is given.
            NotFound: There is no such memory.
        """
        if all(
            getattr(self, name) is None
            for name in ("memory", "source", "actor", "session", "since", "until")
        ):
            raise Invalid(
                "Say what is meant: a memory, source, actor, session or time.",
                code="selection_required",
                field="memory",
            )
        return Selection(
            memory=None if self.memory is None else reading.memory(self.memory).id,
            source=self.source,
            actor=self.actor,
            session=self.session,
            since=None if self.since is None else microseconds(self.since),
            until=None if self.until is None else microseconds(self.until),
        )
