"""The operator's vocabulary file."""

import pytest

from muniment.domain.coverage import BUILT_IN, Vocabulary, vocabulary
from muniment.domain.errors import Invalid

LONG = "a" * 257
MANY = '"a",' * 10_001


def test_a_file_is_read_into_its_three_lists() -> None:
    text = """
    # words of this house
    extra_common_words = ["Direct", " Ledger "]
    always_specific_words = ["May"]
    numeric_exempt_categories = ["metrics/load"]
    """
    assert vocabulary(text) == Vocabulary(
        extra_common_words=frozenset({"Direct", "Ledger"}),
        always_specific_words=frozenset({"May"}),
        numeric_exempt_categories=("anti-patterns/routing", "metrics/load"),
    )


def test_an_empty_file_changes_nothing() -> None:
    assert vocabulary("") == BUILT_IN == Vocabulary()


def test_a_category_that_is_built_in_is_kept_once() -> None:
    text = 'numeric_exempt_categories = ["anti-patterns/routing"]'
    assert vocabulary(text) == BUILT_IN


@pytest.mark.parametrize(
    "text",
    [
        "extra_common_words = [",
        "extra_common_words = 'Direct'",
        "extra_common_words = [1]",
        "extra_common_words = ['']",
        "extra_common_words = ['  ']",
        "extra_words = []",
        '{"extra_common_words": []}',
        f"always_specific_words = ['{LONG}']",
        f"always_specific_words = [{MANY}]",
        "x = " + "[" * 5_000,
        "x = " + "1" * 5_000,
        "\ud800",
        "\x00",
    ],
    ids=lambda text: text[:30].encode("ascii", "backslashreplace").decode(),
)
def test_a_malformed_file_is_refused(text: str) -> None:
    with pytest.raises(Invalid) as caught:
        vocabulary(text)
    assert caught.value.code == "vocabulary_invalid"
    assert caught.value.field == "coverage_vocabulary"
