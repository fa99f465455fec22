"""What is recorded of processes: that one began to serve a store."""

from dataclasses import dataclass
from typing import ClassVar, Literal, TypeAlias

Kind: TypeAlias = Literal["serve", "mcp"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Started:
    """A long-lived process of ``release`` opened the store, to ``serve`` it or as ``mcp``."""

    NAME: ClassVar[str] = "process.started"
    SCHEMA: ClassVar[int] = 1

    kind: Kind
    release: str
