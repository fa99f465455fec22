"""From an address to an answer: what was sent, by whom, on which moment; and back as JSON."""

import re
from collections.abc import Awaitable, Callable, Generator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from anyio import CapacityLimiter, to_thread
from fastapi import Request
from starlette.responses import Response

from muniment.domain.errors import Invalid, MunimentError
from muniment.interfaces import fields
from muniment.interfaces.documents import document, plain

from . import confirmations
from .bodies import body, read
from .gate import Gate
from .route import Call, Route, Values

AS_OF = "as_of"
SESSION = "http"
"""The session of a search that names none by ``X-Session``."""

_TAG = re.compile(r'"([0-9]{1,18})"')
_SAYS_WHETHER = frozenset(["confirm", "dry_run"])
_FROM_HEADERS = {"idempotency_key": "Idempotency-Key", "expected_version": "If-Match"}
"""What stands in headers instead of the body, by the name of the field."""

Endpoint = Callable[[Request], Awaitable[Response]]


def taken(route: Route) -> list[str]:
    """The names of what is taken in the body, or in a query where there is no body."""
    left_out = {*_FROM_HEADERS, *route.left_out, *in_path(route)}
    return [name for name in route.model.model_fields if name not in left_out]


def in_headers(route: Route) -> frozenset[str]:
    """The names of what is taken from headers."""
    return frozenset(_FROM_HEADERS.keys() & route.model.model_fields.keys() - route.left_out)


def in_path(route: Route) -> list[str]:
    """The names of what stands in the path."""
    return [
        name
        for name in route.model.model_fields
        if f"{{{name}}}" in route.path or f"{{{name}:path}}" in route.path
    ]


def endpoint(route: Route, gate: Gate, max_body: int, threads: CapacityLimiter) -> Endpoint:
    """What answers an address.

    All but the reading of the body is done in one go on a thread: each change of threads costs a
    request as much as a search does.

    Args:
        route: The address.
        gate: Who is let in.
        max_body: Bytes that a body may have.
        threads: How many requests are worked on at a time.
    """
    is_posted = route.method == "POST"
    from_headers = {name: _FROM_HEADERS[name] for name in in_headers(route)}

    async def answer(request: Request) -> Response:
        gate.require_token(request)
        sent = await body(request, max_body) if is_posted else b""
        return await to_thread.run_sync(work, request, sent, limiter=threads)

    def work(request: Request, sent: bytes) -> Response:
        face = request.state.face = gate.admit(request, writes=route.writes)
        face.require(route.operation)
        moment = _asked_of(request) if route.kind == "past" else None
        given = {**(read(request, sent) if is_posted else {}), **_queried(route, request)}
        _require(route, given)
        if moment is not None:
            with _named({"when": AS_OF}):
                face = face.as_of(moment)
        values = {**given, **request.path_params, **_from_headers(route, request)}
        call = Call(face, values, request.headers.get("x-session", SESSION))
        with _named(from_headers):
            answer = _confirmed(route, call) if route.kind == "confirmed" else route.perform(call)
        return _respond(answer)

    return answer


@contextmanager
def _named(names: Mapping[str, str]) -> Generator[None]:
    """Errors about fields name them as the request does."""
    try:
        yield
    except MunimentError as error:
        error.field = names.get(error.field or "", error.field)
        raise


def _confirmed(route: Route, call: Call) -> object:
    """A dry run with its digest; or the thing itself, where a digest says what it will be."""
    values = {name: call.values[name] for name in call.values if name not in _SAYS_WHETHER}
    given, is_dry = call.values.get("confirm"), call.values.get("dry_run", False)
    if not isinstance(is_dry, bool):
        raise Invalid("dry_run: say true or false.", code="dry_run_invalid", field="dry_run")

    def perform(*, dry_run: bool) -> Any:
        return plain(route.perform(replace(call, values={**values, "dry_run": dry_run})))

    plan, now = perform(dry_run=True), call.face.now
    asked = [route.name, call.face.space, plain(values)]
    if is_dry:
        return {**plan, "confirm": confirmations.digest(asked, plan, now)}
    confirmations.require(given, asked, plan, now)
    return {**perform(dry_run=False), "confirm": None}


def _queried(route: Route, request: Request) -> dict[str, Any]:
    """What the query of the address holds; a body's fields are not taken from there."""
    model, read = route.model.model_fields, dict[str, Any]()
    names = taken(route) if route.method == "GET" else []
    for name in request.query_params:
        if name == AS_OF and route.kind == "past":
            continue
        if name not in names:
            raise unknown(name)
        texts = request.query_params.getlist(name)
        annotation = model[name].annotation
        if fields.is_many(annotation):
            read[name] = texts
        elif len(texts) > 1:
            raise twice(name, name)
        else:
            read[name] = fields.from_text(annotation, texts[0])
    return read


def _asked_of(request: Request) -> str | None:
    """The moment of the past that a question is put to."""
    moments = request.query_params.getlist(AS_OF)
    if len(moments) > 1:
        raise twice(AS_OF, AS_OF)
    return moments[0] if moments else None


def twice(field: str, name: str) -> Invalid:
    """What is said of what may be there once."""
    return Invalid(f"{field}: it is there twice.", code=f"{name}_invalid", field=field)


def _require(route: Route, given: Values) -> None:
    names = taken(route)
    for name in given:
        if name not in names:
            raise unknown(name)
    for name in names:
        if route.model.model_fields[name].is_required() and name not in given:
            raise Invalid(f"{name}: it is missing.", code=f"{name}_required", field=name)


def unknown(name: str) -> Invalid:
    """What is said of a name that is not taken."""
    shown = name[:80]
    return Invalid(f"{shown}: there is no such field here.", code="unknown_field", field=shown)


def _from_headers(route: Route, request: Request) -> dict[str, Any]:
    read: dict[str, Any] = {}
    key = _once(request, "Idempotency-Key")
    if key is not None and route.adds:
        raise Invalid(
            "Idempotency-Key: no retry can be told here, and it would be done again: look whether"
            " it was done, and leave the header out.",
            code="idempotency_key_unsupported",
            field="Idempotency-Key",
        )
    if key is not None and "idempotency_key" in in_headers(route):
        read["idempotency_key"] = key
    version = _once(request, "If-Match")
    if version not in (None, "*") and "expected_version" in in_headers(route):
        tag = _TAG.fullmatch(version)
        if tag is None:
            raise Invalid(
                'If-Match: give the ETag that the memory came with, such as "3".',
                code="if_match_invalid",
                field="If-Match",
            )
        read["expected_version"] = int(tag[1])
    return read


def _once(request: Request, header: str) -> str | None:
    """The value of a header that may be there once.

    Raises:
        Invalid: ``idempotency_key_invalid`` or ``if_match_invalid``: it is there twice.
    """
    values = request.headers.getlist(header)
    if len(values) > 1:
        raise twice(header, header.lower().replace("-", "_"))
    return values[0] if values else None


def _respond(answer: object) -> Response:
    memory = getattr(answer, "memory", answer)
    version = getattr(memory, "version", None)
    headers = {} if version is None else {"ETag": f'"{version}"'}
    made = getattr(answer, "outcome", None) == "created"
    text = document(answer, indent=None)
    return Response(
        text.encode(), 201 if made else 200, headers=headers, media_type="application/json"
    )
