"""The twelve questions: what each asks, and which commands answer it in detail."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final


@dataclass(frozen=True, slots=True)
class Question:
    """A question in words, and commands; in braces is what a report fills in."""

    text: str
    commands: tuple[str, ...]


QUESTIONS: Final[Mapping[str, Question]] = MappingProxyType(
    {
        "written": Question(
            "Who wrote it?",
            ("muniment history ID", "muniment log --after {after} --until {until} --actor ACTOR"),
        ),
        "sources": Question(
            "From what source?",
            ("muniment trace ID", "muniment blast-radius --source TYPE"),
        ),
        "versions": Question(
            "What is every version of it?",
            ("muniment history ID", "muniment diff {since} {until}"),
        ),
        "visible": Question(
            "What could an agent see at a moment?",
            ("muniment --as-of {until} search", "muniment knew AGENT --at {until}"),
        ),
        "left": Question(
            "Why was it archived, merged or purged, and under which rule or model?",
            ("muniment history ID", "muniment log --after {after} --until {until} --name EVENT"),
        ),
        "refused": Question(
            "What was refused?",
            (
                "muniment log --after {after} --until {until} --name access.denied",
                "muniment log --after {after} --until {until} --name memory.merge_rejected",
                "muniment log --after {after} --until {until} --name proposal.rejected",
            ),
        ),
        "read": Question(
            "Who read it?",
            (
                "muniment knew AGENT --at {until}",
                "muniment blast-radius --memory ID",
            ),
        ),
        "whole": Question(
            "Is the log whole since the checkpoint?",
            ("muniment verify --against FILE", "muniment prove-invariants"),
        ),
        "vanished": Question(
            "Which ids vanished, and why?",
            (
                "muniment history ID",
                "muniment log --after {after} --until {until} --name memory.purged",
                "muniment prove-invariants",
            ),
        ),
        "writers": Question(
            "Who may write here, and since when?",
            ("muniment token list", "muniment log --actor ACTOR --limit 1"),
        ),
        "held": Question(
            "What is held about a subject?",
            ("muniment export FILE --subject {subject}",),
        ),
        "erased": Question(
            "Was it erased everywhere?",
            ("muniment erasures",),
        ),
    }
)
"""By the names that their answers have, in the order that they are asked in."""
