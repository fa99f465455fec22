"""The retention purge as a whole: ask for what is due, and see it removed."""

from dataclasses import dataclass

from . import removals
from .commands.purge import RequestPurge
from .domain.identity import Identity
from .engine import Engine
from .queries.due_purges import DuePurges


@dataclass(frozen=True, slots=True)
class PurgeReport:
    """Ids: whose words were removed, which are kept though their time is over, and which are due.

    ``due`` is what a run removes; after one it is empty.
    """

    purged: list[str]
    kept: list[str]
    due: list[str]


def purge(engine: Engine, acting: Identity, *, dry_run: bool) -> PurgeReport:
    """Removes the words of what was archived for longer than archived ones are kept."""
    begun = removals.unfinished(engine)[acting.space]
    found = engine.ask(DuePurges.of(), acting)
    kept = list(found.protected)
    if dry_run:
        return PurgeReport([], kept, [*begun, *found.removable])
    removals.renew_master(engine)
    requested = [
        asked
        for asked in engine.run_all([RequestPurge.of(id=id_) for id_ in found.removable], acting)
        if asked is not None
    ]
    return PurgeReport(list(removals.finish(engine, acting, [*begun, *requested])), kept, [])
