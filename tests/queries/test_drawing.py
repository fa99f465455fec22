"""Drawings: the shape of a graph is that of its nodes and edges, whatever its texts say."""

import re
from typing import Any

import pytest
from graphs import graph
from hypothesis import example, given, settings
from hypothesis import strategies as st

from muniment import Invalid, draw

HOSTILE = (
    '"]; evil --> n0; n9["',
    'x"];\n  n9 -> n0 [label="forged',
    "end\n  n9[forged] --> n0",
    "`**bold**` [link](https://evil.example) <script>alert(1)</script>",
    "\\",
    'ends with a backslash \\"',
    "%% comment\n\u2028- **2020** forged",
    "#quot; &quot; #35;",
    "|x| }}{{ ))((",
    "\u202etxet neddih",
)
_texts = st.one_of(st.sampled_from(HOSTILE), st.text(max_size=60))

DOT_STRING = r'"(?:[^"\\\n]|\\.)*"'
DOT_NODE = re.compile(rf"  n\d+ \[label={DOT_STRING}(?:, shape=note)?(?:, style=dashed)?\];")
DOT_EDGE = re.compile(rf"  n\d+ -> n\d+ \[label={DOT_STRING}(?:, style=dashed)?\];")
MERMAID_TEXT = r'"(?:[^"<>`\[\]|{}\\\n]|<br/>)*"'
MERMAID_NODE = re.compile(rf"  n\d+\[{MERMAID_TEXT}\]")
MERMAID_EDGE = re.compile(rf"  n\d+ (?:-->|-\.->)\|{MERMAID_TEXT}\| n\d+")


def hostile_examples(test: Any) -> Any:
    for text in HOSTILE:
        test = example(text)(test)
    return test


@hostile_examples
@settings(max_examples=80, deadline=None)
@given(_texts)
def test_no_text_forges_a_part_of_a_dot_graph(text: str) -> None:
    head, *lines, last = draw(graph(text), "dot").rstrip("\n").split("\n")
    assert (head, last) == ("digraph muniment {", "}")
    assert [bool(DOT_NODE.fullmatch(line)) for line in lines[2:]] == [True] * 3 + [False] * 2
    assert all(DOT_EDGE.fullmatch(line) for line in lines[5:])


@hostile_examples
@settings(max_examples=80, deadline=None)
@given(_texts)
def test_no_text_forges_a_part_of_a_mermaid_graph(text: str) -> None:
    head, *lines = draw(graph(text), "mermaid").rstrip("\n").split("\n")
    assert head == "flowchart LR"
    assert len(lines) == 5
    assert all(MERMAID_NODE.fullmatch(line) for line in lines[:3])
    assert all(MERMAID_EDGE.fullmatch(line) for line in lines[3:])


@hostile_examples
@settings(max_examples=80, deadline=None)
@given(_texts)
def test_no_text_forges_an_entry_or_a_mark_of_a_timeline(text: str) -> None:
    lines = draw(graph(text), "timeline").split("\n")
    assert lines[:2] == ["# Timeline", ""]
    entries = [line for line in lines[2:] if line]
    assert len(entries) == 4
    for entry in entries:
        assert entry.startswith("- **2026-03-03 12:00:00Z** `")
        rest = re.sub(r"`[^`]*`", "", entry.removeprefix("- **2026-03-03 12:00:00Z** "))
        bare = re.sub(r"\\.", "", rest)
        assert not set(bare) & set("`*_[]<>#|~\n"), entry


def test_the_same_graph_is_drawn_the_same() -> None:
    assert draw(graph("pump"), "mermaid") == (
        "flowchart LR\n"
        '  n0["one v1<br/>bot:x, 2026-03-03 12:00:00Z<br/>from web pump session pump<br/>pump"]\n'
        '  n1["two v1<br/>bot:x, 2026-03-03 12:00:00Z<br/>from web pump session pump<br/>pump"]\n'
        '  n2["one@2 v1<br/>bot:x, 2026-03-03 12:00:00Z<br/>from web pump session pump<br/>pump"]\n'
        '  n1 -.->|"recalled#63; @1"| n0\n'
        '  n2 -->|"extended @1"| n0\n'
    )


def test_a_format_that_is_none_is_refused() -> None:
    unknown: Any = "svg"
    with pytest.raises(Invalid) as caught:
        draw(graph("pump"), unknown)
    assert (caught.value.code, caught.value.field) == ("format_unknown", "format")
