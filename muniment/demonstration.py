"""A story for newcomers: two agents, a sub-agent and a user, four months, one memory for all.

It acts on a store through the same face as everybody, by a clock of its own.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from .domain.errors import MergeRejected
from .domain.identity import commits_for, identity
from .engine import Engine
from .handle import Muniment
from .log.verify import Verification
from .queries.history import HistoryEntry
from .queries.log import LogEntry
from .queries.search import SearchResult

START = datetime(2026, 1, 5, 9, tzinfo=UTC)

ASSISTANT = "bot:assistant"
RESEARCHER = "bot:researcher"
USER = "manual"
PATROL = "bot:patrol"
SCOUT = "subagent:scout"
SESSION = "web-shop"

QUESTION = "when do deploys start?"


@dataclass(slots=True)
class StoryClock:
    """Tells the story's time, which moves when the story says so."""

    now: datetime = START

    def __call__(self) -> datetime:
        """The time of the story."""
        return self.now


@dataclass(frozen=True, slots=True)
class Scene:
    """One step: who does what and when, and what became of it."""

    at: datetime
    actor: str
    does: str
    outcome: str


@dataclass(frozen=True, slots=True)
class Link:
    """An event of the log with its link of the chain, in hex."""

    event: LogEntry
    chain: str


@dataclass(frozen=True, slots=True)
class Ending:
    """What there is to see once the story is over."""

    now: datetime
    question: str
    found: SearchResult
    read_by_agent: str
    context: str
    history: list[HistoryEntry]
    log: list[Link]
    verification: Verification


