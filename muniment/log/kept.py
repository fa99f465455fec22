"""The kept state of projections: files under ``cache/`` from which a large store opens fast.

A kept state is a cache. It is used only where everything fits: the store, the space, the release,
the projection's version, its key, every byte, and the chain of the log at its position. Otherwise
it is left out, which is logged, and the projection is made from the log.

One key of the vault, the *cache key*, seals all the states of a space, so that destroying it ends
every copy of them. A state lies in one file, or in several of at most 64 MiB; the first one names
the others by its salt, and is put in place last, so that a reader meets a whole state or none.
"""

import secrets
import threading
import unicodedata
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Final, NamedTuple

import regex
import Stemmer  # type: ignore[import-not-found]  # it comes without types
import structlog

from muniment.domain import recall
from muniment.domain.errors import StorageFailed
from muniment.domain.memory.events import PurgeRequested
from muniment.projections.parts import Part, Parts

from .datastore import typed_errors
from .kept_files import Folder, Replaced, hashed
from .lock import LogLock
from .sealed_parts import Layout, Stamp, Unreadable, opened, sealed
from .store import Store

_log = structlog.get_logger(__name__)

_TRIES: Final = 5


class Kept(NamedTuple):
    """The parts of a projection as of a position of the log; ``salt`` is its state's."""

    salt: str
    position: int
    parts: dict[str, Part]


