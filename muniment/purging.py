"""The purge as a whole: ask, destroy the keys, forget everywhere, record.

The order is what makes it safe: from the request on every read answers as purged, and whoever dies
in between leaves a request that the next opening of the store, or the next purge, finishes.
"""

from collections import defaultdict
from dataclasses import dataclass

import structlog

from .commands.purge import CompletePurge, RequestPurge
from .domain.errors import StorageFailed
from .domain.identity import Identity, identity
from .domain.memory import forms
from .engine import Engine
from .queries.due_purges import DuePurges

_log = structlog.get_logger(__name__)

FINISHER = "system:retention"


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
    begun = _unfinished(engine)[acting.space]
    found = engine.ask(DuePurges.of(), acting)
    kept = list(found.protected)
    if dry_run:
        return PurgeReport([], kept, [*begun, *found.removable])
    requested = [
        asked
        for asked in engine.run_all([RequestPurge.of(id=id_) for id_ in found.removable], acting)
        if asked is not None
    ]
    return PurgeReport(list(_finish(engine, acting, [*begun, *requested])), kept, [])


def finish(engine: Engine) -> None:
    """Finishes the purges that somebody asked for and did not live to record.

    Where that fails for now, such as on a full disk, it is put off: what was asked for answers as
    purged all the same.
    """
    for space, streams in _unfinished(engine).items():
        try:
            _finish(engine, identity(space, FINISHER), streams)
        except StorageFailed as error:
            _log.warning("purge_put_off", code=error.code, reason=error.message, count=len(streams))


def _unfinished(engine: Engine) -> defaultdict[str, list[str]]:
    by_space: defaultdict[str, list[str]] = defaultdict(list)
    for stream, space in engine.store.rows.unfinished_removals():
        by_space[space].append(stream)
    return by_space


def _finish(engine: Engine, acting: Identity, streams: list[str]) -> tuple[str, ...]:
    """The ids whose end was recorded here; another process may have been faster with some."""
    if not streams:
        return ()
    derived = engine.evaluating.streams(acting.space, streams)
    keys = [engine.store.rows.key_of(stream) for stream in (*streams, *derived)]
    engine.store.keys.destroy(key for key in keys if key is not None)
    forms.forget()
    engine.models.purge(acting.space)
    if engine.meaning is not None:
        engine.meaning.forget(streams)
    engine.auditing.forget(acting.space)
    recorded = engine.run_all([CompletePurge.of(id=stream) for stream in streams], acting)
    return tuple(stream for stream in recorded if stream is not None)
