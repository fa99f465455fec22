"""The protocol around the tools: lists them, calls them, and words their errors."""

from collections.abc import Callable
from functools import cache
from typing import Any, Final, TypeAlias

import mcp_types as types
import structlog
from anyio import to_thread
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError

from muniment import telemetry
from muniment._release import __version__
from muniment.domain.errors import Invalid, MunimentError
from muniment.interfaces.documents import plain
from muniment.interfaces.schemas import answered, schema

from .calls import inbox
from .instructions import INSTRUCTIONS
from .tool import Caller, Tool, Values
from .tools import TOOLS

_log = structlog.get_logger(__name__)

Context: TypeAlias = ServerRequestContext[Any, Any]


INBOX: Final = "muniment://inbox"

_INBOX: Final = types.Resource(
    uri=INBOX,
    name="inbox",
    title="What the memory's audits have to say",
    mime_type="text/markdown",
)


Enter: TypeAlias = Callable[[Context], Caller]
"""Says who sends a request."""


def server(enter: Enter) -> Server[Any]:
    """The server of a store.

    Args:
        enter: Says who asks: over HTTP the bearer of a token, over stdio who started it.
    """

    async def list_tools(
        context: Context, _: types.PaginatedRequestParams | None
    ) -> types.ListToolsResult:
        face = enter(context).face
        return types.ListToolsResult(
            tools=[
                _listed(tool) for tool in TOOLS if not tool.operation or face.may(tool.operation)
            ]
        )

    async def call_tool(
        context: Context, asked: types.CallToolRequestParams
    ) -> types.CallToolResult:
        try:
            tool = _find(asked.name)
            with telemetry.tool_call(tool.name, context.meta):
                caller = enter(context)
                return await to_thread.run_sync(_call, tool, caller, asked.arguments or {})
        except MunimentError as error:
            return _failed(told(error.code, error.message))
        except Exception as error:  # noqa: BLE001 (a bug ends one call, and is logged)
            return _failed(_unexpected(error))

    async def list_resources(
        context: Context, _: types.PaginatedRequestParams | None
    ) -> types.ListResourcesResult:
        face = enter(context).face
        return types.ListResourcesResult(resources=[_INBOX] if face.may("audit") else [])

    async def read_resource(
        context: Context, asked: types.ReadResourceRequestParams
    ) -> types.ReadResourceResult:
        if asked.uri != INBOX:
            raise MCPError(types.INVALID_PARAMS, "There is no such resource: list them.")
        try:
            text = await to_thread.run_sync(inbox, enter(context))
        except MunimentError as error:
            raise MCPError(types.INVALID_PARAMS, told(error.code, error.message)) from error
        except Exception as error:  # the library would show what it says
            raise MCPError(types.INTERNAL_ERROR, _unexpected(error)) from error
        read = types.TextResourceContents(uri=INBOX, mime_type=_INBOX.mime_type, text=text)
        return types.ReadResourceResult(contents=[read])

    made = Server[Any](
        "muniment",
        version=__version__,
        title="Muniment",
        instructions=INSTRUCTIONS,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
        on_list_resources=list_resources,
        on_read_resource=read_resource,
        get_tool_input_schema=_inputs,  # or each call would list the tools first
    )
    made.middleware.clear()  # its own spans are named by whatever a client makes up
    return made


@cache
def _listed(tool: Tool) -> types.Tool:
    return types.Tool(
        name=tool.name,
        description=tool.description,
        input_schema=schema(tool.model, tool.fields),
        output_schema=answered(tool.answers),
        annotations=types.ToolAnnotations(
            read_only_hint=tool.effect == "reads",
            destructive_hint=tool.effect == "hides",
            idempotent_hint=tool.effect in ("reads", "hides", "changes"),
            open_world_hint=False,
        ),
    )


def writes(message: types.JSONRPCMessage) -> bool:
    """Whether a message calls a tool that does more than read."""
    if not isinstance(message, types.JSONRPCRequest) or message.method != "tools/call":
        return False
    name = (message.params or {}).get("name")
    return any(tool.name == name and tool.effect != "reads" for tool in TOOLS)


def _inputs(name: str) -> dict[str, Any] | None:
    """What a tool takes; None where there is none of that name."""
    return next((_listed(tool).input_schema for tool in TOOLS if tool.name == name), None)


def _find(name: str) -> Tool:
    for tool in TOOLS:
        if tool.name == name:
            return tool
    raise Invalid(f"There is no tool {name[:80]!r}.", code="tool_unknown", field="name")


def _checked(tool: Tool, given: Values) -> dict[str, Any]:
    """The arguments that were given; those that are null count as left out."""
    for name in given:
        if name not in tool.fields:
            shown = name[:80]
            raise Invalid(f"{shown}: it takes no such argument.", code="unknown_field", field=shown)
    values = {name: value for name, value in given.items() if value is not None}
    for name in tool.fields:
        if tool.model.model_fields[name].is_required() and name not in values:
            raise Invalid(f"{name}: it is missing.", code=f"{name}_required", field=name)
    return values


def _call(tool: Tool, caller: Caller, given: Values) -> types.CallToolResult:
    if tool.operation:
        caller.face.require(tool.operation)
    answer = tool.perform(caller, _checked(tool, given))
    return types.CallToolResult(
        content=[types.TextContent(type="text", text=answer.text)],
        structured_content=plain(answer.data),
    )


def told(code: str, message: str) -> str:
    """How an error reads: its code is stable, and the sentence says what to do."""
    return f"[{code}] {message}"


def _unexpected(error: Exception) -> str:
    """What is told of a bug; what it was stands in the log."""
    _log.error("unexpected", reason=f"{type(error).__name__}: {error}", exc_info=error)
    return told("unexpected", "This should not happen: see the server's log.")


def _failed(sentence: str) -> types.CallToolResult:
    return types.CallToolResult(
        content=[types.TextContent(type="text", text=sentence)], is_error=True
    )
