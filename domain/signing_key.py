"""What is recorded of the key that checkpoints are signed with: that another took its place."""

from dataclasses import dataclass
from typing import ClassVar


@dataclass(frozen=True, slots=True, kw_only=True)
class Rotated:
    """From this position on checkpoints are signed with ``new``; ``old`` vouches for it.

    Keys are written as C2SP signed-note does (``name+id+key``). ``statement`` is a signed note of
    the old key, which names the new one.
    """

    NAME: ClassVar[str] = "signing_key.rotated"
    SCHEMA: ClassVar[int] = 1

    old: str
    new: str
    statement: str
