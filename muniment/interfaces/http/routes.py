"""Which address does what: a line an operation, each with the model that says what it takes."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal, TypeAlias, get_type_hints

from muniment import operations
from muniment.commands.fold_twins import FoldTwins
from muniment.commands.merge import Merge
from muniment.commands.save_memory import SaveMemory
from muniment.domain.inputs import Input
from muniment.handle import Muniment
from muniment.log.notes import Checkpoint
from muniment.queries.get_memory import Get, GetMany
from muniment.queries.history import History
from muniment.queries.log import Log
from muniment.queries.search import Search
from muniment.queries.stats import GetStats

from .inputs import PAGE, Against, DryRun, Items, LogPage, Nothing, Proven

Values: TypeAlias = Mapping[str, Any]
Perform: TypeAlias = Callable[[Muniment, Values], object]
Kind: TypeAlias = Literal["read", "past", "write", "confirmed"]
"""``past`` is a read that may be asked of a moment; ``confirmed`` a write that wants a dry run."""


@dataclass(frozen=True, slots=True)
class Route:
    """An address: what it takes (``model``), what it does, and the type that it answers with.

    What stands in the path is taken from there; headers take the place of the model's
    ``idempotency_key`` and ``expected_version``. ``left_out`` names fields that are not taken.
    """

    method: str
    path: str
    kind: Kind
    name: str
    model: type[Input]
    perform: Perform
    answers: Any
    about: str
    left_out: frozenset[str] = frozenset()

    @property
    def writes(self) -> bool:
        """Whether it counts as a write."""
        return self.kind in ("write", "confirmed")


def _plain(method: str, path: str, kind: Kind, model: type[Input], call: str) -> Route:
    """An address for a method of the face that takes what the model has, by the same names."""

    def perform(face: Muniment, values: Values) -> object:
        return getattr(face, call)(**values)

    return _made(method, path, kind, model, call, perform=perform)


def _made(
    method: str,
    path: str,
    kind: Kind,
    model: type[Input],
    call: str,
    *,
    perform: Perform,
    answers: Any = None,
    left_out: Iterable[str] = (),
) -> Route:
    face = getattr(Muniment, call)
    return Route(
        method,
        path,
        kind,
        call,
        model,
        perform,
        answers or get_type_hints(face)["return"],
        " ".join((face.__doc__ or "").partition("\n\n")[0].split()),
        frozenset(left_out),
    )


def _edits() -> Iterable[Route]:
    """Every command about one memory has an address under it."""
    for command in operations.COMMANDS:
        if "id" in command.model_fields and hasattr(Muniment, command.VERB):
            path = f"/memories/{{id}}/{command.VERB.replace('_', '-')}"
            yield _plain("POST", path, "write", command, command.VERB)


def _log(face: Muniment, values: Values) -> LogPage:
    limit = values.get("limit", 100)
    asked = min(limit, PAGE) if isinstance(limit, int) else limit
    entries = tuple(face.log(**{**values, "limit": asked}))
    return LogPage(entries, entries[-1].position if len(entries) == asked else None)


def _fold(face: Muniment, _: Values) -> object:
    return face.fold()


def _purge(face: Muniment, values: Values) -> object:
    return face.purge(dry_run=values["dry_run"])


def _checkpoint_of(text: object) -> Any:
    """Only the text of one: a path would be of this machine."""
    return Checkpoint.of(text) if isinstance(text, str) else text


def _verify(face: Muniment, values: Values) -> object:
    return face.verify(against=_checkpoint_of(values.get("against")))


def _prove(face: Muniment, values: Values) -> object:
    return face.prove(values["id"], since=_checkpoint_of(values.get("since")))


def _checkpoint(face: Muniment, _: Values) -> object:
    return face.checkpoint()


ROUTES: Final[tuple[Route, ...]] = (
    _plain("POST", "/memories", "write", SaveMemory, "save"),
    _plain("POST", "/memories/batch", "write", Items, "save_many"),
    _plain("POST", "/memories/get", "past", GetMany, "get_many"),
    _plain("GET", "/memories/{id}", "past", Get, "get"),
    _plain("GET", "/memories/{id}/history", "past", History, "history"),
    *_edits(),
    _plain("POST", "/search", "past", Search, "search"),
    _plain("POST", "/merges", "write", Merge, "merge"),
    _made("POST", "/folds", "write", FoldTwins, "fold", perform=_fold, left_out=["ids"]),
    _made("POST", "/purges", "confirmed", DryRun, "purge", perform=_purge),
    _made("GET", "/log", "past", Log, "log", perform=_log, answers=LogPage, left_out=["follow"]),
    _plain("GET", "/stats", "past", GetStats, "stats"),
    _made("GET", "/verify", "read", Nothing, "verify", perform=_verify),
    _made("POST", "/verify", "read", Against, "verify", perform=_verify),
    _plain("GET", "/invariants", "read", Nothing, "prove_invariants"),
    _made("GET", "/checkpoints/latest", "read", Nothing, "checkpoint", perform=_checkpoint),
    _made("POST", "/memories/{id}/proof", "read", Proven, "prove", perform=_prove),
)
