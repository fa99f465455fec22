"""Muniment as LangGraph's long-term store: ``MunimentStore`` is a ``BaseStore`` over a handle."""

import asyncio
import hashlib
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from operator import ge, gt, le, lt
from threading import RLock
from typing import Any, Final, TypeAlias, cast

import structlog
from langgraph.store.base import (
    BaseStore,
    GetOp,
    Item,
    ListNamespacesOp,
    MatchCondition,
    Op,
    PutOp,
    Result,
    SearchItem,
    SearchOp,
    validate_op_namespace,
)

from muniment.commands.archive import Archive
from muniment.commands.edit import Edit
from muniment.commands.revise import Revise
from muniment.commands.save_memory import Saved, SaveMemory
from muniment.domain import texts
from muniment.domain.errors import Conflict, Invalid
from muniment.domain.memory.view import Memory
from muniment.domain.trust.secrets import redacted
from muniment.handle import Muniment
from muniment.queries.search import Hit

Namespace: TypeAlias = tuple[str, ...]

MAX_LABELS: Final = 31
"""How deep a namespace may be: a memory has 32 tags, one of which marks it as an item."""

TAG: Final = "langgraph"
NAMESPACE: Final = "langgraph.namespace"
KEY: Final = "langgraph.key"

_PAGE: Final = 200
_ORDERINGS: Final[Mapping[str, Callable[[Any, Any], bool]]] = {
    "$gt": gt,
    "$gte": ge,
    "$lt": lt,
    "$lte": le,
}

_UNKEPT: Final = re.compile(r"[\x7f-\x9f\ud800-\udfff]")
"""What JSON leaves as it is, and no memory may hold."""

_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class _Address:
    """Where an item lies."""

    namespace: Namespace
    key: str

    @property
    def category(self) -> str:
        """A category of its own: the duplicate check compares within a top-level category only."""
        return f"langgraph-{_digest([*self.namespace, self.key], 40)}"

    @property
    def tags(self) -> tuple[str, ...]:
        """A tag for each prefix of the namespace, so that a search reads what lies under it."""
        depths = range(len(self.namespace) + 1)
        return tuple(_tag(self.namespace[:depth]) for depth in depths)

    @property
    def metadata(self) -> dict[str, str]:
        return {NAMESPACE: json.dumps(self.namespace, ensure_ascii=False), KEY: self.key}


@dataclass(frozen=True, slots=True)
class _Found:
    """A memory that is an item."""

    address: _Address
    memory: Memory
    score: float

    @property
    def fields(self) -> dict[str, Any]:
        """What an item is made of.

        Raises:
            Conflict: ``item_unreadable`` where another face has rewritten it.
        """
        return {
            "value": _value(self.memory),
            "key": self.address.key,
            "namespace": self.address.namespace,
            "created_at": self.memory.created_at,
            "updated_at": self.memory.updated_at,
        }


