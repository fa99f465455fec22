"""The retention purge as a whole: ask for what is due, and see it removed."""

from dataclasses import dataclass, field

from . import removals
from .commands.purge import RequestPurge
from .domain.identity import Identity
from .engine import Engine
from .queries.due_purges import DuePurges
from .recall_retention import purge_recalls


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
    """Removes the words of what was archived for longer than archived ones are kept."""
    begun = removals.unfinished(engine)[acting.space]
    recalls = purge_recalls(engine, acting, dry_run=dry_run)
    found = engine.ask(DuePurges.of(), acting)
    kept = list(found.protected)
    if dry_run:
        return PurgeReport([], kept, [*begun, *found.removable], recalls)
    removals.renew_master(engine)
    requested = [
        asked
        for asked in engine.run_all([RequestPurge.of(id=id_) for id_ in found.removable], acting)
        if asked is not None
    ]
    return PurgeReport(
        list(removals.finish(engine, acting, [*begun, *requested])), kept, [], recalls
    )
