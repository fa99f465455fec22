"""Which live memories say the same as a text, or nearly: the lookup of the duplicate check.

A memory is looked up by each of its statements: its first text, and what each extension added.
Texts are compared by their canonical form, and only within one top-level category; categories that
the duplicate check leaves alone are never met, nor is what is episodic, since each occurrence is an
event of its own. Nothing is answered from a hash alone: a key is a hash of the form's, and whoever
acts on it compares the forms.
"""

from array import array
from collections.abc import Callable
from functools import lru_cache
from hashlib import blake2b, sha256
from secrets import token_bytes
from typing import ClassVar, Final, NamedTuple, Protocol

import numpy as np

from muniment.domain import category as categories
from muniment.domain.memory.events import (
    Extended,
    Hiding,
    Imported,
    PurgeRequested,
    Recategorized,
    Revised,
    Showing,
)
from muniment.domain.memory.state import beginning
from muniment.domain.recorded import Recorded

from .parts import Json, Part, Parts, ids, numbers, packed_ids, value
from .parts import array as array_of
from .statements import UNSEEN, Statement, Statements

_SECRET: Final = token_bytes(16)
_FORMS_KEPT: Final = 256
_TOUCHING: Final = Extended | Revised | Recategorized | PurgeRequested | Hiding | Showing


class Form(Protocol):
    """The canonical form of a text."""

    @property
    def key(self) -> str:
        """Equal for two texts exactly if they have the same form."""
        ...

    @property
    def terms(self) -> tuple[str, ...]:
        """What two forms are compared by; repetitions make no difference."""
        ...


class Likeness(NamedTuple):
    """One statement (numbered from 0) of a memory, and its Jaccard index with what was asked."""

    id: str
    statement: int
    similarity: float


class _Kept(NamedTuple):
    """What events may change of a memory: where it is filed, whether it is hidden, what it says."""

    filed: int
    archived: bool
    statements: list[Statement]


class _Touched(NamedTuple):
    """What a memory was ``before`` the event at a position; None: that event began it."""

    position: int
    id: str
    before: _Kept | None


