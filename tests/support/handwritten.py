"""Logs written by hand, event by event, as no decision would write them."""

from datetime import datetime, timedelta
from typing import Any

from making import START, pending, saved

from muniment.domain.erasure import events as erasure
from muniment.domain.memory import events as e
from muniment.domain.proposal import events as p
from muniment.log.rows import Row
from muniment.log.store import Store
from muniment.proofs.proof import Proof, prove

SECOND = timedelta(seconds=1)


def stream(number: int) -> str:
    """The id of the memory of that number."""
    return f"01980000-0000-7000-8000-{number:012x}"


A, B, C, D, E, NOBODY = map(stream, (1, 2, 3, 4, 5, 99))


def archived(cause: e.ArchiveCause = "request", into: str | None = None, **how: Any) -> e.Archived:
    given: dict[str, Any] = {"reason": "stale"}
    return e.Archived(cause=cause, importance=0.5, merged_into=into, **(given | how))


def reinforced(**how: Any) -> e.Reinforced:
    given: dict[str, Any] = {
        "counted": True,
        "importance": 0.5,
        "trust": 3,
        "source_type": "owner",
    }
    return e.Reinforced(**(given | how))


class Handwritten:
    """A log in the making, a second between each two events, in a store of its own.

    Each event is by a command of its own unless ``command`` names one.
    """

    def __init__(self) -> None:
        self._store = Store(None, release="test", key_batch=16)
        self._versions: dict[str, int] = {}
        self._positions = 0

    def at(self, position: int) -> datetime:
        """When the event of a position is recorded."""
        return START + position * SECOND

    def say(self, id_: str, event: object, command: str | None = None, **envelope: Any) -> int:
        """Appends an event; its position."""
        self._positions += 1
        version = self._versions[id_] = self._versions.get(id_, 0) + 1
        given: dict[str, Any] = {"at": self.at(self._positions), "command_id": command}
        self._store.append([pending(event, id_, version, **(given | envelope))])
        return self._positions

    def save(self, *ids: str, **how: Any) -> None:
        """Appends the beginnings of memories."""
        for id_ in ids:
            self.say(id_, saved(f"This is {id_}", **how))

    def imported(self, id_: str, **how: Any) -> int:
        """Appends an import of something first and last seen at ``START``."""
        given: dict[str, Any] = {
            "format": "x",
            "content": "said long ago",
            "store": "semantic",
            "chars": 13,
            "importance": 0.5,
            "trust": 3,
            "source_type": "owner",
            "created_at": START,
            "last_seen_at": START,
            "updated_at": START,
            "scored_at": START,
            "reinforcement_count": 1,
            "access_count": 1,
            "last_accessed_at": START,
        }
        return self.say(id_, e.Imported(**(given | how)))

    def propose(self, id_: str, number: int, **envelope: Any) -> int:
        """Appends a proposal by a sub-agent."""
        made = p.Made(
            number=number,
            content="said by a sub-agent",
            store="semantic",
            confidence="medium",
            source_type="agent",
            chars=19,
            expires_at=START + timedelta(days=7),
        )
        return self.say(id_, made, **({"actor": "subagent:scout"} | envelope))

    def commit(self, proposal: str, memory: str, **envelope: Any) -> int:
        """Appends that a proposal went into a memory."""
        return self.say(proposal, p.Committed(memory=memory), **envelope)

    def come_of(self, proposal: str, memory: str, **envelope: Any) -> int:
        """Appends the memory that comes of a proposal."""
        given = {"actor": "bot:commit-from:scout", "correlation_id": proposal}
        return self.say(memory, saved("said by a sub-agent"), **(given | envelope))

    def merge(self, into: str, *sources: str, **how: Any) -> int:
        """Appends a merge of memories that were saved one after another from the first position."""
        given: dict[str, Any] = {
            "content": "all of it",
            "store": "semantic",
            "chars": 9,
            "importance": 0.5,
            "trust": 3,
            "source_type": "owner",
            "merged_from": sources,
            "source_versions": (1,) * len(sources),
            "created_at": self.at(1),
            "last_seen_at": self.at(len(sources)),
            "reinforcement_count": len(sources),
            "access_count": len(sources),
            "last_accessed_at": self.at(len(sources)),
            "specifics": 0,
        }
        return self.say(into, e.Merged(**(given | how)), "merging")

    def absorb(self, into: str, *sources: str, cause: e.ArchiveCause = "merge") -> None:
        """Appends the archives of what was merged or folded."""
        for source in sources:
            self.say(source, archived(cause, into), "merging")

    def fold(self, into: str, *copies: str, **how: Any) -> int:
        """Appends a fold of memories that were saved one after another from the first position."""
        given: dict[str, Any] = {
            "folded": copies,
            "counts": (1,) * len(copies),
            "importance": 0.5,
            "trust": 3,
            "created_at": self.at(1),
            "last_seen_at": self.at(len(copies) + 1),
        }
        return self.say(into, e.Folded(**(given | how)), "merging")

    def request(self, id_: str, *, days: float = 90, late: float = 1, **how: Any) -> int:
        """Appends a request to purge what was archived by the event before, when it is due."""
        archived_at = self.at(self._positions)
        given: dict[str, Any] = {"archived_at": archived_at, "retention_days": days}
        moment = archived_at + timedelta(days=days + late)
        envelope = {key: how.pop(key) for key in ("actor",) if key in how}
        event = removal(e.PurgeRequested, **(given | how))
        return self.say(id_, event, at=moment, **envelope)

    def purge(self, id_: str, **how: Any) -> int:
        """Appends the end of the purge that was requested by the event before."""
        asked = self.rows()[-1]
        archived_at = self.at(self._positions - 1)
        given: dict[str, Any] = {"archived_at": archived_at, "retention_days": 90.0}
        event = removal(e.Purged, **(given | how))
        return self.say(id_, event, at=datetime.fromisoformat(asked.recorded_at))

    def erase(self, erasure_id: str, *ids: str, **how: Any) -> int:
        """Appends the request of an erasure; the requests on its memories are not said by it."""
        given: dict[str, Any] = {
            "scope": "memory",
            "basis": "gdpr-17",
            "policy": "cascade",
            "named": ids[:1],
            "erased": ids,
        }
        return self.say(erasure_id, erasure.Requested(**(given | how)), "erasing")

    def erased(self, *ids: str, **envelope: Any) -> None:
        """Appends the request on each memory of an erasure."""
        for id_ in ids:
            self.say(id_, removal(e.PurgeRequested, basis="erasure"), "erasing", **envelope)

    def end(self, *ids: str) -> None:
        """Appends the end of each memory of an erasure."""
        for id_ in ids:
            self.say(id_, removal(e.Purged, basis="erasure"), actor="system:retention")

    def rows(self) -> list[Row]:
        """What is in the store."""
        return list(self._store.rows.rows())

    def proof(self, altered: int | None = None, **columns: Any) -> Proof:
        """The proof of it; with columns of one position altered, if asked for."""
        rows = self.rows()
        if altered is not None:
            rows[altered - 1] = rows[altered - 1]._replace(**columns)
        return prove(rows)

    def key(self, key_id: int) -> bytes | None:
        """The key of an id."""
        return self._store.keys.get(key_id)

    def close(self) -> None:
        """Ends the store."""
        self._store.close()


def removal(kind: type, **how: Any) -> Any:
    given: dict[str, Any] = {
        "basis": "retention",
        "importance": 0.5,
        "reinforcement_count": 1,
        "policy": "test",
    }
    return kind(**(given | how))
