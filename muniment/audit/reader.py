"""The audit's own reader of the stored rows: envelopes and facts, and words where a key opens them.

It runs SQL of its own over the table and parses what lies there. That the rows are what was once
written is for ``verify`` to say.
"""

from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from typing import Any, Final, Literal, NamedTuple, TypeAlias, cast

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from pydantic import TypeAdapter, ValidationError
from pydantic_core import from_json

from muniment.domain import audit
from muniment.domain.audit import Completed, Digested
from muniment.domain.moments import rfc3339
from muniment.log.rows import COLUMNS, Row, row

Select: TypeAlias = Callable[[str, Sequence[object]], Sequence[tuple[Any, ...]]]
"""Runs one query and gives its rows."""

KeyOf: TypeAlias = Callable[[int], bytes | None]
"""The raw key of an id; None where it is not there."""

Words: TypeAlias = dict[str, Any] | Literal["sealed"]
"""The words of an event by name; ``sealed`` where nothing opens them."""

_SECTION: Final = 5_000
_NONCE: Final = 12
_SELECT: Final = f"SELECT {', '.join(COLUMNS)} FROM events"  # noqa: S608 (names of ours)
_COMPLETED: Final = TypeAdapter(Completed)
_DIGESTED: Final = TypeAdapter(Digested)


class Head(NamedTuple):
    """Where the log ends: the position (0: empty), and the chain there."""

    position: int
    chain: bytes | None


class Run(NamedTuple):
    """A run as it was recorded: the position of its event, and what it says."""

    recorded: int
    said: Completed


class Reader:
    """Reads one log.

    Args:
        select: Runs queries.
        key_of: Where the keys of words come from.
    """

    def __init__(self, select: Select, key_of: KeyOf) -> None:
        self._select = select
        self._key_of = key_of
        self._parsed: dict[bytes, Completed] = {}

    def head(self) -> Head:
        """The end of the log."""
        found = self._select(
            "SELECT position, chain FROM events ORDER BY position DESC LIMIT 1", []
        )
        return Head(*found[0]) if found else Head(0, None)

    def chain_at(self, position: int) -> bytes | None:
        """The chain after a position; None where there is no such row."""
        found = self._select("SELECT chain FROM events WHERE position = ?", [position])
        return found[0][0] if found else None

    def position_at(self, moment: datetime) -> int:
        """The newest position that was recorded up to a moment; 0: none was."""
        found = self._select(
            "SELECT position FROM events WHERE recorded_at <= ? ORDER BY position DESC LIMIT 1",
            [rfc3339(moment)],
        )
        return found[0][0] if found else 0

    def time_of(self, position: int) -> str | None:
        """When an event was recorded, as it is stored."""
        found = self._select("SELECT recorded_at FROM events WHERE position = ?", [position])
        return found[0][0] if found else None

    def begun_at(self, space: str) -> str | None:
        """When the first event of a space was recorded, as it is stored."""
        found = self._select(
            "SELECT recorded_at FROM events WHERE space = ? ORDER BY position LIMIT 1", [space]
        )
        return found[0][0] if found else None

    def spaces(self) -> list[str]:
        """Every space that has memories."""
        found = self._select(
            "SELECT DISTINCT space FROM events WHERE version = 1 AND name GLOB 'memory.*'"
            " ORDER BY space",
            [],
        )
        return [space for (space,) in found]

    def rows(self, space: str, after: int, until: int) -> Iterator[Row]:
        """The rows of a space past a position and up to another, a section at a time."""
        while True:
            found = self._select(
                f"{_SELECT} WHERE position > ? AND position <= ? AND space = ?"
                f" ORDER BY position LIMIT {_SECTION}",
                [after, until, space],
            )
            for values in found:
                yield row(values)
            if len(found) < _SECTION:
                return
            after = found[-1][0]

    def of_stream(self, stream: str) -> list[Row]:
        """The rows of a stream, by version."""
        found = self._select(f"{_SELECT} WHERE stream = ? ORDER BY version", [stream])
        return [row(values) for values in found]

    def removed(self) -> frozenset[str]:
        """The streams whose words were removed, or are about to be."""
        found = self._select(
            "SELECT stream FROM events WHERE name IN ('memory.purge_requested', 'memory.purged')",
            [],
        )
        return frozenset(stream for (stream,) in found)

    def runs(self, space: str) -> list[Run]:
        """The audits of a space that are recorded and can be read, oldest first."""
        found: list[Run] = []
        for stored in self.of_stream(audit.stream(space)):
            if (stored.name, stored.schema) == (Completed.NAME, Completed.SCHEMA):
                try:
                    found.append(Run(stored.position, self._completed(stored.facts)))
                except ValidationError:
                    continue  # it was edited: ``verify`` says so
        return found

    def version(self, space: str) -> int:
        """The version that the audits of a space are at."""
        found = self._select(
            "SELECT MAX(version) FROM events WHERE stream = ?", [audit.stream(space)]
        )
        return found[0][0] or 0

    def _completed(self, facts: bytes) -> Completed:
        known = self._parsed.get(facts)
        if known is None:
            known = self._parsed[facts] = _COMPLETED.validate_json(facts)
        return known

    def digests(self, space: str) -> list[tuple[str, datetime]]:
        """The runs whose report was told because it was time to, and when, oldest first."""
        return [
            (
                _DIGESTED.validate_json(stored.facts).snapshot_id,
                datetime.fromisoformat(stored.recorded_at),
            )
            for stored in self.of_stream(audit.stream(space))
            if (stored.name, stored.schema) == (Digested.NAME, Digested.SCHEMA)
        ]

    def words(self, stored: Row) -> Words:
        """The words of a row."""
        key = None if stored.key_id is None else self._key_of(stored.key_id)
        if key is None:
            return "sealed"
        bound = f"{stored.space}\0{stored.stream}\0{stored.version}\0{stored.name}\0{stored.schema}"
        sealed = stored.payload or b""
        try:
            opened = AESGCM(key).decrypt(sealed[:_NONCE], sealed[_NONCE:], bound.encode())
            words = from_json(opened)
        except (InvalidTag, ValueError):
            return "sealed"
        return cast("dict[str, Any]", words) if isinstance(words, dict) else "sealed"
