"""What takes words out of the store for good."""

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Literal, TypeAlias, overload

import muniment
from muniment.domain.errors import Invalid

from .base import Face, listed

if TYPE_CHECKING:
    from muniment.erasing import Request

Basis: TypeAlias = str | Mapping[str, str]
Cascade: TypeAlias = Literal["cascade", "rewrite"] | tuple[Literal["keep"], str]


def keep(reason: str) -> tuple[Literal["keep"], str]:
    """For ``cascade``: what was derived from the words stays, for a reason that is recorded."""
    return "keep", reason


class Removing(Face):
    """The purge, and erasure on request."""

    def purge(self, *, dry_run: bool = False) -> "muniment.PurgeReport":
        """Remove the words of what was archived for longer than archived memories are kept.

        Their keys are destroyed, so the words are gone from the log and from every copy of it. What
        is pinned, held or above the floor is kept. A dry run only says what is due.
        """
        from muniment.commands.purge import RequestPurge
        from muniment.purging import purge

        self._authorise(RequestPurge)
        return purge(self._engine, self._identity, dry_run=_flag(dry_run))

    @overload
    def erase(
        self,
        id: str | Iterable[str],
        *,
        basis: Basis,
        cascade: Cascade = ...,
        dry_run: Literal[False] = ...,
    ) -> "muniment.ErasureCertificate": ...
    @overload
    def erase(
        self, id: str | Iterable[str], *, basis: Basis, cascade: Cascade = ..., dry_run: bool
    ) -> "muniment.ErasureCertificate | muniment.ErasurePreview": ...
    def erase(
        self,
        id: str | Iterable[str],
        *,
        basis: Basis,
        cascade: Cascade = "cascade",
        dry_run: bool = False,
    ) -> "muniment.ErasureCertificate | muniment.ErasurePreview":
        """Erase a memory, or several, on request; in whatever state, pinned ones too.

        Its key is destroyed, so the words are gone from the log and from every copy of it. What it
        was made of goes with it, and what was folded with it, for they say the same. The call with
        its basis is the confirmation. What was erased before is named as such, and nothing more is
        recorded. Proposals that became it or say the same, feedback about it, and what mentions its
        id in working memory, turns and tool reports go too.

        Args:
            id: The memory, or several.
            basis: Why: a code (``gdpr-17``; ``[a-z0-9._-]{1,64}``), which stays in the clear for
                good, a text of up to 2,000 characters, which is encrypted, or both as a mapping of
                ``code`` and ``text``.
            cascade: What becomes of merges of it: ``cascade`` erases them, and their other sources
                stay archived; ``rewrite`` erases them and brings those back into recall;
                ``keep(reason)`` leaves them as they are.
            dry_run: Only say what it would do.

        Raises:
            NotFound: There is no memory of that name.
            Invalid: ``basis_invalid`` or ``cascade_invalid``.
            Refused: ``held``: a legal hold is on some of what it reaches; nothing is erased then.
        """
        from muniment import erasing
        from muniment.commands.erase import RequestErasure

        self._authorise(RequestErasure)
        ids = [id] if isinstance(id, str) else listed(id, "id")
        return self._erase(erasing.of_memories(self._identity, ids, basis, cascade), dry_run)

    @overload
    def erase_subject(
        self,
        subject: str,
        *,
        basis: Basis,
        cascade: Cascade = ...,
        also: Iterable[str] = ...,
        dry_run: Literal[False] = ...,
    ) -> "muniment.ErasureCertificate": ...
    @overload
    def erase_subject(
        self,
        subject: str,
        *,
        basis: Basis,
        cascade: Cascade = ...,
        also: Iterable[str] = ...,
        dry_run: bool,
    ) -> "muniment.ErasureCertificate | muniment.ErasurePreview": ...
    def erase_subject(
        self,
        subject: str,
        *,
        basis: Basis,
        cascade: Cascade = "cascade",
        also: Iterable[str] = (),
        dry_run: bool = False,
    ) -> "muniment.ErasureCertificate | muniment.ErasurePreview":
        """Erase what is about somebody: all whose metadata ``subject`` is that name.

        Names are compared in NFKC, without regard to case. What only has the name in it is listed
        as ``mentions`` and left; ids that a person confirmed among them, or among what a search
        found, go into ``also``. What is about another by its metadata is not followed into as a
        source of a merge. Recalls, proposals, feedback, working memory, turns and tool reports that
        have the name in them go too, and are counted in ``besides``. The name stands
        encrypted in the certificate, under a key of its own.

        Raises:
            Invalid: As for ``erase``; ``subject_invalid``; ``basis_names_subject`` where the code
                of the basis, which is never erased, has the name in it.
            NotFound: There is no memory of an id in ``also``.
            Refused: ``held``.
        """
        from muniment import erasing
        from muniment.commands.erase import RequestErasure

        self._authorise(RequestErasure)
        confirmed = listed(also, "also")
        asked = erasing.of_subject(
            self._engine, self._identity, subject, also=confirmed, basis=basis, cascade=cascade
        )
        return self._erase(asked, dry_run)

    @overload
    def erase_space(
        self, space: str, *, basis: Basis, dry_run: Literal[False] = ...
    ) -> "muniment.ErasureCertificate": ...
    @overload
    def erase_space(
        self, space: str, *, basis: Basis, dry_run: bool
    ) -> "muniment.ErasureCertificate | muniment.ErasurePreview": ...
    def erase_space(
        self, space: str, *, basis: Basis, dry_run: bool = False
    ) -> "muniment.ErasureCertificate | muniment.ErasurePreview":
        """Erase every memory of a space: a tenant's keys, the key of its caches among them.

        Its recalls, proposals, feedback, working memory, turns and tool reports go too.
        Tombstones and the certificate are left, in that space.

        Raises:
            Invalid: As for ``erase``; ``space_invalid``.
            Refused: ``held``.
        """
        from muniment import erasing
        from muniment.commands.erase import RequestErasure

        self._authorise(RequestErasure)
        return self._erase(erasing.of_space(self._engine, self._identity, space, basis), dry_run)

    def erasures(self) -> "list[muniment.ErasureCertificate]":
        """The certificates of the erasures in this space, oldest first."""
        from muniment import erasing

        self._authorise(erasing.ListErasures)
        return self._engine.ask(erasing.ListErasures(), self._identity)

    def _erase(
        self, asked: "Request", dry_run: object
    ) -> "muniment.ErasureCertificate | muniment.ErasurePreview":
        from muniment import erasing

        act = erasing.preview if _flag(dry_run) else erasing.erase
        return act(self._engine, asked)


def _flag(dry_run: object) -> bool:
    if not isinstance(dry_run, bool):
        raise Invalid("dry_run: say True or False.", code="dry_run_invalid", field="dry_run")
    return dry_run
