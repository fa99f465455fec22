"""The retention purge as a whole: ask for what is due, and see it removed."""

from dataclasses import dataclass, field

from . import removals
from .commands.purge import RequestPurge
from .commands.purge_recalls import RequestRecallPurge
from .domain.identity import Identity
from .engine import Engine
from .queries.due_purges import DuePurges
from .queries.due_recalls import DueRecalls


@dataclass(frozen=True, slots=True)
class PurgeReport:
    """Ids: whose words were removed, which are kept though their time is over, and which are due.

    ``due`` is what a run removes; after one it is empty. ``recalls`` are the streams of the recall
    log whose words were removed, or by a dry run would be, as older than recalls are kept.
    """

    purged: list[str]
    kept: list[str]
    due: list[str]
    recalls: list[str] = field(default_factory=list[str])


def purge(engine: Engine, acting: Identity, *, dry_run: bool) -> PurgeReport:
    """Removes the words of what was archived, or recalled, longer ago than that is kept."""
    begun, days = removals.unfinished(engine)[acting.space], engine.settings.recall.retention_days
    found = engine.ask(DuePurges.of(), acting)
    recalls = engine.ask(DueRecalls.of(retention_days=days), acting)
    kept = list(found.protected)
    if dry_run:
        return PurgeReport(
            [], kept, [*begun.memories, *found.removable], [*begun.recalls, *recalls]
        )
    removals.renew_master(engine)
    requests: list[RequestRecallPurge | RequestPurge] = [
        *(RequestRecallPurge.of(stream=stream, retention_days=days) for stream in recalls),
        *(RequestPurge.of(id=id_) for id_ in found.removable),
    ]
    engine.run_all(requests, acting)
    done = removals.finish(engine, acting)
    return PurgeReport(list(done.memories), kept, [], list(done.recalls))
