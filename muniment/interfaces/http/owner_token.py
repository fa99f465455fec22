"""The token that a server has from its first start on: the owner's, in a file of the owner's."""

import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from muniment.domain.access_token import MAX_LIFE
from muniment.domain.errors import Refused, StorageFailed
from muniment.domain.identity import identity
from muniment.handle import Muniment
from muniment.log.master import write_private

_ACTOR: Final = "manual"
_USUAL_SPACE: Final = "default"


@dataclass(frozen=True, slots=True)
class OwnerToken:
    """Where the token is; ``text`` is the token where it was made just now, else None."""

    path: Path
    text: str | None = field(repr=False)


def owner_token(store: Muniment, directory: Path) -> OwnerToken:
    """The token of the owner of a space, made where there is none that lets anybody in.

    Args:
        store: The store; the token is for the space of this handle.
        directory: The data directory; the file is ``keys/server.token``, mode 0600; of any
            space but ``default``, ``keys/server.SPACE.token``.

    Raises:
        StorageFailed: ``token_file_failed`` where the file can be neither read nor written.
    """
    path = directory / "keys" / _file(store.space)
    try:
        if _lets_in(store, path):
            return OwnerToken(path, None)
        admin = store.as_identity(identity(store.space, _ACTOR, "admin"))
        made = admin.tokens.issue(actor=_ACTOR, role="owner", expires_in=MAX_LIFE)
        write_private(path, f"{made.text}\n".encode())
        path.chmod(0o600)
    except OSError as error:
        raise StorageFailed(
            f"{path} cannot be read or written ({os.strerror(error.errno or 0)}): check the"
            " directory.",
            code="token_file_failed",
        ) from error
    return OwnerToken(path, made.text)


def _file(space: str) -> str:
    """One each: what another space's server made is still valid, and must not be lost."""
    return "server.token" if space == _USUAL_SPACE else f"server.{space}.token"


def _lets_in(store: Muniment, path: Path) -> bool:
    try:
        text = path.read_bytes().decode(errors="replace").strip()
    except FileNotFoundError:
        return False
    try:
        return store.tokens.authenticate(text).space == store.space
    except Refused:
        return False
