"""Spaces, actors and roles: who does it, where, and as what."""

from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

import regex

from .errors import Invalid
from .memory.events import SourceType

Role: TypeAlias = Literal["owner", "main", "contributor", "service", "auditor", "admin"]

_SPACE = regex.compile(r"[A-Za-z0-9._-]{1,64}")
_ACTOR = regex.compile(
    r"manual|(?:bot|subagent|reflection|skill|system):[\p{L}\p{M}\p{N}._:@/+\-]{1,128}"
)

_ROLES: dict[str, Role] = {
    "manual": "owner",
    "bot": "main",
    "skill": "main",
    "reflection": "main",
    "subagent": "contributor",
    "system": "service",
}

_NEVER_WRITERS: frozenset[Role] = frozenset(["contributor", "service"])

_SOURCES: dict[Role, SourceType] = {"owner": "owner", "main": "agent", "contributor": "agent"}

TRUST: dict[SourceType, int] = {
    "owner": 3,
    "user": 2,
    "agent": 1,
    "tool": 1,
    "model": 1,
    "web": 0,
}
"""How far a source is trusted where nothing lower is said."""

_VOUCHES: dict[Role, int] = {"owner": 3, "main": 2}
"""How far a source may be trusted that a role names: an agent passes on what the user said."""


@dataclass(frozen=True, slots=True)
class Identity:
    """Who acts (``actor``), in which ``space``, in which ``role``."""

    space: str
    actor: str
    role: Role

    @property
    def source_type(self) -> SourceType:
        """What an observation's source is where the caller does not say."""
        return _SOURCES.get(self.role, "model")

    def require_vouched(self, source: SourceType) -> None:
        """Refuses a source that is trusted further than who names it can vouch for.

        Raises:
            Invalid: ``source_invalid``.
        """
        if TRUST[source] > _VOUCHES.get(self.role, TRUST[self.source_type]):
            raise Invalid(
                f"source.type: {self.actor} cannot speak for the {source}: name who said it as it"
                f" is, or leave it out, which means {self.source_type!r}.",
                code="source_invalid",
                field="source.type",
            )


def commits_for(actor: str) -> str:
    """The actor whose memories come of what somebody proposed: ``bot:commit-from:NAME``."""
    return f"bot:commit-from:{actor.partition(':')[2] or actor}"


def is_actor(name: object) -> bool:
    """Whether an actor can be called so."""
    return _is_named(_ACTOR, name)


def _is_named(pattern: "regex.Pattern[str]", name: object) -> bool:
    """Names come from callers, whose types nobody has checked yet."""
    return isinstance(name, str) and pattern.fullmatch(name) is not None


def identity(space: str, actor: str, role: Role | None = None) -> Identity:
    """An identity whose names are well formed; the role follows from the actor unless given.

    Raises:
        Invalid: ``space_invalid``, ``actor_invalid`` or ``role_invalid``.
    """
    if not _is_named(_SPACE, space):
        raise Invalid(
            f"No space can be called {space!r}: use 1 to 64 of A-Z a-z 0-9 . _ -",
            code="space_invalid",
            field="space",
        )
    if not is_actor(actor):
        raise Invalid(
            f"No actor can be called {actor!r}: use manual, bot:…, subagent:…, reflection:…,"
            " skill:… or system:…",
            code="actor_invalid",
            field="actor",
        )
    if role is not None and role not in get_args(Role):
        raise Invalid(
            f"There is no role {role!r}: it is one of {', '.join(get_args(Role))}.",
            code="role_invalid",
            field="role",
        )
    own = _ROLES[actor.partition(":")[0]]
    if own in _NEVER_WRITERS and role in ("owner", "main"):
        raise Invalid(
            f"{actor} cannot act as {role}: what it proposes or does by policy would pass for a"
            " person's.",
            code="role_invalid",
            field="role",
        )
    return Identity(space, actor, role or own)
