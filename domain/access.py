"""Who may do what: the one table of roles, for every surface.

Each operation carries its name, and a row of the table says which roles may ask for it. One that
has no row cannot even be defined.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Final

from .identity import Role


def _roles(*roles: Role) -> frozenset[Role]:
    return frozenset(roles)


_OWNER: Final = _roles("owner")
_WRITERS: Final = _roles("owner", "main")
_AGENTS: Final = _WRITERS | _roles("contributor")
_READERS: Final = _AGENTS | _roles("service")
_LEDGER: Final = _WRITERS | _roles("auditor", "admin")
_HISTORY: Final = _LEDGER | _roles("contributor")
_KEEPERS: Final = _roles("owner", "admin")
_STORE_WIDE: Final = _roles("owner", "auditor", "admin")
_POLICY: Final = _roles("owner", "service")

ROLES: Final[Mapping[str, frozenset[Role]]] = {
    # what is known
    "search": _READERS,
    "show": _READERS,
    "get_many": _READERS,
    "recall": _READERS,
    "recall for another": _WRITERS,  # else anybody could say what another agent was told
    "as_of": _READERS | _LEDGER,
    "diff": _OWNER,  # what is quarantined now has words in the past that are kept from agents
    # what is written
    "save": _WRITERS,
    "revise": _WRITERS,
    "rescore": _WRITERS,
    "recategorize": _WRITERS,
    "retag": _WRITERS,
    "describe": _WRITERS,
    "mark_used": _WRITERS,
    "archive": _WRITERS,
    "restore": _WRITERS,
    "supersede": _WRITERS,
    "merge": _WRITERS,
    "fold": _WRITERS | _roles("service"),
    "pin": _WRITERS,  # an agent on the user's words alone, which are recorded
    "unpin": _WRITERS,
    "quarantine": _POLICY,
    "release": _OWNER,
    # what is proposed
    "propose": _AGENTS,
    "proposals": _AGENTS,
    "decide": _WRITERS,
    # what is at hand for a while, and what was said
    "working save": _AGENTS,
    "working get": _READERS,
    "working search": _READERS,
    "conversation append": _AGENTS,
    "conversation turns": _READERS,
    "conversation search": _READERS,
    "context": _READERS,
    "feedback": _AGENTS,
    "report_tool_call": _AGENTS,
    # what is removed
    "purge": _POLICY | _roles("admin"),
    "hold": _KEEPERS,
    "release_hold": _KEEPERS,
    "erase": _KEEPERS,
    "erasures": _STORE_WIDE,
    # what happened
    "history": _HISTORY,
    "knew": _LEDGER,
    "trace": _LEDGER,
    "blast_radius": _LEDGER,
    "log": _LEDGER,
    "stats": _LEDGER,
    "verify": _LEDGER,
    "prove": _HISTORY,
    "prove_invariants": _LEDGER,
    "report": _STORE_WIDE,
    "audit": _LEDGER,
    "audit run": _LEDGER | _roles("service"),
    "audit evaluate": _LEDGER | _roles("service"),
    "resume_consolidation": _WRITERS,
    "checkpoint": _STORE_WIDE | _roles("service"),
    # the store as a whole
    "every_space": _STORE_WIDE,
    "space list": _STORE_WIDE,
    "import": _OWNER,
    "export": _OWNER,
    "backup": _OWNER,
    "rollback": _OWNER,
    "rebuild": _STORE_WIDE | _roles("main"),
    "keys backup": _KEEPERS,
    "keys rotate": _KEEPERS,
    "keys rotate-signing": _KEEPERS,
    "token issue": _roles("admin"),
    "token list": _roles("admin"),
    "token revoke": _roles("admin"),
}
"""The roles of each operation, by the name that it has everywhere.

``every_space`` is asking about another space than one's own, or about all, where an operation can;
``recall for another`` is naming another agent than oneself as the one that something is told.
"""

CONTENT: Final = frozenset(["search", "show", "get_many", "diff"])
"""Operations whose answer is what memories say: an auditor's too, where that is granted."""

PEOPLE: Final = _STORE_WIDE
"""Who may know of what is quarantined: people. It is kept from agents lest they act on it."""


def is_kept_from(role: Role, condition: str) -> bool:
    """Whether the words of a memory in that condition are kept from a role."""
    return condition == "quarantined" and role not in PEOPLE


@dataclass(frozen=True, slots=True, kw_only=True)
class Grants:
    """What may be granted beyond the table: to auditors, the words of memories."""

    auditors_read_content: bool = False


def may(role: Role, operation: str, grants: Grants) -> bool:
    """Whether a role may ask for an operation."""
    if role in ROLES[operation]:
        return True
    return role == "auditor" and operation in CONTENT and grants.auditors_read_content


def reads_words(role: Role, grants: Grants) -> bool:
    """Whether a role is answered in the words of memories; administrators are not."""
    return grants.auditors_read_content if role == "auditor" else role != "admin"


class Operation:
    """Something that callers ask for.

    Raises:
        TypeError: While it is being defined: the table has no row of its name.
    """

    VERB: ClassVar[str]

    def __init_subclass__(cls, **kwargs: object) -> None:
        super().__init_subclass__(**kwargs)
        verb = cls.__dict__.get("VERB")
        if verb is not None and verb not in ROLES:
            raise TypeError(f"{cls.__name__}: the table of roles has no row {verb!r}")


class EverySpace(Operation):
    """Ask about another space than one's own, or about all."""

    VERB: ClassVar[str] = "every_space"


class RecallForAnother(Operation):
    """Recall into the context of another agent than the one that acts."""

    VERB: ClassVar[str] = "recall for another"
