"""Signed notes (C2SP signed-note) and the checkpoints that are written as such (tlog-checkpoint).

A note is text, a blank line, and signature lines; a checkpoint's text is the origin of the log, its
size, the base64 of its RFC 6962 root, and here two lines more: the chain at that size, and when it
was made. See https://c2sp.org/signed-note and https://c2sp.org/tlog-checkpoint.
"""

import base64
import binascii
import re
from dataclasses import dataclass
from hashlib import sha256
from typing import Final

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from muniment.domain.errors import Invalid
from muniment.domain.moments import parse as parse_moment
from muniment.domain.moments import rfc3339

MAX_NOTE: Final = 1 << 17  # characters; 16 signatures of any kind have room
_ED25519 = b"\x01"  # the type of a signature in C2SP signed-note
_ORIGIN = "muniment/"
_SIGNATURE = re.compile(r"— ([^\s+]+) ([A-Za-z0-9+/]+={0,2})")
_KEY = re.compile(r"([^\s+]+)\+([0-9a-f]{8})\+([A-Za-z0-9+/]{44})")
_SIZE = re.compile(r"0|[1-9][0-9]{0,17}")


class Malformed(Exception):  # noqa: N818
    """A note cannot be read: which line, and why."""

    def __init__(self, line: int, reason: str) -> None:
        super().__init__(line, reason)
        self.line = line
        self.reason = reason

    def of(self, field: str) -> Invalid:
        """As an error of the input that it came in."""
        return Invalid(
            f"{field}: line {self.line}: {self.reason}.", code="checkpoint_malformed", field=field
        )


def origin(store_id: str) -> str:
    """What the checkpoints of a store begin with; also the name of the key that signs them."""
    return _ORIGIN + store_id


@dataclass(frozen=True, slots=True)
class PublicKey:
    """An Ed25519 key under a name, as verifiers know it."""

    name: str
    raw: bytes

    @property
    def id(self) -> bytes:
        """The first 4 bytes of ``H(name ‖ 0x0A ‖ 0x01 ‖ key)``."""
        return sha256(self.name.encode() + b"\n" + _ED25519 + self.raw).digest()[:4]

    def __str__(self) -> str:
        return f"{self.name}+{self.id.hex()}+{base64.b64encode(_ED25519 + self.raw).decode()}"

    @classmethod
    def of(cls, text: str) -> "PublicKey":
        """The key that a text of the form ``name+id+key`` stands for.

        Raises:
            Invalid: ``public_key_malformed``.
        """
        match = _KEY.fullmatch(text)
        if match is not None:
            coded = base64.b64decode(match[3])
            key = cls(match[1], coded[1:])
            if coded[:1] == _ED25519 and str(key) == text:
                return key
        raise Invalid(
            "public_key: this is no Ed25519 key of the form name+id+key.",
            code="public_key_malformed",
            field="public_key",
        )


@dataclass(frozen=True, slots=True)
class Note:
    """A text and its signatures: (name, id, signature) each."""

    text: str
    signatures: tuple[tuple[str, bytes, bytes], ...]

    def is_signed_by(self, key: PublicKey) -> bool:
        """Whether there are signatures of this key, and all of them hold."""
        own = [sealed for name, id_, sealed in self.signatures if (name, id_) == (key.name, key.id)]
        try:
            for signature in own:
                Ed25519PublicKey.from_public_bytes(key.raw).verify(signature, self.text.encode())
        except (InvalidSignature, ValueError):
            return False
        return bool(own)


def sign(text: str, name: str, key: Ed25519PrivateKey) -> str:
    """The note of a text, which ends in a newline, under one signature."""
    public = PublicKey(name, key.public_key().public_bytes_raw())
    sealed = base64.b64encode(public.id + key.sign(text.encode())).decode()
    return f"{text}\n— {name} {sealed}\n"


def note(text: str) -> Note:
    """A note read strictly.

    Raises:
        Invalid: ``checkpoint_malformed``, naming the line.
    """
    try:
        return _note(text)
    except Malformed as error:
        raise error.of("checkpoint") from error


