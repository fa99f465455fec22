"""The purge as a whole: ask, destroy the keys, forget everywhere, record.

The order is what makes it safe: from the request on every read answers as purged, and whoever dies
in between leaves a request that the next opening of the store, or the next purge, finishes.
"""

from collections import defaultdict
from dataclasses import dataclass

from .commands.purge import CompletePurge, RequestPurge
from .domain.identity import Identity, identity
from .domain.memory import forms
from .engine import Engine
from .queries.due_purges import DuePurges

FINISHER = "system:retention"


@dataclass(frozen=True, slots=True)
class PurgeReport:
    """Ids: whose words were removed, which were due but protected, and which are due in all."""

    purged: tuple[str, ...]
    kept: tuple[str, ...]
    due: tuple[str, ...]


def purge(engine: Engine, acting: Identity, *, dry_run: bool) -> PurgeReport:
    """Removes the words of what was archived for longer than archived ones are kept."""
    found = engine.ask(DuePurges.of(), acting)
    due = (*found.removable, *found.protected)
    if dry_run or not found.removable:
        return PurgeReport((), found.protected, due)
    requested = [
        asked
        for asked in engine.run_all([RequestPurge.of(id=id_) for id_ in found.removable], acting)
        if asked is not None
    ]
    _finish(engine, acting, requested)
    return PurgeReport(tuple(requested), found.protected, due)


def finish(engine: Engine) -> None:
    """Finishes the purges that somebody asked for and did not live to record."""
    by_space: defaultdict[str, list[str]] = defaultdict(list)
    for stream, space in engine.store.rows.unfinished_removals():
        by_space[space].append(stream)
    for space, streams in by_space.items():
        _finish(engine, identity(space, FINISHER), streams)


def _finish(engine: Engine, acting: Identity, streams: list[str]) -> None:
    if not streams:
        return
    keys = [engine.store.rows.key_of(stream) for stream in streams]
    engine.store.keys.destroy(key for key in keys if key is not None)
    forms.forget()
    engine.models.purge(acting.space)
    engine.run_all([CompletePurge.of(id=stream) for stream in streams], acting)
