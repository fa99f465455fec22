"""Which events say that one memory came out of another, and of which."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Final, Literal, NamedTuple, TypeAlias, get_args

from muniment.domain.memory import events as e

LinkKind: TypeAlias = Literal["merged", "folded", "superseded", "imported"]
"""How one memory came out of another; ``superseded`` leads from the memory that was preferred."""

LINKS: Final[tuple[LinkKind, ...]] = get_args(LinkKind)

Ends: TypeAlias = tuple[LinkKind, str, str]
"""How one memory came out of another: the kind, the source, the target."""


class Link(NamedTuple):
    """A link; ``version`` is that of the target's event, 1 where the source's event says it."""

    source: str
    target: str
    kind: LinkKind
    version: int
    position: int
    at: int
    actor: str


def links_of(stream: str, event: object) -> Iterable[Ends]:
    """The links that an event of a memory makes."""
    links = _LINKS.get(type(event))
    return links(stream, event) if links else ()


def _merged(stream: str, event: e.Merged) -> Iterator[Ends]:
    return (("merged", source, stream) for source in event.merged_from)


def _folded(stream: str, event: e.Folded) -> Iterator[Ends]:
    return (("folded", copy, stream) for copy in event.folded)


def _superseded(stream: str, event: e.Superseded) -> Iterator[Ends]:
    yield "superseded", event.by, stream


def _imported(stream: str, event: e.Imported) -> Iterator[Ends]:
    for source in event.merged_from:
        yield "imported", source, stream
    if event.merged_into is not None:
        yield "imported", stream, event.merged_into
    if event.superseded_by is not None:
        yield "superseded", event.superseded_by, stream


_LINKS: Mapping[type, Callable[[str, Any], Iterable[Ends]]] = {
    e.Merged: _merged,
    e.Folded: _folded,
    e.Superseded: _superseded,
    e.Imported: _imported,
}
"""An event that is to link memories gets an entry here; nothing else has to know of it."""
