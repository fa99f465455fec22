"""Texts that say the same and more, and longer texts that do not."""

import pytest

from muniment.domain.duplicates import Relation, form, jaccard, relate

ADDITIONS = [
    ("Nadia paints in oils", "Nadia paints in oils at the studio on Keizersgracht"),
    ("Leyla likes figs", "Leyla likes figs and dates"),
    ("The lease ends on 2031-04-17", "The lease ends on April 17, 2031 at noon"),
    ("The hall seats twelve people", "The hall seats 12 people since the renovation"),
    ("Oleg repairs clocks", "Oleg repairs clocks, says Lotte"),
    ("Ilse lives in Ghent", "Ilse lives in Ghent (near the harbour)"),
    ("Rosa plays the viola", "Rosa plays the viola. Her teacher is Piet"),
    ("The boat is called Marigold", "The boat is named Marigold after Joris"),
    ("Arjun works at the observatory", "Arjun Mehta works at the observatory"),
    ("The bridge is narrow", "The wooden bridge is narrow"),
    ("Rosa doesn't drink milk", "Rosa does not drink milk in the evening"),
    ("The choir meets in the crypt", "The choir meets in the crypt every Friday at 19:30"),
    ("Oleg repairs clocks", "Oleg repairs clocks in the old mill"),
    ("Ilse sells boats", "Ilse sells boats and was born in Ghent"),
    ("The server runs Node 20.1", "The server runs Node 20.1 in eu-west-1"),
]
NO_ADDITIONS = [
    ("Feed the cat", "Feed the cat unless it sleeps"),
    ("Everyone can sign", "Everyone but the treasurer can sign"),
    ("Members may borrow tools", "Only members may borrow tools"),
    ("Arjun is the producer", "Arjun is the assistant of the producer"),
    ("She is the manager", "She is the deputy manager"),
    ("Ann manages Bob", "Ann manages Bob's team"),
    ("Ilse lives in Ghent", "Ilse lives in Ghent Street"),
    ("Rosa eats meat", "Rosa eats no meat"),
    ("The boat takes 5 guests", "The boat takes 5 guests at most"),
    ("Rosa eats meat", "Rosa eats meat or fish"),
    ("Oleg gave money", "Oleg gave money away"),
    ("Ann can sign", "Ann can sign if Bob is ill"),
    ("The kiln is hot", "Is the kiln hot in the morning?"),
    ("The kiln is hot", "Is the kiln hot?"),
    ("The fine is $25", "The fine is $25 or $30 if late"),
    ("她会开车", "她会开车去上海"),
    ("Sie mag Feigen", "Sie mag keine Feigen"),
]


@pytest.mark.parametrize(("base", "longer"), ADDITIONS)
def test_a_pure_superset_in_order_adds(base: str, longer: str) -> None:
    assert relate(form(base), form(longer), same_day=True).relation is Relation.ADDS


@pytest.mark.parametrize(("base", "longer"), ADDITIONS)
def test_the_shorter_text_never_replaces_the_longer(base: str, longer: str) -> None:
    verdict = relate(form(longer), form(base), same_day=True)
    assert verdict.relation is Relation.DIFFERS
    assert verdict.reason == "says less"


@pytest.mark.parametrize(("base", "longer"), NO_ADDITIONS)
def test_a_superset_that_changes_the_statement_adds_nothing(base: str, longer: str) -> None:
    apart = {Relation.CONFLICTS, Relation.DIFFERS}
    assert relate(form(base), form(longer), same_day=True).relation in apart


@pytest.mark.parametrize(
    ("base", "longer"),
    [
        ("Oleg repairs clocks", "Oleg repairs clocks at Lake Bled"),
        ("The regatta is on 2031-04-17", "The regatta is on 2031-04-17 at Lake Bled"),
        ("Ann swims in Oslo", "Ann swims in Oslo with her sister Mara"),
        ("The kiln stays hot for a day", "The kiln stays hot for a day after a Cone 10 firing"),
    ],
)
def test_a_short_text_is_found_by_a_longer_one(base: str, longer: str) -> None:
    assert jaccard(form(base).terms, form(longer).terms) >= 0.6


def test_two_divergent_paragraphs_are_not_glued_together() -> None:
    old = form("The Quillmark feed sits on Drive North.")
    new = form("The Quillmark feed is hosted by Berg GmbH.")
    assert relate(old, new, same_day=True).relation not in {Relation.SAME, Relation.ADDS}


def test_punctuation_alone_is_no_addition() -> None:
    old, new = form("Invite Ann Marie and Bob"), form("Invite Ann, Marie and Bob")
    assert relate(old, new, same_day=True).relation is Relation.DIFFERS
