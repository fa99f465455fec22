"""What is done with ``work.db``: entries, turns and reports are kept, and a turn is told."""

import json
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Annotated, ClassVar, Final, cast

from pydantic import BeforeValidator, Field

from .domain.access import ROLES
from .domain.conversation.turns import Speaker, ToolReport, Turn
from .domain.errors import Invalid, Refused
from .domain.identity import Identity
from .domain.inputs import Category, IdempotencyKey, Input, Line, Tags
from .domain.recall import Asked, Recall
from .domain.working import keys
from .domain.working.entries import WorkingEntry
from .domain.working.inputs import LongText, Session
from .domain.working.lifetimes import lifetime
from .engine import Engine
from .queries.context import Context, GetContext
from .queries.search import MAX_QUERY

MAX_ARGUMENTS_BYTES: Final = 65_536


def _arguments(value: object) -> object:
    if not isinstance(value, Mapping):
        raise _no_arguments()
    given = dict(cast("Mapping[object, object]", value))
    if not all(isinstance(name, str) for name in given):
        raise _no_arguments()
    try:
        text = json.dumps(given, ensure_ascii=False, allow_nan=False, sort_keys=True)
        size = len(text.encode())
    except (TypeError, ValueError, RecursionError) as error:
        raise _no_arguments() from error
    if size > MAX_ARGUMENTS_BYTES:
        raise Invalid(
            f"arguments: over {MAX_ARGUMENTS_BYTES:,} bytes as JSON: report the telling ones.",
            code="arguments_too_large",
            field="arguments",
        )
    return text


def _no_arguments() -> Invalid:
    return Invalid(
        "arguments: give values by name, each of them one that JSON has.",
        code="arguments_invalid",
        field="arguments",
    )


def _ttl(value: object) -> object:
    return None if value is None else lifetime(value)


class SaveEntry(Input):
    """Store a text in working memory, where it lives for a while."""

    VERB: ClassVar[str] = "working save"
    POSITIONAL: ClassVar[tuple[str, ...]] = ("key", "value")

    key: Annotated[
        str, Field(description="A path such as session/abc/inbox; plain within a namespace.")
    ]
    value: Annotated[LongText, Field(description="The text, up to 1 MiB.")]
    ttl: Annotated[
        timedelta | None,
        Field(description="Seconds until it expires; five minutes unless given or set."),
        BeforeValidator(_ttl),
    ] = None
    category: Category = None
    tags: Tags = ()

    def run(self, engine: Engine, identity: Identity, namespace: str | None) -> WorkingEntry:
        """Stores it under the full key that a handle of that namespace means."""
        now = engine.now()
        scratch = engine.rules.scratch
        _require_place(identity, namespace)
        key = keys.to_write(self.key, namespace)
        entry = WorkingEntry(
            key=key,
            value=self.value,
            stored_at=now,
            expires_at=_end(now, self.ttl or scratch.default_ttl),
            writer=identity.actor,
            category=self.category,
            tags=self.tags,
        )
        engine.work(now).entries.put(identity.space, entry, limit=scratch.per_namespace)
        return entry


class AppendTurn(Input):
    """Keep what was said in a session."""

    VERB: ClassVar[str] = "conversation append"
    POSITIONAL: ClassVar[tuple[str, ...]] = ("session", "role", "content")

    session: Session
    role: Annotated[Speaker, Field(description="Who said it: user or assistant.")]
    content: Annotated[LongText, Field(description="What was said, up to 1 MiB.")]
    idempotency_key: IdempotencyKey | None = None

    def run(self, engine: Engine, identity: Identity) -> Turn:
        """Keeps it as the session's newest turn."""
        now = engine.now()
        turns = engine.work(now).turns
        return turns.append(
            identity.space,
            self.session,
            self.role,
            self.content,
            now,
            retry=_retry(identity, self.idempotency_key),
        )


class ReportToolCall(Input):
    """Say how a call of a tool went."""

    VERB: ClassVar[str] = "report_tool_call"
    POSITIONAL: ClassVar[tuple[str, ...]] = ("session", "tool")

    session: Session
    tool: Annotated[Line, Field(min_length=1, max_length=256, description="The tool's name.")]
    arguments: Annotated[str, BeforeValidator(_arguments)]
    ok: bool
    error: Annotated[Line, Field(max_length=16_384)] | None = None
    idempotency_key: IdempotencyKey | None = None

    def run(self, engine: Engine, identity: Identity) -> ToolReport:
        """Keeps it."""
        now = engine.now()
        return engine.work(now).reports.add(
            identity.space,
            self.session,
            self.tool,
            self.arguments,
            self.error,
            ok=self.ok,
            now=now,
            retry=_retry(identity, self.idempotency_key),
        )


def _retry(identity: Identity, key: str | None) -> str | None:
    """The key as it is kept: each actor has its own."""
    return None if key is None else f"{identity.actor}\0{key}"


def _require_place(identity: Identity, namespace: str | None) -> None:
    """Only writers of the space's memory write wherever they like."""
    if namespace is None and identity.role not in ROLES["save"]:
        raise Refused(
            f"{identity.actor} has no namespace to write into: act with one, such as session/abc.",
            code="namespace_required",
            field="namespace",
        )


def _end(now: datetime, ttl: timedelta) -> datetime:
    try:
        return now + ttl
    except OverflowError:
        return datetime.max.replace(tzinfo=UTC)


def context(
    engine: Engine, identity: Identity, namespace: str | None, asked: GetContext
) -> Context:
    """Builds a turn's context, and keeps what it showed."""
    reading = engine.work_reading(identity, namespace)
    work = engine.work(reading.now)
    standing = work.sessions.standing(identity.space, asked.session, reading.now)
    turning = asked.of_turn(standing, reading.headings.values(), namespace)
    told = engine.ask(turning, identity)
    shown = {one.memory.id: one.version for one in told.recalled}
    work.sessions.given(
        identity.space, asked.session, shown, reading.now, is_first=standing.is_first
    )
    recall = Recall(
        at=reading.now,
        memories=tuple(one.memory.id for one in told.recalled),
        versions=tuple(one.memory.version for one in told.recalled),
        scores=tuple(one.score for one in told.recalled),
    )
    noted = Asked(query=asked.message[:MAX_QUERY], recall=recall)
    engine.recalls.note(identity, asked.session, identity.actor, noted)
    return told
