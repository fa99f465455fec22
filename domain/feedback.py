"""What people say about how an agent did: one of the things that dreaming learns from."""

from dataclasses import dataclass
from typing import ClassVar, Final, Literal, TypeAlias, get_args

from .recorded import Words

Kind: TypeAlias = Literal["correction", "complaint", "irritated", "suggestion", "praise"]
"""``correction``: it was wrong, and what is right; ``complaint``: it was not good; ``irritated``:
said with anger, so that once is enough; ``suggestion``: what would be better; ``praise``: keep it.
"""

KINDS: Final[tuple[Kind, ...]] = get_args(Kind)


@dataclass(frozen=True, slots=True, kw_only=True)
class Given:
    """Somebody gave feedback; ``memory_ids`` are the memories that it is about."""

    NAME: ClassVar[str] = "feedback.given"
    SCHEMA: ClassVar[int] = 1

    kind: Kind
    memory_ids: tuple[str, ...] = ()
    text: Words[str] = ""
    session: Words[str | None] = None
