"""Several memories that become one: merge under coverage, fold of exact repetitions, and back.

The times and counts of a merge are arithmetic, never anybody's judgement: the earliest creation,
the latest observation, the sum over distinct sources.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256

from .. import category as categories
from .. import subject_time
from ..coverage import Source as Evidence
from ..coverage import Vocabulary, missing, specifics
from ..duplicates import Relation, relate
from ..errors import Conflict, Invalid, Refused
from ..importance import Decay
from .decisions import (
    COUNTED_ONCE,
    MAX_METADATA_BYTES,
    MAX_METADATA_KEYS,
    MAX_TAGS,
    importance_now,
    metadata_bytes,
    require_live,
    require_writable,
)
from .events import (
    Archived,
    Folded,
    Merged,
    MergeRejected,
    MergeRetracted,
    SourceType,
    Store,
    Superseded,
)
from .forms import canonical_form
from .state import State

MAX_SOURCES = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """What a merge is to say; what is None follows from the sources."""

    content: str
    category: str | None
    tags: tuple[str, ...] | None
    importance: float | None
    source_type: SourceType


def cluster(ids: Sequence[str]) -> str:
    """The name of a set of memories: 128 bits of SHA-256 over their sorted ids."""
    return sha256("\n".join(sorted(set(ids))).encode()).hexdigest()[:32]


def distinct(sources: Sequence[State]) -> list[State]:
    """Each source once, in the order given.

    Raises:
        Invalid: ``merge_needs_two`` or ``merge_too_many``.
    """
    found = list({source.id: source for source in sources}.values())
    if len(found) < 2:
        raise Invalid("A merge needs two different memories.", code="merge_needs_two", field="ids")
    if len(found) > MAX_SOURCES:
        raise Invalid(
            f"A merge takes at most {MAX_SOURCES} memories: merge in steps.",
            code="merge_too_many",
            field="ids",
        )
    return found


def require_mergeable(source: State, *, may_move_pinned: bool) -> None:
    """Refuses a source that is not live, or pinned by somebody else.

    Raises:
        Conflict: ``source_not_live``.
        Refused: ``pinned``.
    """
    require_writable(source)
    if source.condition != "live":
        raise Conflict(
            f"{source.id} is {source.condition}, not live: read the sources again.",
            code="source_not_live",
            field="ids",
        )
    if source.pinned and not may_move_pinned:
        raise Refused(
            f"{source.id} is pinned: only the owner may merge it.", code="pinned", field="ids"
        )


def lost(sources: Sequence[State], text: str, vocabulary: Vocabulary) -> tuple[str, ...]:
    """The specifics of the sources that do not survive in a text."""
    evidence = [Evidence(source.content, source.category) for source in sources]
    return missing(evidence, text, vocabulary)


def reject(
    source: State, sources: Sequence[State], missing_: Sequence[str], own: Collection[str]
) -> list[MergeRejected]:
    """The stamp that a refused merge leaves on a source.

    It tells only what is missing of its ``own``: words of another would outlive its erasure.
    """
    ids = tuple(other.id for other in sources)
    return [
        MergeRejected(
            cluster=cluster(ids),
            sources=ids,
            text_version=source.text_version,
            missing_count=len(missing_),
            missing=tuple(word for word in missing_ if word in own),
        )
    ]


def merge(
    sources: Sequence[State], proposal: Proposal, *, now: datetime, decay: Decay
) -> list[Merged]:
    """The merge of distinct, live sources whose coverage was found good."""
    stores = {source.store for source in sources}
    store: Store = sources[0].store if len(stores) == 1 else "semantic"
    worth = [importance_now(source, now, decay) for source in sources]
    return [
        Merged(
            content=proposal.content,
            category=_category(sources, proposal.category),
            tags=_tags(sources) if proposal.tags is None else proposal.tags,
            metadata=subject_time.merged([source.metadata for source in sources]),
            store=store,
            chars=len(proposal.content),
            importance=max(worth) if proposal.importance is None else proposal.importance,
            trust=min(source.trust for source in sources),
            source_type=proposal.source_type,
            merged_from=tuple(source.id for source in sources),
            source_versions=tuple(source.version for source in sources),
            created_at=min(source.created_at for source in sources),
            last_seen_at=max(source.last_seen_at for source in sources),
            reinforcement_count=sum(source.reinforcement_count for source in sources),
            access_count=sum(source.access_count for source in sources),
            last_accessed_at=max(source.last_accessed_at for source in sources),
            heard=_heard(sources),
            specifics=len({found for source in sources for found in specifics(source.content)}),
        )
    ]


def absorb(
    source: State, into: str, *, is_fold: bool, now: datetime, decay: Decay
) -> list[Archived]:
    """A source of a merge, or a folded copy, is archived into what it became part of."""
    return [
        Archived(
            cause="fold" if is_fold else "merge",
            importance=importance_now(source, now, decay),
            merged_into=into,
            reason=f"{'folded' if is_fold else 'merged'} into {into}",
        )
    ]


def _heard(sources: Sequence[State]) -> tuple[tuple[str, str | None], ...]:
    """The tools and pages that already said it: none counts once more for having been absorbed."""
    heard = frozenset[tuple[str, str | None]]().union(*(source.heard for source in sources))
    return tuple(sorted((one for one in heard if one[0] in COUNTED_ONCE), key=repr))


def _category(sources: Sequence[State], given: str | None) -> str | None:
    if given is not None:
        return given
    filed = {categories.folded(source.category) for source in sources}
    return sources[0].category if len(filed) == 1 else None


def _tags(sources: Sequence[State]) -> tuple[str, ...]:
    tags: dict[str, str] = {}
    for source in sources:
        for tag in source.tags:
            tags.setdefault(tag.casefold(), tag)
    return tuple(tags.values())[:MAX_TAGS]


def fold_key(memory: State) -> tuple[str, str] | None:
    """What exact repetitions have in common; None for what never folds.

    The same category without regard to case, the same text once white space is collapsed, case
    included. Episodes are occurrences, and what is held must stay as it is.
    """
    if (
        memory.condition != "live"
        or memory.store == "episodic"
        or memory.held
        or memory.fault is not None
    ):
        return None
    return categories.folded(memory.category), " ".join(memory.content.split())


def is_repetition(survivor: State, copy: State) -> bool:
    """Whether a live memory says exactly what another does, or provably the same.

    Proof is that of the duplicate check: one statement against each of the survivor's, in the same
    top-level category, and never where the check leaves a category alone.
    """
    keys = fold_key(survivor), fold_key(copy)
    if None in keys:
        return False
    if keys[0] == keys[1]:
        return True
    if (
        categories.top(survivor.category) != categories.top(copy.category)
        or categories.never_matched(survivor.category)
        or categories.never_matched(copy.category)
        or len(copy.statements) != 1
    ):
        return False
    said = copy.statements[0]
    return any(
        relate(
            canonical_form(known.text),
            canonical_form(said.text),
            same_day=known.said_at.date() == said.said_at.date(),
        ).relation
        is Relation.SAME
        for known in survivor.statements
    )


@dataclass(frozen=True, slots=True)
class Fold:
    """The survivor of exact repetitions, and the copies that it absorbs."""

    survivor: State
    copies: tuple[State, ...]


def fold_of(twins: Sequence[State]) -> Fold | None:
    """Which of some repetitions survives: a pinned one, else the oldest; None if none folds.

    Pinned copies stay where they are, and so does what turns out to be no repetition.
    """
    aged = sorted(twins, key=lambda twin: (not twin.pinned, twin.created_at, twin.id))
    for number, survivor in enumerate(aged, 1):
        copies = tuple(
            twin for twin in aged[number:] if not twin.pinned and is_repetition(survivor, twin)
        )
        if copies:
            return Fold(survivor, copies)
    return None


def fold(found: Fold, *, now: datetime, decay: Decay) -> list[Folded]:
    """The survivor takes in the counts, tags and missing metadata of its copies."""
    survivor, copies = found.survivor, found.copies
    everyone = (survivor, *copies)
    known = {tag.casefold() for tag in survivor.tags}
    tags = tuple(tag for tag in _tags(everyone) if tag.casefold() not in known)
    return [
        Folded(
            folded=tuple(copy.id for copy in copies),
            counts=tuple(copy.reinforcement_count for copy in copies),
            importance=max(importance_now(one, now, decay) for one in everyone),
            trust=max(one.trust for one in everyone),
            created_at=min(one.created_at for one in everyone),
            last_seen_at=max(one.last_seen_at for one in everyone),
            heard=_heard(copies),
            tags_added=tags[: max(0, MAX_TAGS - len(survivor.tags))],
            metadata_added=_filled(survivor.metadata, [copy.metadata for copy in copies]),
        )
    ]


def _filled(known: Mapping[str, str], others: Sequence[Mapping[str, str]]) -> dict[str, str]:
    whole, added = dict(known), dict[str, str]()
    for metadata in others:
        for key, value in metadata.items():
            grown = {**whole, key: value}
            if (
                key not in whole
                and len(grown) <= MAX_METADATA_KEYS
                and metadata_bytes(grown) <= MAX_METADATA_BYTES
            ):
                whole, added[key] = grown, value
    return added


def retract(result: State, restored: State) -> list[MergeRetracted]:
    """What a restored source had contributed is taken out of a merge or fold that absorbed it.

    One that was purged, or that this release cannot read in full, is left as it is.
    """
    if result.condition == "purged" or result.fault is not None:
        return []
    return [MergeRetracted(restored=restored.id, count=restored.reinforcement_count)]


def retractions(
    restored: State, load: Callable[[str], State | None]
) -> Iterator[tuple[State, list[MergeRetracted]]]:
    """A restored source's count is taken out of what absorbed it, and of what absorbed that.

    ``load`` gives the memory of an id; None where an import named what was not imported with it.
    """
    into, seen = restored.merged_into, {restored.id}
    while into is not None and into not in seen:
        seen.add(into)
        result = load(into)
        if result is None:
            return
        events = retract(result, restored)
        if events:
            yield result, events
        into = result.merged_into


def supersede(memory: State, by: State, *, now: datetime, decay: Decay) -> list[Superseded]:
    """A contradiction is decided against a memory, in favour of another live one.

    Raises:
        Invalid: ``superseded_by_itself``.
        MunimentError: One of them is not live.
    """
    if memory.id == by.id:
        raise Invalid(
            "A memory cannot supersede itself: name the other one.",
            code="superseded_by_itself",
            field="by",
        )
    if memory.condition == "superseded" and memory.superseded_by == by.id:
        return []
    for one, field in ((memory, "id"), (by, "by")):
        require_live(one, field)
    if memory.pinned:
        raise Refused("It is pinned: unpin it first.", code="pinned", field="id")
    return [Superseded(by=by.id, importance=importance_now(memory, now, decay))]
