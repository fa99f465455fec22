"""The report as Markdown: its shape is that of its answers, whatever words are in it."""

import json
import re
from functools import cache
from typing import Any

import pytest
from bdd import day
from hypothesis import example, given, settings
from hypothesis import strategies as st

import muniment
from muniment import Muniment, Report
from muniment.interfaces.documents import document
from muniment.reporting.markdown import markdown
from muniment.reporting.questions import QUESTIONS

WHOLE = (day(-1), day(400))
HOSTILE = (
    "x | y |\n|---|---|\n| forged | row |",
    "stale\n## 13. Was it approved?\n\nYes.",
    "`code` **bold** [link](https://evil.example) <script>alert(1)</script>",
    "ends with a backslash \\",
    "\u2028## forged\u2029| a | b |",
    "\u202etxet neddih",
    "```\nfence",
    "a\r## forged\x85| b |",
)
_CELL = re.compile(r"(?<!\\)(?:\\\\)*\|")


@cache
def plain_shape() -> tuple[list[str], list[int]]:
    """That of a report on an archive whose reason has nothing to it."""
    return shape(markdown(report_on("")))


def report_on(reason: str) -> Report:
    with muniment.open(":memory:") as m:
        m.archive(m.save("The relay runs on Monday.").id, "R" + reason)
        return m.report("2020-01-01T00:00:00Z", "2099-01-01T00:00:00Z", subject="Anna")


def shape(text: str) -> tuple[list[str], list[int]]:
    """The headings, and how many cells each line of a table has."""
    lines = text.splitlines()
    headings = [line for line in lines if line.lstrip().startswith("#")]
    return headings, [len(_CELL.findall(line)) for line in lines if line.lstrip()[:1] == "|"]


@given(st.one_of(st.sampled_from(HOSTILE), st.text(max_size=60)))
@settings(max_examples=12, deadline=None)
@example(HOSTILE[0])
@example(HOSTILE[1])
@example(HOSTILE[4])
@example(HOSTILE[7])
def test_no_words_forge_a_heading_or_a_row(reason: str) -> None:
    with muniment.open(":memory:") as m:
        id_ = m.save("The relay runs on Monday.").id
        try:
            m.archive(id_, "R" + reason)
        except muniment.Invalid:
            return  # text that no reason may hold never gets as far as a report
        told = markdown(m.report("2020-01-01T00:00:00Z", "2099-01-01T00:00:00Z"))
    assert shape(told) == plain_shape()


@pytest.mark.parametrize("reason", HOSTILE)
def test_no_words_of_markup_are_markup(reason: str) -> None:
    told = markdown(report_on(reason))
    row = next(line for line in told.splitlines() if "archived\\: R" in line)
    assert not re.search(r"(?<!\\)[`*<\[]", row)
    assert "\u202e" not in told


def test_a_subject_cannot_end_the_code_that_it_stands_in(m: Muniment) -> None:
    told = markdown(m.report(*WHOLE, subject="A` **b**"))
    assert "`muniment export FILE --subject 'A' **b**'`" in told


def test_the_headings_are_the_questions(m: Muniment) -> None:
    headings, _ = shape(markdown(m.report(*WHOLE)))
    assert headings[1:] == [
        f"## {number}. {one.text}" for number, one in enumerate(QUESTIONS.values(), 1)
    ]


def test_the_checkpoint_stands_in_it_as_it_was_signed(m: Muniment) -> None:
    m.save("The relay runs on Monday.")
    made = m.checkpoint()
    told = markdown(m.report(*WHOLE))
    block = [line[4:] for line in told.splitlines() if line.startswith("    ")]
    assert "\n".join([*block[:5], "", block[5], ""]) == made.text
    assert "under no checkpoint" not in told
    m.save("Rack 12 is full.")
    assert "**What came after position 1 is under no checkpoint yet.**" in markdown(
        m.report(*WHOLE)
    )


def test_what_is_not_shown_is_counted(m: Muniment) -> None:
    for number in range(53):
        m.archive(m.save(f"Server {number} is in rack {number}.").id, "sold")
    told = markdown(m.report(*WHOLE))
    assert "\nAnd 3 more.\n" in told


def test_as_json_it_has_all_twelve(m: Muniment) -> None:
    m.save("The relay runs on Monday.")
    told: dict[str, Any] = json.loads(document(m.report(*WHOLE)))
    assert list(told["answers"]) == list(QUESTIONS)
    for answer in told["answers"].values():
        assert list(answer) == ["question", "figures", "rows", "more", "commands", "notes"]
    assert told["answers"]["written"]["figures"]["events"] == told["events"] == 1
