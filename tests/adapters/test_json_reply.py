import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from muniment.adapters.json_reply import NoReply, outermost

ANSWER = {"verdicts": [{"index": 0, "reason": 'a } and a ] and a " and <think>'}]}
TEXT = json.dumps(ANSWER)


@pytest.mark.parametrize(
    "text",
    [
        TEXT,
        f"```json\n{TEXT}\n```",
        f"Here you are:\n\n{TEXT}\n\nIs there anything else?",
        f"<think>It could be [0] or {{1}}, or {{</think>\n{TEXT}",
        f"<THINKING>{{</THINKING>{TEXT}",
        f'It might be {{"verdicts": []}}. No:</think>{TEXT}',
        f"Sample [0] is {{fine}}. {TEXT} See [1].",
        f'A first draft: {{"verdicts": []}}\n{TEXT}',
    ],
)
def test_the_answer_is_found_through_all_that_stands_around_it(text: str) -> None:
    assert outermost(text) == ANSWER


def test_what_stands_before_the_end_of_thinking_is_no_answer_however_long() -> None:
    assert outermost('{"a draft longer than the answer": 1}</think>{"a": 2}') == {"a": 2}


def test_an_array_is_an_answer_too() -> None:
    assert outermost("so: [1, 2, 3]") == [1, 2, 3]


def test_of_two_of_the_same_length_the_last_is_meant() -> None:
    assert outermost('{"a": 1} no, {"a": 2}') == {"a": 2}


@pytest.mark.parametrize("end", range(1, len(TEXT)))
def test_what_is_cut_short_is_nothing_at_all(end: int) -> None:
    with pytest.raises(NoReply):
        outermost(TEXT[:end])


@pytest.mark.parametrize(
    "text",
    [
        "",
        "I cannot judge this.",
        f"<think>{TEXT}",
        '{"a": NaN}',
        "{'a': 1}",
        "[" * 100_000 + "]" * 100_000,
        '{"a": [1}',
        "{]",
    ],
)
def test_what_is_no_json_is_nothing(text: str) -> None:
    with pytest.raises(NoReply):
        outermost(text)


def test_a_fault_does_not_repeat_what_was_said() -> None:
    with pytest.raises(NoReply, match=r"^is cut short") as caught:
        outermost('{"secret": "hunter2"')
    assert "hunter2" not in str(caught.value)


_WORDS = st.text(alphabet='ab"\\\\{}[]<>/: ', max_size=12)


@settings(max_examples=100, deadline=None)
@given(
    st.dictionaries(_WORDS, _WORDS | st.lists(_WORDS, max_size=3), max_size=3),
    st.sampled_from(["", "```json\n", "Sure! ", "<think>a [ b</think>"]),
)
def test_whatever_is_said_is_found_whole(value: dict[str, object], preamble: str) -> None:
    assert outermost(f"{preamble}{json.dumps(value)}\n```") == value
