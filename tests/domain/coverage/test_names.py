"""Which stretches of a text are specifics."""

import pytest

from muniment.domain.coverage import Kind, Specific, Vocabulary, specifics

FOUND: list[tuple[str, list[str]]] = [
    ("The user prefers tea.", []),
    ("User prefers tea. Memory is short.", []),
    ("We met June in Lisbon.", ["June", "Lisbon"]),
    ("New Haven hosts the fair", ["New", "Haven"]),
    ("New plans are due", []),
    ("Two Rivers is a town", ["Two", "Rivers"]),
    ("Monday is the deadline", ["Monday"]),
    ("See Ann! Then Bob? Tell us: The end; We go", ["Ann", "Bob"]),
    ("it ends\nThe next line", []),
    ("* The list\n(3) Go on\n- We go\n1. Use it\n2) Add it\n[x] Check it", []),
    ("made by Lind Inc. The firm is old", ["Lind", "Inc", "The"]),
    ("see fig. The one", ["The"]),
    ("J. Okafor wrote", ["J", "Okafor"]),
    ("(The end)", []),
    ("“The end”", []),
    ("mid-sentence The word", ["The"]),
    ("Priya's and the Okafors' car", ["Priya", "Okafors"]),
    ("Ann'll come. We'll see. It's late", ["Ann"]),
    ("I think that I am, Mr Lind", ["Lind"]),
    ("DO NOT deploy to EU, OK?", ["EU", "NOT"]),
    ("the APIs and the API", ["APIs", "API"]),
    ("GitHub, iPhone and eBay", ["GitHub", "iPhone", "eBay"]),
    ("GPT-4, H2O and IPv6", ["GPT-4", "H2O", "IPv6"]),
    ("a well-known relay-ctl and/or he/she", []),
    ("Coca-Cola or a Kafka-based queue", ["Coca-Cola", "Kafka"]),
    ("TCP/IP", ["TCP", "IP"]),
    ("12 of 24/7, 3-5 and 1.2.3", ["12", "24/7", "3-5", "1.2.3"]),
    ("see (4) [5] {6}", ["4", "5", "6"]),
    ("e.g. Ann, i.e. Bob, a.m.", ["Ann", "Bob"]),
    ("d'Ann et l'Oise", ["Ann", "Oise"]),
    ("call f(a52) or done.Next", ["a52", "done.Next"]),
    ("R&D wrote README.md in docs/adr", ["R&D", "README.md", "docs/adr"]),
    ("the `relay --now` and ```tide```", ["`relay --now`", "`tide`"]),
    ("an unpaired ` in a text on Lisbon", ["Lisbon"]),
]


@pytest.mark.parametrize(("text", "spelt"), FOUND)
def test_the_specifics_of_a_text_are_found(text: str, spelt: list[str]) -> None:
    found = specifics(text)
    assert sorted(each.spelt for each in found) == sorted(spelt)


def test_a_specific_says_what_it_is() -> None:
    assert specifics("Ann did not send 4 SMTP keys from 東京 to /srv/a in March 2027") == (
        Specific("Ann", Kind.NAME),
        Specific("4", Kind.NUMBER),
        Specific("SMTP", Kind.ACRONYM),
        Specific("東京", Kind.SCRIPT),
        Specific("/srv/a", Kind.IDENTIFIER),
        Specific("March", Kind.MONTH),
        Specific("2027", Kind.NUMBER),
        Specific("not", Kind.NEGATION),
    )


def test_a_specific_is_told_once() -> None:
    assert specifics("we met Ann, and Ann met us") == (Specific("Ann", Kind.NAME),)


def test_a_word_that_another_text_writes_small_is_no_name() -> None:
    assert specifics("Archiving failed", ["it was archiving"]) == ()
    assert specifics("Archiving failed") == (Specific("Archiving", Kind.NAME),)


def test_an_acronym_has_no_lower_case_twin() -> None:
    assert specifics("ask IT", ["ask it"]) == (Specific("IT", Kind.ACRONYM),)


def test_always_specific_words_count_however_they_are_listed() -> None:
    always = Vocabulary(always_specific_words=frozenset({"memory", "ok"}))
    found = specifics("Memory is OK, the memory is ok", vocabulary=always)
    assert [each.spelt for each in found] == ["Memory", "OK"]


def test_extra_common_words_count_for_acronyms_too() -> None:
    common = Vocabulary(extra_common_words=frozenset({"smtp"}))
    assert specifics("the SMTP relay", vocabulary=common) == ()


def test_numbers_of_an_exempt_category_are_no_specifics() -> None:
    found = specifics("Ann waits 30 s", category="Anti-Patterns/Routing/x")
    assert found == (Specific("Ann", Kind.NAME),)
