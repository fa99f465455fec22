"""What a projection is put away as: arrays, bytes and plain values by name, and taken from again.

Whoever takes one from parts checks them: parts that do not fit are never half taken.
"""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Final, TypeAlias, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

Json: TypeAlias = "bool | int | float | str | list[Json] | dict[str, Json] | None"
Part: TypeAlias = "NDArray[np.generic] | bytes | Json"
Parts: TypeAlias = Mapping[str, Part]

S = TypeVar("S", bound=np.generic)
T = TypeVar("T", int, str, bytes)
N = TypeVar("N")

_UUID_CHARACTERS: Final = 36
_GROUPS: Final = ((0, 8), (8, 12), (12, 16), (16, 20), (20, 32))


class Unfit(ValueError):  # noqa: N818 (it is said of parts)
    """Parts that are not those of the projection that was to be taken from them."""


def array(parts: Parts, name: str, dtype: type[S]) -> NDArray[S]:
    """A part that is an array of one dtype and one dimension."""
    part = parts.get(name)
    if isinstance(part, np.ndarray) and part.dtype == dtype and part.ndim == 1:
        return cast("NDArray[S]", part)
    raise Unfit(name)


def value(parts: Parts, name: str, kind: type[T]) -> T:
    """A part that is a number, a text or bytes."""
    part = parts.get(name)
    if isinstance(part, kind):
        return part
    raise Unfit(name)


def texts(parts: Parts, name: str) -> list[str]:
    """A part that is a list of texts."""
    part = parts.get(name)
    if isinstance(part, list):
        found = [text for text in part if isinstance(text, str)]
        if len(found) == len(part):
            return found
    raise Unfit(name)


def numbers(parts: Parts, name: str) -> dict[str, int]:
    """A part that gives texts numbers."""
    part = parts.get(name)
    if isinstance(part, dict):
        found = {text: number for text, number in part.items() if isinstance(number, int)}
        if len(found) == len(part):
            return found
    raise Unfit(name)


def packed_ids(ids: list[str]) -> Part:
    """Ids as 16 bytes each where all are UUIDs as we write them, or else as they are."""
    joined = "".join(ids)
    if len(joined) == _UUID_CHARACTERS * len(ids):
        try:
            packed = bytes.fromhex(joined.replace("-", ""))
        except ValueError:
            return list(ids)
        if len(packed) == 16 * len(ids) and list(_unpacked(packed)) == ids:
            return packed
    return list(ids)


def ids(parts: Parts, name: str) -> list[str]:
    """A part that ``packed_ids`` made."""
    part = parts.get(name)
    if not isinstance(part, bytes):
        return texts(parts, name)
    if len(part) % 16:
        raise Unfit(name)
    return list(_unpacked(part))


@lru_cache(1)  # the projections of a space name the same memories, and share the texts of their ids
def _unpacked(packed: bytes) -> tuple[str, ...]:
    # a text an id, made one by one, takes ten times as long as one text that is split
    count = len(packed) // 16
    if not count:
        return ()
    digits = np.frombuffer(packed.hex().encode(), np.uint8).reshape(count, 32)
    lines = np.full((count, _UUID_CHARACTERS + 1), ord("-"), np.uint8)
    for dashes, (first, past) in enumerate(_GROUPS):
        lines[:, first + dashes : past + dashes] = digits[:, first:past]
    lines[:, _UUID_CHARACTERS] = ord("\n")
    return tuple(lines.tobytes()[:-1].decode().split("\n"))


def ranked(names: list[str]) -> tuple[list[str], NDArray[np.int64]]:
    """Different names in order, and the place in it of each as they were given."""
    order = sorted(range(len(names)), key=names.__getitem__)
    ranks = np.empty(len(names), np.int64)
    ranks[order] = np.arange(len(names))
    return [names[at] for at in order], ranks


def used(numbers: NDArray[np.integer], names: Sequence[N]) -> tuple[list[N], NDArray[np.int32]]:
    """The names that some numbers stand for, without the others, and the numbers that they get."""
    kept, renumbered = np.unique(numbers, return_inverse=True)
    return [names[number] for number in kept.tolist()], renumbered.astype(np.int32)
