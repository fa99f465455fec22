"""What holds for any text."""

import json
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from muniment.domain.duplicates import Relation, form, jaccard, lexer, relate

PAIRS: list[dict[str, str]] = json.loads(
    Path(__file__).with_name("pairs.json").read_text(encoding="utf-8")
)
WORDS = sorted({word for pair in PAIRS for word in f"{pair['first']} {pair['second']}".split()})

anything = st.text(st.characters(exclude_categories=["Cs"]), max_size=60)
sentences = st.lists(st.sampled_from(WORDS), min_size=1, max_size=9).map(" ".join)
texts = anything | sentences | st.text("0123456789.,:/-$€kgmp% '\"`()aA十時²½", max_size=30)


@settings(deadline=None)
@given(texts)
def test_a_text_is_the_same_as_itself(text: str) -> None:
    assert relate(form(text), form(text), same_day=True).relation is Relation.SAME


@settings(deadline=None)
@given(texts)
def test_blanks_around_a_text_say_nothing(text: str) -> None:
    assert form(f" \n{text}\t ") == form(text)


@settings(deadline=None)
@given(texts)
def test_the_form_does_not_depend_on_what_was_read_before(text: str) -> None:
    before = form(text)
    lexer.forget()
    assert form(text) == before


@settings(deadline=None)
@given(texts, texts)
def test_sameness_is_symmetric(one: str, other: str) -> None:
    there = relate(form(one), form(other), same_day=True).relation
    back = relate(form(other), form(one), same_day=True).relation
    assert (there is Relation.SAME) == (back is Relation.SAME)


@settings(deadline=None)
@given(sentences, st.randoms(use_true_random=False))
def test_sameness_is_symmetric_between_rearrangements(text: str, chance: object) -> None:
    words = text.split()
    turned = " ".join(words[1:] + words[:1])
    there = relate(form(text), form(turned), same_day=True).relation
    back = relate(form(turned), form(text), same_day=True).relation
    assert (there is Relation.SAME) == (back is Relation.SAME)


@settings(deadline=None)
@given(texts, texts)
def test_equal_keys_say_the_same_on_one_day(one: str, other: str) -> None:
    first, second = form(one), form(other)
    if first.key == second.key:
        assert relate(first, second, same_day=True).relation is Relation.SAME
        assert first.marks == second.marks or first.deictic == second.deictic


@settings(deadline=None)
@given(texts)
def test_no_text_with_a_letter_or_a_digit_is_the_same_as_none(text: str) -> None:
    if any(character.isalnum() for character in text):
        assert form(text).key != form("").key


@settings(deadline=None)
@given(st.lists(st.sampled_from(WORDS), unique=True), st.lists(st.sampled_from(WORDS), unique=True))
def test_the_resemblance_is_the_share_of_common_terms(one: list[str], other: list[str]) -> None:
    a, b = tuple(one), tuple(other)
    union = set(a) | set(b)
    expected = len(set(a) & set(b)) / len(union) if a and b else 0.0
    assert jaccard(a, b) == jaccard(b, a) == expected


@settings(deadline=None)
@given(texts)
def test_terms_are_distinct_and_sorted(text: str) -> None:
    terms = form(text).terms
    assert list(terms) == sorted(set(terms))


@settings(max_examples=30, deadline=None)
@given(st.sampled_from(["0", "a ", ".", "😀", "`", "$1", "十", "ห", "a-", "1,", "(", '"']))
def test_a_token_has_a_mark(piece: str) -> None:
    whole = form(piece * 40)
    assert not whole.marks or len(whole.marks) == len(whole.tokens)