class MunimentStore(BaseStore):
    """LangGraph's store, each item of which is a memory with its history.

    A put of a key that is there revises its memory, a delete archives it. As in LangGraph's own
    stores, a batch reads before it writes, and the last put of a key in it counts; its writes are
    one commit, all or none. There is no time to live, and ``index`` is ignored: every item can be
    found by its words.

    Args:
        handle: Who acts and in which space; best one that holds nothing else. It stays the
            caller's to close.
    """

    __slots__ = ("_handle", "_lock")

    def __init__(self, handle: Muniment) -> None:
        self._handle = handle
        # between looking a key up and writing it, so that two threads make one item of it
        self._lock = RLock()

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        """Executes operations; the results are in their order, None for a put.

        Raises:
            InvalidNamespaceError: A label is empty, no text, or has a period.
            NotImplementedError: A put wants a time to live.
            Invalid: ``value_invalid`` where a value is no JSON object, ``namespace_invalid``,
                ``secret_found`` in a namespace or key, ``filter_invalid``, ``limit_invalid``, or
                an error of ``search``, ``save`` and ``revise``.
            Conflict: ``item_unreadable`` where another face made an item something else.
        """
        asked = list(ops)
        puts: dict[_Address, str | None] = {}
        for op in asked:
            validate_op_namespace(op)
            if isinstance(op, PutOp):
                puts[self._address(op)] = None if op.value is None else _written(op.value)
        with self._lock:
            results = [self._read(op) for op in asked]
            self._write(puts)
        return results

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        """The same in a worker thread."""
        return await asyncio.to_thread(self.batch, list(ops))

    def _address(self, put: PutOp) -> _Address:
        if put.ttl is not None:
            raise NotImplementedError("MunimentStore has no time to live: put with ttl=None.")
        if not 0 < len(put.namespace) <= MAX_LABELS:
            raise Invalid(
                f"namespace: it has {len(put.namespace)} labels; give 1 to {MAX_LABELS}.",
                code="namespace_invalid",
                field="namespace",
            )
        # what is redacted on the way in would be an address that nobody asks for
        if self._handle.settings.memory.secrets != "allow":
            for part in (*put.namespace, put.key):
                if redacted(part)[1]:
                    raise Invalid(
                        "namespace or key: it holds a secret: name the item otherwise.",
                        code="secret_found",
                        field="key" if part == put.key else "namespace",
                    )
        return _Address(put.namespace, put.key)

    def _read(self, op: Op) -> Result:
        match op:
            case GetOp():
                found = self._found(_Address(op.namespace, op.key))
                return Item(**found[0].fields) if found else None
            case SearchOp():
                return self._search(op)
            case ListNamespacesOp():
                return self._namespaces(op)
            case PutOp():
                return None

    def _found(self, address: _Address) -> list[_Found]:
        """The live memories of an address, last written first.

        There is one at most, unless two processes put a new key at once or one was restored.
        """
        hits = self._handle.search(
            category=address.category, tags=[TAG], limit=_PAGE, explicit=True
        ).hits
        return sorted(_items(hits), key=lambda found: -found.memory.position)

    def _write(self, puts: Mapping[_Address, str | None]) -> None:
        written = self._handle.write_all(
            change
            for address, content in puts.items()
            for change in _changes(address, content, self._found(address))
        )
        for answer in written:
            _tell(answer.memory if isinstance(answer, Saved) else answer)

    def _search(self, op: SearchOp) -> list[SearchItem]:
        start, end = _page(op.limit, op.offset)
        found = self._under(op.namespace_prefix, op.query, _PAGE if op.filter else end)
        items = (SearchItem(**one.fields, score=one.score if op.query else None) for one in found)
        kept = (item for item in items if _meets(item.value, op.filter or {}))
        return list(islice(kept, start, end))

    def _namespaces(self, op: ListNamespacesOp) -> list[Namespace]:
        start, end = _page(op.limit, op.offset)
        every = {found.address.namespace for found in self._under((), None, _PAGE)}
        conditions = op.match_conditions or ()
        matching = {
            namespace[: op.max_depth]
            for namespace in every
            if all(_matches(namespace, condition) for condition in conditions)
        }
        return sorted(matching)[start:end]

    def _under(self, prefix: Namespace, query: str | None, wanted: int) -> Iterator[_Found]:
        """What lies under a prefix, page by page."""
        cursor = None
        while True:
            found = self._handle.search(
                query,
                tags=[TAG, _tag(prefix)],
                limit=min(max(wanted, 1), _PAGE),
                explicit=True,
                cursor=cursor,
            )
            yield from _items(found.hits)
            cursor = found.cursor
            if cursor is None:
                return


def _changes(
    address: _Address, content: str | None, there: list[_Found]
) -> Iterator[SaveMemory | Edit]:
    """What makes an item hold a content, or nothing, where these memories are there for it."""
    if content is not None and not there:
        yield SaveMemory.of(
            content=content,
            category=address.category,
            tags=address.tags,
            metadata=address.metadata,
        )
    elif content is not None:
        latest, *there = there
        yield Revise.of(id=latest.memory.id, content=content)
    for one in there:
        yield Archive.of(id=one.memory.id, reason="deleted by LangGraph")


