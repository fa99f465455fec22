"""Other languages than English: rather too many specifics than too few."""

import pytest

from muniment.domain.coverage import Source, missing, specifics

REFUSED: list[tuple[str, str, tuple[str, ...]]] = [
    # German writes all nouns with a capital, so all nouns must stay, in the same form.
    ("Das Museum ist nicht offen", "Das Museum ist offen", ("nicht",)),
    ("Wir mögen das Museum", "Wir mögen Museen", ("Museum",)),
    ("Wir haben keine Milch", "Wir haben Milch", ("keine",)),
    ("Der Wert ist 2,400", "Der Wert ist 2400", ("2,400",)),
    ("Anja ist am 7. Oktober da", "Anja ist am 8. Oktober da", ("7",)),
    ("Elle ne mange jamais à Dijon", "Elle mange à Dijon", ("jamais", "ne")),
    ("Rosa no vive en Lima", "Rosa vive en Lima", ("no",)),
    ("Иван не живёт в Москве", "Иван живёт в Москве", ("не",)),
    ("Иван живёт в Москве", "Он живёт в Москве", ("Иван",)),
    # Scripts without capitals mark no names: every run of them must stay.
    ("彼は来ない", "彼は来る", ("ない",)),
    ("他没有孩子", "他有孩子", ("他没有孩子",)),
    ("東京で会う", "京都で会う", ("東京",)),
    ("오늘 안 간다", "오늘 간다", ("안",)),
    ("דנה גרה בחיפה", "דנה גרה ביפו", ("בחיפה",)),
    ("10時に開く", "11時に開く", ("10",)),
]


@pytest.mark.parametrize(("content", "text", "lost"), REFUSED)
def test_a_fact_lost_in_another_language_is_missing(
    content: str, text: str, lost: tuple[str, ...]
) -> None:
    assert missing([Source(content, None)], text) == lost


@pytest.mark.parametrize(
    ("contents", "text"),
    [
        (["Das Museum öffnet am 7. Oktober 2027."], "Am 2027-10-07 öffnet das Museum."),
        (["Der Markt ist in Köln.", "Die Halle ist groß."], "Der Markt in Köln und die Halle"),
        (["Am 7. Oktober ist Anja nicht da"], "Anja ist am 7. Oktober nicht da"),
        (["彼は東京へ行く", "京都は古い"], "彼は東京へ行く。京都は古い"),
        (["Иван живёт в Москве"], "Иван в Москве живёт"),
    ],
)
def test_a_merge_in_another_language_is_possible(contents: list[str], text: str) -> None:
    assert missing([Source(content, None) for content in contents], text) == ()


def test_a_sentence_of_german_opens_with_no_specific() -> None:
    assert [each.spelt for each in specifics("Der Turm steht. Die Uhr geht.")] == ["Turm", "Uhr"]
