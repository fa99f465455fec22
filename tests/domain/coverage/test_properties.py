"""What holds for any sources and any merged text."""

import datetime as dt
import re

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from muniment.domain.coverage import Kind, Source, missing, specifics

NAMES = ["Ann", "Quillmark", "Tessera", "Okafor", "Lisbon", "New Haven", "SMTP", "O'Brien"]
NUMBERS = ["4", "17", "6.75", "2,400", "30 s", "$5", "10:30", "v2.1", "SR-2023-052", "12%"]
DATES = ["March 2027", "2026-03-09", "October 7, 2028", "the 21st", "June", "5 May 2031"]
VERBS = ["uses", "does not use", "met", "never met", "prefers", "opens", "isn't near", "only sells"]
REST = ["tea", "`tide --fast`", "/srv/scans", "and", "but", "without", "because", "at", ", which"]
ENDS = [". ", "; ", ", ", "\n", "\n- ", "\n\n", " – ", " (", ") ", ": ", "! ", " "]
ODD = "0123456789.,:/-–—$€kgmp% '\"`()[]«»*_aAbßİ漢ひカ한ש\u0301\u200d\r\n\u2028²½"

anything = st.text(st.characters(), max_size=60)
pieces = st.sampled_from([*NAMES, *NUMBERS, *DATES, *VERBS, *REST])
sentences = st.lists(st.tuples(pieces, st.sampled_from([" ", *ENDS])), min_size=1, max_size=9).map(
    lambda pairs: "".join(piece + end for piece, end in pairs)
)
odd = st.text(ODD, max_size=30)
texts = anything | sentences | odd


def _sources(contents: list[str]) -> list[Source]:
    return [Source(content, None) for content in contents]


@settings(max_examples=500)
@given(st.lists(texts, min_size=1, max_size=4))
def test_a_text_that_holds_all_sources_between_blank_lines_covers_them(contents: list[str]) -> None:
    assert missing(_sources(contents), "\n\n".join(contents)) == ()


@given(st.lists(texts, max_size=3), st.text(max_size=60))
def test_any_text_is_answered_with_specifics_of_the_sources(contents: list[str], text: str) -> None:
    known: set[str] = set()
    for content in contents:
        known |= {each.spelt for each in specifics(content, [*contents, text])}
    assert set(missing(_sources(contents), text)) <= known


@given(texts, texts)
def test_the_answer_is_sorted_and_distinct(content: str, text: str) -> None:
    lost = missing([Source(content, None)], text)
    assert list(lost) == sorted(set(lost))


@given(st.lists(texts, max_size=3), texts, texts)
def test_a_further_source_takes_away_only_the_words_that_it_writes_small(
    contents: list[str], further: str, text: str
) -> None:
    before = set(missing(_sources(contents), text))
    after = set(missing(_sources([*contents, further]), text))
    small = set(re.findall(r"[^\W_]+(?:['-][^\W_]+)*", further))
    gone = {spelt for spelt in before - after if spelt.lower() not in small}
    assume(not any(negator in spelt.lower() for spelt in gone for negator in NEGATORS))
    assert gone == set()


NEGATORS = ("not", "n't", "never", "only", "without")


@given(st.lists(sentences, min_size=1, max_size=3))
def test_what_is_not_in_the_merged_text_at_all_is_missing(contents: list[str]) -> None:
    lost = set(missing(_sources(contents), "."))
    for content in contents:
        found = [each for each in specifics(content, contents) if each.kind is not Kind.NEGATION]
        assert {each.spelt for each in found} <= lost


days = st.dates(dt.date(1900, 1, 1), dt.date(2999, 12, 31))

FACTS = {
    "Ann met Quillmark in Lisbon": ["Ann", "Quillmark", "Lisbon"],
    "the Tessera booth seats 12 people": ["Tessera", "12"],
    "it was Okafor who signed on 2026-03-09": ["Okafor", "2026-03-09"],
    "the lease of Dock Hall ends on October 7, 2028": ["Dock", "Hall", "October", "7", "2028"],
    "the SMTP relay listens at 10:30": ["SMTP", "10:30"],
    "a ticket for Heron costs $45": ["Heron", "$45"],
    "the queue of relay-ctl2 holds 2,400 rows": ["relay-ctl2", "2,400"],
    "the scans are in /srv/scans since the 21st": ["/srv/scans", "21"],
    "Priya waits 30 s for `tide --fast`": ["Priya", "30 s", "`tide --fast`"],
    "Oleg never wrote to press@heron.example": ["Oleg", "never", "press@heron.example"],
    "Rosa does not use Kestrel": ["Rosa", "not", "Kestrel"],
}


facts = st.lists(st.sampled_from(sorted(FACTS)), min_size=1, max_size=6, unique=True)


@given(facts, st.data())
def test_a_specific_taken_out_of_the_merged_text_is_reported(
    contents: list[str], data: st.DataObject
) -> None:
    taken = data.draw(st.sampled_from([each for fact in contents for each in FACTS[fact]]))
    text = ". ".join(contents)
    assert missing(_sources(contents), text) == ()
    pattern = rf"(?<![\w-]){re.escape(taken)}(?:st\b)?"
    assert taken in missing(_sources(contents), re.sub(pattern, "", text))


@given(facts, st.data())
def test_a_specific_that_becomes_part_of_a_longer_token_is_reported(
    contents: list[str], data: st.DataObject
) -> None:
    taken = data.draw(st.sampled_from([each for fact in contents for each in FACTS[fact]]))
    assume(taken[0].isalnum())
    longer = f"3{taken}" if taken[0].isdigit() else f"pre{taken}"
    text = re.sub(rf"(?<![\w-]){re.escape(taken)}", longer, ". ".join(contents))
    assert taken in missing(_sources(contents), text)


@given(st.integers(0, 999_999_999), st.integers(0, 999_999_999))
def test_a_number_is_covered_by_its_equal_only(one: int, other: int) -> None:
    lost = missing([Source(f"the counter stands at {one} today", None)], f"it stands at {other:,}.")
    assert lost == (() if one == other else (str(one),))


@given(days, days, st.sampled_from(["%d %B %Y", "%B %d, %Y", "%Y-%m-%d", "%B %Y"]))
def test_a_date_is_covered_by_the_same_day_only(one: object, other: object, form: str) -> None:
    written = f"{one:{form}}"
    text = f"it was on {other}."
    covered = written == f"{other:{form}}"
    assert (missing([Source(f"it was on {written}.", None)], text) == ()) == covered
