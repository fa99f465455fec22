"""Texts that come in: what is refused, and what is noticed."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from muniment.domain import texts
from muniment.domain.errors import Invalid

BLANKS = [
    "",
    " ",
    "  \n\t",
    "\u200b",
    "\u3164",
    "\ufeff",
    "\u200b\u3164 \ufeff",
    "\u2800",
    "\u00ad",
]
CONTROLS = [*range(0x09), 0x0B, 0x0C, *range(0x0E, 0x20), 0x7F]


def refusal(text: str) -> Invalid:
    with pytest.raises(Invalid) as caught:
        texts.content(text)
    assert caught.value.field == "content"
    return caught.value


class TestContent:
    @pytest.mark.parametrize("blank", BLANKS)
    def test_blank_means_blank_once_invisible_characters_are_gone(self, blank: str) -> None:
        assert refusal(blank).code == "content_empty"

    @pytest.mark.parametrize("code", CONTROLS)
    def test_control_characters_are_refused_with_their_offset(self, code: int) -> None:
        error = refusal(f"ab{chr(code)}c")
        assert error.code == "control_character"
        assert f"U+{code:04X} at offset 2" in error.message

    def test_tabs_and_line_ends_are_kept(self) -> None:
        assert texts.content("a\tb\nc\r\nd") == "a\tb\nc\r\nd"

    def test_a_lone_surrogate_is_no_text(self) -> None:
        error = refusal("abc\ud800")
        assert error.code == "invalid_unicode"
        assert "offset 3" in error.message

    def test_it_is_trimmed_and_otherwise_verbatim(self) -> None:
        assert texts.content("  a  b\u202e e\u0301 ﬁ \n") == "a  b\u202e e\u0301 ﬁ"

    def test_the_bound_is_in_bytes_of_utf_8_after_trimming(self) -> None:
        assert texts.content("x" * 65_536) == "x" * 65_536
        assert texts.content("é" * 32_768 + " \n") == "é" * 32_768
        assert texts.content("\n" + "x" * 65_536 + "\n") == "x" * 65_536
        assert refusal("x" * 65_537).code == "content_too_large"
        assert refusal("é" * 32_769).code == "content_too_large"

    @given(st.text())
    def test_what_passes_once_passes_unchanged(self, text: str) -> None:
        try:
            once = texts.content(text)
        except Invalid:
            return
        assert texts.content(once) == once
        assert once in text


class TestHidesText:
    @pytest.mark.parametrize(
        "hidden", ["\u202e", "\u2066", "\U000e0041", "\u200b", "\ufeff", "\u2060", "\u200f"]
    )
    def test_what_turns_or_hides_text_is_noticed(self, hidden: str) -> None:
        assert texts.hides_text(f"a{hidden}b")

    @pytest.mark.parametrize("plain", ["👩‍👩‍👧", "می‌خواهم", "cafe\u0301", "❤️", "ab"])
    def test_what_emoji_and_scripts_need_is_not(self, plain: str) -> None:
        assert not texts.hides_text(plain)
