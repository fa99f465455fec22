"""The purge of recalls: asked for, keys destroyed, forgotten everywhere, recorded; see purging."""

from collections import defaultdict

import structlog

from .commands.purge_recalls import CompleteRecallPurge, RequestRecallPurge
from .domain.errors import StorageFailed
from .domain.identity import Identity, identity
from .domain.inputs import Input
from .engine import Engine
from .queries.reading import Reading

_log = structlog.get_logger(__name__)

FINISHER = "system:retention"


class DueRecalls(Input):
    """Streams of recalls that are older than recalls are kept."""

    retention_days: float

    def answer(self, reading: Reading) -> list[str]:
        """Their ids, in the order of their beginnings."""
        with reading.lock:
            return reading.recall_log().due(reading.now, self.retention_days)


def purge_recalls(engine: Engine, acting: Identity, *, dry_run: bool) -> list[str]:
    """Removes the words of recalls that are due; the streams that it was, or would be, done to."""
    days = engine.settings.recall.retention_days
    begun = _unfinished(engine)[acting.space]
    due = engine.ask(DueRecalls.of(retention_days=days), acting)
    if dry_run:
        return [*begun, *due]
    requests = [RequestRecallPurge.of(stream=one, retention_days=days) for one in due]
    requested = [one for one in engine.run_all(requests, acting) if one is not None]
    return _finish(engine, acting, [*begun, *requested])


def finish_recalls(engine: Engine) -> None:
    """Finishes the purges of recalls that somebody asked for and did not live to record."""
    for space, streams in _unfinished(engine).items():
        try:
            _finish(engine, identity(space, FINISHER), streams)
        except StorageFailed as error:
            _log.warning("purge_put_off", code=error.code, reason=error.message, count=len(streams))


def _unfinished(engine: Engine) -> defaultdict[str, list[str]]:
    by_space: defaultdict[str, list[str]] = defaultdict(list)
    for stream, space in engine.store.rows.unfinished_recall_removals():
        by_space[space].append(stream)
    return by_space


def _finish(engine: Engine, acting: Identity, streams: list[str]) -> list[str]:
    """The streams whose end was recorded here; another process may have been faster with some."""
    if not streams:
        return []
    keys = [engine.store.rows.key_of(stream) for stream in streams]
    engine.store.keys.destroy(key for key in keys if key is not None)
    engine.models.purge(acting.space)
    completed = [CompleteRecallPurge.of(stream=one) for one in streams]
    return [one for one in engine.run_all(completed, acting) if one is not None]
