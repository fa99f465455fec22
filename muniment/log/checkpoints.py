"""Checkpoints of the log: signed notes of what it was, written outside the database.

A chain shows what was changed inside a log, but not that its end was cut off or that an older copy
was put in its place. So the root over all leaves is signed from time to time and put where the
database is not: into ``checkpoints/``, and through a command of the operator's to anywhere else.
The frontier of the tree lies beside, so that the next one reads only the leaves that came since.

No checkpoint is ever signed that contradicts an earlier one (C2SP tlog-checkpoint).
"""

import json
import subprocess
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

import structlog
import uuid_utils
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from muniment.domain.errors import Invalid, StorageFailed
from muniment.domain.identity import Identity
from muniment.domain.moments import rfc3339, told_time
from muniment.domain.ports import Clock

from .datastore import typed_errors
from .desk import read_clock
from .lock import LogLock
from .merkle import Frontier
from .notes import Checkpoint, checkpoint_text, origin, sign
from .rows import Pending
from .shelf import FRONTIER, folder, frontier, keys_of, load, place, sizes
from .signing import Ring, write_whole
from .store import Store

_log = structlog.get_logger(__name__)

AT_CLOSE: Final = 1_000
"""Events since the last checkpoint from which one is made when a handle is closed.

A server that ends makes one of any: it is what is kept of the log until the next start.
"""

_COMMAND_SECONDS = 60.0


@dataclass(frozen=True, slots=True)
class Cadence:
    """When checkpoints are made by themselves (0: never), and what each is handed to."""

    events: int = 1_000
    minutes: float = 60.0
    command: tuple[str, ...] = ()


