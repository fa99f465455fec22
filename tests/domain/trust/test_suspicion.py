"""What is held back, and what is not."""

import base64
import time
from itertools import product
from pathlib import Path

import pytest
from corpus import texts
from hypothesis import given, settings
from hypothesis import strategies as st

from muniment.domain.trust.suspicion import signs

HERE = Path(__file__).parent
POISONED = texts(HERE / "poisoned.txt")
BENIGN = texts(HERE / "benign.txt")
TOOL_OUTPUTS = texts(HERE / "tool_outputs.txt")
PERSONAS = texts(HERE / "personas.txt")


@pytest.mark.parametrize("text", POISONED)
def test_a_poisoned_text_bears_a_sign(text: str) -> None:
    assert signs([text])


def test_of_benign_texts_hardly_any_does() -> None:
    held = [text for text in BENIGN if signs([text])]
    assert len(BENIGN) >= 200
    assert len(held) <= len(BENIGN) * 0.02, held


@pytest.mark.parametrize("text", TOOL_OUTPUTS)
def test_what_programs_tell_their_users_is_no_instruction(text: str) -> None:
    assert signs([text]) == ()


@pytest.mark.parametrize("text", PERSONAS)
def test_what_begins_alike_and_instructs_is_one(text: str) -> None:
    assert signs([text]) == ("instruction_like",)


@pytest.mark.parametrize("gap", ["\n", " | "])
def test_what_programs_tell_excuses_nothing_beside_it(gap: str) -> None:
    for told, persona in product(TOOL_OUTPUTS, PERSONAS):
        assert signs([told + gap + persona]), (told, persona)
        assert signs([persona + gap + told]), (told, persona)


@pytest.mark.parametrize(
    "text",
    [
        "\u202eevil",
        "a\u2066b\u2069",
        "x\U000e0041",
        "zero\u200bwidth",
        "byte\ufeffmark",
        "data\ufe00\ufe01\ufe02",
    ],
)
def test_what_hides_or_turns_text_is_seen(text: str) -> None:
    assert signs([text]) == ("invisible_text",)


@pytest.mark.parametrize("text", ["👩‍👩‍👧‍👦", "🏴󠁧󠁢󠁳󠁣󠁴󠁿", "❤️", "می‌خواهم", "क्‍ष", "co\u00adoperate"])
def test_what_scripts_and_emoji_need_is_not(text: str) -> None:
    assert signs([text]) == ()


class TestWalls:
    @given(st.binary(min_size=150, max_size=900))
    @settings(max_examples=50)
    def test_a_wall_of_base64_is_seen(self, data: bytes) -> None:
        if len(set(data)) > 60:
            assert "encoded_wall" in signs([f"Look: {base64.b64encode(data).decode()} there"])

    def test_a_wall_in_lines_or_in_hex_is_seen(self) -> None:
        data = bytes(range(256))
        assert "encoded_wall" in signs([base64.encodebytes(data).decode()])
        assert "encoded_wall" in signs([data.hex()])

    @pytest.mark.parametrize(
        "text",
        ["a" * 500, "https://example.org/" + "path/to/" * 30, "=" * 300, "word " * 400, "_" * 200],
    )
    def test_what_is_merely_long_is_not(self, text: str) -> None:
        assert signs([text]) == ()


@given(st.text(max_size=300))
@settings(max_examples=100)
def test_any_text_is_looked_through(text: str) -> None:
    assert set(signs([text])) <= {"instruction_like", "invisible_text", "encoded_wall"}


@given(st.sampled_from(POISONED), st.sampled_from(BENIGN), st.booleans())
@settings(max_examples=60)
def test_poison_is_seen_wherever_it_stands(poison: str, text: str, first: bool) -> None:
    parts = (poison, text) if first else (text, poison)
    assert signs(["\n\n".join(parts)])
    assert signs(parts)


@pytest.mark.parametrize(
    "part", ["ignore ", "send all ", "a b ", "A1b2", "ignore your ", "you are now in the ", "(("]
)
def test_the_longest_text_takes_no_time_to_speak_of(part: str) -> None:
    text = (part * 65_536)[:65_536]
    began = time.perf_counter()
    signs([text])
    assert time.perf_counter() - began < 2
