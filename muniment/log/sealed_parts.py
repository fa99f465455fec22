"""The parts of a projection as bytes that only the holder of a key can read or change.

A *stamp* says in the clear what the state is of. After it come *chunks*: of what the parts are laid
out as, each 8 MiB are compressed and sealed with AES-256-GCM. Each state has a key of its own,
derived from the cache key and the stamp, in which 16 random bytes are, so that the number of a
chunk is all its nonce. The stamp is the associated data of every chunk.

Laid out, the parts are the length of a table (8 bytes), the table, and the parts at the places that
it names: arrays as they lie in memory, little-endian, everything else as JSON.
"""

import hmac
import json
import sys
from collections.abc import Generator, Iterable, Iterator
from typing import Any, Final, Literal, cast

import numpy as np
import zstandard
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from muniment.projections.parts import Json, Part, Parts

FORMAT: Final = 1
CHUNK: Final = 8 << 20
LONGEST_CHUNK: Final = CHUNK + (CHUNK >> 7) + 1_024
"""No sealed chunk is longer: what does not shrink grows by less than that."""

_LEVEL = 3
_ALIGNED = 64
_WORD = 8
_PLAIN = ("u1", "u2", "i4", "i8", "f8")


class Unreadable(ValueError):  # noqa: N818 (it is said of a state)
    """A state that is damaged, cut short, or under another key."""


class Stamp(BaseModel):
    """What a kept state is of, in the clear.

    ``space`` is a hash of the space's name, ``chain`` that of the log at ``position``, in hex;
    ``maker`` names the release and what else decides how texts are read, ``version`` the form of
    the projection; ``key`` is the id of the cache key, ``salt`` are 16 random bytes in hex, and
    ``size`` counts the bytes of the parts as they are laid out.
    """

    model_config = ConfigDict(frozen=True, strict=True, extra="forbid")

    format: Literal[1] = FORMAT
    store: str
    space: str
    projection: str
    version: int
    maker: str
    position: int
    chain: str
    key: int
    salt: str
    size: int = Field(gt=0)

    def written(self) -> bytes:
        """The stamp as it is stored."""
        return self.model_dump_json().encode()


def read_stamp(written: bytes) -> Stamp:
    """A stamp as it was stored.

    Raises:
        Unreadable: It is none of this format.
    """
    try:
        return Stamp.model_validate_json(written)
    except ValidationError as error:
        raise Unreadable("its stamp is of another format") from error


class Layout:
    """Parts laid out one after another, not copied."""

    def __init__(self, parts: Parts) -> None:
        table: dict[str, tuple[str, int, int]] = {}
        self._pieces: list[memoryview] = []
        at = 0
        for name, part in parts.items():
            kind, piece = _piece(part)
            table[name] = kind, at, piece.nbytes
            padding = -piece.nbytes % _ALIGNED
            self._pieces += [piece, memoryview(bytes(padding))]
            at += piece.nbytes + padding
        listed = json.dumps(table).encode()
        listed += b" " * (-(_WORD + len(listed)) % _ALIGNED)
        self._pieces.insert(0, memoryview(len(listed).to_bytes(_WORD, "little") + listed))
        self.size = at + self._pieces[0].nbytes
        """How many bytes there are in all."""

    def chunks(self) -> Generator[memoryview, None, None]:
        """The bytes, ``CHUNK`` at a time. A chunk is valid until the next is asked for."""
        chunk, filled = bytearray(CHUNK), 0
        for piece in self._pieces:
            rest = piece
            while rest.nbytes:
                some = rest[: CHUNK - filled]
                chunk[filled : filled + some.nbytes] = some
                filled += some.nbytes
                rest = rest[some.nbytes :]
                if filled == CHUNK:
                    yield memoryview(chunk)
                    filled = 0
        if filled:
            yield memoryview(chunk)[:filled]


def sealed(layout: Layout, stamp: Stamp, cache_key: bytes) -> Iterator[bytes]:
    """The chunks of a state, compressed and encrypted, in order."""
    written = stamp.written()
    cipher = AESGCM(_derived(cache_key, written))
    compressor = zstandard.ZstdCompressor(level=_LEVEL)
    for number, chunk in enumerate(layout.chunks()):
        yield cipher.encrypt(_nonce(number), compressor.compress(chunk), written)


def opened(chunks: Iterable[bytes], stamp: Stamp, cache_key: bytes) -> dict[str, Part]:
    """The parts of a state from its chunks; arrays share one buffer, which may be written to.

    Raises:
        Unreadable: A chunk is damaged or missing.
    """
    written = stamp.written()
    cipher = AESGCM(_derived(cache_key, written))
    decompressor = zstandard.ZstdDecompressor()
    laid_out, filled = bytearray(), 0
    try:
        for number, chunk in enumerate(chunks):
            plain = decompressor.decompress(cipher.decrypt(_nonce(number), chunk, written))
            if number == 0:  # only now is it known that the size is what was stamped
                laid_out = bytearray(stamp.size)
            laid_out[filled : filled + len(plain)] = plain
            filled += len(plain)
    except (InvalidTag, ValueError, zstandard.ZstdError) as error:
        raise Unreadable("it is damaged, or under another key") from error
    if filled != stamp.size or len(laid_out) != stamp.size:
        raise Unreadable("it is cut short")
    return _taken(memoryview(laid_out))


def _taken(laid_out: memoryview) -> dict[str, Part]:
    begin = _WORD + int.from_bytes(laid_out[:_WORD], "little")
    table: dict[str, tuple[str, int, int]] = json.loads(bytes(laid_out[_WORD:begin]))
    parts: dict[str, Part] = {}
    for name, (kind, at, size) in table.items():
        piece = laid_out[begin + at : begin + at + size]
        if kind == "json":
            parts[name] = cast("Json", json.loads(bytes(piece)))
        elif kind == "bytes":
            parts[name] = bytes(piece)
        else:
            parts[name] = _native(np.frombuffer(piece, f"<{kind}"))
    return parts


def _piece(part: Part) -> tuple[str, memoryview]:
    if isinstance(part, np.ndarray):
        kind = f"{part.dtype.kind}{part.dtype.itemsize}"
        if kind not in _PLAIN or part.ndim != 1:
            msg = f"no part can be an array of {part.dtype} in {part.ndim} dimensions"
            raise TypeError(msg)
        little = np.ascontiguousarray(part, part.dtype.newbyteorder("<"))
        return kind, little.view(np.uint8).data
    if isinstance(part, bytes):
        return "bytes", memoryview(part)
    return "json", memoryview(json.dumps(part, separators=(",", ":")).encode())


def _native(values: NDArray[Any]) -> NDArray[Any]:
    return values if sys.byteorder == "little" else values.astype(values.dtype.newbyteorder("="))


def _derived(cache_key: bytes, written: bytes) -> bytes:
    return hmac.digest(cache_key, b"kept state\0" + written, "sha256")


def _nonce(number: int) -> bytes:
    return number.to_bytes(12, "little")
