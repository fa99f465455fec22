"""How words are removed for good: once that is asked for, destroy the keys, forget, record.

The order is what makes it safe: from the request on every read answers as purged, and whoever dies
in between leaves a request that the next opening of the store, or the next removal, finishes. A
vault that was put back from an old copy is brought to where the log is, before anything is served.
"""

from collections import defaultdict
from collections.abc import Generator, Iterable, Sequence
from contextlib import contextmanager
from datetime import timedelta

import structlog

from .commands.erase import CompleteErasure
from .commands.purge import CompletePurge
from .domain.erasure.state import Erasure, erasure
from .domain.errors import StorageFailed
from .domain.identity import Identity, identity
from .engine import Engine
from .log.desk import read_clock

_log = structlog.get_logger(__name__)

FINISHER = "system:retention"


def settle(engine: Engine) -> None:
    """Brings the vault to where the log is, and finishes what somebody did not live to record.

    Where that fails for now, such as on a full disk, it is put off: what was asked for answers as
    purged all the same.
    """
    with _put_off("purge_put_off"):
        _destroy_again(engine)
    for space, streams in unfinished(engine).items():
        with _put_off("purge_put_off", count=len(streams)):
            finish(engine, identity(space, FINISHER), streams)
    renew_master(engine)


@contextmanager
def _put_off(what: str, **figures: int) -> Generator[None, None, None]:
    try:
        yield
    except StorageFailed as error:
        _log.warning(what, code=error.code, reason=error.message, **figures)


def unfinished(engine: Engine) -> defaultdict[str, list[str]]:
    """What was asked for and not recorded as done, by space."""
    by_space: defaultdict[str, list[str]] = defaultdict(list)
    for stream, space in engine.store.rows.unfinished_removals():
        by_space[space].append(stream)
    return by_space


def finish(engine: Engine, acting: Identity, streams: Sequence[str]) -> tuple[str, ...]:
    """Finishes removals of a space, erasures whole.

    Returns:
        The ids of those by the retention purge whose end was recorded here; another process may
        have been faster with some.
    """
    if not streams:
        return ()
    whole, alone = _by_erasure(engine, streams)
    _destroy_keys(engine, streams)
    _forget(engine, acting.space, streams)
    until = engine.store.keys.destroyed().backups_until
    for id_ in whole:
        engine.run(CompleteErasure.of(id=id_, key_backups_until=until), acting)
    recorded = engine.run_all([CompletePurge.of(id=stream) for stream in alone], acting)
    return tuple(stream for stream in recorded if stream is not None)


def renew_master(engine: Engine) -> None:
    """Replaces the master key once backups of the keys from before a removal are due to end.

    Where that fails it is put off to the next time: a removal does not wait for it.
    """
    with _put_off("master_key_not_replaced"):
        until = engine.store.keys.destroyed().backups_until
        if until is not None and read_clock(engine.clock()) >= until:
            engine.store.keys.rotate()


def _destroy_keys(engine: Engine, streams: Iterable[str]) -> int:
    rows, days = engine.store.rows, engine.settings.log.key_backup_retention_days
    doomed, through = list(streams), rows.newest_removal()
    if {stream for stream, _ in rows.unfinished_removals()} - set(doomed):
        through = 0  # others are not destroyed yet, and a copy of the vault may be made meanwhile
    until = read_clock(engine.clock()) + timedelta(days=days) if days > 0 else None
    keys = [key for stream in doomed if (key := rows.key_of(stream)) is not None]
    return engine.store.keys.destroy(keys, through, until)


def _forget(engine: Engine, space: str, streams: Sequence[str]) -> None:
    for erasable in engine.erasables:
        erasable.forget(space, streams)


def _destroy_again(engine: Engine) -> None:
    """Destroys what an old copy of the vault, put back since, has of what was removed."""
    rows, keys = engine.store.rows, engine.store.keys
    if rows.newest_removal() <= keys.destroyed().through:
        return
    waiting = {stream for streams in unfinished(engine).values() for stream in streams}
    removed = rows.removed_streams() - waiting
    if _destroy_keys(engine, removed):
        by_space: defaultdict[str, list[str]] = defaultdict(list)
        for memory in engine.store.memories(removed).values():
            by_space[memory.space].append(memory.id)
        for space, streams in by_space.items():
            _forget(engine, space, streams)


def _by_erasure(engine: Engine, streams: Sequence[str]) -> tuple[list[str], list[str]]:
    """The erasures that some removals are part of, and the removals that stand alone."""
    memories = engine.store.memories(streams)
    whole: list[str] = []
    alone: list[str] = []
    known = set[str]()
    for stream in streams:
        if stream in known:
            continue
        memory = memories.get(stream)
        asked = None if memory is None else memory.removal
        of_one = asked is not None and asked.basis == "erasure"
        found = _erasure_of(engine, stream) if of_one else None
        if found is None:
            alone.append(stream)
        else:
            whole.append(found.id)
            known.update(found.request.erased)
    return whole, alone


def _erasure_of(engine: Engine, stream: str) -> Erasure | None:
    id_ = engine.store.rows.erasure_of(stream)
    return None if id_ is None else erasure(engine.store.history(id_))
