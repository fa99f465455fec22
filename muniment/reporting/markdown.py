"""The report as Markdown (CommonMark with tables); no text in it can forge a part of it."""

import re
from collections.abc import Iterator
from datetime import datetime
from typing import Final

from muniment.domain.moments import rfc3339, second
from muniment.queries.agent_text import visible
from muniment.queries.period import Row, Value
from muniment.queries.wording import in_code, in_markdown

from .report import Answer, Report

_NOTHING: Final = "—"
_NAME: Final = re.compile(r"[0-9a-f-]{36}|(?!www\.)[a-z]+(?:\.[a-z]+(?:_[a-z]+)*)?")
"""Ids, names of events and single words, which mean nothing else in Markdown."""


def markdown(report: Report) -> str:
    """The report, ending with a line end."""
    return "\n".join([*_opening(report), *_answers(report)]) + "\n"


def _opening(report: Report) -> Iterator[str]:
    yield f"# Report on the memory of the space {_plain(report.space)}"
    yield ""
    yield (
        f"What was recorded after {rfc3339(report.since)} and by {rfc3339(report.until)}:"
        f" {report.events:,} events of this space, past position {report.after:,} and up to"
        f" {report.position:,}. Made at {rfc3339(report.made_at)} by {_plain(report.made_by)},"
        f" {'with' if report.with_words else 'without'} words of memories."
    )
    yield ""
    checkpoint = report.checkpoint
    if checkpoint is None:
        yield "It rests on no checkpoint: none was signed yet."
        return
    yield f"It rests on the checkpoint of {checkpoint.size:,} events, signed at {checkpoint.time}:"
    yield ""
    yield from (f"    {line}".rstrip() for line in checkpoint.text.splitlines())
    if not report.is_covered:
        yield ""
        yield f"**What came after position {checkpoint.size:,} is under no checkpoint yet.**"


def _answers(report: Report) -> Iterator[str]:
    for number, answer in enumerate(report.answers.values(), 1):
        yield ""
        yield f"## {number}. {answer.question}"
        yield ""
        yield from _answer(answer)


def _answer(answer: Answer) -> Iterator[str]:
    for name, value in answer.figures.items():
        yield f"- {_label(name)}: {_value(value)}"
    if answer.figures:
        yield ""
    if answer.rows:
        yield from _table(answer.rows)
        yield ""
    if answer.more:
        yield f"And {answer.more:,} more."
        yield ""
    for note in answer.notes:
        yield note
        yield ""
    yield "In detail: " + ", ".join(f"`{in_code(visible(one))}`" for one in answer.commands)


def _table(rows: tuple[Row, ...]) -> Iterator[str]:
    columns = list(rows[0])
    yield f"| {' | '.join(map(_label, columns))} |"
    yield "|---" * len(columns) + "|"
    for row in rows:
        yield f"| {' | '.join(_value(row[column]) for column in columns)} |"


def _label(name: str) -> str:
    return name.replace("_", " ")


def _value(value: Value) -> str:
    match value:
        case None:
            return _NOTHING
        case bool():
            return "yes" if value else "no"
        case int():
            return f"{value:,}"
        case float():
            return f"{value:g}"
        case datetime():
            return f"{second(value)}Z"
        case str():
            return _plain(value)


def _plain(text: str) -> str:
    if _NAME.fullmatch(text):
        return text
    return in_markdown(visible(text))
