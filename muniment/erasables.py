"""Everything besides the log that is made of the words of memories, and how each forgets them.

A part that keeps words anywhere else is added here, once: purge and erasure both go through it.
"""

from collections.abc import Collection
from pathlib import Path

from .auditing import Auditing
from .domain.memory import forms
from .log.keys import Keys
from .log.read_models import ReadModels
from .meaning import VECTORS, Meaning, vector_cache


class ProcessTexts:
    """The canonical forms of texts that this process remembers."""

    def forget(self, space: str, ids: Collection[str]) -> None:  # noqa: ARG002 (the port's)
        """Drops all: they are made again faster than they are told apart."""
        forms.forget()


class ReadModelsOf:
    """The projections of a space, in memory and as they are kept."""

    def __init__(self, models: ReadModels) -> None:
        self._models = models

    def forget(self, space: str, ids: Collection[str]) -> None:  # noqa: ARG002 (the port's)
        """Makes them anew without the words, under another cache key."""
        self._models.purge(space)


class VectorsOf:
    """The vectors of texts, whether or not this process has a model configured."""

    def __init__(self, directory: Path | None, keys: Keys, meaning: Meaning | None) -> None:
        self._directory = directory
        self._keys = keys
        self._meaning = meaning

    def forget(self, space: str, ids: Collection[str]) -> None:  # noqa: ARG002 (the port's)
        """Erases their rows, whichever model made them."""
        if self._meaning is not None:
            self._meaning.forget(ids)
        elif self._directory is not None and (self._directory / VECTORS).is_file():
            cache = vector_cache(self._directory, self._keys)
            try:
                cache.forget(ids)
            finally:
                cache.close()


class AuditsOf:
    """What audits remember of texts, to compare them with each other."""

    def __init__(self, auditing: Auditing) -> None:
        self._auditing = auditing

    def forget(self, space: str, ids: Collection[str]) -> None:  # noqa: ARG002 (the port's)
        """Drops what is known of the space's."""
        self._auditing.forget(space)
