"""Working memory, conversations, contexts and feedback, for people."""

from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import TypeAlias

from muniment.commands.give_feedback import Feedback
from muniment.domain.conversation.turns import Turn
from muniment.domain.working.entries import Heading, WorkingEntry
from muniment.domain.working.lifetimes import time_left
from muniment.queries.context import Context
from muniment.queries.conversation import ConversationResult
from muniment.queries.working import WorkingResult

from .console import Line, line, tail
from .memories import stamp

Told: TypeAlias = WorkingEntry | WorkingResult | Turn | ConversationResult | Context | Feedback

_INDENT = "    "


def told(answer: Told, now: datetime) -> Iterator[Line]:
    """What was kept or found, or what a turn is told."""
    match answer:
        case WorkingEntry():
            yield _heading(answer, now)
            yield from _text(answer.value)
        case WorkingResult():
            yield from _found(answer, now)
        case Turn():
            yield _turn(answer)
        case ConversationResult():
            for hit in answer.hits:
                yield line((f"{stamp(hit.turn.at)}  ", "dim"), (hit.turn.session, "cyan"))
                yield _turn(hit.turn)
            yield from _message(answer.message)
        case Context():
            for said in answer.text.splitlines():
                yield line(said)
            for part, count in answer.left_out.items():
                yield line((f"{count:,} of {part} were left out: the budget is full.", "yellow"))
            yield from _message(answer.message)
        case Feedback():
            about = f", about {', '.join(map(tail, answer.memory_ids))}"
            yield line(
                (f"Taken down as {answer.kind}", "green"), about if answer.memory_ids else "", "."
            )


def turns(answer: Iterable[Turn]) -> Iterator[Line]:
    """What was said, in that order."""
    return map(_turn, answer)


def _turn(answer: Turn) -> Line:
    return line((f"{answer.role:<9}  ", "magenta"), answer.content)


def _found(answer: WorkingResult, now: datetime) -> Iterator[Line]:
    for hit in answer.hits:
        yield _heading(hit, now)
        if hit.preview is not None:
            yield line(_INDENT, hit.preview)
    yield from _message(answer.message)
    if answer.degraded:
        yield line((f"({answer.degraded})", "dim"))


def _heading(heading: Heading, now: datetime) -> Line:
    said = [f"expires in {time_left(heading.left(now))}", f"by {heading.writer}"]
    if heading.category is not None:
        said.append(f"category: {heading.category}")
    if heading.tags:
        said.append(f"tags: {', '.join(heading.tags)}")
    return line((heading.key, "cyan"), (f"  {', '.join(said)}", "dim"))


def _text(text: str) -> Iterator[Line]:
    for part in text.splitlines():
        yield line(_INDENT, part)


def _message(message: str | None) -> Iterator[Line]:
    if message:
        yield line(message)
