"""What became of memories between two moments, for people."""

from collections.abc import Iterator, Mapping
from typing import cast

from muniment.queries.diff import Change, Difference
from muniment.queries.wording import shortened

from .console import Line, line, tail
from .memories import stamp

_KINDS = {"created": "green", "restored": "green", "purged": "red", "quarantined": "red"}


def difference(answer: Difference) -> Iterator[Line]:
    """A paragraph a memory: what became of it, each field old and new, and every event."""
    since, until = answer.since, answer.until
    yield line(
        ("From ", "bold"),
        f"{stamp(since.at)} (position {since.position:,})",
        (" to ", "bold"),
        f"{stamp(until.at)} (position {until.position:,}):"
        f"{'' if answer.changes else ' nothing changed.'}",
    )
    for change in answer.changes:
        yield from _changed(change)
    if answer.cursor is not None:
        yield line((f"There are more: the same with --cursor {answer.cursor}", "dim"))


def _changed(change: Change) -> Iterator[Line]:
    text = "[purged]" if change.memory.content is None else shortened(change.memory.content)
    yield line(
        (tail(change.id), "cyan"),
        "  ",
        (", ".join(change.kinds), _KINDS.get(change.kinds[-1], "yellow")),
        f"  {text}",
    )
    for field in change.fields:
        yield line(f"    {field.field}: ", (_told(field.old), "dim"), " → ", _told(field.new))
    for event in change.events:
        yield line(
            (f"    {event.position:>6}  ", "bold"),
            (f"{stamp(event.recorded_at)}  ", "dim"),
            (f"{event.actor:<16}  ", "magenta"),
            event.summary,
        )


def _told(value: object) -> str:
    match value:
        case tuple():
            texts = [str(one) for one in cast("tuple[object, ...]", value)]
        case Mapping():
            pairs = cast("Mapping[str, str]", value).items()
            texts = [f"{key}={text}" for key, text in pairs]
        case None:
            texts = []
        case _:
            texts = [shortened(str(value))]
    return ", ".join(texts) or "none"
