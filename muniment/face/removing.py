"""What takes words out of the store for good."""

from muniment.commands.purge import RequestPurge
from muniment.domain.errors import Invalid
from muniment.purging import PurgeReport, purge

from .base import Face


class Removing(Face):
    """The purge."""

    def purge(self, *, dry_run: bool = False) -> PurgeReport:
        """Remove the words of what was archived for longer than archived memories are kept.

        Their keys are destroyed, so the words are gone from the log and from every copy of it. What
        is pinned, held or above the floor is kept. A dry run only says what is due.
        """
        self._authorise(RequestPurge)
        if not isinstance(dry_run, bool):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise Invalid("dry_run: say True or False.", code="dry_run_invalid", field="dry_run")
        return purge(self._engine, self._identity, dry_run=dry_run)
