"""What a client sends, before the protocol's library reads it: a message, or why it is none.

The library takes of a name that is there twice the last, writes something else for bytes that are
no UTF-8, and takes a request whose id it cannot answer to for a notification.
"""

import json
from contextlib import suppress
from typing import Any, cast

import mcp_types as types
from pydantic import ValidationError

from muniment.domain.errors import Invalid
from muniment.interfaces.strict_json import read_object


class NoMessageError(Exception):
    """What was sent is no message; ``answer`` says why, to the id where one can be read."""

    def __init__(self, answer: types.JSONRPCError) -> None:
        super().__init__(answer.error.message)
        self.answer = answer


def read(sent: bytes) -> types.JSONRPCMessage:
    """The message that was sent.

    Raises:
        NoMessageError: It is no JSON, no object of the protocol, or can be read in two ways.
    """
    try:
        given = read_object(sent)
        message = types.jsonrpc_message_adapter.validate_json(sent, by_name=False)
    except Invalid as error:
        raise NoMessageError(_answer(sent, error.message)) from error
    except ValidationError as error:
        raise NoMessageError(_answer(sent, _why(error))) from error
    if "method" in given:
        # a response may have no id: its sender could not read what it is the answer to
        if "id" in given and not _is_id(given["id"]):
            said = "The id of a message is a text or a whole number."
            raise NoMessageError(_answer(sent, said))
        if "result" in given or "error" in given:
            raise NoMessageError(_answer(sent, "A message asks or answers, and not both."))
    return message


def too_long(most: int) -> types.JSONRPCError:
    """What is said of a message over ``most`` bytes, which is not read."""
    said = f"The message is over {most:,} bytes: send less at once."
    return types.JSONRPCError(
        jsonrpc="2.0", id=None, error=types.ErrorData(code=types.INVALID_REQUEST, message=said)
    )


def _why(error: ValidationError) -> str:
    """What the library has against it: half a character, its depth, or that it is no message."""
    first = error.errors(include_url=False)[0]
    if first["type"] == "json_invalid":
        return f"The body is no JSON: {first.get('ctx', {}).get('error', 'it cannot be read')}."
    return "That was no message: send JSON-RPC, one object."


def _answer(sent: bytes, said: str) -> types.JSONRPCError:
    code, number = types.PARSE_ERROR, None
    with suppress(ValueError, RecursionError):
        # objects as tuples of pairs, so that a name that is there twice can be seen
        given = json.loads(sent.decode(), object_pairs_hook=tuple)
        code, number = types.INVALID_REQUEST, _id_of(given)
    said = said.encode(errors="replace").decode()  # it may quote half a character
    error = types.ErrorData(code=code, message=said)
    return types.JSONRPCError(jsonrpc="2.0", id=number, error=error)


def _id_of(given: object) -> types.RequestId | None:
    """The id of a message, if it has one."""
    if not isinstance(given, tuple):
        return None
    pairs = cast("tuple[tuple[str, Any], ...]", given)
    ids = [value for name, value in pairs if name == "id"]
    return ids[0] if len(ids) == 1 and _is_id(ids[0]) else None


def _is_id(value: object) -> bool:
    if isinstance(value, str):
        return value == value.encode(errors="replace").decode()
    return isinstance(value, int) and not isinstance(value, bool)