class KeptStates:
    """The kept states of one store.

    Args:
        store: The log that they are of; one in a directory.
        directory: The data directory.
        release: What makes the states; those of another release are not used.
        lock_timeout: Seconds to wait for another process that keeps or purges.
        is_on: Whether states are read and written; ``forget`` works all the same.
    """

    def __init__(
        self,
        store: Store,
        directory: Path,
        *,
        release: str,
        lock_timeout: float = 10.0,
        is_on: bool = True,
    ) -> None:
        self._store = store
        self._folder = Folder(directory / "cache")
        self._lock_path = directory / "cache.lock"
        self._lock_timeout = lock_timeout
        self._holder: int | None = None
        self._is_on = is_on
        self._left_out: set[str] = set()
        # how texts become terms is decided by these as much as by our own code
        self._maker = (
            f"{release}, Unicode {unicodedata.unidata_version}, regex {regex.__version__},"
            f" Stemmer {Stemmer.version()}"  # pyright: ignore[reportUnknownMemberType]
        )

    @property
    def may_write(self) -> bool:
        """Whether this handle keeps states at all."""
        return self._is_on and not self._store.read_only

    @contextmanager
    def locked(self, timeout: float | None = None) -> Generator[None, None, None]:
        """Holds ``cache.lock``; the thread that holds it may hold it again.

        Raises:
            StorageFailed: ``busy`` once the timeout is over.
        """
        if self._holder == threading.get_ident():
            yield
            return
        with typed_errors():
            lock = LogLock(self._lock_path, self._lock_timeout)
        try:
            with lock.held(timeout):
                self._holder = threading.get_ident()
                try:
                    yield
                finally:
                    self._holder = None
        finally:
            lock.close()

    # reading

    def load(self, space: str, projection: str, version: int) -> Kept | None:
        """The kept state of a projection; None where there is none that can be used."""
        if not self._is_on:
            return None
        for _ in range(_TRIES):
            stamp = None
            try:
                stamp = self._folder.stamp(space, projection)
                if stamp is None:
                    return None
                key = self._require(stamp, space, projection, version)
                parts = opened(self._folder.chunks(stamp), stamp, key)
                return Kept(stamp.salt, stamp.position, parts)
            except Replaced:
                continue
            except (Unreadable, OSError, StorageFailed) as error:
                self.left_out(projection, str(error), stamp.salt if stamp else "")
                return None
        self.left_out(projection, "it was replaced again and again while it was read", "")
        return None

    def position(self, space: str, projection: str, version: int) -> int:
        """The position of a state that can be used as far as is known; 0 without one."""
        try:
            stamp = self._folder.stamp(space, projection)
            if stamp is None:
                return 0
            self._require(stamp, space, projection, version)
        except (Unreadable, OSError, StorageFailed):
            return 0
        return 0 if stamp.salt in self._left_out else stamp.position

    def projections(self, space: str) -> set[str]:
        """The projections of a space that have a file, of whatever use it is."""
        return self._folder.projections(space)

    def left_out(self, projection: str, reason: str, salt: str) -> None:
        """Says that a state is not used; from here on it counts as none."""
        self._left_out.add(salt)
        _log.info("kept_state_left_out", projection=projection, reason=reason)

    def _require(self, stamp: Stamp, space: str, projection: str, version: int) -> bytes:
        """The cache key of a state that fits by its stamp."""
        expected = {
            "store": self._store.id,
            "space": hashed(space),
            "projection": projection,
            "version": version,
            "maker": self._maker,
        }
        for name, wanted in expected.items():
            if getattr(stamp, name) != wanted:
                raise Unreadable(f"its {name} is another")
        if self._chain(stamp.position) != stamp.chain:
            raise Unreadable("the log is not the one that it was made from")
        key = self._store.keys.get(stamp.key)
        if key is None:
            raise Unreadable("its key is gone")
        return key

    def _chain(self, position: int) -> str | None:
        if not 0 < position < 1 << 63:
            return None
        with typed_errors(), self._store.datastore.transaction(commit=False) as cursor:
            cursor.execute("SELECT chain FROM events WHERE position = ?", (position,))
            found = cursor.fetchone()
            return found[0].hex() if found and isinstance(found[0], bytes) else None

    # writing; the lock is held

    def write(self, space: str, projection: str, version: int, position: int, parts: Parts) -> bool:
        """Puts a state in place of the one that is there; whether it was.

        It is not where the space has been asked to purge something after ``position``.

        Raises:
            StorageFailed: ``full``, ``io_error``, or what the vault raises.
        """
        chain = self._chain(position)
        if not self.may_write or chain is None:
            return False
        key_id, key = self._cache_key(space)
        layout = Layout(parts)
        stamp = Stamp(
            store=self._store.id,
            space=hashed(space),
            projection=projection,
            version=version,
            maker=self._maker,
            position=position,
            chain=chain,
            key=key_id,
            salt=secrets.token_hex(16),
            size=layout.size,
        )
        with typed_errors():
            self._folder.clean()
            try:
                paths = self._folder.prepare(stamp, sealed(layout, stamp, key))
                # a purge that is asked for later waits for the lock, and then finds this state
                is_current = not self._purge_was_asked(space, position)
                if is_current:
                    self._folder.put_in_place(paths)
            finally:
                self._folder.clean()
        return is_current

    def forget(self, space: str) -> None:
        """Destroys the cache key of a space, and then deletes its states.

        Raises:
            StorageFailed: ``read_only``, ``io_error``, or what the vault raises.
        """
        with typed_errors():
            keys = self._folder.keys(space)
            if keys:
                self._store.keys.destroy(keys - self._keys_of_the_log(keys))
            self._folder.delete(space)

    def _cache_key(self, space: str) -> tuple[int, bytes]:
        """The key that the states of a space are under, or a fresh one."""
        with typed_errors():
            named = self._folder.keys(space)
        for key_id in named - self._keys_of_the_log(named):
            key = self._store.keys.get(key_id)
            if key is not None:
                return key_id, key
        return self._store.keys.take()

    def _keys_of_the_log(self, key_ids: set[int]) -> set[int]:
        """Which are keys of streams: a stamp that was tampered with must not cost a memory."""
        marks = ", ".join("?" * len(key_ids))
        with typed_errors(), self._store.datastore.transaction(commit=False) as cursor:
            cursor.execute(
                f"SELECT DISTINCT key_id FROM events WHERE key_id IN ({marks})",  # noqa: S608
                list(key_ids),
            )
            return {key_id for (key_id,) in cursor.fetchall()}

    def _purge_was_asked(self, space: str, position: int) -> bool:
        with typed_errors(), self._store.datastore.transaction(commit=False) as cursor:
            cursor.execute(
                "SELECT 1 FROM events WHERE position > ? AND space = ? AND name IN (?, ?) LIMIT 1",
                (position, space, PurgeRequested.NAME, recall.PurgeRequested.NAME),
            )
            return cursor.fetchone() is not None
