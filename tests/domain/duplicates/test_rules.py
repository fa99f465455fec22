"""Rules that hold for the text as a whole: the day, the length, the language, the field cases."""

import pytest

from muniment.domain.duplicates import Relation, Verdict, form, relate

DEICTIC = [
    "Ann leaves tomorrow",
    "The dentist called two days ago",
    "The fair starts in 3 days",
    "The fair starts in a week",
    "Ilse moves next month",
    "The boat sank last Friday",
    "Rosa is busy this week",
    "Ann is in Oslo now",
    "Anna reist morgen ab",
    "Elle part aujourd'hui",
    "Pablo llega mañana",
    "彼は明日来る",
    "她下周去北京",
    "민수는 내일 온다",
    "เขามาวันนี้",
]
NOT_DEICTIC = [
    "The choir meets on Mondays",
    "The lease ends on 2031-04-17",
    "The kiln stays hot for a day",
    "The first day was cold",
    "図書館は九時に開く",
]


@pytest.mark.parametrize("text", DEICTIC)
def test_a_text_that_points_from_today_is_another_fact_another_day(text: str) -> None:
    said = form(text)
    assert said.deictic
    assert relate(said, form(text), same_day=True).relation is Relation.SAME
    assert relate(said, form(text), same_day=False) == Verdict(Relation.DIFFERS, "another day")


@pytest.mark.parametrize("text", NOT_DEICTIC)
def test_a_text_that_points_nowhere_is_the_same_on_any_day(text: str) -> None:
    assert not form(text).deictic
    assert relate(form(text), form(text), same_day=False).relation is Relation.SAME


def test_a_long_text_is_the_same_only_up_to_width_blanks_and_case() -> None:
    text = "The kiln is hot. " * 300
    assert form(text).key == form(text.upper().replace(" ", "  ")).key
    assert form(text).key == form(text.replace("kiln", "\uff4biln")).key
    other = form(text.replace("The kiln", "A kiln", 1))
    assert relate(form(text), other, same_day=True) == Verdict(Relation.DIFFERS, "verbatim")


def test_a_long_text_can_be_deictic_too() -> None:
    assert form("The kiln is hot today. " * 300).deictic


def test_a_text_of_4096_characters_is_still_read_token_by_token() -> None:
    text = ("Oleg repairs a clock and " * 200)[:4092] + "done"
    assert len(text) == 4096
    assert form(text).key == form(text.replace(" a clock", " clock")).key


@pytest.mark.parametrize(("one", "other"), [("...", "!"), ('"', "''"), ("", "-"), ("?", "")])
def test_bare_punctuation_is_not_emptied(one: str, other: str) -> None:
    assert form(one).key != form(other).key


def test_a_question_is_no_statement_and_conflicts_with_none() -> None:
    verdict = relate(form("Is the kiln hot?"), form("Is the kiln hot"), same_day=True)
    assert verdict == Verdict(Relation.DIFFERS, "question")


def test_a_match_that_says_more_is_no_proof() -> None:
    old, new = form("Priya prefers terse updates"), form("Priya prefers terse")
    assert relate(old, new, same_day=True).relation is Relation.DIFFERS


def test_ninety_six_sequential_identifiers_stay_apart() -> None:
    forms = [form(f"Service request SR-2023-{n:03} was closed by the desk") for n in range(96)]
    assert len({said.key for said in forms}) == 96
    assert all(
        relate(one, other, same_day=True).relation is Relation.CONFLICTS
        for one in forms
        for other in forms
        if one is not other
    )


def test_saying_the_same_thirty_days_running_is_one_fact() -> None:
    keys = {form(f"{text} ").key for text in ["Oleg repairs clocks"] * 30}
    assert len(keys) == 1


@pytest.mark.parametrize(
    "text", ["uteke-cloud-dev", "GB/s", '"unbalanced', "a AND", "*", "C++", "ADR-0005", "\u0000"]
)
def test_odd_texts_have_a_form_of_their_own(text: str) -> None:
    assert form(text).key not in {form(text + "x").key, form("").key}


def test_an_article_of_another_language_is_no_english_one() -> None:
    assert form("Rosa va a Roma").tokens == ["rosa", "va", "a", "roma"]
    assert form("Er ruft an und wartet").tokens == ["er", "ruft", "an", "und", "wartet"]


@pytest.mark.parametrize(
    ("one", "other", "reason"),
    [
        ("Locker combination: 3", "Locker combination is 3", "colon"),
        ("In winter the lake freezes", "The lake freezes in winter", "moved adjunct"),
        ("Ann and Bob share a desk", "Bob and Ann share a desk", "swapped names"),
        ("Leyla likes garden figs", "Leyla likes garden fig", "plural"),
        ("The thimbleberry is red", "The thimble berry is red", "compound"),
        ("The kiln is hot", "Kiln is hot.", "equal"),
    ],
)
def test_a_proof_names_its_rule(one: str, other: str, reason: str) -> None:
    assert relate(form(one), form(other), same_day=True) == Verdict(Relation.SAME, reason)