class Similarity:
    """The live memories of one space by what they say. ``canonicalise`` gives the form of a text.

    Not thread-safe: the caller holds one lock around every call, lookups included.
    ``repack_at`` is the least number of new statements for which the packed part is made anew;
    ``secret`` is what keys are hashed with, so that no form can be guessed from its hash.
    """

    NAME: ClassVar[str] = "similarity"
    VERSION: ClassVar[int] = 1
    """Rises when what is put away would be misread, or when the same events come to mean other."""

    def __init__(
        self,
        canonicalise: Callable[[str], Form],
        *,
        repack_at: int = 1_024,
        secret: bytes = _SECRET,
    ) -> None:
        self._canonicalise = canonicalise
        self._repack_at = repack_at
        self.secret = secret
        """What keys are hashed with."""
        self.form: Callable[[str], Form] = lru_cache(_FORMS_KEPT)(canonicalise)
        """The form of a text; the latest are remembered, so that none is made twice in a row."""
        self._position = 0
        self._rows: dict[str, int] = {}
        self._ids: list[str] = []
        self._born = array("q")
        self._filed = array("i")
        self._archived = bytearray()
        self._levels: dict[str, int] = {}
        self._tops: list[str] = []
        self._statements = Statements(repack_at=repack_at)
        self._trial: list[_Touched] | None = None

    @property
    def position(self) -> int:
        """The position of the last event that was applied; 0 before the first."""
        return self._position

    def apply(self, recorded: Recorded) -> None:
        """One event more; one at or before ``position`` is left out."""
        if recorded.position <= self._position:
            return
        self._position = recorded.position
        event = recorded.event
        row = self._rows.get(recorded.stream)
        if self._trial is not None and (row is None or isinstance(event, _TOUCHING)):
            before = self._kept(row) if row is not None else None
            self._trial.append(_Touched(recorded.position, recorded.stream, before))
        if row is None:
            begun = beginning(recorded)
            if begun is not None and begun[0].store != "episodic":
                first, condition = begun
                parts = first.parts if isinstance(first, Imported) else (first.content,)
                said = [self._statement(part) for part in parts]
                kept = _Kept(self._level_of(_top(first.category)), condition != "live", said)
                self._take(recorded.stream, recorded.position, kept)
            return
        match event:
            case Extended():
                self._statements.add(row, self._statement(event.addition), self._level(row))
            case Revised():
                self._statements.clear(row)
                self._statements.add(row, self._statement(event.content), self._level(row))
            case Recategorized():
                self._filed[row] = self._level_of(_top(event.category))
                self._statements.move(row, self._level(row))
            case PurgeRequested():
                self.form = lru_cache(_FORMS_KEPT)(self._canonicalise)  # it has its text
                self._statements.clear(row)
                self._filed[row] = UNSEEN
            case _ if isinstance(event, Hiding | Showing):
                self._archived[row] = isinstance(event, Hiding)
                self._statements.move(row, self._level(row))
            case _:  # what changes neither what a memory says nor where it is looked up
                pass

    def same(self, top: str, form: Form) -> tuple[str, ...]:
        """The memories of a top-level category with a statement of this form, oldest first.

        ``top`` is the folded first segment of the category, '' where there is none.
        """
        level = self._levels.get(top)
        if level is None:
            return ()
        slots = self._statements.with_key(self._hashed(form.key), level)
        rows = {self._statements.rows.get(slot) for slot in slots}
        # rows count in the order of the first events
        return tuple(self._ids[row] for row in sorted(rows))

    def begin_trial(self) -> None:
        """What is applied from here on can be taken back, until ``end_trial``."""
        self._trial = []

    def take_back(self, position: int) -> None:
        """Undoes the events of the trial that came after a position."""
        trial = self._trial
        if trial is None:
            return
        while trial and trial[-1].position > position:
            _, id_, before = trial.pop()
            row = self._rows.get(id_)
            if row is None:
                continue  # it began nothing that is looked up
            self._statements.clear(row)
            if before is None:
                self._drop_last()
            else:
                self._file(row, before)
        self._position = min(self._position, position)

    def end_trial(self) -> None:
        """What was not taken back stands."""
        self._trial = None

    def similar(self, top: str, form: Form, *, at_least: float, limit: int) -> list[Likeness]:
        """The statements whose Jaccard index with a form is at least so much: the best ``limit``.

        Exact, whatever ``at_least``; fast from 0.5. Best first; of equal ones that of the oldest
        memory first, then the first of a memory.
        """
        level = self._levels.get(top)
        if level is None:
            return []
        statements = self._statements
        found = [
            (-index, statements.rows.get(slot), statements.numbers.get(slot))
            for slot, index in statements.like(tuple(dict.fromkeys(form.terms)), level, at_least)
        ]
        found.sort()
        return [Likeness(self._ids[row], number, -index) for index, row, number in found[:limit]]

    def digest(self) -> bytes:
        """Equal for two of one secret exactly if they hold the same, however it lies in them."""
        tops = [None if level == UNSEEN else self._tops[level] for level in self._filed]
        held = sha256(repr((self._ids, tops)).encode())
        held.update(self._born)
        held.update(self._archived)
        named = sorted({top for top in tops if top is not None})
        used = {top: rank for rank, top in enumerate(named)}
        ranks = np.array([used.get(top, UNSEEN) for top in self._tops], np.int64)
        held.update(self._statements.digest(ranks))
        return held.digest()

    def anew(self) -> "Similarity":
        """An empty one that is made alike."""
        return Similarity(self._canonicalise, repack_at=self._repack_at, secret=self.secret)

    def dump(self) -> dict[str, Part]:
        """All that it holds, its secret too, and no term or category that only gone ones had."""
        used = set(self._filed)
        levels: Json = {top: level for top, level in self._levels.items() if level in used}
        return {
            "position": self._position,
            "secret": self.secret,
            "ids": packed_ids(self._ids),
            "born": np.array(self._born, np.int64),
            "filed": np.array(self._filed, np.int32),
            "archived": bytes(self._archived),
            "levels": levels,
            "levels_given": len(self._tops),
            **self._statements.dump(),
        }

    @classmethod
    def load(
        cls, parts: Parts, canonicalise: Callable[[str], Form], *, repack_at: int = 1_024
    ) -> "Similarity":
        """The lookup that was put away as ``parts``.

        Raises:
            Unfit: They are not those of one.
        """
        secret = value(parts, "secret", bytes)
        similarity = cls(canonicalise, repack_at=repack_at, secret=secret)
        similarity._position = value(parts, "position", int)
        similarity._ids = ids(parts, "ids")
        similarity._rows = dict(zip(similarity._ids, range(len(similarity._ids)), strict=True))
        similarity._born = array("q", array_of(parts, "born", np.int64).tobytes())
        similarity._filed = array("i", array_of(parts, "filed", np.int32).tobytes())
        similarity._archived = bytearray(value(parts, "archived", bytes))
        # the number of a category that is gone is not given again: what is packed may have it
        similarity._tops = [""] * value(parts, "levels_given", int)
        similarity._levels = numbers(parts, "levels")
        for top, level in similarity._levels.items():
            similarity._tops[level] = top
        similarity._statements = Statements.load(parts, repack_at=repack_at)
        return similarity

    def _kept(self, row: int) -> _Kept:
        return _Kept(self._filed[row], bool(self._archived[row]), self._statements.of(row))

    def _take(self, id_: str, born: int, kept: _Kept) -> None:
        """Takes in a memory that was not here."""
        row = self._rows[id_] = len(self._ids)
        self._ids.append(id_)
        self._born.append(born)
        self._filed.append(UNSEEN)
        self._archived.append(False)
        self._file(row, kept)

    def _file(self, row: int, kept: _Kept) -> None:
        """A memory without statements becomes what it is, or was."""
        self._filed[row] = kept.filed
        self._archived[row] = kept.archived
        for statement in kept.statements:
            self._statements.add(row, statement, self._level(row))

    def _drop_last(self) -> None:
        """Forgets the memory that came last, which has no statements any more."""
        del self._rows[self._ids.pop()]
        self._born.pop()
        self._filed.pop()
        self._archived.pop()

    def _statement(self, text: str) -> Statement:
        form = self.form(text)
        return Statement(self._hashed(form.key), tuple(dict.fromkeys(form.terms)))

    def _hashed(self, key: str) -> int:
        stored = key.encode("utf-8", "surrogatepass")
        digest = blake2b(stored, digest_size=8, key=self.secret).digest()
        return int.from_bytes(digest, "little", signed=True)

    def _level(self, row: int) -> int:
        return UNSEEN if self._archived[row] else self._filed[row]

    def _level_of(self, top: str | None) -> int:
        if top is None:
            return UNSEEN
        level = self._levels.get(top)
        if level is None:
            level = self._levels[top] = len(self._tops)
            self._tops.append(top)
        return level


def _top(category: str | None) -> str | None:
    return None if categories.never_matched(category) else categories.top(category)
