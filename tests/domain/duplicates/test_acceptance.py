"""The acceptance set: 60 pairs to keep apart, 40 to reinforce, 10 to extend."""

import json
from collections import Counter
from pathlib import Path

import pytest

from muniment.domain.duplicates import Relation, form, jaccard, relate

PAIRS: list[dict[str, str]] = json.loads(
    Path(__file__).with_name("pairs.json").read_text(encoding="utf-8")
)


def _of(expected: str) -> list[dict[str, str]]:
    return [pair for pair in PAIRS if pair["expect"] == expected]


def _why(pair: dict[str, str]) -> str:
    return pair["why"]


def test_the_set_is_complete() -> None:
    assert Counter(pair["expect"] for pair in PAIRS) == {
        "keep": 60,
        "reinforced": 40,
        "extended": 10,
    }


@pytest.mark.parametrize("pair", _of("keep"), ids=_why)
def test_what_is_to_be_kept_is_neither_the_same_nor_an_addition(pair: dict[str, str]) -> None:
    first, second = form(pair["first"]), form(pair["second"])
    apart = {Relation.CONFLICTS, Relation.DIFFERS}
    assert relate(first, second, same_day=True).relation in apart
    assert relate(second, first, same_day=True).relation in apart


@pytest.mark.parametrize("pair", _of("reinforced"), ids=_why)
def test_what_is_to_be_reinforced_is_found_and_the_same(pair: dict[str, str]) -> None:
    first, second = form(pair["first"]), form(pair["second"])
    assert first.key == second.key or jaccard(first.terms, second.terms) >= 0.6
    assert relate(first, second, same_day=True).relation is Relation.SAME
    assert relate(second, first, same_day=True).relation is Relation.SAME


@pytest.mark.parametrize("pair", _of("extended"), ids=_why)
def test_what_is_to_be_extended_is_found_and_an_addition(pair: dict[str, str]) -> None:
    first, second = form(pair["first"]), form(pair["second"])
    assert jaccard(first.terms, second.terms) >= 0.6
    assert relate(first, second, same_day=True).relation is Relation.ADDS


@pytest.mark.parametrize("pair", _of("extended"), ids=_why)
def test_a_text_that_says_less_never_replaces_the_longer_one(pair: dict[str, str]) -> None:
    first, second = form(pair["first"]), form(pair["second"])
    assert relate(second, first, same_day=True).relation is Relation.DIFFERS


@pytest.mark.parametrize("pair", _of("keep"), ids=_why)
def test_what_is_kept_apart_still_shows_as_a_conflict(pair: dict[str, str]) -> None:
    verdict = relate(form(pair["first"]), form(pair["second"]), same_day=True)
    assert verdict.relation is Relation.CONFLICTS
