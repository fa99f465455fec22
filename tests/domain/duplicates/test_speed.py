"""Hostile texts: no text takes longer than its length allows."""

import time

import pytest

from muniment.domain.duplicates import form, relate

PIECES = {
    "digits": "7",
    "a a a": "a ",
    "punctuation": ".,;!?",
    "emoji": "😀",
    "back quotes": "`",
    "quotes": '"',
    "code": "`x` ",
    "fences": "```a\n",
    "hyphens": "a-",
    "pluses": "a+",
    "dots": "1.",
    "commas": "1,",
    "slashes": "a/",
    "money": "$1",
    "rates": "$1/",
    "mail": "a@",
    "han": "漢",
    "numerals": "十",
    "thai": "ห",
    "marks": "a\u0300\u0301",
    "brackets": "(",
    "bold": "**a",
    "number words": "one hundred and ",
    "lead-ins": "note that ",
    "dates": "May 1 ",
    "comma lists": "a, ",
    "sentences": "a. ",
    "questions": "a? ",
    "possessors": "a's ",
    "fillers": "also, ",
    "no-break blanks": "1\u00a0",
    "apostrophes": "a'",
}
SLACK = 3  # a shared machine; the bounds themselves are 50 ms and 10 ms


def _took(action: object, *arguments: object) -> float:
    assert callable(action)
    start = time.process_time()
    action(*arguments)
    return time.process_time() - start


@pytest.mark.parametrize("size", [4096, 65_536])
@pytest.mark.parametrize("piece", PIECES.values(), ids=PIECES.keys())
def test_a_hostile_text_is_read_in_linear_time(piece: str, size: int) -> None:
    text = (piece * size)[:size]
    assert min(_took(form, text) for _ in range(2)) < 0.05 * SLACK


@pytest.mark.parametrize("piece", PIECES.values(), ids=PIECES.keys())
def test_two_hostile_texts_are_compared_in_linear_time(piece: str) -> None:
    text = (piece * 4096)[:4096]
    old, new = form(text), form(text[:2000] + " zebra " + text[2007:])
    assert min(_took(lambda: relate(old, new, same_day=True)) for _ in range(2)) < 0.01 * SLACK
