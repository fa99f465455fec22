"""Conversations asked: the turns that are replayed, and what was said."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, ClassVar, Final, Protocol

from pydantic import Field

from muniment.domain import texts
from muniment.domain.conversation.turns import Turn
from muniment.domain.inputs import Input
from muniment.domain.working.inputs import Session

from . import recall_family
from .search import Query

DEFAULT_LIMIT: Final = 20


class Conversations(Protocol):
    """The conversations of a space at one moment."""

    def replayed(self, session: str) -> Sequence[Turn]:
        """The latest turns of a session, oldest first."""
        ...

    def numbers(self, session: str | None) -> Sequence[int]:
        """The numbers of all turns, or of a session's, newest first."""
        ...

    def turns(self, numbers: Iterable[int]) -> Mapping[int, Turn]:
        """Turns by number; those that are gone are left out."""
        ...

    def matching(self, query: str, among: Sequence[int], limit: int) -> Sequence[tuple[int, float]]:
        """The best of some turns with their scores."""
        ...


@dataclass(frozen=True, slots=True)
class TurnHit:
    """A turn that was found, and what it was ranked by; 0 in a listing."""

    turn: Turn
    score: float


@dataclass(frozen=True, slots=True)
class ConversationResult:
    """What was said, best first; without a query the newest first. ``message``: if it is empty."""

    hits: tuple[TurnHit, ...]
    scope: str
    message: str | None

    def __iter__(self) -> Iterator[TurnHit]:
        return iter(self.hits)

    def __len__(self) -> int:
        return len(self.hits)

    def __getitem__(self, at: int) -> TurnHit:
        return self.hits[at]


class GetTurns(Input):
    """List the latest turns of a session, which are replayed to the model, oldest first."""

    VERB: ClassVar[str] = "conversation turns"
    POSITIONAL: ClassVar[tuple[str, ...]] = ("session",)

    session: Session

    def answer(self, conversations: Conversations) -> list[Turn]:
        """None for a session that was idle for so long that it begins anew."""
        return list(conversations.replayed(self.session))


class SearchConversation(Input):
    """Find what was said, turns that are replayed no more included."""

    VERB: ClassVar[str] = "conversation search"
    POSITIONAL: ClassVar[tuple[str, ...]] = ("query",)

    query: Annotated[Query, Field(description="Words; without any, the newest turns.")] = None
    session: Annotated[Session | None, Field(description="Only what was said in this one.")] = None
    limit: Annotated[int, Field(ge=1, le=200, description="How many at most, 1 to 200.")] = (
        DEFAULT_LIMIT
    )

    def answer(self, conversations: Conversations) -> ConversationResult:
        """Ranks by words; ties go to what was said last."""
        numbers = conversations.numbers(self.session)
        is_query = self.query is not None and not texts.is_blank(self.query)
        ranked: Sequence[tuple[int, float]]
        if self.query is not None and is_query:
            ranked = conversations.matching(self.query, numbers, self.limit)
        else:
            ranked = [(number, 0.0) for number in numbers[: self.limit]]
        turns = conversations.turns(number for number, _ in ranked)
        hits = tuple(TurnHit(turns[number], score) for number, score in ranked if number in turns)
        scope = recall_family.CONVERSATION.scope
        return ConversationResult(
            hits,
            scope + (f", in session {self.session}" if self.session else ""),
            recall_family.nothing_found(recall_family.CONVERSATION)
            if is_query and not hits
            else None,
        )
