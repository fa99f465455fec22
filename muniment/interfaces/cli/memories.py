"""Memories, and what was found or done with them, for people."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from muniment.commands.merge import Merged
from muniment.commands.restore import Restored
from muniment.commands.save_memory import Saved
from muniment.domain import category as categories
from muniment.domain.memory.view import Memory
from muniment.domain.moments import day
from muniment.purging import PurgeReport
from muniment.queries.agent_text import age_text
from muniment.queries.search import Hit, SearchResult

from .console import Line, line, tail

_STATES = {"live": "green", "archived": "yellow", "purged": "red", "quarantined": "red"}
_INDENT = "    "


@dataclass(frozen=True, slots=True)
class Folded:
    """The ids that were folded away."""

    folded: tuple[str, ...]


def saved(answer: Saved, now: datetime) -> Iterator[Line]:
    """What became of an observation."""
    memory = answer.memory
    match answer.outcome:
        case "created":
            yield line(("Saved ", "green"), (tail(answer.id), "cyan"), " as a new memory.")
        case "reinforced":
            counted = "" if answer.counted else ", though this one is not counted"
            yield line(
                ("Known already: ", "green"),
                (tail(answer.id), "cyan"),
                f", {age_text(memory, now)}{counted}.",
            )
        case "extended":
            yield line(("Added to ", "green"), (tail(answer.id), "cyan"), ", which knew a part.")
    yield from _text(memory)
    if answer.conflicts_with:
        yield line((f"{_INDENT}conflicts with {_tails(answer.conflicts_with)}", "yellow"))
    elif answer.resembles:
        yield line(f"{_INDENT}resembles {_tails(answer.resembles)}")
    yield from _warnings(answer.warnings)


def restored(answer: Restored, now: datetime) -> Iterator[Line]:
    """A memory that is back in recall."""
    yield from shown(answer.memory, now)
    yield from _warnings(answer.warnings)


def merged(answer: Merged) -> Iterator[Line]:
    """The memory that a merge made, and what it replaces."""
    memory = answer.memory
    yield line(
        ("Merged ", "green"),
        f"{_tails(answer.sources)} into ",
        (tail(answer.id), "cyan"),
        f", seen {memory.reinforcement_count}× since {day(memory.created_at)}.",
    )
    yield from _text(memory)


def folded(answer: Folded) -> Iterator[Line]:
    """The repetitions that were folded away."""
    if not answer.folded:
        yield line("Nothing repeats exactly.")
        return
    yield line(("Folded away ", "green"), _counted(answer.folded), ", each into its first:")
    yield from _ids(answer.folded)


def purged(answer: PurgeReport) -> Iterator[Line]:
    """What was removed for good, or would be, and what is kept although it is due."""
    if not (answer.purged or answer.due or answer.kept):
        yield line("Nothing has been archived for longer than archived memories are kept.")
    if answer.purged:
        yield line(("Purged ", "green"), _counted(answer.purged), ": their words are gone.")
        yield from _ids(answer.purged)
    if answer.due:
        yield line(("To be purged: ", "yellow"), _counted(answer.due), "; --yes does it.")
        yield from _ids(answer.due)
    if answer.kept:
        yield line(("Kept, for they are protected: ", "bold"), _counted(answer.kept), ".")
        yield from _ids(answer.kept)


def shown(memory: Memory, now: datetime) -> Iterator[Line]:
    """Everything about a memory."""
    yield line(
        (tail(memory.id), "cyan"),
        "  ",
        (memory.state, _STATES.get(memory.state, "yellow")),
        f"  {memory.category or categories.GENERAL}",
    )
    yield from _text(memory)
    scored = f"{memory.base_importance:.2f}"
    since = "" if memory.archived_at is None else stamp(memory.archived_at)
    facts = {
        "id": memory.id,
        "seen": age_text(memory, now),
        "importance": f"{memory.importance:.2f}, last scored {scored}",
        "relevance": f"{memory.relevance:.2f}, {memory.band}{', pinned' * memory.pinned}",
        "used": f"{memory.access_count}×, last {stamp(memory.last_accessed_at)}",
        "store": memory.store,
        "source": f"{_source(memory)}, trust {memory.trust}",
        "tags": ", ".join(memory.tags),
        "metadata": ", ".join(f"{key}={value}" for key, value in memory.metadata.items()),
        "archived": ", ".join(filter(None, [since, memory.archive_reason])),
        "resembles": _tails(memory.resembles),
        "conflicts": _tails(memory.conflicts_with),
        "merged": _tails(memory.merged_from),
        "superseded": f"by {tail(memory.superseded_by)}" if memory.superseded_by else "",
        "hold": "a legal hold keeps its words" if memory.held else "",
        "version": f"{memory.version}, at position {memory.position}",
        "fault": memory.fault or "",
    }
    for name, fact in facts.items():
        if fact:
            yield line((f"{_INDENT}{name:<11}", "dim"), fact)


def found(result: SearchResult, now: datetime) -> Iterator[Line]:
    """A ranked list; after a browse or a miss the categories that there are."""
    is_browse = all(hit.score == 0 for hit in result.hits)
    for number, hit in enumerate(result.hits, 1):
        yield from _hit(number, hit, now, is_browse=is_browse)
    if result.message:
        yield line(result.message)
    if is_browse:
        yield line(("Categories: ", "bold"), _counts(result))
    if result.degraded:
        yield line((f"({result.degraded})", "dim"))
    if result.cursor:
        yield line((f"There are more: the same with --cursor {result.cursor}", "dim"))


def stamp(moment: datetime) -> str:
    """A time in UTC, to the second."""
    return moment.isoformat(" ", "seconds").replace("+00:00", "Z")


def _hit(number: int, hit: Hit, now: datetime, *, is_browse: bool) -> Iterator[Line]:
    memory = hit.memory
    yield line(
        (f"{number:>3} ", "dim"),
        *([] if is_browse else [(f"{hit.score:.3g}  ", "bold")]),
        (tail(memory.id), "cyan"),
        f"  {memory.category or categories.GENERAL}",
        (f"  {age_text(memory, now)}, importance {memory.importance:.2f}", "dim"),
        ("" if memory.state == "live" else f"  {memory.state}", "yellow"),
    )
    yield from _text(memory)
    if memory.tags:
        yield line((f"{_INDENT}tags: {', '.join(memory.tags)}", "dim"))
    if memory.conflicts_with:
        yield line((f"{_INDENT}conflicts with {_tails(memory.conflicts_with)}", "yellow"))
    for name, reason in (hit.why or {}).items():
        yield line((f"{_INDENT}{name}: {reason}", "dim"))


def _text(memory: Memory) -> Iterator[Line]:
    content = "[purged]" if memory.content is None else memory.content
    for part in content.splitlines() or [""]:
        yield line(_INDENT, part)


def _counts(result: SearchResult) -> str:
    return ", ".join(f"{name} ({count})" for name, count in result.taxonomy.items()) or "none yet"


def _source(memory: Memory) -> str:
    source = memory.source
    named = (("ref", source.ref), ("session", source.session), ("model", source.model))
    return " ".join([source.type, *(f"{name} {text}" for name, text in named if text)])


def _counted(ids: Sequence[str]) -> str:
    return f"{len(ids):,} {'memory' if len(ids) == 1 else 'memories'}"


def _ids(ids: Sequence[str]) -> Iterator[Line]:
    for id_ in ids:
        yield line(_INDENT, (id_, "cyan"))


def _tails(ids: Sequence[str]) -> str:
    return ", ".join(map(tail, ids))


def _warnings(warnings: Sequence[str]) -> Iterator[Line]:
    for warning in warnings:
        yield line((f"{_INDENT}note: {warning}", "yellow"))