class Checkpoints:
    """Makes the checkpoints of a store.

    Args:
        store: The log.
        cadence: When they are made by themselves.
        clock: Tells the time.
        busy_timeout: Seconds to wait for another process that makes one.
    """

    def __init__(
        self, store: Store, cadence: Cadence, clock: Clock, busy_timeout: float = 10.0
    ) -> None:
        self._store = store
        self._cadence = cadence
        self._clock = clock
        self._busy_timeout = busy_timeout
        self._directory = folder(store)
        self._mutex = threading.Lock()
        self._lock: LogLock | None = None
        self._last: tuple[int, datetime] | None = None
        self._seen = 0
        self._leaves_none = False
        self._volatile: Checkpoint | None = None
        self._handed: list[threading.Thread] = []

    def make(self) -> Checkpoint:
        """A checkpoint of the log as it stands; the newest one where nothing came since.

        Raises:
            StorageFailed: ``read_only``; ``log_not_intact`` where the log is not what an earlier
                checkpoint says; the signing key or the disk fails.
        """
        with self._mutex, self._exclusive().held():
            return self._make()

    def newest(self) -> Checkpoint | None:
        """The newest checkpoint that is signed by the store's key."""
        return self._newest(keys_of(self._store))

    def covering(self, position: int) -> Checkpoint:
        """A checkpoint that takes in a position: the newest one, or one made now.

        Raises:
            StorageFailed: As ``make``.
        """
        newest = self.newest()
        return newest if newest is not None and newest.size >= position else self.make()

    def appended(self, position: int) -> None:
        """Makes a checkpoint if one is due now that the log has come to a position.

        A failure is logged: what was appended is kept all the same.
        """
        if self._directory is None or position <= self._seen:
            return
        self._seen = position
        if self._mutex.acquire(blocking=False):
            try:
                self._keep_up(position)
            finally:
                self._mutex.release()

    def leave_none(self) -> None:
        """From here on the last checkpoint takes in whatever was appended, be it one event."""
        self._leaves_none = True

    def close(self) -> None:
        """Makes a last checkpoint where much was appended, and waits for who is handed one."""
        with self._mutex:
            if self._directory is not None:
                self._make_last()
            for thread in self._handed:
                thread.join()
            if self._lock is not None:
                self._lock.close()
                self._lock = None

    def _make_last(self) -> None:
        events = self._cadence.events
        if self._leaves_none and (events or self._cadence.minutes):
            self._keep_up(self._store.rows.head().position, events=1)
        elif self._seen and events:
            self._keep_up(self._seen, events=min(events, AT_CLOSE))

    def rotate_key(self, identity: Identity) -> None:
        """Puts a fresh signing key in place, and says so in the log under the old one's signature.

        Raises:
            StorageFailed: ``read_only``, or the keys or the disk fail.
        """
        signing = self._store.signing
        with self._mutex, self._exclusive().held():
            old = self._private(keys_of(self._store))
            new = Ed25519PrivateKey.generate()
            signing.propose(new)
            with self._store.datastore.unit_of_work():
                self._store.append([self._rotation(identity, old, new)])
            signing.settle(keys_of(self._store))
            signing.private()

    def _rotation(
        self, identity: Identity, old: Ed25519PrivateKey, new: Ed25519PrivateKey
    ) -> Pending:
        return Pending(
            self._store.id,
            len(self._store.rows.select_streams_events([self._store.id])) + 1,
            self._store.signing.statement(old, new),
            self._now(),
            identity.actor,
            identity.space,
            str(uuid_utils.uuid7()),
            None,
            None,
            None,
        )

    def _keep_up(self, position: int, events: int | None = None) -> None:
        wanted = self._cadence.events if events is None else events
        try:
            if not self._is_due(position, wanted):
                return
            with self._exclusive().held(0.0):
                self._last = None  # another process may have made one
                if self._is_due(position, wanted):
                    self._make()
        except StorageFailed as error:
            if error.code != "busy":
                # it is tried again when the next one is due
                self._last = position, read_clock(self._clock())
                _log.warning("log_checkpoint_not_made", code=error.code, reason=error.message)

    def _is_due(self, position: int, events: int) -> bool:
        if self._last is None:
            newest = self.newest()
            begun = self._store.rows.begun_at() if newest is None else newest.time
            size = 0 if newest is None else newest.size
            self._last = size, told_time(begun or "") or read_clock(self._clock())
        size, at = self._last
        if position <= size:
            return False
        minutes = self._cadence.minutes
        return (events > 0 and position - size >= events) or (
            minutes > 0 and read_clock(self._clock()) - at >= timedelta(minutes=minutes)
        )

    def _exclusive(self) -> LogLock:
        if self._store.read_only:
            raise StorageFailed("The store is open for reading only.", code="read_only")
        if self._lock is None:
            with typed_errors():
                if self._directory is not None:
                    self._directory.mkdir(mode=0o700, exist_ok=True)
                self._lock = LogLock(
                    None if self._directory is None else self._directory / "lock",
                    self._busy_timeout,
                )
        return self._lock

    def _make(self) -> Checkpoint:
        keys = keys_of(self._store)
        private = self._private(keys)
        head, newest = self._store.rows.head(), self._newest(keys)
        if newest is not None:
            self._require_consistent(newest, head.position)
            if newest.size == head.position:
                return newest
        tree = self._resumed(newest)
        self._read(tree, head.position)
        text = checkpoint_text(
            self._store.id, head.position, tree.root(), head.chain, rfc3339(self._now())
        )
        made = Checkpoint.of(sign(text, origin(self._store.id), private))
        self._put(made, tree)
        return made

    def _private(self, keys: Ring) -> Ed25519PrivateKey:
        """The key to sign with, once a change of it that was begun is ended."""
        signing = self._store.signing
        signing.settle(keys)
        private = signing.private()
        if keys.periods and keys.periods[-1].key != signing.public():
            raise StorageFailed(
                "keys/signing.key is not the key that the log says signs its checkpoints: put the"
                " right one back.",
                code="signing_key_wrong",
            )
        return private

    def _now(self) -> datetime:
        now, newest = read_clock(self._clock()), self._store.rows.head().recorded_at
        return max(now, told_time(newest or "") or now)

    def _newest(self, keys: Ring) -> Checkpoint | None:
        if self._directory is None:
            return self._volatile
        for size in reversed(sizes(self._directory)):
            try:
                found = load(self._directory, size)
            except Invalid:
                continue  # verify says so
            key = keys.key(size)
            if (
                found.size == size
                and found.origin == origin(self._store.id)
                and key is not None
                and found.note.is_signed_by(key)
            ):
                return found
        return None

    def _require_consistent(self, newest: Checkpoint, head: int) -> None:
        link = self._store.rows.chain_at(newest.size) if newest.size <= head else None
        if link is None or link.hex() != newest.chain:
            raise _contradicted(newest)

    def _resumed(self, newest: Checkpoint | None) -> Frontier:
        """The tree at the newest checkpoint, from what is kept of it, or read anew."""
        if newest is None:
            return Frontier()
        kept = None if self._directory is None else frontier(self._directory)
        if kept is None or kept.size != newest.size or kept.root().hex() != newest.root:
            kept = Frontier()
            self._read(kept, newest.size)
        if kept.root().hex() != newest.root:
            raise _contradicted(newest)
        return kept

    def _read(self, tree: Frontier, until: int) -> None:
        for leaves in self._store.rows.leaves(after=tree.size, until=until):
            tree.extend(leaves)

    def _put(self, made: Checkpoint, tree: Frontier) -> None:
        self._last = made.size, told_time(made.time) or self._now()
        if self._directory is None:
            self._volatile = made
            return
        kept = {"size": tree.size, "roots": [root.hex() for root in tree.roots]}
        with typed_errors():
            write_whole(place(self._directory, made.size), made.text.encode())
            write_whole(self._directory / FRONTIER, json.dumps(kept).encode() + b"\n")
        if self._cadence.command:
            thread = threading.Thread(
                target=_hand, args=(self._cadence.command, made.text), name="checkpoint"
            )
            thread.start()
            self._handed = [*(one for one in self._handed if one.is_alive()), thread]


def _contradicted(newest: Checkpoint) -> StorageFailed:
    return StorageFailed(
        f"The log is not the one that the checkpoint of {newest.size:,} events was made of: none is"
        " signed that contradicts it. Run verify.",
        code="log_not_intact",
    )


def _hand(command: Sequence[str], text: str) -> None:
    """Gives a note to the operator's command, on its standard input."""
    try:
        subprocess.run(  # noqa: S603 (no shell; the operator's own argument list)
            command,
            input=text.encode(),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            timeout=_COMMAND_SECONDS,
            check=True,
        )
    except (OSError, ValueError, subprocess.SubprocessError) as error:
        _log.warning("checkpoint_command_failed", command=command[0], reason=str(error))
