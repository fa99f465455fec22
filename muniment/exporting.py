"""Exports: the memories of a space in one file, to be brought in elsewhere or to be read."""

import json
import os
import secrets
from collections import Counter
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from pathlib import Path
from typing import Any, ClassVar, TypeAlias, cast

from ._release import __version__
from .adapters import markdown, native
from .domain.access import Operation
from .domain.errors import Invalid
from .domain.memory.events import Source
from .domain.memory.state import State, Statement
from .domain.moments import rfc3339
from .domain.ports import Progress
from .engine import Engine
from .log.datastore import typed_errors
from .log.master import flush
from .log.tail import Head
from .paths import path_of

_Write: TypeAlias = Callable[[bytes], int]

_BATCH = 500
_NOT_EXPORTED = frozenset(["space", "version", "position", "removal", "fault"])
"""Where it lies in this log is no part of a memory; it is told as its provenance."""


class Export(Operation):
    """Write the memories of a space to a file."""

    VERB: ClassVar[str] = "export"


@dataclass(frozen=True, slots=True)
class Exported:
    """What was written: how many memories, and of how many the words could not be read.

    ``head`` is the position that the export is as of.
    """

    path: Path
    format: str
    memories: int
    unreadable: int
    head: int


@dataclass(frozen=True, slots=True)
class Held:
    """What is held about somebody, by ids."""

    subject: str
    ids: frozenset[str]


@dataclass(frozen=True, slots=True)
class _Memory:
    state: State
    first_position: int


@dataclass(frozen=True, slots=True)
class _Snapshot:
    """The memories of one space at one position."""

    engine: Engine
    space: str
    head: Head
    begun: list[tuple[str, int]]
    now: datetime
    subject: str | None

    def memories(self) -> Iterator[_Memory]:
        store = self.engine.store
        for start in range(0, len(self.begun), _BATCH):
            some = self.begun[start : start + _BATCH]
            states = store.memories((id_ for id_, _ in some), until=self.head.position)
            for id_, position in some:
                if id_ in states:
                    yield _Memory(states[id_], position)


def export(
    engine: Engine,
    space: str,
    path: str | os.PathLike[str],
    *,
    format: str,
    held: Held | None,
    progress: Progress | None,
) -> Exported:
    """Writes the memories of a space, as of one position; others may write meanwhile.

    ``held`` says of whom alone, and which memories those are.

    Raises:
        Invalid: ``format_unknown`` or ``path_invalid``.
        StorageFailed: The disk fails; an earlier file of that name is as it was then.
    """
    write = {"native": _native, "markdown": _markdown}.get(format)
    if write is None:
        raise Invalid(
            f"format: {format!r} is neither native nor markdown.",
            code="format_unknown",
            field="format",
        )
    place = path_of(path)
    if place.is_dir():
        raise Invalid("path: name a file.", code="path_invalid", field="path")
    engine.store.require_own_process()
    head = engine.head()
    begun = engine.store.rows.select_memories(space, head.position)
    if held is not None:
        begun = [one for one in begun if one[0] in held.ids]
    subject = None if held is None else held.subject
    snapshot = _Snapshot(engine, space, head, begun, engine.clock(), subject)
    with whole_file(place) as put:
        memories, unreadable = write(snapshot, put, progress or _silent)
    return Exported(place, format, memories, unreadable, head.position)


def _silent(_: int) -> None:
    """Nobody wants to know."""


def _native(snapshot: _Snapshot, put: _Write, progress: Progress) -> tuple[int, int]:
    digest = sha256()

    def line(entry: dict[str, Any]) -> None:
        written = json.dumps(entry, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
        digest.update(written)
        put(written)

    line(
        {
            "format": native.FORMAT,
            "version": native.VERSION,
            "release": __version__,
            "store": snapshot.engine.store.id,
            "space": snapshot.space,
            **({"subject": snapshot.subject} if snapshot.subject is not None else {}),
            "head": snapshot.head.position,
            "chain": snapshot.head.chain.hex(),
            "exported_at": rfc3339(snapshot.now),
            "memories": len(snapshot.begun),
        }
    )
    conditions: Counter[str] = Counter()
    unreadable = number = 0
    for number, memory in enumerate(snapshot.memories(), 1):
        line(_entry(memory))
        conditions[memory.state.condition] += 1
        unreadable += _illegible(memory.state) is not None
        progress(number)
    trailer = {"memories": number, "conditions": dict(conditions), "sha256": digest.hexdigest()}
    line(trailer)
    return number, unreadable


def _entry(memory: _Memory) -> dict[str, Any]:
    """A memory by the names of its state, and besides them where this log has it."""
    state = memory.state
    entry = {name: _plain(getattr(state, name)) for name in state._fields}
    return {
        **{name: value for name, value in entry.items() if name not in _NOT_EXPORTED},
        **({"fault": fault} if (fault := _illegible(state)) else {}),
        "provenance": {
            "first_position": memory.first_position,
            "position": state.position,
            "version": state.version,
        },
    }


def _illegible(state: State) -> str | None:
    """Why its words are not in the export; None where they are, or none are to be.

    In an export as of an earlier moment there may be memories that were purged since.
    """
    return "purged" if state.is_wordless and state.condition != "purged" else state.fault


def _plain(value: object) -> Any:
    match value:
        case datetime():
            return rfc3339(value)
        case Statement():
            return {"text": value.text, "said_at": rfc3339(value.said_at)}
        case Source():
            return {name: getattr(value, name) for name in ("type", "ref", "session", "model")}
        case frozenset():
            return sorted(map(list, cast("frozenset[tuple[str, str | None]]", value)), key=repr)
        case tuple():
            return [_plain(part) for part in cast("tuple[object, ...]", value)]
        case Mapping():
            return dict(sorted(cast("Mapping[str, str]", value).items()))
        case _:
            return value


def _markdown(snapshot: _Snapshot, put: _Write, progress: Progress) -> tuple[int, int]:
    """Live memories by category; of those whose words cannot be read nothing can be written."""
    sections: dict[str, list[State]] = {}
    unreadable = 0
    for number, memory in enumerate(snapshot.memories(), 1):
        state = memory.state
        if state.condition == "live":
            unreadable += _illegible(state) is not None
            if _illegible(state) is None:
                sections.setdefault(state.category or "", []).append(state)
        progress(number)
    put(markdown.opening(snapshot.space, snapshot.now).encode())
    for category in sorted(sections):
        put(markdown.heading(category).encode())
        for state in sections[category]:
            put(markdown.item(state.content, state.tags).encode())
    return sum(map(len, sections.values())), unreadable


@contextmanager
def whole_file(path: Path) -> Generator[_Write, None, None]:
    """Writes a file for its owner alone; it is there whole, or what was there before is."""
    with typed_errors():
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        draft = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
        try:
            descriptor = os.open(draft, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
            with os.fdopen(descriptor, "wb") as file:
                yield file.write
                file.flush()
                os.fsync(file.fileno())
            draft.replace(path)
            flush(path.parent)
        finally:
            draft.unlink(missing_ok=True)
