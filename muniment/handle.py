"""The face: what callers hold."""

import os
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from typing import Any, ClassVar, Protocol, Self, TypedDict, TypeVar, Unpack

from .asynchronous import AsyncMuniment
from .backups import BackedUp, Backup, back_up
from .commands.archive import Archive
from .commands.describe import Describe
from .commands.edit import Edit
from .commands.fold_twins import FoldTwins
from .commands.hold import Hold, ReleaseHold
from .commands.import_memory import ImportMemory
from .commands.mark_used import MarkUsed
from .commands.merge import Merge, Merged
from .commands.pin import Pin, Unpin
from .commands.purge import RequestPurge
from .commands.quarantine import Quarantine, Release
from .commands.recategorize import Recategorize
from .commands.rescore import Rescore
from .commands.restore import Restore, Restored
from .commands.retag import Retag
from .commands.revise import Revise
from .commands.save_memory import Saved, SaveMemory
from .commands.save_memory import items as item_commands
from .commands.supersede import Supersede
from .domain.errors import Invalid, Refused
from .domain.identity import Identity, Role, identity
from .domain.memory.events import Source, Store
from .domain.memory.view import Memory
from .domain.ports import Clock
from .engine import Engine
from .evidence import MakeCheckpoint, ProveMemory, prove_memory
from .exporting import Export, Exported, export
from .importing import ImportReport, Progress, import_all
from .keychain import Keychain
from .log.bundles import Bundle
from .log.notes import Checkpoint
from .log.shelf import Against
from .log.verify import Verification, verify
from .meaning import Meaning
from .paths import path_of
from .proofs.proof import Proof
from .proving import ProveInvariants, prove_invariants
from .purging import PurgeReport, finish, purge
from .queries.agent_text import agent_text
from .queries.by_words import Mode
from .queries.exact_twins import ExactTwins
from .queries.get_memory import Get, GetMany
from .queries.history import History, HistoryEntry
from .queries.log import Log, LogEntry
from .queries.search import Search, SearchResult
from .queries.stats import GetStats, Stats
from .rebuild import Rebuilt, rebuild
from .settings import Settings

MAX_BULK = 50_000

T = TypeVar("T")


class EditOptions(TypedDict, total=False):
    """What every edit takes besides: the version it was decided on, and what makes a retry safe."""

    expected_version: int | None
    idempotency_key: str | None


class _Operation(Protocol):
    VERB: ClassVar[str]
    ROLES: ClassVar[frozenset[Role]]


