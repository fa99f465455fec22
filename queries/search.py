"""Find memories: by words, by regular expression, or browse them."""

import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from pydantic import BeforeValidator, Field, StringConstraints, ValidationInfo

from muniment.domain import texts
from muniment.domain.errors import Invalid
from muniment.domain.inputs import Category, Input, Moment, Tags, Trust
from muniment.domain.memory.events import Store
from muniment.domain.memory.state import Condition
from muniment.domain.memory.view import Memory, recalled, view
from muniment.projections.catalog import Catalog, Rows

from . import recall_family, regular_expression
from .by_words import Asked, Found, Mode, by_words, in_order
from .reading import Reading

MAX_QUERY = 4_096


def _query(value: object, info: ValidationInfo) -> object:
    if not isinstance(value, str):
        return value
    if len(value) > MAX_QUERY:
        raise Invalid(
            f"query: over {MAX_QUERY:,} characters: ask with fewer words.",
            code="query_too_long",
            field="query",
        )
    return texts.well_formed(value, info.field_name or "query")


Query = Annotated[str | None, BeforeValidator(_query)]
"""Words that are looked for, up to 4,096 characters."""


@dataclass(frozen=True, slots=True)
class Hit:
    """A memory that was found.

    ``score`` is what it was ranked by, after all factors; 0 for a browse. ``why``, when asked for,
    says how the score came about.
    """

    memory: Memory
    score: float
    why: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class SearchResult:
    """What was found, best first.

    ``taxonomy`` counts the live memories of each category. ``scope`` says what was searched,
    ``message`` what an empty answer means, ``degraded`` why less was done than was asked for.
    ``cursor`` asks for the next page; None where there is none. ``model`` names the model whose
    vectors had a say; None where none had.
    """

    hits: tuple[Hit, ...]
    taxonomy: Mapping[str, int]
    scope: str
    message: str | None
    degraded: str | None
    cursor: str | None
    model: str | None = None


