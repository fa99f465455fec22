"""Texts come from the line, a file or the standard input, and go out without steering anything."""

from pathlib import Path

import pytest
from terminal import Terminal


def test_a_text_comes_from_the_standard_input(muniment: Terminal) -> None:
    saved = muniment("save", "-", "--json", stdin="Zoë is in Łódź\n".encode()).json
    assert saved["memory"]["content"] == "Zoë is in Łódź"


def test_a_text_comes_from_a_file(muniment: Terminal, tmp_path: Path) -> None:
    file = tmp_path / "note.txt"
    file.write_bytes(b"\xef\xbb\xbfUser is in Chicago\r\n\tsince May\r\n")
    saved = muniment("save", f"@{file}", "--json").json
    assert saved["memory"]["content"] == "User is in Chicago\r\n\tsince May"


def test_any_text_of_a_verb_may_come_from_elsewhere(muniment: Terminal) -> None:
    id_ = muniment.save("User is in Chicago")
    assert muniment("search", "-", stdin=b"chicago").out.split()[2] == id_[-12:]
    archived = muniment("archive", id_, "-", "--json", stdin=b"no more\n").json
    assert archived["archive_reason"] == "no more"


def test_a_text_may_begin_with_an_at_sign_or_a_dash(muniment: Terminal) -> None:
    assert muniment("save", "@@ada writes", "--json").json["memory"]["content"] == "@ada writes"
    dashed = muniment("save", "--json", "--", "- milk").json
    assert dashed["memory"]["content"] == "- milk"
    assert "goes after --" in muniment("save", "- milk").err


@pytest.mark.parametrize("name", ["missing.txt", "."])
def test_a_file_that_cannot_be_read_is_named(muniment: Terminal, tmp_path: Path, name: str) -> None:
    run = muniment("save", f"@{tmp_path / name}", "--json")
    assert (run.status, run.error["code"], run.error["field"]) == (2, "file_unreadable", "content")
    assert str(tmp_path / name) in run.error["message"]


def test_bytes_that_are_no_text_are_refused(muniment: Terminal) -> None:
    run = muniment("save", "-", "--json", stdin=b"caf\xe9")
    assert (run.status, run.error["code"]) == (2, "invalid_unicode")


@pytest.mark.parametrize("size", [65_537, 10_000_000])
def test_a_text_that_is_too_long_is_refused(muniment: Terminal, size: int) -> None:
    run = muniment("save", "-", "--json", stdin=b"x" * size)
    assert (run.status, run.error["code"]) == (2, "content_too_large")


def test_an_argument_that_is_no_unicode_is_refused(muniment: Terminal) -> None:
    run = muniment("save", "caf\udce9", "--json")
    assert (run.status, run.error["code"]) == (2, "invalid_unicode")


STEERING = "a\u202eb\u2066c\U000e0041d\u200be"


def test_characters_that_steer_or_hide_text_are_shown_as_code_points(muniment: Terminal) -> None:
    id_ = muniment.save(STEERING, "--tag", "t\u202e", "--metadata", "k\u202e=v\u2066")
    muniment("archive", id_, f"why\u202e{STEERING}")
    for arguments in (
        ["show", id_],
        ["search", "--include-archived"],
        ["search", "--include-archived", "--agent"],
        ["history", id_],
    ):
        out = muniment(*arguments).out
        assert not set("\u202e\u2066\U000e0041\u200b") & set(out)
        assert "<U+202E>" in out


def test_errors_steer_nothing_either(muniment: Terminal) -> None:
    run = muniment("frobnicate\u202e")
    assert "\u202e" not in run.err
    assert "frobnicate" in run.err


def test_escape_sequences_from_outside_are_never_printed(muniment: Terminal) -> None:
    muniment.save("User is in Chicago")
    for arguments in (["show", "\x1b[31m"], ["save", "\x1b]0;title\x07"], ["\x1b[2J"]):
        run = muniment(*arguments)
        assert run.status == 2
        assert "\x1b" not in run.out + run.err


def test_json_writes_steering_characters_as_escapes(muniment: Terminal) -> None:
    run = muniment("save", STEERING, "--json")
    assert "\u202e" not in run.out
    assert "\\u202e" in run.out
    assert run.json["memory"]["content"] == STEERING


def test_lines_of_a_text_are_kept_apart(muniment: Terminal) -> None:
    muniment.save("Milk\nBread")
    assert "    Milk\n    Bread\n" in muniment("search").out
