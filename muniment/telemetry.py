"""Spans for OpenTelemetry, where the host has set it up; nobody's words are in them.

Whoever sets up a provider has imported the API by then, so it is looked up among what is imported:
nothing is loaded for its sake, and nothing has to be installed. The messages of errors are left
out, because they may quote what was given.
"""

import re
import sys
from collections.abc import Generator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from functools import cache, lru_cache
from importlib import import_module
from types import ModuleType
from typing import Any, Final, Literal, TypeAlias, TypeVar

from ._release import __version__
from .domain.errors import MunimentError
from .domain.identity import Identity
from .domain.recorded import Recorded

A = TypeVar("A")

Attributes: TypeAlias = Mapping[str, str | int | None]
Kind: TypeAlias = Literal["CLIENT", "INTERNAL", "SERVER"]
Spanning: TypeAlias = "AbstractContextManager[Span]"

_METHODS: Final = frozenset(["DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT"])
_TRACE: Final = "opentelemetry.trace"

_is_silent: ContextVar[bool] = ContextVar("is_silent", default=False)


class Span:
    """What is told of something under way: codes, names, numbers and ids.

    ``span`` is the API's; where it is None, nobody listens.
    """

    __slots__ = ("_span",)

    def __init__(self, span: Any = None) -> None:
        self._span = span

    def answered(self, answer: A) -> A:
        """Tells what became of a command or query, and gives the answer back."""
        if self._span is not None:
            if isinstance(answer, MunimentError):
                self.failed(answer)
            hits = getattr(answer, "hits", None)
            self._tell(
                {
                    "muniment.outcome": getattr(answer, "outcome", None),
                    "muniment.hits": None if hits is None else len(hits),
                }
            )
        return answer

    def committed(self, recorded: Sequence[Recorded], commands: int) -> None:
        """Tells which events of the log came of so many commands, so that they can be found."""
        if self._span is None:
            return
        self._tell({"muniment.commands": commands})
        if recorded:
            first, last = recorded[0], recorded[-1]
            self._tell(
                {
                    "muniment.position.first": first.position,
                    "muniment.position.last": last.position,
                    "muniment.command_id": first.command_id if commands == 1 else None,
                    "muniment.correlation_id": first.correlation_id,
                }
            )

    def responded(self, method: str, address: str | None, status: int) -> None:
        """Tells how a request was answered, and at which address; None: there is no such one."""
        if self._span is None:
            return
        self._tell({"http.response.status_code": status, "http.route": address})
        if address is not None:
            self._span.update_name(f"{known(method)} {address}")
        if status >= 500:
            self._span.set_status(_api(_TRACE).StatusCode.ERROR)

    def failed(self, error: BaseException) -> None:
        """Tells an error by its code, or by its type where it is none of ours."""
        if self._span is not None:
            self._tell({"error.type": _code(error)})
            self._span.set_status(_api(_TRACE).StatusCode.ERROR)

    def _tell(self, told: Attributes) -> None:
        self._span.set_attributes({name: told[name] for name in told if told[name] is not None})


def operation(asked: type, identity: Identity) -> Spanning:
    """A command or query, under its name in the table of roles where it stands there."""
    name = _name(asked)
    attributes = {
        "muniment.operation": name,
        "muniment.space": identity.space,
        "muniment.actor": identity.actor,
        "muniment.role": identity.role,
    }
    return _span(f"muniment.{name}", "INTERNAL", attributes)


def request(method: str, scheme: str, headers: Mapping[str, str]) -> Spanning:
    """A request over HTTP, in the trace that its headers name; without its path and its query."""
    attributes = {"http.request.method": known(method), "url.scheme": scheme}
    return _span(known(method), "SERVER", attributes, headers)


def tool_call(tool: str, meta: Mapping[str, Any] | None) -> Spanning:
    """A call of a tool by the Model Context Protocol, in the trace that its ``_meta`` names."""
    attributes = {
        "mcp.method.name": "tools/call",
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": tool,
    }
    named = {key: value for key, value in (meta or {}).items() if isinstance(value, str)}
    return _span(f"tools/call {tool}", "SERVER", attributes, named)


def call(path: str, host: str, port: int) -> Spanning:
    """A call of a service outside, all its tries included; it is not told of the trace."""
    attributes: Attributes = {
        "http.request.method": "POST",
        "server.address": host,
        "server.port": port,
        "url.template": path,
    }
    return _span(f"POST {path}", "CLIENT", attributes)


@contextmanager
def silence() -> Generator[None]:
    """No spans: for what looks again and again whether there is something to do."""
    token = _is_silent.set(True)
    try:
        yield
    finally:
        _is_silent.reset(token)


def refused(reason: BaseException) -> None:
    """Tells the span under way why a request was refused, which need not be an error of its."""
    if _provider() is not None:
        _api(_TRACE).get_current_span().set_attribute("error.type", _code(reason))


def trace_id() -> str | None:
    """The trace under way, as 32 hex digits; None where it is not recorded."""
    if _provider() is None:
        return None
    span = _api(_TRACE).get_current_span()
    if not span.is_recording():
        return None
    return f"{span.get_span_context().trace_id:032x}"


@contextmanager
def _span(
    name: str,
    kind: Kind,
    attributes: Attributes,
    carrier: Mapping[str, str] | None = None,
) -> Generator[Span]:
    provider = _provider()
    if provider is None:
        yield Span()
        return
    context = None
    if carrier is not None:
        around = _api("opentelemetry.context").get_current()
        context = _api("opentelemetry.propagate").extract(carrier, around)
    api = _api(_TRACE)
    with _tracer(provider).start_as_current_span(
        name,
        context=context,
        kind=getattr(api.SpanKind, kind),
        attributes=attributes,
        record_exception=False,
        set_status_on_exception=False,
    ) as found:
        span = Span(found if found.is_recording() else None)
        try:
            yield span
        except BaseException as error:
            span.failed(error)
            raise


def _provider() -> Any:
    """What the host has set up; None where nobody listens."""
    if _TRACE not in sys.modules or _is_silent.get():
        return None
    api = _api(_TRACE)
    found = api.get_tracer_provider()
    return None if isinstance(found, api.ProxyTracerProvider) else found  # a stand-in for none


def _api(name: str) -> ModuleType:
    return import_module(name)  # which waits where another thread is importing it just now


@lru_cache(1)
def _tracer(provider: Any) -> Any:
    return provider.get_tracer("muniment", __version__)


@cache
def _name(asked: type) -> str:
    verb = getattr(asked, "VERB", None) or _WORD.sub("_", asked.__name__.strip("_")).lower()
    return str(verb).replace(" ", "_")


_WORD: Final = re.compile(r"(?<=[a-z])(?=[A-Z])")


def known(method: str) -> str:
    """A method of HTTP; what a client makes up is all one."""
    return method if method in _METHODS else "_OTHER"


def _code(error: BaseException) -> str:
    return error.code if isinstance(error, MunimentError) else type(error).__name__
