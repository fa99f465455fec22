"""What one turn of a session is told from memory: recalled, at hand in working memory, said."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Annotated, ClassVar, Final

from pydantic import BeforeValidator, Field

from muniment.domain import texts
from muniment.domain.conversation.injection import (
    ASKS_FIRST,
    OPENING,
    RECALLED,
    SHORT,
    Version,
    unseen,
    wants_recall,
)
from muniment.domain.conversation.turns import Turn
from muniment.domain.inputs import Input
from muniment.domain.memory.view import Memory
from muniment.domain.working import keys
from muniment.domain.working.entries import Heading
from muniment.domain.working.inputs import Session

from .context_text import Sections, rendered
from .reading import Reading
from .search import MAX_QUERY, Hit, Search

NOT_LOOKED_UP: Final = (
    f"Nothing was looked up: of messages of at most {SHORT} characters only a session's first is."
)
IN_SIGHT: Final = (
    "What it finds was told to this session already, with turns that are still in its sight."
)

_MOST_SEARCHED: Final = 200


def _message(value: object) -> object:
    return texts.well_formed(value, "message") if isinstance(value, str) else value


@dataclass(frozen=True, slots=True)
class Standing:
    """A session before its next turn.

    ``is_first``: it was given no context since it began. ``shown``: what of the memories is still
    in its sight, by id. ``turns``: what is replayed, oldest first.
    """

    is_first: bool = True
    shown: Mapping[str, Version] = field(default_factory=dict[str, Version])
    turns: tuple[Turn, ...] = ()


@dataclass(frozen=True, slots=True)
class Recalled:
    """A memory that the turn is told, the version of its text, and what it was ranked by."""

    memory: Memory
    version: Version
    score: float

    @property
    def asks_first(self) -> bool:
        """Whether the user is to be asked before it is acted on."""
        return self.version.asks_first


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """What a turn is told. ``text`` is all of it as a model reads it; the parts are the same.

    ``recalled`` are memories that the session has not in sight yet; ``working`` is what lies in its
    own namespace, ``findings`` what patrols left, ``outlines`` what sub-agents found, each without
    the values; ``turns`` are replayed, oldest first. ``left_out`` counts by part what the budget
    had no room for, ``tokens`` is what ``text`` takes, by estimate. ``message``: why nothing was
    recalled, where that is so. ``degraded``: why less was searched than could be.
    """

    session: str
    recalled: tuple[Recalled, ...]
    working: tuple[Heading, ...]
    findings: tuple[Heading, ...]
    outlines: tuple[Heading, ...]
    turns: tuple[Turn, ...]
    left_out: Mapping[str, int]
    tokens: int
    text: str
    degraded: str | None
    message: str | None = None


class GetContext(Input):
    """Build what one turn of a session is told: recall, working memory, the latest turns."""

    VERB: ClassVar[str] = "context"
    POSITIONAL: ClassVar[tuple[str, ...]] = ("session", "message")

    session: Session
    message: Annotated[
        str,
        Field(description="What was said, which is looked up in memory."),
        BeforeValidator(_message),
    ]

    def of_turn(
        self, standing: Standing, headings: Iterable[Heading], namespace: str | None
    ) -> "Turning":
        """The question with where the session stands, and what lies in working memory."""
        own = namespace or f"{keys.SESSION}/{self.session}"
        return Turning(self, standing, tuple(headings), own)


@dataclass(frozen=True, slots=True)
class Turning:
    """One turn: what it says, where its session stands, and what lies in working memory.

    ``own`` is the namespace that the session works in. A patrol's or a sub-agent's is told of its
    own alone; a user's session is told what patrols and sub-agents have left as well.
    """

    asked: GetContext
    standing: Standing
    headings: tuple[Heading, ...]
    own: str

    def answer(self, reading: Reading) -> Context:
        """The context, within the budget of the rules."""
        recalled, degraded, message = self._recalled(reading)
        is_a_users = keys.within(self.own, keys.SESSION)
        sections = Sections(
            recalled=recalled,
            working=self._under(self.own),
            findings=self._under(keys.PATROL) if is_a_users else (),
            outlines=tuple(
                heading
                for heading in self._under(keys.SUBAGENT)
                if is_a_users and heading.key.endswith(keys.INDEX)
            ),
            turns=self.standing.turns,
        )
        fitting, left_out, text, tokens = rendered(
            sections, reading.now, budget=reading.rules.talk.budget
        )
        return Context(
            session=self.asked.session,
            recalled=fitting.recalled,
            working=fitting.working,
            findings=fitting.findings,
            outlines=fitting.outlines,
            turns=fitting.turns,
            left_out=left_out,
            tokens=tokens,
            text=text,
            degraded=degraded,
            message=message,
        )

    def _under(self, prefix: str) -> tuple[Heading, ...]:
        return tuple(heading for heading in self.headings if keys.within(heading.key, prefix))

    def _recalled(self, reading: Reading) -> tuple[tuple[Recalled, ...], str | None, str | None]:
        """What is told, why less was searched than could be, and why nothing is told."""
        said, is_first = self.asked.message, self.standing.is_first
        found: list[Recalled] = []
        degraded: str | None = None
        message: str | None = NOT_LOOKED_UP
        if wants_recall(said, is_first=is_first) and not texts.is_blank(said):
            # what the session has in sight already must not take the place of what it has not
            limit = min(RECALLED + len(self.standing.shown), _MOST_SEARCHED)
            result = Search.of(query=said[:MAX_QUERY], limit=limit).answer(reading)
            found, degraded = self._unseen(reading, result.hits, RECALLED), result.degraded
            message = IN_SIGHT if result.hits else result.message
        if is_first and not found:
            latest = Search.of(limit=OPENING).answer(reading)
            found = self._unseen(reading, latest.hits, OPENING)
        return tuple(found), degraded, None if found else message

    def _unseen(self, reading: Reading, hits: Iterable[Hit], limit: int) -> list[Recalled]:
        by_id = {hit.memory.id: hit for hit in hits}
        found: list[tuple[Recalled, str, Version]] = []
        for state in reading.memories(by_id):
            hit = by_id[state.id]
            version = Version(state.text_version, asks_first(hit.memory))
            found.append((Recalled(hit.memory, version, hit.score), state.id, version))
        return unseen(found, self.standing.shown, limit)


def asks_first(memory: Memory) -> bool:
    """Whether a memory may be acted on only once the user has said so."""
    return memory.metadata.get(ASKS_FIRST, "").strip().casefold() == "true"
