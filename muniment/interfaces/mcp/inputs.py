"""What tools take that no operation's model says: the names that agents know, from RockBot."""

from typing import Annotated

from pydantic import Field

from muniment.domain.inputs import Category, Input, Tags
from muniment.queries.conversation import SearchConversation
from muniment.queries.search import Query


class NoArguments(Input):
    """Nothing is taken."""


class Note(Input):
    """What is kept for a while."""

    key: Annotated[
        str,
        Field(
            description="A name such as inbox, in the session's own place; or a path of three parts"
            " and more, such as patrol/nightly/inbox."
        ),
    ]
    data: Annotated[str, Field(description="The text, up to 1 MiB.")]
    ttl_minutes: Annotated[
        float | None, Field(gt=0, description="Minutes until it expires; five unless given.")
    ] = None
    category: Category = None
    tags: Tags = ()


class Said(SearchConversation):
    """What is looked for in conversations."""

    query: Annotated[  # pyright: ignore[reportGeneralTypeIssues]  # a model must say what for
        Query, Field(description="Words that were said.")
    ]


class Days(Input):
    """How far back."""

    days: Annotated[float, Field(gt=0, le=36_500, description="How many days back.")] = 30


class Resumption(Input):
    """Why consolidation goes on."""

    reason: Annotated[str | None, Field(description="What was looked into.")] = None


class GuideName(Input):
    """A guide."""

    name: Annotated[str, Field(description="Such as memory-audit.")]
