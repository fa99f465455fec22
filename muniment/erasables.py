"""Everything besides the log that holds words, and how each forgets them.

A part that keeps words anywhere else is added here, once: purge and erasure both go through it.
"""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from .domain.memory import forms
from .domain.ports import Removal
from .log.keys import Keys
from .log.read_models import ReadModels

if TYPE_CHECKING:
    from .auditing import Auditing
    from .meaning import Meaning
    from .work.forgetting import Forgetting


class ProcessTexts:
    """The canonical forms of texts that this process remembers."""

    def forget(self, removal: Removal) -> None:  # noqa: ARG002 (the port's)
        """Drops all: they are made again faster than they are told apart."""
        forms.forget()


class ReadModelsOf:
    """The projections of a space, in memory and as they are kept."""

    def __init__(self, models: ReadModels) -> None:
        self._models = models

    def forget(self, removal: Removal) -> None:
        """Makes them anew without the words, under another cache key."""
        self._models.purge(removal.space)


class VectorsOf:
    """The vectors of texts, whether or not this process has a model configured."""

    def __init__(self, directory: Path | None, keys: Keys, meaning: "Meaning | None") -> None:
        self._directory = directory
        self._keys = keys
        self._meaning = meaning

    def forget(self, removal: Removal) -> None:
        """Erases their rows, whichever model made them."""
        from .meaning import VECTORS, vector_cache

        if self._meaning is not None:
            self._meaning.forget(removal.ids)
        elif self._directory is not None and (self._directory / VECTORS).is_file():
            cache = vector_cache(self._directory, self._keys)
            try:
                cache.forget(removal.ids)
            finally:
                cache.close()


class AuditsOf:
    """What audits remember of texts, to compare them with each other."""

    def __init__(self, auditing: Callable[[], "Auditing"]) -> None:
        self._auditing = auditing

    def forget(self, removal: Removal) -> None:
        """Drops what is known of the space's."""
        self._auditing().forget(removal.space)


class WorkOf:
    """Working memory, conversations and reports of tool calls, where anything is kept of them."""

    def __init__(self, forgetting: "Callable[[], Forgetting | None]") -> None:
        self._forgetting = forgetting

    def forget(self, removal: Removal) -> None:
        """Erases what erasures reach; retention has its own way there."""
        found = self._forgetting() if removal.erasures else None
        if found is None:
            return
        for asked in removal.erasures:
            if asked.scope == "space":
                found.forget_space(removal.space)
            elif asked.subject is not None or asked.erased:
                names = [] if asked.subject is None else [asked.subject]
                found.forget_subject(removal.space, names, asked.erased)