class Muniment:
    """A handle on a store, acting as one identity; safe to use from several threads.

    Close it, or use it as a context manager. ``aio`` is the same face for asyncio.
    """

    def __init__(self, engine: Engine, identity: Identity, *, owns_engine: bool = True) -> None:
        self._engine = engine
        self._identity = identity
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
    def space(self) -> str:
        """The space that this handle works in."""
        return self._identity.space

    @property
    def actor(self) -> str:
        """Who acts through this handle."""
        return self._identity.actor

    @property
    def settings(self) -> Settings:
        """The settings that hold."""
        return self._engine.settings

    @property
    def embeddings(self) -> Meaning | None:
        """How the making of vectors goes; None where no model is configured."""
        return self._engine.meaning

    @property
    def aio(self) -> AsyncMuniment:
        """The same face for asyncio."""
        return AsyncMuniment(self)

    @property
    def keys(self) -> Keychain:
        """The keys that words are encrypted under: their backup, and the change of the master."""
        return Keychain(self._engine, self._identity, self._authorise)

    def acting_as(
        self, actor: str, space: str | None = None, namespace: str | None = None
    ) -> "Muniment":
        """A handle on the same store with another identity.

        Raises:
            Invalid: ``actor_invalid`` or ``space_invalid``; ``namespace_unsupported``: working
                memory, which namespaces are of, is not part of this release.
        """
        if namespace is not None:
            raise Invalid(
                "namespace: this release has no working memory.",
                code="namespace_unsupported",
                field="namespace",
            )
        acting = identity(self.space if space is None else space, actor)
        return Muniment(self._engine, acting, owns_engine=False)

    # writing

    def save(
        self,
        content: str,
        *,
        category: str | None = None,
        tags: Iterable[str] = (),
        importance: float = 0.5,
        metadata: Mapping[str, str] | None = None,
        store: Store = "semantic",
        source: Source | Mapping[str, str] | str | None = None,
        trust: int | None = None,
        expected_version: int | None = None,
        idempotency_key: str | None = None,
    ) -> Saved:
        """Keep something that was said. What is known already is reinforced, not repeated."""
        self._authorise(SaveMemory)
        return self._engine.run(
            SaveMemory.of(
                content=content,
                category=category,
                tags=tags,
                importance=importance,
                metadata=metadata,
                store=store,
                source=source,
                trust=trust,
                expected_version=expected_version,
                idempotency_key=idempotency_key,
            ),
            self._identity,
        )

    def save_many(self, items: Iterable[Mapping[str, Any]]) -> list[Saved]:
        """Saves in one commit, all or none; each item is a mapping of ``save``'s arguments.

        Raises:
            Invalid: ``too_many_items`` over 50,000, or an item's error, named ``items.<number>``.
        """
        self._authorise(SaveMemory)
        given = _listed(items, "items")
        if len(given) > MAX_BULK:
            raise Invalid(
                f"items: {len(given):,} are over {MAX_BULK:,}: save them in parts.",
                code="too_many_items",
                field="items",
            )
        return self._engine.run_all(item_commands(given), self._identity)

    def revise(self, id: str, content: str, **options: Unpack[EditOptions]) -> Memory:
        """Rewrite the text of a memory; its history keeps the old one."""
        return self._edit(Revise, id=id, content=content, **options)

    def rescore(self, id: str, importance: float, **options: Unpack[EditOptions]) -> Memory:
        """Set the importance of a memory, 0 to 1, from which it fades anew."""
        return self._edit(Rescore, id=id, importance=importance, **options)

    def recategorize(self, id: str, category: str | None, **options: Unpack[EditOptions]) -> Memory:
        """File a memory under another category."""
        return self._edit(Recategorize, id=id, category=category, **options)

    def retag(self, id: str, tags: Iterable[str], **options: Unpack[EditOptions]) -> Memory:
        """Replace the tags of a memory."""
        return self._edit(Retag, id=id, tags=tags, **options)

    def describe(
        self, id: str, metadata: Mapping[str, str], **options: Unpack[EditOptions]
    ) -> Memory:
        """Replace the metadata of a memory, subject time among it."""
        return self._edit(Describe, id=id, metadata=metadata, **options)

    def pin(self, id: str, **options: Unpack[EditOptions]) -> Memory:
        """Put a memory in the vault: no policy decays, prunes or purges it."""
        return self._edit(Pin, id=id, **options)

    def unpin(self, id: str, **options: Unpack[EditOptions]) -> Memory:
        """Take a memory out of the vault."""
        return self._edit(Unpin, id=id, **options)

    def mark_used(self, id: str, **options: Unpack[EditOptions]) -> Memory:
        """Say that a recalled memory was used; being found alone counts nothing."""
        return self._edit(MarkUsed, id=id, **options)

    def archive(self, id: str, reason: str, **options: Unpack[EditOptions]) -> Memory:
        """Hide a memory from recall; it is kept and can be restored."""
        return self._edit(Archive, id=id, reason=reason, **options)

    def restore(self, id: str, **options: Unpack[EditOptions]) -> Restored:
        """Bring an archived or superseded memory back into recall."""
        self._authorise(Restore)
        return self._engine.run(
            Restore.of(id=id, **options),
            self._identity,
        )

    def supersede(self, id: str, by: str, **options: Unpack[EditOptions]) -> Memory:
        """Decide a contradiction against a memory, in favour of another; it can be restored."""
        return self._edit(Supersede, id=id, by=by, **options)

    def merge(
        self,
        ids: Iterable[str],
        content: str,
        *,
        category: str | None = None,
        tags: Iterable[str] | None = None,
        importance: float | None = None,
        idempotency_key: str | None = None,
    ) -> Merged:
        """Replace several memories by one that says all of it.

        Raises:
            MergeRejected: Something would be lost: ``missing`` names it. The sources are untouched
                but for a stamp.
            Conflict: A source is not live any more.
        """
        self._authorise(Merge)
        return self._engine.run(
            Merge.of(
                ids=tuple(_listed(ids, "ids")),
                content=content,
                category=category,
                tags=tags,
                importance=importance,
                idempotency_key=idempotency_key,
            ),
            self._identity,
        )

    def fold(self) -> list[str]:
        """Fold exact repetitions into one another; the ids that were folded away."""
        self._authorise(FoldTwins)
        twins = self._engine.ask(ExactTwins.of(), self._identity)
        folds = [FoldTwins.of(ids=ids) for ids in twins]
        return [id_ for ids in self._engine.run_all(folds, self._identity) for id_ in ids]

    def quarantine(self, id: str, reason: str, **options: Unpack[EditOptions]) -> Memory:
        """Hide a memory from recall until a person says that it may be trusted."""
        return self._edit(Quarantine, id=id, reason=reason, **options)

    def release(self, id: str, **options: Unpack[EditOptions]) -> Memory:
        """Let a memory out of quarantine."""
        return self._edit(Release, id=id, **options)

    def hold(self, id: str, reason: str, **options: Unpack[EditOptions]) -> Memory:
        """Put a memory under a legal hold: nothing may remove its words until it is lifted."""
        return self._edit(Hold, id=id, reason=reason, **options)

    def release_hold(self, id: str, **options: Unpack[EditOptions]) -> Memory:
        """Lift the legal hold on a memory."""
        return self._edit(ReleaseHold, id=id, **options)

    def purge(self, *, dry_run: bool = False) -> PurgeReport:
        """Remove the words of what was archived for longer than archived memories are kept.

        Their keys are destroyed, so the words are gone from the log and from every copy of it. What
        is pinned, held or above the floor is kept. A dry run only says what is due.
        """
        self._authorise(RequestPurge)
        if not isinstance(dry_run, bool):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise Invalid("dry_run: say True or False.", code="dry_run_invalid", field="dry_run")
        return purge(self._engine, self._identity, dry_run=dry_run)

    def export(
        self,
        path: str | os.PathLike[str],
        *,
        format: str = "native",
        progress: Progress | None = None,
    ) -> Exported:
        """Write the memories of this space to one file, as of now; others may write meanwhile.

        ``native`` holds everything about each memory, archived and purged ones too, and is what
        ``import_from`` takes over whole; its words are in the clear. ``markdown`` is for reading:
        live memories by category, with their tags. There is no other. ``progress`` is called with
        how many were written so far.

        Raises:
            Invalid: ``format_unknown`` or ``path_invalid``.
        """
        self._authorise(Export)
        return export(self._engine, self.space, path, format, progress)

    def import_from(
        self, format: str, path: str | os.PathLike[str], *, progress: Progress | None = None
    ) -> ImportReport:
        """Bring in what was kept elsewhere.

        Formats: ``native`` (what ``export`` wrote), ``rockbot`` (a directory), ``mcp-memory``
        (JSONL), ``mem0`` (JSON), ``markdown`` (a file or a directory). What is malformed is
        reported and skipped, and what was imported before is left alone, so an import may be
        repeated. ``progress`` is called with how many were read so far.
        """
        self._authorise(ImportMemory)
        return import_all(self._engine, self._identity, format, path_of(path), progress)

    # reading

    def search(
        self,
        query: str | None = None,
        *,
        category: str | None = None,
        tags: Iterable[str] = (),
        limit: int = 8,
        mode: Mode = "hybrid",
        store: Store | None = None,
        created_after: datetime | str | None = None,
        created_before: datetime | str | None = None,
        subject_from: datetime | str | None = None,
        subject_to: datetime | str | None = None,
        include_archived: bool = False,
        min_trust: int | None = None,
        explicit: bool = False,
        explain: bool = False,
        cursor: str | None = None,
    ) -> SearchResult:
        """Find memories; without a query, browse the latest and see which categories there are."""
        self._authorise(Search)
        return self._engine.ask(
            Search.of(
                query=query,
                category=category,
                tags=tags,
                limit=limit,
                mode=mode,
                store=store,
                created_after=created_after,
                created_before=created_before,
                subject_from=subject_from,
                subject_to=subject_to,
                include_archived=include_archived,
                min_trust=min_trust,
                explicit=explicit,
                explain=explain,
                cursor=cursor,
            ),
            self._identity,
        )

    def agent_text(self, result: SearchResult) -> str:
        """A search result as an agent reads it."""
        return agent_text(result, self._engine.clock())

    def get(self, id: str) -> Memory:
        """One memory by id, archived ones too; of a purged one only the tombstone."""
        self._authorise(Get)
        return self._engine.ask(Get.of(id=id), self._identity)

    def get_many(self, ids: Iterable[str]) -> list[Memory]:
        """Several memories by id, in the order asked for; at most 1,000."""
        self._authorise(GetMany)
        return self._engine.ask(GetMany.of(ids=tuple(_listed(ids, "ids"))), self._identity)

    def history(self, id: str) -> list[HistoryEntry]:
        """Every event of a memory, oldest first."""
        self._authorise(History)
        return self._engine.ask(History.of(id=id), self._identity)

    def log(
        self,
        *,
        after: int = 0,
        limit: int | None = None,
        space: str | None = None,
        name: str | None = None,
        actor: str | None = None,
        since: datetime | str | None = None,
        until: datetime | str | None = None,
        follow: bool = False,
    ) -> Iterator[LogEntry]:
        """The log by position, read as it is iterated; ``space="*"`` means all spaces.

        With ``follow`` it waits at the end for what comes, until the handle is closed.
        """
        self._authorise(Log)
        return self._engine.ask(
            Log.of(
                after=after,
                limit=limit,
                space=space,
                name=name,
                actor=actor,
                since=since,
                until=until,
                follow=follow,
            ),
            self._identity,
        )

    def stats(self) -> Stats:
        """Counts, sizes and the head position."""
        self._authorise(GetStats)
        return self._engine.ask(GetStats.of(), self._identity)

    def verify(self, *, against: Against | None = None) -> Verification:
        """Whether the log is whole and unaltered; no key of the vault is needed.

        ``against`` is a checkpoint that was kept elsewhere, its text, or the path of its file.
        Without one the result says, in ``not_ruled_out``, what only such a one can show.

        Raises:
            Invalid: ``checkpoint_malformed`` or ``checkpoint_unreadable``.
        """
        return verify(self._engine.store, against)

    def checkpoint(self) -> Checkpoint:
        """Sign the log as it stands, and write that to ``checkpoints/``: keep it elsewhere too.

        Where nothing was appended since the newest checkpoint, it is that one.

        Raises:
            StorageFailed: ``log_not_intact``: the log is not what an earlier one says.
        """
        self._authorise(MakeCheckpoint)
        return self._engine.checkpoints.make()

    def prove(self, id: str, *, since: Against | None = None) -> Bundle:
        """The events of a memory with the proof that they are in the log of a checkpoint.

        As JSON it is a bundle that ``muniment/verifier.py`` checks without this package; no words
        are in it. ``since`` is a checkpoint that was kept: the log is proven to extend it.

        Raises:
            StorageFailed: ``log_not_intact``, or ``read_only`` where a checkpoint has to be made.
        """
        self._authorise(ProveMemory)
        return prove_memory(self._engine, self._identity, id, since)

    def prove_invariants(self, *, progress: Progress | None = None) -> Proof:
        """Whether every invariant held after every event of the log, of all spaces.

        The log is replayed from its envelopes and facts, by code that shares nothing with what
        wrote it; no key is needed. ``progress`` is called with how many events were read so far.
        """
        self._authorise(ProveInvariants)
        return prove_invariants(self._engine, progress)

    def backup(self, path: str | os.PathLike[str], *, progress: Progress | None = None) -> BackedUp:
        """Copy the log into an empty or missing directory, and verify the copy; others may write.

        Every command that was acknowledged before is in it, and no key: those have ``keys.backup``.
        ``progress`` is called with how many pages of the database were copied so far.

        Raises:
            Refused: ``target_not_empty``, or ``volatile`` for a store in memory.
            StorageFailed: ``log_not_intact``: what was copied does not verify.
        """
        self._authorise(Backup)
        return back_up(self._engine, path, self._engine.clock(), progress)

    def rebuild(self) -> Rebuilt:
        """Makes the projections of this space anew and compares them with those in use."""
        return rebuild(self._engine, self.space)

    def _edit(self, command: type[Edit], **given: Any) -> Memory:
        self._authorise(command)
        return self._engine.run(command.of(**given), self._identity)

    def _authorise(self, operation: type[_Operation]) -> None:
        if self._identity.role not in operation.ROLES:
            raise Refused(
                f"The role {self._identity.role!r} of {self.actor} may not {operation.VERB}.",
                code="role_refused",
            )


def _listed(given: Iterable[T], field: str) -> list[T]:
    try:
        return list(given)
    except TypeError as error:
        raise Invalid(f"{field}: give several.", code=f"{field}_invalid", field=field) from error


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
            finish(engine)
    except BaseException:
        engine.close()
        raise
    return Muniment(engine, acting)
