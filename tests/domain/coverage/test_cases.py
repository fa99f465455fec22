"""The cases of the specification and from the field, with their data as they stand there."""

import pytest

from muniment.domain.coverage import Source, Vocabulary, missing, specifics, vocabulary
from muniment.domain.errors import Invalid

CASES: list[tuple[str, list[str], str, tuple[str, ...]]] = [
    (
        "R1, the same names in another order",
        ["Priya's Kestrel Print Workshop opens soon"],
        "The Kestrel Print Workshop run by Priya opens soon",
        (),
    ),
    ("R2, a number in words", ["Check the best 4 options"], "Check the best four options", ()),
    (
        "R3, a day and a year dropped",
        ["The filing is due on the 17th, in 2027"],
        "The filing is due soon",
        ("17", "2027"),
    ),
    (
        "R5, a common word inside a sentence is part of a name",
        ["The gallery moved to New Haven last autumn."],
        "The gallery moved to Haven last autumn.",
        ("New",),
    ),
    (
        "R8, one date in two notations",
        ["A Blue Heron concert at Dock Hall on October 7, 2027."],
        "A Blue Heron concert at Dock Hall on 2027-10-07.",
        (),
    ),
    (
        "R9, a month that is a name",
        ["June Okafor wrote the brief; the receipt is dated 2027-06-04."],
        "The receipt is dated 2027-06-04.",
        ("June", "Okafor"),
    ),
    (
        "R10, another month of another year",
        ["The lease was signed in March 2027."],
        "The lease was signed on 2026-03-09.",
        ("2027", "March"),
    ),
    (
        "R11, a lower-case twin in a sibling",
        [
            "Todo rows are not editable. Archiving a row needs the key.",
            "The agent keeps archiving finished rows.",
        ],
        "Todo rows are not editable, and a row needs the key.",
        (),
    ),
    (
        "R12, three names, sorted",
        ["Quillmark built the Tessera booth for the Lisbon fair."],
        "The booth was built for a fair.",
        ("Lisbon", "Quillmark", "Tessera"),
    ),
    (
        "R13, a month that is a verb",
        ["May said the trip may take two weeks."],
        "The trip takes two weeks.",
        (),
    ),
    (
        "R15, an acronym that opens the sentence",
        ["SMTP relay is set for the bot account."],
        "Relay is set for the bot account.",
        ("SMTP",),
    ),
    (
        "field 4, one of two equal dates is left",
        ["Adding the stand on Aug 14, 2026 worked.", "The stand was added on 2026-08-14."],
        "The stand was added on 2026-08-14.",
        (),
    ),
    (
        "field 4, both dates are dropped",
        ["Adding the stand on Aug 14, 2026 worked.", "The stand was added on 2026-08-14."],
        "The stand was added.",
        ("14", "2026", "2026-08-14", "Aug"),
    ),
    ("a name is no part of a word", ["We met Ann"], "We met at the annual fair", ("Ann",)),
    ("a number is no part of a number", ["It has 12 rooms"], "It has 312 rooms", ("12",)),
    ("a denial becomes its opposite", ["X does not use Y"], "X uses Y", ("not",)),
]


@pytest.mark.parametrize(
    ("contents", "text", "lost"),
    [pytest.param(*case, id=name) for name, *case in CASES],
)
def test_a_merge_misses_what_the_specification_says(
    contents: list[str], text: str, lost: tuple[str, ...]
) -> None:
    assert missing([Source(content, None) for content in contents], text) == lost


def test_the_stop_of_an_abbreviation_opens_no_sentence() -> None:
    found = specifics("The talk is in St. Ives with Dr. May attending.")
    assert [each.spelt for each in found] == ["Ives", "May"]


def test_a_word_that_the_operator_calls_common_is_no_specific() -> None:
    text = "Accounts:\n- Direct billing applies"
    common = Vocabulary(extra_common_words=frozenset({"Direct"}))
    assert "Direct" in [each.spelt for each in specifics(text)]
    assert "Direct" not in [each.spelt for each in specifics(text, vocabulary=common)]


def test_a_word_that_is_always_specific_beats_its_lower_case_twin() -> None:
    always = Vocabulary(always_specific_words=frozenset({"May"}))
    source = Source("May said the trip may take two weeks.", None)
    assert missing([source], "The trip takes two weeks.", always) == ("May",)


def test_numbers_need_not_survive_in_an_exempt_category() -> None:
    content, text = "Queue depth averages 6.75 before scaling.", "Queue depth averages out."
    assert missing([Source(content, "anti-patterns/routing")], text) == ()
    assert missing([Source(content, "anti-patterns/routers")], text) == ("6.75",)
    assert missing([Source(content, None)], text) == ("6.75",)


def test_a_month_must_survive_in_an_exempt_category() -> None:
    source = Source("The audit ran on August 3, 2027.", "anti-patterns/routing")
    assert missing([source], "The audit ran recently.") == ("August",)
    assert missing([source], "The audit ran in August.") == ()


def test_a_vocabulary_that_is_malformed_is_refused_and_the_built_in_lists_work() -> None:
    with pytest.raises(Invalid) as caught:
        vocabulary("extra_common_words = [")
    assert caught.value.code == "vocabulary_invalid"
    assert [each.spelt for each in specifics("We met Okafor in Lisbon")] == ["Okafor", "Lisbon"]


def test_of_two_lists_that_disagree_always_specific_wins() -> None:
    both = Vocabulary(
        extra_common_words=frozenset({"rose"}), always_specific_words=frozenset({"Rose"})
    )
    assert missing([Source("Rose opens the shop", None)], "The shop opens", both) == ("Rose",)
