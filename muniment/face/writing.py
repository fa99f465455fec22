"""What puts memories into the store and changes them."""

from collections.abc import Generator, Iterable, Mapping
from contextlib import contextmanager
from typing import Any, TypeVar, Unpack

from muniment.commands.archive import Archive
from muniment.commands.describe import Describe
from muniment.commands.edit import Edit
from muniment.commands.fold_twins import FoldTwins
from muniment.commands.hold import Hold, ReleaseHold
from muniment.commands.mark_used import MarkUsed
from muniment.commands.merge import Merge, Merged
from muniment.commands.pin import Pin, Unpin
from muniment.commands.quarantine import Quarantine, Release
from muniment.commands.recategorize import Recategorize
from muniment.commands.rescore import Rescore
from muniment.commands.restore import Restore, Restored
from muniment.commands.retag import Retag
from muniment.commands.revise import Revise
from muniment.commands.save_memory import Saved, SaveMemory
from muniment.commands.save_memory import items as item_commands
from muniment.commands.supersede import Supersede
from muniment.domain.errors import Invalid, MunimentError
from muniment.domain.memory.events import Source, Store
from muniment.domain.memory.view import Memory
from muniment.queries.exact_twins import ExactTwins

from .base import EditOptions, Face, listed

T = TypeVar("T")

MAX_BULK = 50_000


class Writing(Face):
    """Saving, editing, retiring and bringing together."""

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

    def save_many(
        self, items: Iterable[Mapping[str, Any]], *, idempotency_key: str | None = None
    ) -> list[Saved]:
        """Saves in one commit, all or none; each item is a mapping of ``save``'s arguments.

        ``idempotency_key`` makes a retry of all of them together safe; items may have one each
        instead.

        Raises:
            Invalid: ``too_many_items`` over 50,000, or an item's error, named ``items.<number>``.
            Conflict: ``idempotency_key_reused`` where other items were saved under the key.
        """
        self._authorise(SaveMemory)
        commands = item_commands(_bulk(items), idempotency_key)
        with _by_item(apart="idempotency_key" if idempotency_key else None):
            return self._engine.run_all(commands, self._identity)

    def write_all(self, changes: Iterable[SaveMemory | Edit]) -> list[Saved | Memory]:
        """Saves and edits in one commit, all or none; the answers are in their order.

        Raises:
            Invalid: ``too_many_items`` over 50,000.
            MunimentError: One of the changes is refused, named ``items.<number>``.
        """
        commands = _bulk(changes)
        for command in commands:
            self._authorise(type(command))
        with _by_item():
            return self._engine.run_all(commands, self._identity)

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

    def pin(self, id: str, *, trigger: str | None = None, **options: Unpack[EditOptions]) -> Memory:
        """Put a memory in the vault: no policy decays, prunes or purges it.

        ``trigger`` quotes the words of the user that ask for it, which an agent must have.

        Raises:
            Refused: ``trigger_required`` where an agent quotes none.
        """
        return self._edit(Pin, id=id, trigger=trigger, **options)

    def unpin(
        self, id: str, *, trigger: str | None = None, **options: Unpack[EditOptions]
    ) -> Memory:
        """Take a memory out of the vault; ``trigger`` is as for ``pin``.

        Raises:
            Refused: ``trigger_required`` where an agent quotes none.
        """
        return self._edit(Unpin, id=id, trigger=trigger, **options)

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
                ids=tuple(listed(ids, "ids")),
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


@contextmanager
def _by_item(apart: str | None = None) -> Generator[None, None, None]:
    """Names the item that is refused; ``apart`` is what all of them have from the call."""
    try:
        yield
    except MunimentError as error:
        if error.number is not None and (apart is None or error.field != apart):
            error.within(f"items.{error.number}")
        raise


def _bulk(items: Iterable[T]) -> list[T]:
    given = listed(items, "items")
    if len(given) > MAX_BULK:
        raise Invalid(
            f"items: {len(given):,} are over {MAX_BULK:,}: save them in parts.",
            code="too_many_items",
            field="items",
        )
    return given
