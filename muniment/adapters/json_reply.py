"""The JSON in what a language model says: through fences, preamble and thinking."""

import json
import re
from typing import Final, NoReturn

_MARK: Final = re.compile(
    r"[{\[]|<(?P<close>/?)(?P<tag>think|thinking|thought|reasoning)>", re.IGNORECASE
)
_INSIDE: Final = re.compile(r'["{}\[\]]')
_STRING: Final = re.compile(r'"(?:[^"\\]|\\.)*"', re.DOTALL)
_CLOSES: Final = {"{": "}", "[": "]"}


class NoReply(ValueError):  # noqa: N818
    """There is no whole JSON object or array; the message says what there is instead."""


def outermost(text: str) -> object:
    """The largest JSON object or array that stands in a text by itself; of two such, the last.

    What is thought aloud (``<think>…</think>``, or everything before a closing tag alone) is passed
    over. Where a bracket is not closed the text was cut short, and nothing of it is taken: an inner
    object would be half of what was said.

    Raises:
        NoReply: There is none, or it is cut short.
    """
    found: object = None
    longest = position = 0
    while (mark := _MARK.search(text, position)) is not None:
        if mark["tag"] is None:
            position = _end(text, mark.start())
            span = text[mark.start() : position]
            if len(span) >= longest and (parsed := _parsed(span)) is not None:
                found, longest = parsed, len(span)
        elif mark["close"]:
            found, longest, position = None, 0, mark.end()
        else:
            position = _after_thought(text, mark)
    if found is None:
        raise NoReply("holds no JSON object or array")
    return found


def _end(text: str, start: int) -> int:
    """Where the bracket at ``start`` is closed; brackets inside strings are none."""
    waiting: list[str] = []
    position = start
    while (mark := _INSIDE.search(text, position)) is not None:
        position = mark.end()
        if mark[0] == '"':
            string = _STRING.match(text, mark.start())
            if string is None:
                break
            position = string.end()
        elif mark[0] in _CLOSES:
            waiting.append(_CLOSES[mark[0]])
        elif waiting.pop() != mark[0]:
            break
        elif not waiting:
            return position
    raise NoReply("is cut short, or no JSON")


def _after_thought(text: str, opened: re.Match[str]) -> int:
    closing = re.compile(f"</{opened['tag']}>", re.IGNORECASE).search(text, opened.end())
    if closing is None:
        raise NoReply("is cut short in its thinking")
    return closing.end()


def _parsed(span: str) -> object:
    """The value; None where it is no JSON, such as a bracket in prose."""
    try:
        parsed: object = json.loads(span, parse_constant=_no_number)
    except (ValueError, RecursionError):
        return None
    return parsed


def _no_number(name: str) -> NoReturn:
    raise ValueError(name)
