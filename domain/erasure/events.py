"""What can happen to an erasure. Names and schemas are the storage format: add, never change.

Nothing that names a person is a fact: the subject and the words of the basis are encrypted under a
key of the erasure's own, so that the certificate can be read when the memories cannot.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import ClassVar, Literal, TypeAlias

from ..recorded import Words

Scope: TypeAlias = Literal["memory", "subject", "space"]
Policy: TypeAlias = Literal["cascade", "rewrite", "keep"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Requested:
    """The keys of ``erased`` are about to be destroyed; the requests stand in the same append.

    ``basis`` is a code such as ``gdpr-17``, ``named`` what was asked for. Of what was derived,
    ``kept`` stays, and ``reason`` says why. What was merged into something that is erased, and is
    not erased itself, is back in recall where ``restored`` names it, and archived where ``left``
    does.
    """

    NAME: ClassVar[str] = "erasure.requested"
    SCHEMA: ClassVar[int] = 1

    scope: Scope
    basis: str
    policy: Policy
    named: tuple[str, ...]
    erased: tuple[str, ...]
    kept: tuple[str, ...] = ()
    restored: tuple[str, ...] = ()
    left: tuple[str, ...] = ()
    basis_text: Words[str] = ""
    subject: Words[str | None] = None
    reason: Words[str] = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Completed:
    """All its keys are destroyed, and nothing that was made of the words is left.

    ``key_backups_until`` is when the master key that backups of the keys were made under ends.
    """

    NAME: ClassVar[str] = "erasure.completed"
    SCHEMA: ClassVar[int] = 1

    key_backups_until: datetime | None = None


Event: TypeAlias = Requested | Completed
