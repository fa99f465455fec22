"""What carries a store elsewhere and back, and makes its read models anew."""

import os

import muniment
from muniment.domain.ports import Progress
from muniment.paths import path_of

from .base import Face


class Carrying(Face):
    """Export, import, backup, rebuild."""

    def export(
        self,
        path: str | os.PathLike[str],
        *,
        format: str = "native",
        subject: str | None = None,
        progress: Progress | None = None,
    ) -> "muniment.Exported":
        """Write the memories of this space to one file, as of now; others may write meanwhile.

        With ``subject`` they are those that ``erase_subject`` of that name would erase: what is
        held about somebody.

        ``native`` holds everything about each memory, archived and purged ones too, and is what
        ``import_from`` takes over whole; its words are in the clear. ``markdown`` is for reading:
        live memories by category, with their tags. There is no other. ``progress`` is called with
        how many were written so far.

        Raises:
            Invalid: ``format_unknown``, ``path_invalid`` or ``subject_invalid``.
        """
        from muniment.erasing import held_about
        from muniment.exporting import Export, export

        self._authorise(Export)
        held = None if subject is None else held_about(self._engine, self._identity, subject)
        return export(self._engine, self.space, path, format=format, held=held, progress=progress)

    def import_from(
        self, format: str, path: str | os.PathLike[str], *, progress: Progress | None = None
    ) -> "muniment.ImportReport":
        """Bring in what was kept elsewhere.

        Formats: ``native`` (what ``export`` wrote), ``rockbot`` (a directory), ``mcp-memory``
        (JSONL), ``mem0`` (JSON), ``markdown`` (a file or a directory). What is malformed is
        reported and skipped, and what was imported before is left alone, so an import may be
        repeated. ``progress`` is called with how many were read so far.
        """
        from muniment.commands.import_memory import ImportMemory
        from muniment.importing import import_all

        self._authorise(ImportMemory)
        return import_all(self._engine, self._identity, format, path_of(path), progress)

    def backup(
        self, path: str | os.PathLike[str], *, progress: Progress | None = None
    ) -> "muniment.BackedUp":
        """Copy the log into an empty or missing directory, and verify the copy; others may write.

        Every command that was acknowledged before is in it, and no key: those have ``keys.backup``.
        ``progress`` is called with how many pages of the database were copied so far.

        Raises:
            Refused: ``target_not_empty``, or ``volatile`` for a store in memory.
            StorageFailed: ``log_not_intact``: what was copied does not verify.
        """
        from muniment.backups import Backup, back_up

        self._authorise(Backup)
        return back_up(self._engine, path, self._engine.clock(), progress)

    def rebuild(self) -> "muniment.Rebuilt":
        """Makes the projections of this space anew and compares them with those in use."""
        from muniment.rebuild import Rebuild, rebuild

        self._authorise(Rebuild)
        return rebuild(self._engine, self.space)
