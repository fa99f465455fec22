"""What a turn is told: which of what was found, and how much of it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from muniment.domain.conversation.injection import (
    Version,
    fitting,
    is_out_of_sight,
    tokens,
    unseen,
    wants_recall,
)

FIRST = Version(1, asks_first=False)


@pytest.mark.parametrize(
    ("message", "is_first", "wanted"),
    [
        ("hi", True, True),
        ("hi", False, False),
        ("x" * 30, False, False),
        (" " * 9 + "x" * 30 + "\n", False, False),
        ("x" * 31, False, True),
    ],
)
def test_short_messages_are_not_looked_up_but_a_first_one_is(
    message: str, is_first: bool, wanted: bool
) -> None:
    assert wants_recall(message, is_first=is_first) is wanted


def test_what_is_seen_takes_no_place_of_what_is_not() -> None:
    found = [(name, name, FIRST) for name in "abcdef"]
    assert unseen(found, {"a": FIRST, "c": FIRST}, 3) == ["b", "d", "e"]


@pytest.mark.parametrize("changed", [Version(2, asks_first=False), Version(1, asks_first=True)])
def test_another_text_or_another_permission_is_another_version(changed: Version) -> None:
    assert unseen([("a", "a", changed)], {"a": FIRST}, 1) == ["a"]


def test_what_was_shown_is_in_sight_as_long_as_its_turn_is_replayed() -> None:
    assert not is_out_of_sight(20, window=20)
    assert is_out_of_sight(21, window=20)


@given(st.text(max_size=60), st.text(max_size=60))
def test_tokens_of_two_texts_are_at_most_a_token_apart_from_both_together(
    one: str, other: str
) -> None:
    assert 0 <= tokens(one) + tokens(other) - tokens(one + other) <= 1


@pytest.mark.parametrize(
    ("text", "count"), [("", 0), ("a", 1), ("abcd", 1), ("abcde", 2), ("今日", 2)]
)
def test_four_characters_of_ascii_are_a_token_and_any_other_is_one(text: str, count: int) -> None:
    assert tokens(text) == count


@given(st.lists(st.text("ab ", max_size=20), max_size=8), st.integers(-5, 60))
def test_whole_lines_are_taken_in_order_as_far_as_they_fit(lines: list[str], budget: int) -> None:
    count, taken = fitting(lines, budget)
    assert taken == sum(tokens(line + "\n") for line in lines[:count]) <= max(budget, 0)
    if count < len(lines):
        assert taken + tokens(lines[count] + "\n") > budget
