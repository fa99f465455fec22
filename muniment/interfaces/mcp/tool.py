"""What a tool is, and what it is called with and answers."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from muniment.domain.inputs import Input
from muniment.handle import Muniment

Values: TypeAlias = Mapping[str, Any]
Effect: TypeAlias = Literal["reads", "adds", "changes", "hides"]
"""What a host is told of a tool: ``hides`` is what asks a person first."""


@dataclass(frozen=True, slots=True)
class Caller:
    """Who calls: the handle to act through, and the session that recalls are recorded in."""

    face: Muniment
    session: str


@dataclass(frozen=True, slots=True)
class Answer:
    """What a model reads, and the same as data."""

    text: str
    data: object


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool: it takes ``fields`` of ``model``, and the data of its answer is of one type.

    ``operation`` is its row in the table of roles; one without is everybody's.
    """

    name: str
    description: str
    effect: Effect
    model: type[Input]
    fields: tuple[str, ...]
    perform: Callable[[Caller, Values], Answer]
    answers: type[Any]
    operation: str | None
