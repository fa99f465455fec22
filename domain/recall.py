"""What was recalled into an agent's context, and for how long that is kept.

The recalls of a session by an agent in a month are one stream, and so lie under one key.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import ClassVar, TypeAlias

from .recorded import Words


@dataclass(frozen=True, slots=True, kw_only=True)
class Recall:
    """One recall: when, and the ids of the memories that it brought, the best first.

    ``versions`` says which version of each was brought, ``scores`` what each was ranked by.
    """

    at: datetime
    memories: tuple[str, ...] = ()
    versions: tuple[int, ...] = ()
    scores: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Recalled:
    """Memories came into the context of ``agent`` (None: the actor) in a session.

    ``queries`` has what each recall asked for; None where it browsed.
    """

    NAME: ClassVar[str] = "session.recalled"
    SCHEMA: ClassVar[int] = 1

    recalls: tuple[Recall, ...]
    agent: str | None = None
    session: Words[str] = ""
    queries: Words[tuple[str | None, ...]] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Removal:
    """The evidence that the words of a stream are due: its newest recall, the days of retention."""

    newest_at: datetime
    retention_days: float


@dataclass(frozen=True, slots=True, kw_only=True)
class PurgeRequested(_Removal):
    """The key of a stream of recalls is about to be destroyed."""

    NAME: ClassVar[str] = "session.purge_requested"
    SCHEMA: ClassVar[int] = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Purged(_Removal):
    """It has been: the session's name and the queries are gone, which memories were is kept."""

    NAME: ClassVar[str] = "session.purged"
    SCHEMA: ClassVar[int] = 1


Event: TypeAlias = Recalled | PurgeRequested | Purged


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A recall that is to be recorded, with what it asked for."""

    query: str | None
    recall: Recall


@dataclass(frozen=True, slots=True, kw_only=True)
class Stream:
    """A stream of recalls as its events say it is.

    ``session`` is None once its words are gone, or about to be. ``month`` is that of its beginning,
    as 2026-03. ``removal`` is the evidence of a purge that was asked for.
    """

    id: str
    session: str | None
    agent: str
    month: str
    version: int
    newest_at: datetime
    removal: PurgeRequested | None = None
    is_purged: bool = False


def month(moment: datetime) -> str:
    """The month that a moment, in UTC, lies in."""
    return f"{moment:%Y-%m}"


def record(actor: str, agent: str, session: str, asked: Sequence[Asked]) -> list[Recalled]:
    """What an agent recalled in a session is recorded."""
    if not asked:
        return []
    return [
        Recalled(
            agent=None if agent == actor else agent,
            session=session,
            queries=tuple(one.query for one in asked),
            recalls=tuple(one.recall for one in asked),
        )
    ]


def is_due(stream: Stream, now: datetime, retention_days: float) -> bool:
    """Whether the newest recall of a stream is older than recalls are kept; 0 days: for ever."""
    if stream.removal is not None or stream.is_purged or retention_days <= 0:
        return False
    return now - stream.newest_at > timedelta(days=retention_days)


def request_purge(stream: Stream, now: datetime, retention_days: float) -> list[PurgeRequested]:
    """Ask for the key of a stream that is due to be destroyed."""
    if not is_due(stream, now, retention_days):
        return []
    return [PurgeRequested(newest_at=stream.newest_at, retention_days=retention_days)]


def complete_purge(stream: Stream) -> list[Purged]:
    """Record that the key has been destroyed, with the evidence of the request."""
    asked = stream.removal
    if asked is None or stream.is_purged:
        return []
    return [Purged(newest_at=asked.newest_at, retention_days=asked.retention_days)]
