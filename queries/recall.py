"""Find memories for an agent's context, so that it can be told later what it had before it."""

from typing import Annotated, ClassVar

from pydantic import Field

from muniment.domain.inputs import ActorName, SessionName

from .search import Search


class Recall(Search):
    """Find memories as search does, and record that they came into an agent's context."""

    VERB: ClassVar[str] = "recall"

    session: Annotated[SessionName, Field(description="The session that they are recalled in.")]
    agent: Annotated[
        ActorName | None,
        Field(description="Into whose context: another than the actor's needs a role that writes."),
    ] = None
