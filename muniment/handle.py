"""The handle: what callers hold."""

import os
from collections.abc import Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any, Self

from ._release import __version__
from .asynchronous import AsyncMuniment
from .commands.record_start import RecordStart
from .domain.identity import Identity, Role, identity
from .domain.ports import Clock
from .domain.process import Kind
from .domain.working.keys import own_namespace
from .engine import Engine
from .face.access import Access
from .face.auditing import Auditing
from .face.carrying import Carrying
from .face.conversing import Conversation, Conversing
from .face.evidence import Evidence
from .face.finding import Finding
from .face.forensics import Forensics
from .face.proposing import Proposing
from .face.removing import Removing
from .face.reporting import Reporting
from .face.travelling import Travelling
from .face.working import WorkingMemory
from .face.writing import Writing
from .removals import settle
from .settings import Settings

if TYPE_CHECKING:
    from .keychain import Keychain
    from .meaning import Meaning


class Muniment(
    Writing,
    Removing,
    Finding,
    Travelling,
    Conversing,
    Forensics,
    Evidence,
    Auditing,
    Reporting,
    Carrying,
    Access,
    Proposing,
):
    """A handle on a store, acting as one identity; safe to use from several threads.

    Close it, or use it as a context manager. ``aio`` is the same face for asyncio.
    """

    def __init__(
        self,
        engine: Engine,
        identity: Identity,
        *,
        owns_engine: bool = True,
        namespace: str | None = None,
    ) -> None:
        super().__init__(engine, identity)
        self._namespace = own_namespace(identity, namespace)
        self._owns_engine = owns_engine

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Ends the store; of a handle made by ``acting_as``, the handle alone."""
        if self._owns_engine:
            self._engine.close()

    @property
    def now(self) -> datetime:
        """The moment by this store's clock, in UTC."""
        return self._engine.now()

    @property
    def settings(self) -> Settings:
        """The settings that hold."""
        return self._engine.settings

    @property
    def embeddings(self) -> "Meaning | None":
        """How the making of vectors goes; None where no model is configured."""
        return self._engine.meaning

    @property
    def aio(self) -> AsyncMuniment:
        """The same face for asyncio."""
        return AsyncMuniment(self)

    @property
    def keys(self) -> "Keychain":
        """The keys that words are encrypted under: their backup, and the change of the master."""
        from .keychain import Keychain

        return Keychain(self._engine, self._identity)

    @property
    def working(self) -> WorkingMemory:
        """Working memory: what lives for a while under a key."""
        return WorkingMemory(self._engine, self._identity, self._namespace)

    @property
    def conversation(self) -> Conversation:
        """What was said, by session."""
        return Conversation(self._engine, self._identity)

    @property
    def namespace(self) -> str | None:
        """The namespace of working memory that this handle writes into; None: it has none."""
        return self._namespace

    def record_start(self, kind: Kind) -> None:
        """Put on record that a process serves this store from now on; nothing where it may not.

        The end of one that serves others signs a checkpoint of all that was appended.
        """
        if not self._engine.store.read_only:
            self._engine.record(
                RecordStart.of(kind=kind, release=__version__),
                identity(self.space, f"system:{kind}"),
            )
            if kind == "serve":
                self._engine.checkpoints.leave_none()

    def acting_as(
        self, actor: str, space: str | None = None, namespace: str | None = None
    ) -> "Muniment":
        """A handle on the same store with another identity.

        ``namespace`` is the one of working memory that it writes into, such as ``session/abc``.
        A sub-agent always has its own, ``subagent/<name>``.

        Raises:
            Invalid: ``actor_invalid``, ``space_invalid`` or ``namespace_invalid``.
            Refused: ``namespace_refused`` where a sub-agent is given another than its own.
        """
        return self.as_identity(identity(self.space if space is None else space, actor), namespace)

    def as_identity(self, acting: Identity, namespace: str | None = None) -> "Muniment":
        """A handle on the same store for who was recognised by other means, such as a token."""
        return Muniment(self._engine, acting, owns_engine=False, namespace=namespace)


def open(  # noqa: A001 (muniment.open is the name)
    target: str | os.PathLike[str],
    *,
    space: str = "default",
    actor: str = "manual",
    role: Role | None = None,
    clock: Clock | None = None,
    settings: Settings | Mapping[str, Any] | None = None,
    read_only: bool = False,
) -> Muniment:
    """Opens a store, made where there is none.

    Args:
        target: A directory (parents are made, mode 0700), or ``:memory:``.
        space: The tenant border to work in.
        actor: Who acts: ``manual``, ``bot:…``, ``subagent:…``, ``skill:…``, ``reflection:…`` or
            ``system:…``.
        role: Instead of the one that follows from the actor.
        clock: Returns aware datetimes; everything that reads the time reads it.
        settings: Settings, or sections by name that win over file and environment.
        read_only: Whether to open for reading alone.

    Raises:
        Invalid: An argument breaks a rule.
        StorageFailed: There is no log to read, it is another program's, a newer release wrote it …
    """
    acting = identity(space, actor, role)
    engine = Engine(target, clock=clock, settings=settings, read_only=read_only)
    try:
        if not read_only:
            settle(engine)
    except BaseException:
        engine.close()
        raise
    return Muniment(engine, acting)
