"""What every part of the face stands on: the store, who acts, and whether they may."""

from collections.abc import Iterable
from typing import Any, ClassVar, Protocol, TypedDict, TypeVar

from muniment.commands.edit import Edit
from muniment.domain.errors import Invalid, Refused
from muniment.domain.identity import Identity, Role
from muniment.domain.memory.view import Memory
from muniment.engine import Engine

T = TypeVar("T")


class EditOptions(TypedDict, total=False):
    """What every edit takes besides: the version it was decided on, and what makes a retry safe."""

    expected_version: int | None
    idempotency_key: str | None


class _Operation(Protocol):
    VERB: ClassVar[str]
    ROLES: ClassVar[frozenset[Role]]


class Face:
    """A part of the handle.

    Args:
        engine: The store.
        identity: Who acts.
    """

    def __init__(self, engine: Engine, identity: Identity) -> None:
        self._engine = engine
        self._identity = identity

    @property
    def actor(self) -> str:
        """Who acts through this handle."""
        return self._identity.actor

    @property
    def space(self) -> str:
        """The space that this handle works in."""
        return self._identity.space

    @property
    def role(self) -> Role:
        """As what it acts: this says what it may do."""
        return self._identity.role

    def _edit(self, command: type[Edit], **given: Any) -> Memory:
        self._authorise(command)
        return self._engine.run(command.of(**given), self._identity)

    def _authorise(self, operation: type[_Operation]) -> None:
        if self._identity.role not in operation.ROLES:
            raise Refused(
                f"The role {self._identity.role!r} of {self.actor} may not {operation.VERB}.",
                code="role_refused",
            )


def listed(given: Iterable[T], field: str) -> list[T]:
    """What an argument of several gives.

    Raises:
        Invalid: It is nothing to go through; the code is ``<field>_invalid``.
    """
    try:
        return list(given)
    except TypeError as error:
        raise Invalid(f"{field}: give several.", code=f"{field}_invalid", field=field) from error
