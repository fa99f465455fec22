"""How an address is described in ``/openapi.json``: from the models, so that both say the same."""

from collections.abc import Iterable, Mapping
from dataclasses import make_dataclass
from typing import Annotated, Any, Final, Union, get_args

from fastapi.security import HTTPBearer
from pydantic import Field

from muniment.domain.inputs import MAX_SESSION
from muniment.interfaces.schemas import schema

from .endpoints import AS_OF, SESSION, in_headers, in_path, taken
from .failures import Failed
from .route import Route

_ERRORS = {
    401: "No token, or none that is taken.",
    403: "The role, or the server, says no.",
    404: "There is nothing of that name in this space.",
    409: "Something moved meanwhile, or the state forbids it.",
    410: "It was purged.",
    413: "Too large.",
    415: "Not JSON, or compressed.",
    422: "A rule on input is broken; `field` names which input.",
    429: "Too much in too short a time: see `Retry-After`.",
    500: "A bug: see the server's log.",
    503: "The storage does not let it: see `Retry-After`.",
    504: "It took too long.",
    507: "The disk is full.",
}
"""What every address may answer with besides."""

_ADDS = (
    "Each request does more, and no retry can be told: `Idempotency-Key` is refused"
    " (`idempotency_key_unsupported`)."
)


BEARER: Final = HTTPBearer(
    scheme_name="bearer",
    description="A token of the server: `muniment token issue` makes one.",
    auto_error=False,  # it is described here alone; the gate asks for it
)
"""What all addresses ask for but those of the server's health."""

POSITION: Final = "[0-9]{1,18}"
"""How a position of the log is written where a time cannot be meant."""

STREAM: Final[Mapping[str, Any]] = {
    "parameters": [
        {
            "name": name,
            "in": place,
            "description": f"The position that it begins after; {wins}.",
            "schema": {"type": "string", "pattern": f"^{POSITION}$"},
        }
        for name, place, wins in (
            ("Last-Event-ID", "header", "it wins over `after`"),
            ("after", "query", "0 unless given"),
        )
    ]
}
"""What the log as a stream takes."""


OF_STREAM: Final = (401, 403, 422, 429, 500, 503)
OF_FIGURES: Final = (401, 403, 429, 500, 503)


def errors(statuses: Iterable[int]) -> dict[int | str, dict[str, Any]]:
    """The answers that are errors, by status."""
    return {status: {"model": Failed, "description": _ERRORS[status]} for status in statuses}


def responses(route: Route) -> dict[int | str, dict[str, Any]]:
    """The answers by status."""
    answers = _confirmed(route.answers) if route.kind == "confirmed" else route.answers
    told = errors(_ERRORS)
    told[200] = {"model": answers, "description": "Done."}
    if route.name == "save":
        told[201] = {"model": route.answers, "description": "Saved as a new memory."}
    return told


def _confirmed(answers: Any) -> Any:
    """The answers of a thing that wants a dry run: each with the digest."""
    kinds: tuple[type[Any], ...] = get_args(answers) or (answers,)
    confirm = Annotated[
        str | None, Field(description="Of a dry run, the digest that doing it asks for.")
    ]
    made = [
        make_dataclass(
            f"Confirmed{kind.__name__}",
            [("confirm", confirm)],
            bases=(kind,),
            namespace={"__doc__": kind.__doc__},
            frozen=True,
            kw_only=True,
        )
        for kind in kinds
    ]
    return Union[tuple(made)]  # noqa: UP007 (of as many as there are)


def extra(route: Route) -> dict[str, Any]:
    """What is taken: parameters and the body."""
    names = taken(route)
    inside = schema(route.model, [*in_path(route), *names])["properties"]
    told: dict[str, Any] = {"description": _ADDS} if route.adds else {}
    parameters = [
        {"name": name, "in": "path", "required": True, "schema": _named(route, name, inside[name])}
        for name in in_path(route)
    ]
    asked = schema(route.model, names)
    if route.method == "GET":
        parameters += [
            {"name": name, "in": "query", "required": name in asked["required"], "schema": one}
            for name, one in asked["properties"].items()
        ]
    else:
        told["requestBody"] = {
            "required": bool(asked["required"]),
            "content": {"application/json": {"schema": asked}},
        }
    return {**told, "parameters": parameters + _headers(route) + _moment(route)}


def _named(route: Route, name: str, inside: Mapping[str, Any]) -> dict[str, Any]:
    """A part of a path holds no slash, unless it is the rest of it."""
    return {**inside} if f"{{{name}:path}}" in route.path else {**inside, "pattern": "^[^/]+$"}


def _moment(route: Route) -> list[dict[str, Any]]:
    if route.kind != "past":
        return []
    return [
        {
            "name": AS_OF,
            "in": "query",
            "description": "Answer as it would have been answered then: a time, or a position.",
            "schema": {"type": "string"},
        }
    ]


def _headers(route: Route) -> list[dict[str, Any]]:
    told: list[dict[str, Any]] = []
    if route.name == "search":
        told.append(
            {
                "name": "X-Session",
                "in": "header",
                "description": f"The session that it is a recall of; {SESSION} unless named.",
                "schema": {"type": "string", "minLength": 1, "maxLength": MAX_SESSION},
            }
        )
    if "idempotency_key" in in_headers(route):
        told.append(
            {
                "name": "Idempotency-Key",
                "in": "header",
                "description": "Makes a retry safe: the same key and request happen once.",
                "schema": {"type": "string", "pattern": "^[A-Za-z0-9._:-]{1,128}$"},
            }
        )
    if "expected_version" in in_headers(route):
        told.append(
            {
                "name": "If-Match",
                "in": "header",
                "description": "The ETag decided on; refused where the memory moved since.",
                "schema": {"type": "string", "pattern": '^"[0-9]{1,18}"$'},
            }
        )
    return told