class Search(Input):
    """Find memories; without a query, browse the latest and see which categories there are."""

    VERB: ClassVar[str] = "search"
    POSITIONAL: ClassVar[tuple[str, ...]] = ("query",)

    query: Annotated[Query, Field(description="Words; a pattern by mode regex.")] = None
    category: Annotated[Category, Field(description="Only under this category.")] = None
    tags: Annotated[Tags, Field(description="Only with all of these tags.")] = ()
    limit: Annotated[int, Field(ge=1, le=200, description="How many at most, 1 to 200.")] = 8
    mode: Annotated[Mode, Field(description="How to look; hybrid is words and meaning.")] = "hybrid"
    store: Annotated[Store | None, Field(description="Only of this store.")] = None
    created_after: Annotated[Moment | None, Field(description="Only first seen from then on.")] = (
        None
    )
    created_before: Annotated[Moment | None, Field(description="Only first seen until then.")] = (
        None
    )
    subject_from: Annotated[
        Moment | None, Field(description="Only about then or later, by their subject time.")
    ] = None
    subject_to: Annotated[
        Moment | None, Field(description="Only about then or earlier, by their subject time.")
    ] = None
    include_archived: Annotated[bool, Field(description="Archived ones too.")] = False
    min_trust: Annotated[Trust | None, Field(description="Only trusted this much, 0 to 3.")] = None
    explicit: Annotated[
        bool, Field(description="The user asks for it, so what has sunk counts as well.")
    ] = False
    explain: Annotated[bool, Field(description="Say how each score came about.")] = False
    cursor: Annotated[
        Annotated[str, StringConstraints(max_length=64)] | None,
        Field(description="Where the page before ended."),
    ] = None

    def answer(self, reading: Reading) -> SearchResult:
        """Filters, ranks, and reads the memories of this page."""
        offset = self._offset()
        wanted = offset + self.limit + 1
        ranked, degraded = self._ranked(reading, wanted)
        page = ranked[offset : offset + self.limit]
        with reading.lock:
            taxonomy = reading.catalog().taxonomy()
        decay = reading.rules.decay
        states = reading.memories(id_ for id_, _, _ in page)
        memories = self._told(reading, [view(state, reading.now, decay) for state in states])
        hits = tuple(
            Hit(memory, score, why if self.explain else None)
            for memory, (_, score, why) in zip(memories, page, strict=True)
        )
        return SearchResult(
            hits=hits,
            taxonomy=taxonomy,
            scope=self._scope(),
            message=recall_family.nothing_found(recall_family.LONG_TERM)
            if not hits and self.is_query
            else None,
            degraded=degraded,
            model=reading.meaning.model
            if self._goes_by_meaning and reading.meaning is not None and degraded is None
            else None,
            cursor=f"{offset + self.limit}.{self._fingerprint():08x}"
            if len(ranked) > offset + self.limit
            else None,
        )

    @property
    def is_query(self) -> bool:
        """Whether something is looked for; a browse otherwise."""
        return bool(self.query and not texts.is_blank(self.query))

    @property
    def _goes_by_meaning(self) -> bool:
        return self.is_query and self.mode in ("hybrid", "semantic")

    @property
    def _conditions(self) -> tuple[Condition, ...]:
        return ("live", "archived", "superseded") if self.include_archived else ("live",)

    def _told(self, reading: Reading, memories: list[Memory]) -> list[Memory]:
        others = {id_ for memory in memories for id_ in memory.conflicts_with}
        if not others:
            return memories
        with reading.lock:
            findable = reading.catalog().those_in(others, *self._conditions)
        return [recalled(memory, findable) for memory in memories]

    def _ranked(self, reading: Reading, wanted: int) -> tuple[Found, str | None]:
        if not self.is_query or self.query is None:
            return self._browse(reading, wanted), None
        if self.mode == "regex":
            return self._by_expression(reading, self.query, wanted), None
        asked = Asked(self.query, self.mode, wanted, self.include_archived, self.explain)
        return by_words(reading, asked, lambda rows: self._keeps(reading.catalog(), rows))

    def _keeps(self, catalog: Catalog, rows: Rows) -> NDArray[np.bool_]:
        kept = catalog.in_condition(rows, *self._conditions)
        if self.category is not None:
            kept &= catalog.within(rows, self.category)
        if self.tags:
            kept &= catalog.tagged(rows, self.tags)
        if self.store is not None:
            kept &= catalog.in_store(rows, self.store)
        if self.min_trust is not None:
            kept &= catalog.trusted(rows, self.min_trust)
        if self.created_after is not None or self.created_before is not None:
            kept &= catalog.created(rows, self.created_after, self.created_before)
        if self.subject_from is not None or self.subject_to is not None:
            kept &= catalog.about(rows, self.subject_from, self.subject_to)
        return kept

    def _browse(self, reading: Reading, wanted: int) -> Found:
        with reading.lock:
            catalog = reading.catalog()
            rows = catalog.every_row()
            rows = rows[self._keeps(catalog, rows)]
            return [
                (catalog.ids[row], 0.0, {}) for row in in_order(catalog, rows)[:wanted].tolist()
            ]

    def _by_expression(self, reading: Reading, pattern: str, wanted: int) -> Found:
        expression = regular_expression.compiled(pattern)
        with reading.lock:
            catalog = reading.catalog()
            rows = catalog.every_row()
            rows = rows[self._keeps(catalog, rows)]
            importance = catalog.importance(rows, reading.now, reading.rules.decay)
            order = np.lexsort((rows, -catalog.last_seen(rows), -importance))
            candidates = [(catalog.ids[rows[at]], float(importance[at])) for at in order.tolist()]
        return [
            (id_, worth, {"importance": worth})
            for id_, worth in regular_expression.matching(
                expression, candidates, reading, wanted=wanted
            )
        ]

    def _scope(self) -> str:
        where = recall_family.LONG_TERM.scope
        if self.category is not None:
            where += f", category {self.category}"
        if self.tags:
            where += f", tags {', '.join(self.tags)}"
        return where + (", archived ones included" if self.include_archived else "")

    def _fingerprint(self) -> int:
        return zlib.crc32(self.model_dump_json(exclude={"cursor", "limit", "explain"}).encode())

    def _offset(self) -> int:
        if self.cursor is None:
            return 0
        offset, _, mark = self.cursor.partition(".")
        if not offset.isdecimal() or mark != f"{self._fingerprint():08x}" or len(offset) > 9:
            raise Invalid(
                "cursor: it is not one of this search: repeat the search that gave it.",
                code="cursor_invalid",
                field="cursor",
            )
        return int(offset)
