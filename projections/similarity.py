"""Which live memories say the same as a text, or nearly: the lookup of the duplicate check.

A memory is looked up by each of its statements: its first text, and what each extension added.
Texts are compared by their canonical form, and only within one top-level category; categories that
the duplicate check leaves alone are never met, nor is what is episodic, since each occurrence is an
event of its own. Nothing is answered from a hash alone: a key is a hash of the form's, and whoever
acts on it compares the forms.
"""

from array import array
from collections.abc import Callable, Collection, Iterable, Iterator
from functools import lru_cache
from hashlib import blake2b, sha256
from itertools import chain
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


class Kept(NamedTuple):
    """All that is known of one memory.

    ``born`` is the position of its first event; ``top`` its top-level category, None for one that
    the duplicate check leaves alone.
    """

    born: int
    top: str | None
    archived: bool
    statements: list[Statement]


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
        if row is None:
            begun = beginning(recorded)
            if begun is not None and begun[0].store != "episodic":
                first, condition = begun
                parts = first.parts if isinstance(first, Imported) else (first.content,)
                said = [self._statement(part) for part in parts]
                kept = Kept(recorded.position, _top(first.category), condition != "live", said)
                self.take(recorded.stream, kept)
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
        return _oldest_first(self.ages_of_same(top, form))

    def similar(self, top: str, form: Form, *, at_least: float, limit: int) -> list[Likeness]:
        """The statements whose Jaccard index with a form is at least so much: the best ``limit``.

        Exact, whatever ``at_least``; fast from 0.5. Best first; of equal ones that of the oldest
        memory first, then the first of a memory.
        """
        return _best_first(self.ages_of_similar(top, form, at_least), limit)

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

    def ages_of_same(
        self, top: str, form: Form, *, without: Collection[str] = ()
    ) -> Iterator[tuple[int, str]]:
        """Position of the first event and id of what ``same`` answers, in no order."""
        level = self._levels.get(top)
        if level is None:
            return
        for slot in self._statements.with_key(self._hashed(form.key), level):
            row = self._statements.rows.get(slot)
            if self._ids[row] not in without:
                yield self._born[row], self._ids[row]

    def ages_of_similar(
        self, top: str, form: Form, at_least: float, *, without: Collection[str] = ()
    ) -> Iterator[tuple[int, Likeness]]:
        """Position of the first event and likeness of all that ``similar`` chooses from."""
        level = self._levels.get(top)
        if level is None:
            return
        statements = self._statements
        terms = tuple(dict.fromkeys(form.terms))
        for slot, index in statements.like(terms, level, at_least):
            row = statements.rows.get(slot)
            if self._ids[row] not in without:
                likeness = Likeness(self._ids[row], statements.numbers.get(slot), index)
                yield self._born[row], likeness

    def kept(self, id_: str) -> Kept | None:
        """All that is known of a memory; None of one that is never looked up."""
        row = self._rows.get(id_)
        if row is None:
            return None
        filed = self._filed[row]
        return Kept(
            born=self._born[row],
            top=None if filed == UNSEEN else self._tops[filed],
            archived=bool(self._archived[row]),
            statements=self._statements.of(row),
        )

    def take(self, id_: str, kept: Kept) -> None:
        """Takes in a memory that was not here."""
        row = self._rows[id_] = len(self._ids)
        self._ids.append(id_)
        self._born.append(kept.born)
        self._filed.append(self._level_of(kept.top))
        self._archived.append(kept.archived)
        for statement in kept.statements:
            self._statements.add(row, statement, self._level(row))

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


class Overlay:
    """A similarity lookup as it will be once a batch of events is committed.

    It holds what the batch touched and masks that in ``base``, which it never changes: dropping it
    drops all it knows. The base must stay as it is meanwhile.
    """

    def __init__(self, base: Similarity) -> None:
        self._base = base
        self._own = Similarity(base.form, secret=base.secret)
        self._position = base.position
        self._touched: set[str] = set()

    @property
    def position(self) -> int:
        """The position of the last event that was applied, here or to the base before."""
        return self._position

    def apply(self, recorded: Recorded) -> None:
        """One event of the batch; one at or before ``position`` is left out."""
        if recorded.position <= self._position:
            return
        self._position = recorded.position
        if recorded.stream not in self._touched:
            kept = self._base.kept(recorded.stream)
            if kept is not None:
                if not isinstance(recorded.event, _TOUCHING):
                    return
                self._touched.add(recorded.stream)
                self._own.take(recorded.stream, kept)
        self._own.apply(recorded)

    def same(self, top: str, form: Form) -> tuple[str, ...]:
        """As ``Similarity.same``."""
        found = self._base.ages_of_same(top, form, without=self._touched)
        return _oldest_first(chain(found, self._own.ages_of_same(top, form)))

    def similar(self, top: str, form: Form, *, at_least: float, limit: int) -> list[Likeness]:
        """As ``Similarity.similar``."""
        found = self._base.ages_of_similar(top, form, at_least, without=self._touched)
        own = self._own.ages_of_similar(top, form, at_least)
        return _best_first(chain(found, own), limit)


def _top(category: str | None) -> str | None:
    return None if categories.never_matched(category) else categories.top(category)


def _oldest_first(found: Iterable[tuple[int, str]]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(id_ for _, id_ in sorted(found)))


def _best_first(found: Iterable[tuple[int, Likeness]], limit: int) -> list[Likeness]:
    best = sorted(found, key=_by_likeness)[:limit]
    return [likeness for _, likeness in best]


def _by_likeness(found: tuple[int, Likeness]) -> tuple[float, int, int]:
    born, likeness = found
    return -likeness.similarity, born, likeness.statement
