"""Keys of working memory: paths, whose first two segments are the namespace that they lie in.

A key of three segments or more is *full*: it says where it lies. One of one or two is *plain*: it
lies in the namespace of whoever uses it. Everybody reads any full key; who has a namespace writes
into that one alone.
"""

from collections.abc import Sequence
from typing import Final, Literal, TypeAlias

import regex

from ..errors import Invalid, Refused
from ..identity import Identity

MAX_KEY: Final = 512
"""Characters of a full key."""

INDEX: Final = "-index"
"""How a key ends under which a sub-agent keeps the outline of what it found."""

SESSION: Final = "session"
PATROL: Final = "patrol"
SUBAGENT: Final = "subagent"

NameField: TypeAlias = Literal["key", "namespace", "session"]

_SEGMENT = regex.compile(r"[\p{L}\p{M}\p{N}_.\-:@+=~#%]+")
_SEPARATOR: Final = "/"
_OF_A_NAMESPACE: Final = 2


def own_namespace(identity: Identity, given: object) -> str | None:
    """The namespace that a handle writes into; None: it has none, and names full keys.

    Args:
        identity: Whose handle it is. ``subagent:x`` always has ``subagent/x``.
        given: The namespace that was asked for, if any: two segments.

    Raises:
        Invalid: ``namespace_invalid``.
        Refused: ``namespace_refused`` where a sub-agent asks for another than its own.
    """
    kind, _, name = identity.actor.partition(":")
    own = f"{SUBAGENT}/{_as_segment(name)}" if kind == SUBAGENT else None
    if given is None:
        return own
    asked = "/".join(_segments(given, "namespace"))
    if asked.count(_SEPARATOR) != _OF_A_NAMESPACE - 1:
        raise Invalid(
            f"namespace: {asked!r} is none: give two segments, such as session/abc.",
            code="namespace_invalid",
            field="namespace",
        )
    if own is not None and asked != own:
        raise Refused(
            f"{identity.actor} works in {own}: it has no other namespace.",
            code="namespace_refused",
            field="namespace",
        )
    return asked


def to_write(key: object, namespace: str | None) -> str:
    """The full key that a handle of a namespace writes under.

    Raises:
        Invalid: ``key_invalid``.
        Refused: ``namespace_refused`` where it is the key of another namespace.
    """
    full = to_read(key, namespace)
    if namespace is not None and not within(full, namespace):
        raise Refused(
            f"key: {full!r} lies outside {namespace}, into which this handle writes: leave the"
            " namespace out.",
            code="namespace_refused",
            field="key",
        )
    return full


def to_read(key: object, namespace: str | None) -> str:
    """The full key that a handle of a namespace means.

    Raises:
        Invalid: ``key_invalid``.
    """
    segments = _segments(key, "key")
    if len(segments) <= _OF_A_NAMESPACE:
        if namespace is None:
            raise Invalid(
                "key: give a full one of three segments or more, such as session/abc/inbox: this"
                " handle has no namespace.",
                code="key_invalid",
                field="key",
            )
        segments = [*namespace.split(_SEPARATOR), *segments]
    return _bounded(_SEPARATOR.join(segments), "key")


def prefix(given: object) -> str:
    """What a search is narrowed to: a namespace, or any number of leading segments.

    Raises:
        Invalid: ``namespace_invalid``.
    """
    return _bounded(_SEPARATOR.join(_segments(given, "namespace")), "namespace")


def session_name(given: object) -> str:
    """The id of a session: one segment.

    Raises:
        Invalid: ``session_invalid``.
    """
    segments = _segments(given, "session")
    if len(segments) != 1:
        raise _invalid("session", "is more than one segment: leave the '/' out")
    return segments[0]


def namespace_of(key: str) -> str:
    """The first two segments of a full key."""
    return _SEPARATOR.join(key.split(_SEPARATOR, _OF_A_NAMESPACE)[:_OF_A_NAMESPACE])


def within(key: str, prefix: str) -> bool:
    """Whether a key lies under a prefix: 'session/ab' holds 'session/ab/x', never 'session/abc'."""
    return key == prefix or key.startswith(prefix + _SEPARATOR)


def _segments(given: object, field: NameField) -> Sequence[str]:
    if not isinstance(given, str):
        raise _invalid(field, "is no text")
    if len(given) > MAX_KEY:
        raise _invalid(field, f"is over {MAX_KEY} characters")
    segments = given.split(_SEPARATOR)
    for segment in segments:
        if segment in (".", "..") or not _SEGMENT.fullmatch(segment):
            raise _invalid(
                field,
                f"has a segment {segment[:80]!r}: use letters, digits and _ . - : @ + = ~ # %,"
                " segments parted by one '/'",
            )
    return segments


def _bounded(path: str, field: NameField) -> str:
    if len(path) > MAX_KEY:
        raise _invalid(field, f"is over {MAX_KEY} characters")
    return path


def _as_segment(name: str) -> str:
    """A sub-agent's name as one segment; no two names become the same, as none has a '%'."""
    if name in (".", ".."):
        return name.replace(".", "%2E")
    return name.replace(_SEPARATOR, "%2F")


def _invalid(field: NameField, what: str) -> Invalid:
    return Invalid(f"{field}: it {what}.", code=f"{field}_invalid", field=field)
