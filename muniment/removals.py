"""How words are removed for good: once that is asked for, destroy the keys, forget, record.

The order is what makes it safe: from the request on every read answers as purged, and whoever dies
in between leaves a request that the next opening of the store, or the next removal, finishes. A
vault that was put back from an old copy is brought to where the log is, before anything is served.
"""

from collections import defaultdict
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta

import structlog

from .commands.erase import CompleteErasure
from .commands.purge import CompletePurge
from .domain.erasure.state import erasure
from .domain.errors import StorageFailed
from .domain.identity import Identity, identity
from .domain.ports import Removal
from .engine import Engine
from .recall_retention import finish_recalls

_log = structlog.get_logger(__name__)

FINISHER = "system:retention"


@dataclass(slots=True)
class Unfinished:
    """What was asked for in a space and not recorded as done, by ids.

    ``words`` are the streams other than memories' that erasures want the words of.
    """

    memories: list[str] = field(default_factory=list[str])
    words: list[str] = field(default_factory=list[str])
    erasures: list[str] = field(default_factory=list[str])


def settle(engine: Engine) -> None:
    """Brings the vault to where the log is, and finishes what somebody did not live to record.

    Where that fails for now, such as on a full disk, it is put off: what was asked for answers as
    purged all the same.
    """
    with _put_off("purge_put_off"):
        _destroy_again(engine)
    for space, begun in unfinished(engine).items():
        with _put_off("purge_put_off", count=len(begun.memories) + len(begun.words)):
            finish(engine, identity(space, FINISHER))
    finish_recalls(engine)
    renew_master(engine)


@contextmanager
def _put_off(what: str, **figures: int) -> Generator[None, None, None]:
    try:
        yield
    except StorageFailed as error:
        _log.warning(what, code=error.code, reason=error.message, **figures)


def unfinished(engine: Engine) -> defaultdict[str, Unfinished]:
    """What was asked for and not recorded as done, by space."""
    rows, by_space = engine.store.rows, defaultdict[str, Unfinished](Unfinished)
    for stream, space in rows.unfinished_removals():
        by_space[space].memories.append(stream)
    for stream, space in rows.unfinished_words_removals():
        by_space[space].words.append(stream)
    for stream, space in rows.unfinished_erasures():
        by_space[space].erasures.append(stream)
    return by_space


def finish(engine: Engine, acting: Identity) -> tuple[str, ...]:
    """Finishes what was asked for in a space, erasures whole.

    Returns:
        The ids of those by the retention purge whose end was recorded here; another process may
        have been faster with some.
    """
    begun = unfinished(engine).get(acting.space)
    if begun is None:
        return ()
    erasures = [
        found for id_ in begun.erasures if (found := erasure(engine.store.history(id_))) is not None
    ]
    judged = engine.evaluating.streams(acting.space, begun.memories)
    _destroy_keys(engine, (*begun.memories, *begun.words), judged)
    requests = [found.request for found in erasures]
    _forget(engine, Removal(acting.space, begun.memories, requests))
    until = engine.store.keys.destroyed().backups_until
    for found in erasures:
        engine.run(CompleteErasure.of(id=found.id, key_backups_until=until), acting)
    whole = {id_ for request in requests for id_ in request.erased}
    alone = [CompletePurge.of(id=id_) for id_ in begun.memories if id_ not in whole]
    recorded = engine.run_all(alone, acting)
    return tuple(stream for stream in recorded if stream is not None)


def renew_master(engine: Engine) -> None:
    """Replaces the master key once backups of the keys from before a removal are due to end.

    Where that fails it is put off to the next time: a removal does not wait for it.
    """
    with _put_off("master_key_not_replaced"):
        until = engine.store.keys.destroyed().backups_until
        if until is not None and engine.now() >= until:
            engine.store.keys.rotate()


def _destroy_keys(engine: Engine, streams: Iterable[str], derived: Iterable[str] = ()) -> int:
    """Destroys the keys of memories, and of what a model was told and said of their words."""
    rows, days = engine.store.rows, engine.settings.log.key_backup_retention_days
    doomed, through = list(streams), rows.newest_removal()
    if _waiting(engine) - set(doomed):
        through = 0  # others are not destroyed yet, and a copy of the vault may be made meanwhile
    until = engine.now() + timedelta(days=days) if days > 0 else None
    keys = [key for stream in (*doomed, *derived) if (key := rows.key_of(stream)) is not None]
    return engine.store.keys.destroy(keys, through, until)


def _waiting(engine: Engine) -> set[str]:
    """The streams whose keys are to be destroyed and may not have been."""
    begun = unfinished(engine).values()
    return {stream for one in begun for stream in (*one.memories, *one.words)}


def _forget(engine: Engine, removal: Removal) -> None:
    for erasable in engine.erasables:
        erasable.forget(removal)


def _destroy_again(engine: Engine) -> None:
    """Destroys what an old copy of the vault, put back since, has of what was removed."""
    rows, keys = engine.store.rows, engine.store.keys
    if rows.newest_removal() <= keys.destroyed().through:
        return
    removed = rows.removed_streams() - _waiting(engine)
    if _destroy_keys(engine, removed):
        by_space: defaultdict[str, list[str]] = defaultdict(list)
        for stream, space in rows.spaces_of(removed):
            by_space[space].append(stream)
        for space, streams in by_space.items():
            _destroy_keys(engine, streams, engine.evaluating.streams(space, streams))
            _forget(engine, Removal(space, streams))
