"""Where the words of one space's memories come from: who wrote what, and what was made of it.

Two tables of columns. A *write* is an event that gave a memory its text, or vouched for it; a
*link* says that one memory came out of another. What was recalled before a write is in the recall
log.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from hashlib import sha256
from typing import ClassVar, Final, Literal, NamedTuple, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from muniment.domain.memory import events as e
from muniment.domain.memory.state import beginning
from muniment.domain.recorded import Recorded

from .catalog import microseconds
from .columns import Column
from .grouped import Grouped, Places
from .links import LINKS, Link, LinkKind, links_of
from .parts import Part, Parts, Unfit, ids, packed_ids, texts, value

WriteKind: TypeAlias = Literal[
    "saved", "imported", "merged", "reinforced", "lifted", "extended", "revised"
]
"""``lifted`` is a repetition that the whole memory is trusted as far as."""

WRITES: Final[tuple[WriteKind, ...]] = get_args(WriteKind)
SOURCES: Final[tuple[e.SourceType, ...]] = get_args(e.SourceType)

_WHOLE: Final[tuple[WriteKind, ...]] = ("saved", "imported", "merged", "revised")
"""Writes after which the whole text is theirs."""

_NONE = -1

Rows = NDArray[np.int32]


class Write(NamedTuple):
    """A write; ``at`` in microseconds since 1970."""

    memory: str
    version: int
    position: int
    at: int
    kind: WriteKind
    actor: str
    source_type: e.SourceType
    source_ref: str | None
    session: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """Which writes are meant: all of what is given must hold.

    ``source`` is a type, or a reference, or the beginning of references with a ``*`` behind.
    Times are microseconds since 1970, both included.
    """

    memory: str | None = None
    source: str | None = None
    actor: str | None = None
    session: str | None = None
    since: int | None = None
    until: int | None = None


class _Names:
    """Texts that many rows share, by number."""

    def __init__(self) -> None:
        self.names: list[str] = []
        self._numbers: dict[str, int] = {}

    def number(self, name: str | None) -> int:
        if name is None:
            return _NONE
        number = self._numbers.get(name)
        if number is None:
            number = self._numbers[name] = len(self.names)
            self.names.append(name)
        return number

    def find(self, name: str) -> int | None:
        return self._numbers.get(name)

    def name(self, number: int) -> str | None:
        return None if number == _NONE else self.names[number]

    def take(self, names: list[str]) -> None:
        self.names = names
        self._numbers = {name: number for number, name in enumerate(names)}


class Provenance:
    """Folds the events of one space; ``position`` is that of the newest it has seen."""

    NAME: ClassVar[str] = "provenance"
    VERSION: ClassVar[int] = 1

    def __init__(self) -> None:
        self.position = 0
        self._memories = _Names()
        self._actors = _Names()
        self._refs = _Names()
        self._sessions = _Names()
        self._writes: dict[str, Column[np.int32]] = {
            name: Column(np.int32)
            for name in ("memory", "version", "kind", "actor", "source_type", "ref", "session")
        }
        self._written: dict[str, Column[np.int64]] = {
            name: Column(np.int64) for name in ("position", "at")
        }
        self._links: dict[str, Column[np.int32]] = {
            name: Column(np.int32) for name in ("source", "target", "kind", "version", "actor")
        }
        self._linked: dict[str, Column[np.int64]] = {
            name: Column(np.int64) for name in ("position", "at")
        }
        self._source_types: dict[int | None, int] = {}
        self._by_memory = Grouped(self._writes["memory"])
        self._by_session = Grouped(self._writes["session"])
        self._by_source = Grouped(self._links["source"])
        self._by_target = Grouped(self._links["target"])

    # folding

    def apply(self, recorded: Recorded) -> None:
        """Takes in one event; one that it has seen changes nothing."""
        if recorded.position <= self.position:
            return
        self.position = recorded.position
        if not recorded.name.startswith("memory."):
            return
        event: object = recorded.event
        has_words = True
        if self._memories.find(recorded.stream) not in self._source_types:
            begun = beginning(recorded)
            if begun is None:
                return
            event, has_words = begun[0], begun[1] != "purged"
        self._write(recorded, event, has_words=has_words)
        for kind, source, target in links_of(recorded.stream, event):
            self._link(recorded, kind, source, target)
        if isinstance(event, e.PurgeRequested):
            self._forget(recorded.stream)

    def _write(self, recorded: Recorded, event: object, *, has_words: bool) -> None:
        kind = _kind(event)
        if kind is None:
            return
        memory = self._memories.number(recorded.stream)
        source = getattr(event, "source", None) if has_words else None
        told: e.SourceType | None = getattr(event, "source_type", None)
        # a text that is rewritten without one is by the same kind of source as before
        source_type = self._source_types[memory] if told is None else SOURCES.index(told)
        if kind in _WHOLE:
            self._source_types[memory] = source_type
        written = {
            "memory": memory,
            "version": recorded.version,
            "kind": WRITES.index(kind),
            "actor": self._actors.number(recorded.actor),
            "source_type": source_type,
            "ref": self._refs.number(source.ref if source else None),
            "session": self._sessions.number(source.session if source else None),
        }
        for name, number in written.items():
            self._writes[name].append(number)
        self._written["position"].append(recorded.position)
        self._written["at"].append(microseconds(recorded.recorded_at))

    def _link(self, recorded: Recorded, kind: LinkKind, source: str, target: str) -> None:
        linked = {
            "source": self._memories.number(source),
            "target": self._memories.number(target),
            "kind": LINKS.index(kind),
            "version": recorded.version if target == recorded.stream else 1,
            "actor": self._actors.number(recorded.actor),
        }
        for name, number in linked.items():
            self._links[name].append(number)
        self._linked["position"].append(recorded.position)
        self._linked["at"].append(microseconds(recorded.recorded_at))

    def _forget(self, stream: str) -> None:
        """References and names of sessions are words of what is purged."""
        places = self._by_memory.of(self._memories.number(stream))
        for name in ("ref", "session"):
            self._writes[name].view[places] = _NONE
        self._by_session.outdate()

    # asking

    def select(self, selection: Selection) -> list[Write]:
        """The writes of a selection, by position."""
        view = {name: column.view for name, column in (self._writes | self._written).items()}
        kept = np.ones(len(view["memory"]), np.bool_)
        named = (
            ("memory", self._memories, selection.memory),
            ("actor", self._actors, selection.actor),
            ("session", self._sessions, selection.session),
        )
        for column, names, wanted in named:
            if wanted is not None:
                number = names.find(wanted)
                kept &= False if number is None else view[column] == number
        if selection.source is not None:
            kept &= self._from_source(selection.source)
        if selection.since is not None:
            kept &= view["at"] >= selection.since
        if selection.until is not None:
            kept &= view["at"] <= selection.until
        return list(self._read_writes(np.flatnonzero(kept)))

    def _from_source(self, source: str) -> NDArray[np.bool_]:
        if source in SOURCES:
            found: NDArray[np.bool_] = self._writes["source_type"].view == SOURCES.index(source)
            return found
        stem = source.removesuffix("*")
        wanted = [
            number
            for number, ref in enumerate(self._refs.names)
            if ref == source or (stem != source and ref.startswith(stem))
        ]
        return np.isin(self._writes["ref"].view, wanted)

    def writes_of(self, memories: Iterable[str]) -> list[Write]:
        """The writes of some memories, those of the first by position, then of the next."""
        return list(self._read_writes(self._by_memory.of_all(self._known(memories))))

    def writes_in(self, session: str) -> list[Write]:
        """The writes whose source names a session, by position."""
        number = self._sessions.find(session)
        return [] if number is None else list(self._read_writes(self._by_session.of(number)))

    def into(self, memories: Iterable[str]) -> list[Link]:
        """The links that lead to some memories."""
        return list(self._read_links(self._by_target.of_all(self._known(memories))))

    def out_of(self, memories: Iterable[str]) -> list[Link]:
        """The links that lead away from some memories."""
        return list(self._read_links(self._by_source.of_all(self._known(memories))))

    def _known(self, memories: Iterable[str]) -> Rows:
        found = (self._memories.find(id_) for id_ in memories)
        return np.array([row for row in found if row is not None], np.int32)

    def _read_writes(self, places: Places) -> Iterator[Write]:
        read = {
            name: column.view[places].tolist()
            for name, column in (self._writes | self._written).items()
        }
        for at in range(len(places)):
            yield Write(
                self._memories.names[read["memory"][at]],
                read["version"][at],
                read["position"][at],
                read["at"][at],
                WRITES[read["kind"][at]],
                self._actors.names[read["actor"][at]],
                SOURCES[read["source_type"][at]],
                self._refs.name(read["ref"][at]),
                self._sessions.name(read["session"][at]),
            )

    def _read_links(self, places: Places) -> Iterator[Link]:
        read = {
            name: column.view[places].tolist()
            for name, column in (self._links | self._linked).items()
        }
        for at in range(len(places)):
            yield Link(
                self._memories.names[read["source"][at]],
                self._memories.names[read["target"][at]],
                LINKS[read["kind"][at]],
                read["version"][at],
                read["position"][at],
                read["at"][at],
                self._actors.names[read["actor"][at]],
            )

    # comparing and putting away

    def digest(self) -> bytes:
        """Equal for two exactly if they hold the same."""
        numbers: list[int]
        held = sha256(repr((self._memories.names, self._actors.names)).encode())
        for column, names in (("ref", self._refs), ("session", self._sessions)):
            numbers = self._writes[column].view.tolist()
            held.update(repr([names.name(number) for number in numbers]).encode())
        for name, plain in self._columns().items():
            if name not in ("write ref", "write session"):
                held.update(plain.view.tobytes())
        return held.digest()

    def anew(self) -> "Provenance":
        """An empty one."""
        return Provenance()

    def dump(self) -> dict[str, Part]:
        """All that it holds, and no reference or session that no write has any more."""
        parts: dict[str, Part] = {
            "position": self.position,
            "memories": packed_ids(self._memories.names),
            "actors": list(self._actors.names),
        }
        for name, column in self._columns().items():
            parts[name] = column.view.copy()
        for column_name, names in (("ref", self._refs), ("session", self._sessions)):
            view = self._writes[column_name].view
            used, anew = np.unique(view, return_inverse=True)
            first = int(used[0] == _NONE) if len(used) else 0
            numbers: list[int] = used[first:].tolist()
            parts[f"{column_name}s"] = [names.names[number] for number in numbers]
            parts[f"write {column_name}"] = (anew - first).astype(np.int32)
        return parts

    @classmethod
    def load(cls, parts: Parts) -> "Provenance":
        """The provenance that was put away as ``parts``.

        Raises:
            Unfit: They are not those of a provenance.
        """
        made = cls()
        made.position = value(parts, "position", int)
        made._memories.take(ids(parts, "memories"))
        for name, names in (
            ("actors", made._actors),
            ("refs", made._refs),
            ("sessions", made._sessions),
        ):
            names.take(texts(parts, name))
        for name, column in made._columns().items():
            column.take(parts, name)
        if len({len(column) for column in made._writes.values()}) > 1:
            raise Unfit("writes")
        wholes = np.isin(made._writes["kind"].view, [WRITES.index(kind) for kind in _WHOLE])
        read = (made._writes[name].view[wholes].tolist() for name in ("memory", "source_type"))
        made._source_types = dict(zip(*read, strict=True))
        return made

    def _columns(self) -> dict[str, Column[np.int32] | Column[np.int64]]:
        return {
            **{f"write {name}": column for name, column in self._writes.items()},
            **{f"write {name}": column for name, column in self._written.items()},
            **{f"link {name}": column for name, column in self._links.items()},
            **{f"link {name}": column for name, column in self._linked.items()},
        }


def _kind(event: object) -> WriteKind | None:
    match event:
        case e.Saved():
            return "saved"
        case e.Imported():
            return "imported"
        case e.Merged():
            return "merged"
        case e.Reinforced():
            return "lifted" if event.lifts_trust else "reinforced"
        case e.Extended():
            return "extended"
        case e.Revised():
            return "revised"
        case _:
            return None
