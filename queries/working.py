"""Working memory asked: one entry by its key, some by words, or which there are."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, ClassVar, Final, Protocol

from pydantic import Field

from muniment.domain import category as categories
from muniment.domain import texts
from muniment.domain.errors import NotFound
from muniment.domain.identity import Role
from muniment.domain.inputs import Category, Input, Tags
from muniment.domain.working import keys
from muniment.domain.working.entries import Heading, WorkingEntry
from muniment.domain.working.lifetimes import time_left

from . import recall_family
from .search import Query
from .wording import shortened

MOST_FOUND: Final = 20
MOST_LISTED: Final = 500
PREVIEW: Final = 120
"""Characters of a value that a hit shows."""

READERS: Final[frozenset[Role]] = frozenset(["owner", "main", "contributor", "service"])


class Bench(Protocol):
    """The working memory of a space as one handle has it, at one moment."""

    @property
    def namespace(self) -> str | None:
        """The namespace that the handle writes into; None: it names full keys."""
        ...

    @property
    def now(self) -> datetime:
        """The moment that is asked about."""
        ...

    def entry(self, key: str) -> WorkingEntry | None:
        """The entry under a full key."""
        ...

    @property
    def headings(self) -> Mapping[int, Heading]:
        """Every entry by its number, newest first."""
        ...

    def values(self, numbers: Iterable[int]) -> Mapping[int, str]:
        """Values by number; those that are gone meanwhile are left out."""
        ...

    def ranked(
        self, query: str, among: Mapping[int, Heading], limit: int
    ) -> tuple[list[tuple[int, float]], str | None]:
        """The best of some entries with their scores, and why less was done than could be."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkingHit(WorkingEntry):
    """An entry that was found.

    ``expires_in`` is told as ``4m32s``; ``preview`` is the beginning of the value, on one line, and
    None in a listing; ``score`` is what it was ranked by, 0 in a listing.
    """

    expires_in: str
    preview: str | None
    score: float


@dataclass(frozen=True, slots=True)
class WorkingResult:
    """What was found, best first, or what there is, newest first.

    ``scope`` says what was looked through, ``message`` what an empty answer means or that a listing
    is cut, ``degraded`` why less was done than could be.
    """

    hits: tuple[WorkingHit, ...]
    scope: str
    message: str | None
    degraded: str | None

    def __iter__(self) -> Iterator[WorkingHit]:
        return iter(self.hits)

    def __len__(self) -> int:
        return len(self.hits)

    def __getitem__(self, at: int) -> WorkingHit:
        return self.hits[at]


class GetEntry(Input):
    """Read an entry of working memory by its key; a full key may be another's."""

    VERB: ClassVar[str] = "working get"
    POSITIONAL: ClassVar[tuple[str, ...]] = ("key",)

    key: Annotated[str, Field(description="A full key, or one in the handle's own namespace.")]

    def answer(self, bench: Bench) -> WorkingEntry:
        """The entry.

        Raises:
            Invalid: ``key_invalid``.
            NotFound: ``entry_not_found``: it was never stored, or has expired.
        """
        key = keys.to_read(self.key, bench.namespace)
        found = bench.entry(key)
        if found is None:
            raise NotFound(
                f"There is nothing under {key!r} in working memory, or no longer: search it.",
                code="entry_not_found",
                field="key",
            )
        return found


class SearchWorking(Input):
    """Find entries of working memory; without a query, list them, the newest first."""

    VERB: ClassVar[str] = "working search"
    POSITIONAL: ClassVar[tuple[str, ...]] = ("query",)

    query: Annotated[Query, Field(description="Words; without any, what there is is listed.")] = (
        None
    )
    namespace: Annotated[
        str | None,
        Field(
            description="Only under this prefix, such as patrol or patrol/heartbeat; unless given,"
            " the handle's own."
        ),
    ] = None
    category: Annotated[Category, Field(description="Only under this category.")] = None
    tags: Annotated[Tags, Field(description="Only with all of these tags.")] = ()
    limit: Annotated[
        int | None,
        Field(
            ge=1, le=MOST_LISTED, description="At most so many; 20 of a query, 500 of a listing."
        ),
    ] = None

    def answer(self, bench: Bench) -> WorkingResult:
        """Filters, ranks, and reads the values of what is answered."""
        prefix = bench.namespace if self.namespace is None else keys.prefix(self.namespace)
        kept = {
            number: heading
            for number, heading in bench.headings.items()
            if self._keeps(heading, prefix)
        }
        scope = recall_family.WORKING.scope + (f", under {prefix}" if prefix else "")
        if self.query is None or texts.is_blank(self.query):
            return self._listed(bench, kept, scope)
        limit = min(self.limit or MOST_FOUND, MOST_FOUND)
        ranked, degraded = bench.ranked(self.query, kept, limit)
        hits = _hits(bench, kept, ranked, is_query=True)
        message = None if hits else recall_family.nothing_found(recall_family.WORKING)
        return WorkingResult(hits, scope, message, degraded)

    def _keeps(self, heading: Heading, prefix: str | None) -> bool:
        wanted = {tag.casefold() for tag in self.tags}
        return (
            (prefix is None or keys.within(heading.key, prefix))
            and (self.category is None or categories.within(heading.category, self.category))
            and wanted <= {tag.casefold() for tag in heading.tags}
        )

    def _listed(self, bench: Bench, kept: Mapping[int, Heading], scope: str) -> WorkingResult:
        limit = self.limit or MOST_LISTED
        numbers = list(kept)[:limit]
        hits = _hits(bench, kept, [(number, 0.0) for number in numbers], is_query=False)
        message = None
        if len(kept) > limit:
            message = (
                f"These are the newest {limit:,} of {len(kept):,}: narrow it down by namespace,"
                " category, tags or a query."
            )
        return WorkingResult(hits, scope, message, None)


def _hits(
    bench: Bench,
    kept: Mapping[int, Heading],
    ranked: Sequence[tuple[int, float]],
    *,
    is_query: bool,
) -> tuple[WorkingHit, ...]:
    values = bench.values(number for number, _ in ranked)
    return tuple(
        WorkingHit(
            key=kept[number].key,
            value=values[number],
            stored_at=kept[number].stored_at,
            expires_at=kept[number].expires_at,
            writer=kept[number].writer,
            category=kept[number].category,
            tags=kept[number].tags,
            expires_in=time_left(kept[number].left(bench.now)),
            preview=shortened(values[number], PREVIEW) if is_query else None,
            score=score,
        )
        for number, score in ranked
        if number in values
    )
