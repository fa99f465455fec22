"""Signed notes: written and read as C2SP says, and refused line by line where they are not that."""

import base64
from contextlib import suppress

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from hypothesis import given
from hypothesis import strategies as st

from muniment.domain.errors import Invalid
from muniment.log.notes import Checkpoint, PublicKey, checkpoint_text, note, sign

STORE = "01976a5b-7c00-7a11-8b22-0123456789ab"
TIME = "2026-03-03T12:00:00.000000Z"
KEY = Ed25519PrivateKey.from_private_bytes(bytes(range(32)))
PUBLIC = PublicKey(f"muniment/{STORE}", KEY.public_key().public_bytes_raw())
TEXT = checkpoint_text(STORE, 1_000, b"\1" * 32, b"\2" * 32, TIME)
SIGNED = sign(TEXT, PUBLIC.name, KEY)
LINES = SIGNED.split("\n")

EXAMPLE = """\
Ognuno sta solo sul cuor della terra
trafitto da un raggio di sole:

ed è subito sera.

— quasimodo.example/salvatore NnugSzTjtVAewIS+Z/iJhUPeFDkO/5QQ2i5ddnGITLlC+EhfLW9oJKONrMouFSQU0\
xMcXxj99ihAQwaqP3ZekRwNtIc=
"""
"""The example of C2SP signed-note."""
GO_KEY = "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW"
GO_NOTE = """\
If you think cryptography is the answer to your problem,
then you don't know what your problem is.

— PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE\
6RyyBwJnAM=
"""
"""The example of golang.org/x/mod/sumdb/note."""


def test_a_checkpoint_says_what_it_was_made_of() -> None:
    checkpoint = Checkpoint.of(SIGNED)
    assert checkpoint == Checkpoint(f"muniment/{STORE}", 1_000, "01" * 32, "02" * 32, TIME, SIGNED)
    assert str(checkpoint) == SIGNED
    assert checkpoint.note.is_signed_by(PUBLIC)


def test_the_text_is_that_of_a_tlog_checkpoint() -> None:
    assert LINES[:3] == [f"muniment/{STORE}", "1000", base64.b64encode(b"\1" * 32).decode()]
    assert LINES[5] == ""
    assert LINES[6].startswith(f"— muniment/{STORE} ")


def test_notes_of_others_are_read_as_they_are() -> None:
    found = note(EXAMPLE)
    assert found.text.endswith("\n\ned è subito sera.\n")
    assert [name for name, *_ in found.signatures] == ["quasimodo.example/salvatore"]


def test_a_note_that_another_implementation_signed_is_verified() -> None:
    key = PublicKey.of(GO_KEY)
    assert key.id.hex() == "c74f20a3"
    assert note(GO_NOTE).is_signed_by(key)
    assert not note(GO_NOTE.replace("answer", "question")).is_signed_by(key)


def test_a_key_is_written_and_read_alike() -> None:
    assert PublicKey.of(str(PUBLIC)) == PUBLIC
    for text in ("", "a+b+c", str(PUBLIC)[:-1], str(PUBLIC).replace("+", " ", 1), GO_KEY[1:]):
        with pytest.raises(Invalid, match="no Ed25519 key") as error:
            PublicKey.of(text)
        assert error.value.code == "public_key_malformed"


def test_signatures_of_unknown_keys_are_left_aside() -> None:
    other = Ed25519PrivateKey.generate()
    cosigned = SIGNED + sign(TEXT, "witness.example/w1", other).split("\n\n")[1]
    assert note(cosigned).is_signed_by(PUBLIC)
    assert not note(sign(TEXT, PUBLIC.name, other)).is_signed_by(PUBLIC)
    assert not note(sign(TEXT, "muniment/other", KEY)).is_signed_by(PUBLIC)


