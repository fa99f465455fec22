"""What an address is: what it takes, what it does, and what it answers with."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from operator import attrgetter
from typing import Any, Final, Literal, TypeAlias, get_type_hints

from muniment.domain.access import ROLES
from muniment.domain.inputs import Input
from muniment.face.audit import Audit
from muniment.face.base import Face
from muniment.face.conversing import Conversation
from muniment.face.working import WorkingMemory
from muniment.handle import Muniment
from muniment.tokens import Tokens

Values: TypeAlias = Mapping[str, Any]
Kind: TypeAlias = Literal["read", "past", "write", "confirmed"]
"""``past`` is a read that may be asked of a moment; ``confirmed`` a write that wants a dry run."""

_PARTS: Final[Mapping[str, type[Face | Tokens]]] = {
    "": Muniment,
    "audit": Audit,
    "conversation": Conversation,
    "tokens": Tokens,
    "working": WorkingMemory,
}


@dataclass(frozen=True, slots=True)
class Call:
    """A request on its way: the handle that it acts through, what it gave, and its session."""

    face: Muniment
    values: Values
    session: str


Perform: TypeAlias = Callable[[Call], object]


@dataclass(frozen=True, slots=True)
class Route:
    """An address: what it takes (``model``), what it does, and the type that it answers with.

    What stands in the path is taken from there; headers take the place of the model's
    ``idempotency_key`` and ``expected_version``. ``left_out`` names fields that are not taken.
    ``adds`` says that each request does more, and that no key can tell a retry.

    Raises:
        TypeError: While it is being defined: the table of roles has no row ``operation``.
    """

    method: str
    path: str
    kind: Kind
    name: str
    model: type[Input]
    perform: Perform
    answers: Any
    about: str
    operation: str
    left_out: frozenset[str] = frozenset()
    adds: bool = False

    def __post_init__(self) -> None:
        if self.operation not in ROLES:
            raise TypeError(f"{self.path}: the table of roles has no row {self.operation!r}")

    @property
    def writes(self) -> bool:
        """Whether it counts as a write."""
        return self.kind in ("write", "confirmed")


def plain(
    address: str,
    kind: Kind,
    model: type[Input],
    name: str,
    *,
    answers: Any = None,
    operation: str | None = None,
    adds: bool = False,
) -> Route:
    """An address for a method of the face that takes what the model has, by the same names."""
    method_of = attrgetter(name)

    def perform(call: Call) -> object:
        return method_of(call.face)(**call.values)

    return made(
        address, kind, model, name, perform, answers=answers, operation=operation, adds=adds
    )


def made(
    address: str,
    kind: Kind,
    model: type[Input],
    name: str,
    perform: Perform,
    *,
    answers: Any = None,
    operation: str | None = None,
    left_out: Iterable[str] = (),
    adds: bool = False,
) -> Route:
    """An address that does what ``perform`` says, described as the method ``name`` of the face.

    ``address`` is a method and a path; ``operation`` the row in the table of roles, where that is
    neither the model's nor named like the method.
    """
    method, _, path = address.partition(" ")
    part, _, called = name.rpartition(".")
    found = getattr(_PARTS[part], called)
    described = found.fget if isinstance(found, property) else found
    return Route(
        method,
        path,
        kind,
        name.replace(".", "_"),
        model,
        perform,
        answers or get_type_hints(described)["return"],
        " ".join((found.__doc__ or "").partition("\n\n")[0].split()),
        operation or str(getattr(model, "VERB", name.replace(".", " "))),
        frozenset(left_out),
        adds,
    )
