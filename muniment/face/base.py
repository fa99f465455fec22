"""What every part of the face stands on: the store, who acts, and whether they may."""

from collections.abc import Generator, Iterable, Mapping
from contextlib import contextmanager, suppress
from typing import Any, TypedDict, TypeVar

from muniment.commands.edit import Edit
from muniment.domain.access import ROLES, Operation, may
from muniment.domain.errors import Invalid, Refused
from muniment.domain.identity import Identity, Role
from muniment.domain.memory.view import Memory
from muniment.engine import Engine

T = TypeVar("T")

_ROLE_REFUSED = "role_refused"


class EditOptions(TypedDict, total=False):
    """What every edit takes besides: the version it was decided on, and what makes a retry safe."""

    expected_version: int | None
    idempotency_key: str | None


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

    def may(self, operation: str) -> bool:
        """Whether this role may ask for an operation, by its name in the table of roles."""
        return may(self.role, operation, self._engine.rules.access)

    def require(self, operation: str, *, field: str | None = None) -> None:
        """Refuses what this role may not ask for, and puts on record that it was denied.

        Args:
            operation: Its name in the table of roles.
            field: The input that asks for it, where it is a part of another operation.

        Raises:
            Refused: ``role_refused``.
        """
        if not self.may(operation):
            self._engine.denied(self._identity, operation)
            allowed = ", ".join(sorted(ROLES[operation]))
            raise Refused(
                f"The role {self._identity.role!r} of {self.actor} may not {operation}: that"
                f" is for {allowed}.",
                code=_ROLE_REFUSED,
                field=field,
            )

    def _edit(self, command: type[Edit], **given: Any) -> Memory:
        self._authorise(command)
        return self._engine.run(command.of(**given), self._identity)

    def _authorise(self, operation: type[Operation]) -> None:
        """Refuses what the role may not ask for, before anything about the input is looked at."""
        self.require(operation.VERB)
        self._engine.admit(operation)

    @contextmanager
    def _authorised(self, operation: type[Operation]) -> Generator[None, None, None]:
        """The same, for what a role may ask for in part: a refusal of the rest counts too."""
        self._authorise(operation)
        try:
            yield
        except Refused as error:
            if error.code == _ROLE_REFUSED:
                self._engine.denied(self._identity, operation.VERB)
            raise


def listed(given: Iterable[T], field: str) -> list[T]:
    """What an argument of several gives.

    Raises:
        Invalid: It is nothing to go through, a text or a mapping; the code is ``<field>_invalid``.
    """
    # a text's characters or a mapping's names are not what is meant
    if not isinstance(given, str | bytes | Mapping):
        with suppress(TypeError):
            return list(given)
    raise Invalid(f"{field}: give several.", code=f"{field}_invalid", field=field)
