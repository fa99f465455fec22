"""Search by regular expression: RE2, whose time is linear in the text whatever the pattern.

A pattern is matched, without regard to case, against ``category/id`` and against the document text
(content, tags, category). ``(?-i)`` makes it mind the case.
"""

import time
from collections.abc import Sequence
from typing import Any

import re2 as untyped_re2  # type: ignore[import-untyped]  # it comes without types

from muniment.domain import category as categories
from muniment.domain.errors import Invalid, Refused
from muniment.domain.memory.state import State

from .reading import Reading

re2: Any = untyped_re2

MAX_PATTERN = 512
MAX_PROGRAM_BYTES = 8 << 20
MAX_SECONDS = 30.0

_BATCH = 200
_UNSUPPORTED = ("invalid perl operator", "invalid escape sequence", "bad repetition operator")


def compiled(pattern: str) -> Any:
    """The expression of a pattern.

    Raises:
        Invalid: ``regex_too_long``, ``regex_unsupported`` (a construct that RE2 leaves out, such as
            look-around or back-references) or ``regex_invalid``; with the engine's words.
    """
    if len(pattern) > MAX_PATTERN:
        raise Invalid(
            f"query: the pattern has {len(pattern)} characters; at most {MAX_PATTERN} are allowed.",
            code="regex_too_long",
            field="query",
        )
    options = re2.Options()
    options.case_sensitive = False
    options.log_errors = False
    options.max_mem = MAX_PROGRAM_BYTES
    try:
        return re2.compile(pattern, options)
    except re2.error as error:
        reason = error.args[0] if error.args else "no reason given"
        words = reason.decode(errors="replace") if isinstance(reason, bytes) else str(reason)
        unsupported = words.startswith(_UNSUPPORTED)
        raise Invalid(
            f"query: the pattern is {'not supported' if unsupported else 'invalid'}: {words}.",
            code="regex_unsupported" if unsupported else "regex_invalid",
            field="query",
        ) from error


def matching(
    expression: Any,
    candidates: Sequence[tuple[str, float]],
    reading: Reading,
    *,
    wanted: int,
) -> list[tuple[str, float]]:
    """The first ``wanted`` candidates that match, in their order.

    Raises:
        Refused: ``regex_timeout`` after 30 s.
    """
    deadline = time.monotonic() + MAX_SECONDS
    found: list[tuple[str, float]] = []
    for start in range(0, len(candidates), _BATCH):
        if time.monotonic() > deadline:
            raise Refused(
                f"The expression took over {MAX_SECONDS:g} s: narrow it by category or tags.",
                code="regex_timeout",
                field="query",
            )
        some = candidates[start : start + _BATCH]
        states = reading.memories(id_ for id_, _ in some)
        for candidate, state in zip(some, states, strict=True):
            if _matches(expression, state):
                found.append(candidate)
                if len(found) == wanted:
                    return found
    return found


def _matches(expression: Any, state: State) -> bool:
    path = f"{state.category or categories.GENERAL}/{state.id}"
    words = categories.words(state.category)
    document = "\n".join((state.content, " ".join(state.tags), words))
    return bool(expression.search(path) or expression.search(document))