def test_one_signature_that_fails_refuses_the_note() -> None:
    false = base64.b64encode(PUBLIC.id + bytes(64)).decode()
    assert not note(f"{SIGNED}— {PUBLIC.name} {false}\n").is_signed_by(PUBLIC)
    short = base64.b64encode(PUBLIC.id + b"x").decode()
    assert not note(f"{TEXT}\n— {PUBLIC.name} {short}\n").is_signed_by(PUBLIC)


@pytest.mark.parametrize("position", range(0, len(TEXT) - 1, 7))
def test_no_altered_text_keeps_its_signature(position: int) -> None:
    altered = SIGNED[:position] + chr(ord(SIGNED[position]) ^ 1) + SIGNED[position + 1 :]
    with suppress(Invalid):
        assert not note(altered).is_signed_by(PUBLIC)


def _with(number: int, line: str) -> str:
    return "\n".join([*LINES[: number - 1], line, *LINES[number:]])


@pytest.mark.parametrize(
    ("text", "line"),
    [
        pytest.param("", 1, id="nothing"),
        pytest.param("\n", 1, id="an empty line"),
        pytest.param(SIGNED[:-1], 7, id="no newline at the end"),
        pytest.param(TEXT, 6, id="no signature"),
        pytest.param(TEXT + "\n", 7, id="a blank line alone"),
        pytest.param(SIGNED.replace("\n\n", "\n"), 7, id="no blank line"),
        pytest.param("\n" + LINES[6] + "\n", 1, id="no text"),
        pytest.param(SIGNED.replace("\n", "\r\n"), 1, id="carriage returns"),
        pytest.param(_with(1, "other/origin"), 1, id="the origin of another kind of log"),
        pytest.param(_with(2, "01000"), 2, id="a leading zero"),
        pytest.param(_with(2, "-1"), 2, id="a negative size"),
        pytest.param(_with(2, "\u0661"), 2, id="digits that are no ASCII"),
        pytest.param(_with(2, "9" * 19), 2, id="a size that no log has"),
        pytest.param(_with(3, "AAAA"), 3, id="a root of another length"),
        pytest.param(_with(3, LINES[2][:-1]), 3, id="a root without its padding"),
        pytest.param(_with(3, LINES[2][:-2] + "F="), 3, id="a root with loose bits"),
        pytest.param(_with(4, LINES[3][6:]), 4, id="a chain without its name"),
        pytest.param(_with(4, "chain é"), 4, id="a chain that is no base64"),
        pytest.param(_with(5, "time 2026-03-03T12:00:00Z"), 5, id="a time in another spelling"),
        pytest.param(_with(5, "time 2026-13-03T12:00:00.000000Z"), 5, id="no time"),
        pytest.param(_with(5, "time x\0"), 5, id="a control character"),
        pytest.param(SIGNED.replace("\n\n", "\nmore\n\n"), 6, id="a line too many"),
        pytest.param(SIGNED.replace("\n\n", "\n\n\n"), 6, id="a blank line too many"),
        pytest.param(_with(5, LINES[6]), 5, id="a line too few, in its place another"),
        pytest.param(_with(7, LINES[6].replace("—", "-")), 7, id="a hyphen for the dash"),
        pytest.param(_with(7, "— a+b AAAAAAAA"), 7, id="a key name with a plus"),
        pytest.param(_with(7, "— a AAAA"), 7, id="a signature too short to be one"),
        pytest.param("x" * 200_000, 1, id="far too long"),
        pytest.param(SIGNED.replace("muniment", "muni\ud800ment", 1), 1, id="half a character"),
    ],
)
def test_a_malformed_note_is_refused_by_its_line(text: str, line: int) -> None:
    with pytest.raises(Invalid, match=f"line {line}:") as error:
        Checkpoint.of(text)
    assert error.value.code == "checkpoint_malformed"


@given(st.text() | st.lists(st.sampled_from([*LINES, "", "x"])).map("\n".join))
def test_any_text_is_a_checkpoint_or_refused(text: str) -> None:
    with suppress(Invalid):
        assert Checkpoint.of(text).text == text
