"""What holds for one run of the program: which store, as whom, and in which form answers go out."""

import os
import sys
from collections.abc import Generator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

import muniment
from muniment.domain.errors import Invalid, Refused, StorageFailed
from muniment.domain.identity import Role
from muniment.paths import IN_MEMORY

from .wording import known_as

if TYPE_CHECKING:
    from muniment.handle import Muniment

Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
"""The option as it may stand after a verb."""

ONE_SHOT = {"log": {"key_batch": 8}}
"""A process that runs one command mints few keys."""


@dataclass(frozen=True, slots=True)
class Session:
    """The options before the verb.

    ``data`` is a directory, as it was given; ``is_chosen``: on this very command line. ``as_of`` is
    the moment that answers are as of; None: now.
    """

    data: str
    is_chosen: bool
    space: str
    actor: str
    role: Role | None
    json: bool
    as_of: str | None = None

    @property
    def directory(self) -> Path | None:
        """The data directory; None where ``data`` names something else."""
        if self.data in ("", IN_MEMORY) or "://" in self.data:
            return None
        return Path(self.data).expanduser()

    def require_directory(self) -> Path:
        """The data directory.

        Raises:
            Invalid: ``target_invalid`` where ``data`` names something else.
        """
        if self.directory is None:
            raise Invalid(
                f"data: {self.data} is no directory.", code="target_invalid", field="data"
            )
        return self.directory

    @property
    def is_missing(self) -> bool:
        """Whether there is no store yet."""
        return self.directory is not None and not os.path.lexists(self.directory / "log.db")

    def reading(self) -> AbstractContextManager["Muniment"]:
        """The store, opened for reading alone, as of the moment that was named.

        Raises:
            StorageFailed: ``missing`` where there is none, or what opening raises.
        """
        self._require()
        return self._then(
            muniment.open(
                self.data, space=self.space, actor=self.actor, role=self.role, read_only=True
            )
        )

    def searching(self) -> AbstractContextManager["Muniment"]:
        """The store, opened so that caches may be kept: read models, and vectors of texts.

        Where the directory cannot be written to, or the keys are missing, it is opened for reading
        alone: what rests on no words can be told even then.
        """
        self._require()
        directory = self.directory
        if directory is None or not os.access(directory, os.W_OK):
            return self.reading()
        try:
            return self._then(self.writing())
        except StorageFailed as error:
            if error.code != "keys_missing":
                raise
            return self.reading()

    @contextmanager
    def _then(self, handle: "Muniment") -> Generator["Muniment"]:
        with handle:
            if self.as_of is None:
                yield handle
                return
            with known_as(when="as_of"):
                past = handle.as_of(moment(handle, self.as_of))
            yield past

    def editing(self) -> "Muniment":
        """The store, opened for a change of what is there.

        Raises:
            StorageFailed: ``missing`` where there is none, or what opening raises.
        """
        self._require()
        return self.writing()

    def writing(self, *, many: bool = False, serves: bool = False) -> "Muniment":
        """The store, made where there is none, of which people are told.

        ``many``: for more than one command; ``serves``: by a server, whose standard error is a log
        for programs.
        """
        is_new = self.is_missing
        handle = muniment.open(
            self.data,
            space=self.space,
            actor=self.actor,
            role=self.role,
            settings=None if many else ONE_SHOT,
        )
        if is_new and not self.json and not serves and self.directory is not None:
            from .console import line, put  # noqa: PLC0415 (few runs need it)

            said = f"A new store was made in {self.directory.resolve()}."
            put([line((said, "yellow"))], sys.stderr)
        return handle

    def _require(self) -> None:
        if self.is_missing:
            raise StorageFailed(
                f"There is no store in {self.directory}: 'muniment save' makes one; --data or"
                " MUNIMENT_DATA names another.",
                code="missing",
            )


def moment(handle: "Muniment", text: str) -> datetime | str:
    """A moment of the past as a command line names it: ``now``, a time or a position."""
    return handle.now if text == "now" else text


def of(context: typer.Context, *, as_json: bool, of_the_past: bool = False) -> Session:
    """The session of a run, with JSON also where it was asked for after the verb.

    Raises:
        Refused: ``read_only``: a moment was named, and the verb is not ``of_the_past``.
    """
    session: Session = context.obj
    if session.as_of is not None and not of_the_past:
        raise Refused(
            f"{context.info_name} is about the store as it is: leave --as-of out.",
            code="read_only",
            field="as_of",
        )
    return replace(session, json=session.json or as_json)
