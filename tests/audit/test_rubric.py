"""The question of a family, the built-in directive and the shipped file state the same rules."""

from pathlib import Path

import pytest

from muniment.audit.rubric import DIRECTIVE, QUESTIONS, RULES
from muniment.domain.evaluation import FAMILIES, Family

SHIPPED = Path(__file__).parents[2] / "docs" / "directives" / "memory-audit.md"


@pytest.mark.parametrize("family", FAMILIES)
def test_the_rule_of_a_family_stands_in_its_question_and_in_both_directives(
    family: Family,
) -> None:
    rule = RULES[family]
    assert rule in QUESTIONS[family]
    assert rule in DIRECTIVE
    assert rule in SHIPPED.read_text(encoding="utf-8")


def test_the_shipped_directive_is_the_built_in_one() -> None:
    assert SHIPPED.read_text(encoding="utf-8") == DIRECTIVE


@pytest.mark.parametrize("family", FAMILIES)
def test_every_rule_says_when_it_is_sound_and_when_not(family: Family) -> None:
    assert "sound is true" in RULES[family]
    assert "sound is false" in RULES[family]