def _note(text: str) -> Note:
    if len(text) > MAX_NOTE:
        raise Malformed(1, f"a note has at most {MAX_NOTE:,} characters")
    lines = text.split("\n")
    for number, line in enumerate(lines, 1):
        if any(character < " " or "\ud800" <= character <= "\udfff" for character in line):
            raise Malformed(number, "there is a character that no note may hold")
    if lines[-1] != "":
        raise Malformed(len(lines), "it does not end in a newline")
    if "" not in lines[:-1]:
        raise Malformed(len(lines), "no blank line and no signature follow the text")
    blank = len(lines) - 2 - lines[-2::-1].index("")
    if blank == 0:
        raise Malformed(1, "there is no text")
    if blank == len(lines) - 2:
        raise Malformed(len(lines), "no signature follows the blank line")
    signatures = [
        _signature(number, line) for number, line in enumerate(lines[blank + 1 : -1], blank + 2)
    ]
    return Note("\n".join(lines[:blank]) + "\n", tuple(signatures))


def _signature(number: int, line: str) -> tuple[str, bytes, bytes]:
    match = _SIGNATURE.fullmatch(line)
    coded = None if match is None else _decoded(match[2])
    if match is None or coded is None or len(coded) < 5:
        raise Malformed(number, "this is no signature: it reads '— name base64'")
    return match[1], coded[:4], coded[4:]


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """What a log of ``size`` events was, signed.

    ``root`` (the RFC 6962 root over the leaves) and ``chain`` (the last link) are in hex, ``time``
    is RFC 3339 in UTC, ``text`` is the signed note itself: keep that elsewhere.
    """

    origin: str
    size: int
    root: str
    chain: str
    time: str
    text: str

    def __str__(self) -> str:
        return self.text

    @property
    def note(self) -> Note:
        """The note, for its signatures."""
        return note(self.text)

    @classmethod
    def of(cls, text: str, *, field: str = "checkpoint") -> "Checkpoint":
        """The checkpoint of a note; that anybody signed it is not said by this.

        Raises:
            Invalid: ``checkpoint_malformed``, naming the line, and ``field`` as where it came in.
        """
        try:
            return cls._of(text)
        except Malformed as error:
            raise error.of(field) from error

    @classmethod
    def _of(cls, text: str) -> "Checkpoint":
        lines = _note(text).text.split("\n")[:-1]
        if len(lines) != 5:
            raise Malformed(min(len(lines), 5) + 1, f"the text has {len(lines)} lines, not 5")
        name, size, root, chain, time = lines
        if not name.startswith(_ORIGIN):
            raise Malformed(1, f"the origin is none of ours: it begins with {_ORIGIN}")
        if _SIZE.fullmatch(size) is None:
            raise Malformed(2, "the size is no decimal number")
        return cls(
            name,
            int(size),
            _hash(3, root),
            _hash(4, _named(4, "chain", chain)),
            _time(5, _named(5, "time", time)),
            text,
        )


def checkpoint_text(store_id: str, size: int, root: bytes, chain: bytes, time: str) -> str:
    """The text of a checkpoint, to be signed."""
    coded = [base64.b64encode(one).decode() for one in (root, chain)]
    return f"{origin(store_id)}\n{size}\n{coded[0]}\nchain {coded[1]}\ntime {time}\n"


def _named(number: int, name: str, line: str) -> str:
    if not line.startswith(name + " "):
        raise Malformed(number, f"it does not begin with '{name} '")
    return line[len(name) + 1 :]


def _hash(number: int, text: str) -> str:
    found = _decoded(text)
    if found is None or len(found) != 32:
        raise Malformed(number, "this is not the base64 of 32 bytes")
    return found.hex()


def _time(number: int, text: str) -> str:
    try:
        if rfc3339(parse_moment(text, "time")) == text:
            return text
    except Invalid:
        pass
    raise Malformed(number, "this is no time of the form 2026-03-03T12:00:00.000000Z")


def _decoded(text: str) -> bytes | None:
    """What a base64 stands for; None for one that no encoder writes."""
    try:
        found = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        return None
    return found if base64.b64encode(found).decode() == text else None
