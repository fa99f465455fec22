"""How words are removed for good: once that is asked for, destroy the keys, forget, record.

The order is what makes it safe: from the request on every read answers as purged, and whoever dies
in between leaves a request that the next opening of the store, or the next removal, finishes. A
vault that was put back from an old copy is brought to where the log is, before anything is served.
"""

from collections import defaultdict
from collections.abc import Generator, Iterable, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta

import structlog

from .commands.erase import CompleteErasure
from .commands.purge import CompletePurge
from .commands.purge_recalls import CompleteRecallPurge
from .domain.erasure.state import erasure
from .domain.errors import StorageFailed
from .domain.identity import Identity, identity
from .domain.ports import Removal
from .engine import Engine

_log = structlog.get_logger(__name__)

FINISHER = "system:retention"


@dataclass(slots=True)
class Unfinished:
    """What was asked for in a space and not recorded as done, by ids.

    ``recalls`` are streams of recalls that retention removes the words of, ``words`` the streams
    other than memories' that erasures want those of.
    """

    memories: list[str] = field(default_factory=list[str])
    recalls: list[str] = field(default_factory=list[str])
    words: list[str] = field(default_factory=list[str])
    erasures: list[str] = field(default_factory=list[str])


@dataclass(frozen=True, slots=True)
class Finished:
    """What retention removed, by ids, the end of which was recorded here.

    Another process may have been faster with some.
    """

    memories: Sequence[str] = ()
    recalls: Sequence[str] = ()


def settle(engine: Engine) -> None:
    """Brings the vault to where the log is, and finishes what somebody did not live to record.

    Where that fails for now, such as on a full disk, it is put off: what was asked for answers as
    purged all the same.
    """
    with _put_off("purge_put_off"):
        _destroy_again(engine)
    for space, begun in unfinished(engine).items():
        count = len(begun.memories) + len(begun.recalls) + len(begun.words)
        with _put_off("purge_put_off", count=count):
            finish(engine, identity(space, FINISHER))
    renew_master(engine)


@contextmanager
def _put_off(what: str, **figures: int) -> Generator[None, None, None]:
    try:
        yield
    except StorageFailed as error:
        _log.warning(what, code=error.code, reason=error.message, **figures)


def unfinished(engine: Engine) -> defaultdict[str, Unfinished]:
    """What was asked for and not recorded as done, by space."""
    rows, by_space = engine.store.rows.removals, defaultdict[str, Unfinished](Unfinished)
    for stream, space in rows.unfinished_memories():
        by_space[space].memories.append(stream)
    for stream, space in rows.unfinished_recalls():
        by_space[space].recalls.append(stream)
    for stream, space in rows.unfinished_words():
        by_space[space].words.append(stream)
    for stream, space in rows.unfinished_erasures():
        by_space[space].erasures.append(stream)
    return by_space


def finish(engine: Engine, acting: Identity) -> Finished:
    """Finishes what was asked for in a space, erasures whole."""
    begun = unfinished(engine).get(acting.space)
    if begun is None:
        return Finished()
    erasures = [
        found for id_ in begun.erasures if (found := erasure(engine.store.history(id_))) is not None
    ]
    judged = engine.evaluating.streams(acting.space, begun.memories)
    _destroy_keys(engine, (*begun.memories, *begun.words), judged)
    if begun.recalls:  # the vault does not remember how far these were destroyed
        engine.store.keys.destroy(_key_ids(engine, begun.recalls))
    requests = [found.request for found in erasures]
    _forget(engine, Removal(acting.space, begun.memories, requests))
    until = engine.store.keys.destroyed().backups_until
    for found in erasures:
        engine.run(CompleteErasure.of(id=found.id, key_backups_until=until), acting)
    whole = {id_ for request in requests for id_ in request.erased}
    completed: list[CompletePurge | CompleteRecallPurge] = [
        *(CompletePurge.of(id=id_) for id_ in begun.memories if id_ not in whole),
        *(CompleteRecallPurge.of(stream=stream) for stream in begun.recalls),
    ]
    recorded = set(engine.run_all(completed, acting))
    return Finished(
        memories=[id_ for id_ in begun.memories if id_ in recorded],
        recalls=[stream for stream in begun.recalls if stream in recorded],
    )


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
    days = engine.settings.log.key_backup_retention_days
    doomed, through = list(streams), engine.store.rows.removals.newest()
    if _waiting(engine) - set(doomed):
        through = 0  # others are not destroyed yet, and a copy of the vault may be made meanwhile
    until = engine.now() + timedelta(days=days) if days > 0 else None
    return engine.store.keys.destroy(_key_ids(engine, (*doomed, *derived)), through, until)


def _key_ids(engine: Engine, streams: Iterable[str]) -> list[int]:
    """The keys that the words of streams are under."""
    key_of = engine.store.rows.key_of
    return [key for stream in streams if (key := key_of(stream)) is not None]


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
    if rows.removals.newest() <= keys.destroyed().through:
        return
    removed = rows.removals.streams() - _waiting(engine)
    if _destroy_keys(engine, removed):
        by_space: defaultdict[str, list[str]] = defaultdict(list)
        for stream, space in rows.spaces_of(removed):
            by_space[space].append(stream)
        for space, streams in by_space.items():
            _destroy_keys(engine, streams, engine.evaluating.streams(space, streams))
            _forget(engine, Removal(space, streams))