class Demonstration:
    """The story on a store that is empty so far; ``scenes`` plays it, ``ending`` looks at it.

    Args:
        engine: The store, told the time by ``clock``.
        clock: The story's.
    """

    def __init__(self, engine: Engine, clock: StoryClock) -> None:
        self._engine = engine
        self._clock = clock
        self._user = Muniment(engine, identity("default", USER), owns_engine=False)
        self._assistant = self._user.acting_as(ASSISTANT)
        self._researcher = self._user.acting_as(RESEARCHER)
        self._deploys = ""

    def scenes(self) -> Iterator[Scene]:
        """Plays the story, a scene at a time."""
        yield from self._january()
        yield from self._february()
        yield from self._april()
        yield from self._merging(self._user.search(category="user/work").hits[0].memory.id)
        yield from self._proposing()
        yield from self._may()

    def _january(self) -> Iterator[Scene]:
        said = "The web shop deploys start on Tuesdays at 3 pm"
        deploys = self._assistant.save(said, category="work/deploys", importance=0.7)
        self._deploys = deploys.id
        yield self._scene(
            ASSISTANT,
            f"is told and saves: “{said}”",
            f"{deploys.outcome}: nothing like it was known.",
        )
        said = "User works at Acme"
        self._assistant.save(said, category="user/work", importance=0.6)
        yield self._scene(ASSISTANT, f"saves: “{said}”", "created: another new fact.")

        self._later(days=4)
        said = "Web shop deploys start on Tuesdays at 15:00"
        again = self._researcher.save(said, category="work/deploys", importance=0.5)
        yield self._scene(
            RESEARCHER,
            f"hears it too and saves: “{said}”",
            f"{again.outcome}: the same in other words, provably, so it is counted"
            f" ({again.memory.reinforcement_count}×).",
        )
        self._later(days=8)
        said = "User works at Acme as a designer in Lisbon"
        more = self._researcher.save(said, category="user/work", importance=0.6)
        yield self._scene(
            RESEARCHER,
            f"learns more and saves: “{said}”",
            f"{more.outcome}: it only adds to what was known, so it is appended.",
        )

    def _february(self) -> Iterator[Scene]:
        self._later(days=20)
        said = "The web shop deploys start on Thursdays at 3 pm"
        corrected = self._user.save(said, category="work/deploys", importance=0.9)
        conflicts = ", ".join(id_[-12:] for id_ in corrected.conflicts_with)
        yield self._scene(
            USER,
            f"corrects it: “{said}”",
            f"{corrected.outcome}: another day is another fact, marked as in conflict with"
            f" {conflicts}.",
        )
        self._later(minutes=2)
        self._user.archive(self._deploys, "deploys moved to Thursdays")
        yield self._scene(
            USER,
            "archives the old one: “deploys moved to Thursdays”",
            "archived: searches find it no more, its history keeps it.",
        )
        self._later(minutes=3)
        revised = self._user.revise(
            corrected.id, "The web shop deploys start on Thursdays at 3 pm, after the standup"
        )
        yield self._scene(
            USER,
            "rewrites the new one: “…, after the standup”",
            f"revised: version {revised.version}; the words before it can still be read.",
        )

    def _april(self) -> Iterator[Scene]:
        work = self._user.search(category="user/work").hits[0].memory
        before = work.importance
        self._later(days=60)
        after = self._user.get(work.id).importance
        yield self._scene(
            "(time)",
            "passes: 60 days in which nobody mentions Acme",
            f"faded: its importance went from {before:.2f} to {after:.2f}, computed and never"
            " written.",
        )
        rescored = self._user.rescore(work.id, 0.9)
        yield self._scene(
            USER,
            "says that the job matters",
            f"rescored: {rescored.importance:.2f} from here on, until it fades again.",
        )

    def _merging(self, work: str) -> Iterator[Scene]:
        said = "Lunch is at noon on Fridays"
        lunch = self._researcher.save(said, category="user/work", importance=0.4).id
        yield self._scene(RESEARCHER, f"saves: “{said}”", "created: another new fact.")
        both = "User is a designer at Acme, with lunch at noon"
        try:
            self._assistant.merge([work, lunch], both)
        except MergeRejected as refused:
            yield self._scene(
                ASSISTANT,
                f"merges the two: “{both}”",
                f"refused: {', '.join(refused.missing)} would be lost, so both stay as they are.",
            )
        both = "User works at Acme as a designer in Lisbon; lunch is at noon on Fridays"
        merged = self._assistant.merge([work, lunch], both)
        yield self._scene(
            ASSISTANT,
            f"tries again: “{both}”",
            f"merged: one for two, with their counts ({merged.memory.reinforcement_count}×);"
            " either can be restored.",
        )

    def _proposing(self) -> Iterator[Scene]:
        self._later(days=3)
        said = "Nothing is released in the last week of June"
        scout = self._user.acting_as(SCOUT)
        proposal = scout.propose(said, category="work/releases", confidence="high")
        yield self._scene(
            SCOUT,
            f"may not write, and proposes: “{said}”",
            f"{proposal.state}: no search finds it until somebody who may write decides.",
        )
        self._later(minutes=30)
        decided = self._assistant.decide(proposal.number, "commit")
        yield self._scene(
            ASSISTANT,
            f"looks it over and commits proposal #{decided.number}",
            f"{decided.state}: a memory now, written as {commits_for(SCOUT)}, which says in the log"
            " that it was put forward by the scout; the decision stands there too.",
        )

    def _may(self) -> Iterator[Scene]:
        self._later(days=40)
        report = self._user.purge()
        yield self._scene(
            USER,
            "removes what was archived for longer than 90 days",
            f"purged: {', '.join(id_[-12:] for id_ in report.purged)}. Its key is destroyed, its"
            " words are gone from the log and from every copy of it; key backups from before are"
            " to end within 30 days.",
        )

    def ending(self) -> Ending:
        """What the agents, and an auditor, see after four months."""
        found = self._assistant.search(QUESTION)
        chain = self._chain()
        return Ending(
            now=self._clock.now,
            question=QUESTION,
            found=found,
            read_by_agent=self._assistant.agent_text(found),
            context=self._context(),
            history=self._user.history(self._deploys),
            log=[Link(event, chain[event.position]) for event in self._user.log()],
            verification=self._user.verify(),
        )

    def _context(self) -> str:
        """What the assistant's turn is told, with what a patrol and the user left for it."""
        patrol = self._user.acting_as(PATROL, namespace="patrol/heartbeat")
        patrol.working.save(
            "deploys", "The last one took 14 minutes", ttl=4 * 3_600, category="patrol-finding"
        )
        assistant = self._user.acting_as(ASSISTANT, namespace=f"session/{SESSION}")
        assistant.working.save("calendar", "Thursday: standup at 14:30", tags=["team"])
        assistant.conversation.append(SESSION, "user", "I am back from Lisbon!")
        assistant.conversation.append(SESSION, "assistant", "Welcome back.")
        return assistant.context(SESSION, QUESTION).text

    def _chain(self) -> dict[int, str]:
        with self._engine.store.datastore.transaction(commit=False) as cursor:
            cursor.execute("SELECT position, chain FROM events")
            return {position: chain.hex() for position, chain in cursor.fetchall()}

    def _later(self, *, days: int = 0, minutes: int = 0) -> None:
        self._clock.now += timedelta(days=days, minutes=minutes)

    def _scene(self, actor: str, does: str, outcome: str) -> Scene:
        return Scene(self._clock.now, actor, does, outcome)