def _digest(path: Iterable[str], length: int) -> str:
    return hashlib.sha256(json.dumps(list(path)).encode()).hexdigest()[:length]


def _tag(prefix: Namespace) -> str:
    return f"{TAG}-{_digest(prefix, 40)}" if prefix else TAG


def _written(value: object) -> str:
    """A value as JSON.

    Raises:
        Invalid: ``value_invalid``, or ``content_too_large`` over 65,536 bytes.
    """
    if isinstance(value, Mapping):
        named = cast("Mapping[object, object]", value)
        if all(isinstance(name, str) for name in named):
            try:
                text = json.dumps(dict(named), ensure_ascii=False, allow_nan=False)
            except (TypeError, ValueError, RecursionError) as error:
                raise _no_value(str(error)) from error
            return texts.content(_UNKEPT.sub(lambda sign: f"\\u{ord(sign[0]):04x}", text), "value")
    raise _no_value("it is no mapping with texts as keys")


def _no_value(why: str) -> Invalid:
    return Invalid(
        f"value: {why}: give a mapping that JSON can hold.", code="value_invalid", field="value"
    )


def _items(hits: Iterable[Hit]) -> Iterator[_Found]:
    """The items among what was found; anybody may use the tag for something else."""
    for hit in hits:
        metadata = hit.memory.metadata
        try:
            labels: list[str] = json.loads(metadata.get(NAMESPACE, "[]"))
        except ValueError:
            continue
        address = _Address(tuple(labels), metadata.get(KEY, ""))
        if address.category == hit.memory.category:
            yield _Found(address, hit.memory, hit.score)


def _value(memory: Memory) -> dict[str, Any]:
    try:
        value: object = json.loads(memory.content or "")
    except ValueError:
        value = None
    if isinstance(value, dict):
        return cast("dict[str, Any]", value)
    raise Conflict(
        f"The memory {memory.id} is an item of LangGraph but no JSON object: put it anew, or"
        " revise it.",
        code="item_unreadable",
    )


def _tell(memory: Memory) -> None:
    # LangGraph's put returns nothing that could say so
    if memory.state == "quarantined":
        _log.warning("item_quarantined", id=memory.id)


def _page(limit: int, offset: int) -> tuple[int, int]:
    for name, number in (("limit", limit), ("offset", offset)):
        if number < 0:
            raise Invalid(f"{name}: give 0 or more.", code=f"{name}_invalid", field=name)
    return offset, offset + limit


def _meets(value: object, wanted: object) -> bool:
    """Whether a value is what a filter asks for: equal, part by part, or by its operators."""
    if not isinstance(wanted, Mapping):
        return value == wanted
    parts = cast("Mapping[str, object]", wanted)
    if any(name.startswith("$") for name in parts):
        return all(_compares(value, operator, other) for operator, other in parts.items())
    if not isinstance(value, Mapping):
        return False
    mine = cast("Mapping[str, object]", value)
    return all(_meets(mine.get(name), part) for name, part in parts.items())


def _compares(value: Any, operator: str, other: Any) -> bool:
    if operator == "$eq":
        return bool(value == other)
    if operator == "$ne":
        return bool(value != other)
    ordering = _ORDERINGS.get(operator)
    if ordering is None:
        raise Invalid(
            f"filter: there is no operator {operator!r}: use $eq, $ne, $gt, $gte, $lt or $lte.",
            code="filter_invalid",
            field="filter",
        )
    comparable = all(isinstance(one, int | float) for one in (value, other)) or all(
        isinstance(one, str) for one in (value, other)
    )
    return comparable and ordering(value, other)


def _matches(namespace: Namespace, condition: MatchCondition) -> bool:
    path = condition.path
    if len(namespace) < len(path):
        return False
    part = (
        namespace[: len(path)]
        if condition.match_type == "prefix"
        else namespace[len(namespace) - len(path) :]
    )
    return all(asked in ("*", label) for label, asked in zip(part, path, strict=True))
