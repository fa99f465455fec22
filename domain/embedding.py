"""Texts as vectors: the port to a model that makes them, and what is accepted from one."""

import math
from collections.abc import Sequence
from typing import Final, Literal, NamedTuple, Protocol, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from . import category as categories
from .errors import Unavailable

Vectors: TypeAlias = NDArray[np.float32]

BreakerState: TypeAlias = Literal["closed", "open", "half_open"]

REFUSED: Final = "embedding_refused"
"""The code of an answer that came and is of no use, and of texts that a model turned down.

Asking again with the same texts will not help; asking with fewer may.
"""


_DEFAULT_LEAST: Final = 0.5

_MEASURED_LEAST: Final = {"all-minilm-l6-v2": 0.35, "all-minilm": 0.35}
"""Model → the cosine that one in a hundred pairs of texts that have nothing to do with each other
reaches. Measured on LoCoMo (``make bench``): questions with turns of other conversations."""


def least_similarity(model: str) -> float:
    """The least cosine of a hit: what was measured for the model, else 0.5.

    Args:
        model: Its name at an endpoint; capitals, the owner before a slash and the variant after a
            colon make no difference.
    """
    name = model.casefold().rpartition("/")[2].partition(":")[0]
    return _MEASURED_LEAST.get(name, _DEFAULT_LEAST)


def document(content: str, category: str | None, tags: Sequence[str]) -> str:
    """What a model reads of a memory: the words of its category and its tags, a colon, its text.

    They stand in front as a speaker does in a transcript, and so are never what is cut from a long
    text. Who or what a short note is about is often in them alone.
    """
    about = ", ".join(filter(None, (categories.words(category), *tags)))
    return f"{about}: {content}" if about else content


class Health(NamedTuple):
    """Whether a model is being asked.

    ``closed``: it is; ``open``: it failed too often and is left alone, for ``retry_in`` seconds
    more; ``half_open``: the next call, or the one under way, decides.
    """

    state: BreakerState = "closed"
    retry_in: float = 0.0


class Embedder(Protocol):
    """A model that turns texts into vectors; safe to call from several threads."""

    @property
    def model(self) -> str:
        """The name of the model; vectors of two models are never compared."""
        ...

    @property
    def dimension(self) -> int | None:
        """How many components a vector has; None as long as that isn't known."""
        ...

    def embed(self, texts: Sequence[str], *, within: float | None = None) -> Vectors:
        """Unit vectors, one a text, in the order of the texts: shape (texts, dimension).

        Args:
            texts: Any number; long ones are cut.
            within: Seconds after which to give up, where that is sooner than the model's own
                deadline.

        Raises:
            Unavailable: ``embedding_refused`` where an answer came and was refused, any other code
                where none came.
        """
        ...

    def health(self) -> Health:
        """Whether calls are let through."""
        ...

    def close(self) -> None:
        """Gives up every call under way, from whichever thread; later ones are Unavailable."""
        ...


def accepted(vectors: object, *, count: int, dimension: int | None) -> Vectors:
    """The vectors of a reply, scaled to length 1: shape (count, dimension), ``count`` ≥ 1.

    Args:
        vectors: What stood in the reply, of any type: a list of lists of numbers is hoped for.
        count: How many texts were sent.
        dimension: How many components are expected; None: as many as the first has.

    Raises:
        Unavailable: ``embedding_refused``, with what is wrong: not a list, too few or too many
            vectors, an empty one, another dimension, a component that is no number (strings and
            booleans are none) or not finite, nothing but zeros. All are refused then.
    """
    if not isinstance(vectors, list):
        raise _refused("is no list of vectors")
    rows = cast("list[object]", vectors)
    if len(rows) != count:
        raise _refused(f"has {len(rows)} vectors for {count} texts")
    values: list[list[float]] = []
    for number, row in enumerate(rows, start=1):
        numbers = _numbers(row, number)
        dimension = dimension or len(numbers)
        if len(numbers) != dimension:
            raise _refused(f"has {len(numbers)} dimensions in vector {number}, not {dimension}")
        values.append(numbers)
    try:
        matrix = np.array(values, np.float64)
    except OverflowError:
        raise _refused("holds a number that is too large") from None
    largest = np.abs(matrix).max(axis=1)  # NaN and infinity stay what they are
    for number, size in enumerate(largest.tolist(), start=1):
        if not math.isfinite(size):
            raise _refused(f"is not finite in vector {number}")
        if size == 0:
            raise _refused(f"is all zeros in vector {number}")
    matrix /= largest[:, np.newaxis]  # so that no square under- or overflows
    return unit(matrix)


def unit(vectors: NDArray[np.floating]) -> Vectors:
    """Vectors in rows, scaled to length 1; none is zero or so large that its square overflows."""
    lengths = np.sqrt(np.einsum("ij,ij->i", vectors, vectors))
    scaled: Vectors = (vectors / lengths[:, np.newaxis]).astype(np.float32)
    return scaled


def _numbers(row: object, number: int) -> list[float]:
    if not isinstance(row, list):
        raise _refused(f"has no list of numbers in vector {number}")
    numbers = cast("list[float]", row)
    if not numbers:
        raise _refused(f"is empty in vector {number}")
    if not {float, int}.issuperset(map(type, numbers)):
        raise _refused(f"holds something that is no number in vector {number}")
    return numbers


def _refused(fault: str) -> Unavailable:
    return Unavailable(f"The embedding model's reply {fault}: it was refused.", code=REFUSED)
