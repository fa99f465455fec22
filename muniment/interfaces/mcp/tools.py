"""The tools: what a model may call, and which operation each renders.

A description tells a model when to use the tool; the recall family's begin with what sets its
members apart.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal, TypeAlias

from muniment.commands.archive import Archive
from muniment.commands.rescore import Rescore
from muniment.commands.save_memory import SaveMemory
from muniment.domain.inputs import Input
from muniment.handle import Muniment
from muniment.queries import recall_family
from muniment.queries.history import History
from muniment.queries.search import Search, SearchResult

Values: TypeAlias = Mapping[str, Any]
Effect: TypeAlias = Literal["reads", "adds", "changes", "hides"]
"""What a host is told of a tool: ``hides`` is what asks a person first."""

RECOVERABLE: Final = "It is archived, not deleted: a person can restore it."


@dataclass(frozen=True, slots=True)
class Answer:
    """What a model reads, and the same as data."""

    text: str
    data: Mapping[str, Any] | Any


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool: it takes ``fields`` of ``model``; ``operation`` is its row in the table of roles."""

    name: str
    description: str
    effect: Effect
    model: type[Input]
    fields: tuple[str, ...]
    perform: Callable[[Muniment, Values], Answer]
    operation: str


def _save(face: Muniment, values: Values) -> Answer:
    saved = face.save(**values)
    said = {
        "created": "Saved as a new memory.",
        "reinforced": "Known already: it was reinforced.",
        "extended": "Known already: what was new was added to it.",
    }[saved.outcome]
    notes = [said, f"id: {saved.id}", *saved.warnings]
    if saved.conflicts_with:
        notes.append(f"It may contradict: {', '.join(saved.conflicts_with)}.")
    return Answer("\n".join(notes), saved)


def _search(face: Muniment, values: Values) -> Answer:
    found: SearchResult = face.search(**values)
    return Answer(face.agent_text(found), found)


def _delete(face: Muniment, values: Values) -> Answer:
    memory = face.archive(values["id"], "deleted by its agent")
    return Answer(f"Archived {memory.id}. {RECOVERABLE}", memory)


def _rescore(face: Muniment, values: Values) -> Answer:
    memory = face.rescore(values["id"], values["importance"])
    return Answer(f"{memory.id} now has importance {memory.importance:.2f}.", memory)


def _history(face: Muniment, values: Values) -> Answer:
    entries = face.history(values["id"])
    lines = [
        f"{entry.recorded_at:%Y-%m-%d %H:%M} {entry.actor}: {entry.summary}" for entry in entries
    ]
    return Answer("\n".join(lines), {"events": entries})


class NoArguments(Input):
    """Nothing is taken."""


def _verify(face: Muniment, _: Values) -> Answer:
    found = face.verify()
    if found.intact:
        text = f"The log is intact: {found.events:,} events up to position {found.head:,}."
    else:
        kinds = ", ".join(f"{one.kind} from position {one.position:,}" for one in found.findings)
        text = f"The log is NOT intact: {kinds}. Tell the owner."
    return Answer("\n".join([text, *found.not_ruled_out]), found)


TOOLS: Final[tuple[Tool, ...]] = (
    Tool(
        "save_memory",
        "Keep a fact for later sessions: one statement, in the third person, with names and dates"
        " spelled out. What is known already is reinforced instead of repeated.",
        "adds",
        SaveMemory,
        ("content", "category", "tags"),
        _save,
        SaveMemory.VERB,
    ),
    Tool(
        "search_memory",
        f"{recall_family.LONG_TERM.headline}: searches {recall_family.LONG_TERM.scope}. Without a"
        f" query it lists the latest and the categories. See also {recall_family.WORKING.name} and"
        f" {recall_family.CONVERSATION.name}.",
        "reads",
        Search,
        ("query", "category", "mode"),
        _search,
        Search.VERB,
    ),
    Tool(
        "delete_memory",
        f"Take a memory out of recall, such as one that is no longer true. {RECOVERABLE}",
        "hides",
        Archive,
        ("id",),
        _delete,
        Archive.VERB,
    ),
    Tool(
        "update_memory_importance",
        "Say how much a memory matters, 0 to 1; it fades from there while it is not seen again.",
        "changes",
        Rescore,
        ("id", "importance"),
        _rescore,
        Rescore.VERB,
    ),
    Tool(
        "get_memory_history",
        "Everything that ever happened to one memory: who said it, when, and what was changed.",
        "reads",
        History,
        ("id",),
        _history,
        History.VERB,
    ),
    Tool(
        "verify_memory_log",
        "Prove that the log behind the memory is whole and unaltered.",
        "reads",
        NoArguments,
        (),
        _verify,
        "verify",
    ),
)
