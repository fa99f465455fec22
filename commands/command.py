"""What every command has in common: input, a decision, and an answer from what was recorded."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from typing import ClassVar, Protocol, Self, TypeVar

from muniment.domain.duplicates import Form
from muniment.domain.inputs import IdempotencyKey, Input
from muniment.domain.memory.state import State
from muniment.domain.ports import Append, Desk, Outcome
from muniment.domain.recorded import Recorded
from muniment.domain.trust.arrivals import Arrivals
from muniment.domain.trust.secrets import Handling
from muniment.projections.recall_log import RecallLog
from muniment.projections.similarity import Likeness

A_co = TypeVar("A_co", covariant=True)


class Work(Desk, Protocol):
    """A command's turn in the writer's transaction: reads what came before it in the batch too."""

    def same(self, top: str, form: Form) -> Sequence[str]:
        """Live memories under a top-level category that have this canonical form, oldest first."""
        ...

    def similar(self, top: str, form: Form, *, at_least: float, limit: int) -> Sequence[Likeness]:
        """The nearest statements of live memories under a top-level category, best first."""
        ...

    def arrivals(self) -> Arrivals:
        """What tools and pages said to the space within the last minute."""
        ...

    def memories(self, ids: Iterable[str]) -> Sequence[State]:
        """Memories of the space by whole ids, in that order, read together."""
        ...

    def recall_log(self) -> RecallLog:
        """What was recalled in the space, as far as it is committed."""
        ...

    def decided(self) -> Sequence[Recorded]:
        """What commands before this one have appended and not committed."""
        ...

    def new_id(self) -> str:
        """A fresh UUIDv7."""
        ...


class Command(Input, ABC):
    """An intent. ``USES_SIMILARITY`` says that deciding needs the similarity projection."""

    USES_SIMILARITY: ClassVar[bool] = False

    idempotency_key: IdempotencyKey | None = None

    def prepare(self) -> None:
        """Does what depends on the input alone, before the command waits for its turn."""

    @abstractmethod
    def decide(self, work: Work) -> Sequence[Append]:
        """The events that this command adds; none where all is done.

        Raises:
            MunimentError: A rule says no; nothing is appended then.
        """

    def request(self) -> bytes:
        """The canonical form of the request, that a retry must equal."""
        said = self.model_dump_json(exclude={"idempotency_key"})
        return f"{self.VERB} {said}".encode()


class Answers(Protocol[A_co]):
    """A command as the writer sees it."""

    USES_SIMILARITY: ClassVar[bool]

    @property
    def idempotency_key(self) -> str | None:
        """What makes a retry safe."""
        ...

    def screened(self, handling: Handling) -> Self:
        """The command without the secrets in what was given."""
        ...

    def prepare(self) -> None:
        """Does what depends on the input alone."""
        ...

    def decide(self, work: Work) -> Sequence[Append]:
        """The events that the command adds."""
        ...

    def request(self) -> bytes:
        """The canonical form of the request."""
        ...

    def answer(self, outcome: Outcome) -> A_co:
        """The answer, made of what was recorded: the same for the first time and for a retry."""
        ...
