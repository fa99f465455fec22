"""What is read of a stored event: its envelope, and the facts that the invariants ask of its name.

The stored JSON is parsed as it lies there: no key is needed, and no code of the write side is used
but the names of events.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final, NamedTuple, TypeAlias, cast

from pydantic_core import from_json

from muniment.domain.erasure import events as erasure
from muniment.domain.memory import events as e
from muniment.domain.proposal import events as p
from muniment.log.rows import Row

NO_TIME: Final = datetime.min.replace(tzinfo=UTC)
"""Stands for a time that is not known."""


class Malformed(Exception):  # noqa: N818
    """The stored facts are not those that the name of the event promises."""


@dataclass(frozen=True, slots=True)
class Stored:
    """An event: where it stands, its envelope, and its facts by name.

    ``facts`` is None where this release does not know the name or its form, or they are malformed.
    ``sealed`` is how many bytes its encrypted words take.
    """

    position: int
    name: str
    stream: str
    version: int
    at: datetime
    actor: str
    space: str
    command: str
    correlation: str | None
    sealed: int
    facts: Mapping[str, Any] | None

    def __getitem__(self, fact: str) -> Any:
        assert self.facts is not None  # noqa: S101 (who asks has looked)
        return self.facts[fact]


_Reader: TypeAlias = Callable[[Any], Any]


class _Fact(NamedTuple):
    name: str
    read: _Reader
    is_needed: bool = True
    default: object = None


def _of(*kinds: type) -> _Reader:
    def read(value: Any) -> Any:
        if not isinstance(value, kinds):
            raise Malformed
        return value

    return read


def _moment(value: Any) -> datetime:
    moment = datetime.fromisoformat(value)
    if moment.tzinfo is None:
        raise Malformed
    return moment


def _several(kind: type) -> _Reader:
    def read(value: Any) -> tuple[Any, ...]:
        if not isinstance(value, list):
            raise Malformed
        several = cast("Sequence[Any]", value)
        if not all(isinstance(one, kind) for one in several):
            raise Malformed
        return tuple(several)

    return read


_TEXT, _COUNT, _NUMBER, _FLAG = _of(str), _of(int), _of(int, float), _of(bool)
_IDS, _COUNTS = _several(str), _several(int)


def _optional(name: str, read: _Reader, default: object = None) -> _Fact:
    return _Fact(name, read, is_needed=False, default=default)


_LIKE = (_optional("resembles", _IDS, ()), _optional("conflicts_with", _IDS, ()))
_FIGURES = (
    _Fact("created_at", _moment),
    _Fact("last_seen_at", _moment),
    _Fact("trust", _COUNT),
)
_REMOVAL = (
    _Fact("basis", _TEXT),
    _optional("archived_at", _moment),
    _optional("retention_days", _NUMBER),
    _Fact("importance", _NUMBER),
    _Fact("reinforcement_count", _COUNT),
    _Fact("policy", _TEXT),
)

_FIRST: Mapping[str, tuple[_Fact, ...]] = {
    e.Saved.NAME: (_Fact("store", _TEXT), _Fact("trust", _COUNT), *_LIKE),
    e.Imported.NAME: (
        _Fact("store", _TEXT),
        *_FIGURES,
        _Fact("reinforcement_count", _COUNT),
        _optional("condition", _TEXT),
        _optional("archived_at", _moment),
        _optional("archive_importance", _NUMBER),
        _optional("importance", _NUMBER, 0.0),
        _optional("merged_into", _TEXT),
        _optional("merged_from", _IDS, ()),
        _optional("pinned", _FLAG, default=False),
        _optional("held", _FLAG, default=False),
    ),
    e.Merged.NAME: (
        _Fact("store", _TEXT),
        *_FIGURES,
        _Fact("reinforcement_count", _COUNT),
        _Fact("merged_from", _IDS),
        _Fact("source_versions", _COUNTS),
    ),
    e.Reinforced.NAME: (
        _Fact("counted", _FLAG),
        _Fact("trust", _COUNT),
        _optional("lifts_trust", _FLAG, default=False),
    ),
    e.Extended.NAME: (_optional("counted", _FLAG, default=True),),
    e.Revised.NAME: (_optional("trust", _COUNT),),
    e.Recategorized.NAME: (),
    e.Retagged.NAME: (),
    e.Rescored.NAME: (),
    e.Described.NAME: (),
    e.Used.NAME: (),
    e.Pinned.NAME: (),
    e.Unpinned.NAME: (),
    e.Archived.NAME: (
        _optional("cause", _TEXT),
        _optional("merged_into", _TEXT),
        _optional("importance", _NUMBER, 0.0),
    ),
    e.Restored.NAME: (),
    e.Folded.NAME: (*_FIGURES, _Fact("folded", _IDS), _Fact("counts", _COUNTS)),
    e.MergeRetracted.NAME: (_Fact("restored", _TEXT), _Fact("count", _COUNT)),
    e.MergeRejected.NAME: (_Fact("sources", _IDS), _optional("cluster", _TEXT, "")),
    e.Superseded.NAME: (_Fact("by", _TEXT), _optional("importance", _NUMBER, 0.0)),
    e.Quarantined.NAME: (),
    e.Released.NAME: (),
    e.Held.NAME: (),
    e.HoldReleased.NAME: (),
    e.PurgeRequested.NAME: _REMOVAL,
    e.Purged.NAME: _REMOVAL,
    p.Made.NAME: (_Fact("number", _COUNT),),
    p.Contradicted.NAME: (_Fact("by", _TEXT),),
    p.Committed.NAME: (_Fact("memory", _TEXT),),
    p.Rejected.NAME: (_Fact("cause", _TEXT),),
    p.Deferred.NAME: (),
    erasure.Requested.NAME: (
        _Fact("scope", _TEXT),
        _Fact("basis", _TEXT),
        _Fact("policy", _TEXT),
        _Fact("named", _IDS),
        _Fact("erased", _IDS),
        _optional("kept", _IDS, ()),
        _optional("restored", _IDS, ()),
        _optional("left", _IDS, ()),
        *(_optional(kind, _IDS, ()) for kind in ("recalls", "proposals", "feedback")),
        *(_optional(kind, _COUNT, 0) for kind in ("entries", "turns", "reports")),
    ),
    erasure.WordsPurgeRequested.NAME: (_Fact("erasure", _TEXT),),
    erasure.WordsPurged.NAME: (_Fact("erasure", _TEXT),),
    erasure.Completed.NAME: (_optional("key_backups_until", _moment),),
}

_SHAPES: Mapping[tuple[str, int], tuple[_Fact, ...]] = {
    **{(name, 1): shape for name, shape in _FIRST.items()},
    (e.Pinned.NAME, 2): (),
    (e.Unpinned.NAME, 2): (),
}
"""The facts of every name and schema that is known here."""

FORMS: Final = frozenset(_SHAPES)
"""Their names and schemas."""

NAMES: Final = frozenset(_FIRST)
"""The names of events that the invariants are about."""

MEMORY_NAMES: Final = frozenset(name for name in NAMES if name.startswith("memory."))
"""Those of memories."""


def read(row: Row, before: datetime | None) -> tuple[Stored, str | None]:
    """A row's event, and what is wrong with it as it is stored; ``before``: the time before it."""
    wrong: str | None = None
    facts: Mapping[str, Any] | None = None
    try:
        at = _moment(row.recorded_at)
    except (Malformed, ValueError):
        wrong = "its recorded time is none"
        at = before or NO_TIME
    shape = _SHAPES.get((row.name, row.schema))
    try:
        facts = _read(from_json(row.facts, allow_inf_nan=False), shape)
    except (Malformed, ValueError, TypeError) as error:
        said = str(error) if isinstance(error, Malformed) else ""
        wrong = said or "its facts are not what its name promises"
    stored = Stored(
        row.position,
        row.name,
        row.stream,
        row.version,
        at,
        row.actor,
        row.space,
        row.command_id,
        row.correlation_id,
        len(row.payload or b""),
        facts,
    )
    return stored, wrong


def _read(document: Any, shape: tuple[_Fact, ...] | None) -> Mapping[str, Any] | None:
    if not isinstance(document, dict):
        raise Malformed
    if not shape:
        return None if shape is None else {}
    facts: dict[str, Any] = {}
    for fact in shape:
        value: Any = document.get(fact.name)  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]  # JSON
        if value is not None:
            facts[fact.name] = fact.read(value)
        elif fact.is_needed:
            raise Malformed(f"it does not say its {fact.name}")
        else:
            facts[fact.name] = fact.default
    return facts
