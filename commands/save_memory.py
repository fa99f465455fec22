"""Keep something that was said: as a new memory, or as a repetition of a known one."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Annotated, Any, ClassVar, Literal, cast

from pydantic import Field, PrivateAttr

from muniment.domain import category as categories
from muniment.domain import texts
from muniment.domain.duplicates import Form
from muniment.domain.errors import Invalid
from muniment.domain.identity import TRUST, Identity
from muniment.domain.inputs import (
    Category,
    Content,
    IdempotencyKey,
    Importance,
    Input,
    Metadata,
    SourceField,
    Tags,
    Trust,
    Version,
)
from muniment.domain.memory import events
from muniment.domain.memory.decisions import (
    Observation,
    create,
    extend,
    reinforce,
    require_version,
)
from muniment.domain.memory.events import Measure, Source, Store
from muniment.domain.memory.forms import canonical_form
from muniment.domain.memory.judgement import Candidate, Judgement, judge
from muniment.domain.memory.state import State
from muniment.domain.memory.view import Memory, view
from muniment.domain.ports import Append, Outcome
from muniment.domain.recorded import Recorded
from muniment.domain.trust.arrivals import WATCHED
from muniment.domain.trust.quarantine import held_back, notice, quarantine, words
from muniment.domain.trust.suspicion import MEANINGS, TRUSTED_FROM, Sign

from .command import Command, Work


@dataclass(frozen=True, slots=True, kw_only=True)
class Saved:
    """What became of an observation.

    ``similarity`` in [0, 1] is that of the nearest memory, by ``measure``; both None where nothing
    was near. ``warnings`` says what was changed on the way in.
    """

    id: str
    outcome: Literal["created", "reinforced", "extended"]
    counted: bool
    memory: Memory
    position: int
    similarity: float | None
    measure: Measure | None
    resembles: tuple[str, ...]
    conflicts_with: tuple[str, ...]
    warnings: tuple[str, ...]


class SaveMemory(Command):
    """Keep something that was said. What is known already is reinforced, not repeated."""

    VERB: ClassVar[str] = "save"
    USES_SIMILARITY: ClassVar[bool] = True
    POSITIONAL: ClassVar[tuple[str, ...]] = ("content",)

    content: Content
    category: Category = None
    tags: Tags = ()
    importance: Importance = 0.5
    metadata: Metadata = Field(default_factory=dict)
    store: Annotated[
        Store,
        Field(description="Facts (semantic), what happened (episodic) or how-to (procedural)."),
    ] = "semantic"
    source: SourceField | None = None
    trust: Annotated[
        Trust | None, Field(description="0 to 3; at most what the source is trusted anyway.")
    ] = None
    expected_version: Version | None = None

    # no cached property: up to Python 3.11 those of all commands share one lock
    _form: Form | None = PrivateAttr(default=None)

    @property
    def _is_matched(self) -> bool:
        return self.store != "episodic" and not categories.never_matched(self.category)

    def prepare(self) -> None:
        """Makes the canonical form before the command waits for its turn."""
        if self._is_matched:
            self._form = canonical_form(self.content)

    def decide(self, work: Work) -> Sequence[Append]:
        """Compares with what is known under the same top-level category, and acts on it."""
        observation = self._observation(work.identity)
        signs = self._signs(observation, work)
        judgement = Judgement(verdict="created")
        check = work.rules.duplicate_check
        if check.enabled and self._is_matched and not signs:
            form = self._form or canonical_form(self.content)
            candidates = self._candidates(work, form)
            judgement = judge(observation, form, candidates, now=work.now, check=check)
        memory, likeness = judgement.memory, judgement.likeness
        require_version(memory, self.expected_version)
        decay = work.rules.decay
        if memory is None or likeness is None:
            made = create(
                observation,
                resembles=judgement.resembles,
                conflicts_with=judgement.conflicts_with,
                likeness=likeness,
            )
            id_ = work.new_id()
            held = quarantine(signs)
            return [Append(id_, 0, made), *([Append(id_, 1, held)] if held else [])]
        said = (reinforce if judgement.verdict == "reinforced" else extend)(
            memory, observation, likeness, now=work.now, decay=decay
        )
        return [Append(memory.id, memory.version, said)]

    def _signs(self, observation: Observation, work: Work) -> tuple[Sign, ...]:
        """What speaks against it; what is held back is compared with nothing."""
        rules, source = work.rules.distrust, observation.source
        said = words(
            self.content, self.category, source.ref, tags=self.tags, metadata=self.metadata
        )
        found = held_back(observation.trust, said, enabled=rules.enabled)
        if rules.enabled and observation.trust < TRUSTED_FROM and source.type in WATCHED:
            pace = work.arrivals().signs(
                (source.type, source.ref), self.content, now=work.now, limits=rules
            )
            return (*found, *pace)
        return found

    def require_vouched(self, identity: Identity) -> None:
        """Refuses a source that is trusted further than who names it can vouch for."""
        if self.source is not None:
            identity.require_vouched(self.source.type)

    def _observation(self, identity: Identity) -> Observation:
        self.require_vouched(identity)
        source = self.source or Source(type=identity.source_type)
        default = TRUST[source.type]
        if self.trust is not None and self.trust > default:
            raise Invalid(
                f"trust: {self.trust} is more than the {default} that a source of type"
                f" {source.type!r} has; it may only be lowered.",
                code="trust_invalid",
                field="trust",
            )
        return Observation(
            content=self.content,
            category=self.category,
            tags=self.tags,
            metadata=self.metadata,
            importance=self.importance,
            store=self.store,
            trust=default if self.trust is None else self.trust,
            source=source,
        )

    def _candidates(self, work: Work, form: Form) -> list[Candidate]:
        """What has the same canonical form, oldest first; then what is similar, best first."""
        check = work.rules.duplicate_check
        top = categories.top(self.category)
        found: list[Candidate] = []
        for id_ in work.same(top, form):
            memory = work.memory(id_)
            found += [
                Candidate(
                    memory=memory,
                    form=canonical_form(statement.text),
                    said_at=statement.said_at,
                    similarity=1.0,
                    measure="canonical",
                )
                for statement in reversed(memory.statements)
                if canonical_form(statement.text).key == form.key
            ]
        at_least = min(check.resembling, check.lexical_threshold)
        for like in work.similar(top, form, at_least=at_least, limit=check.max_matches):
            memory = work.memory(like.id)
            statement = memory.statements[like.statement]
            found.append(
                Candidate(
                    memory=memory,
                    form=canonical_form(statement.text),
                    said_at=statement.said_at,
                    similarity=like.similarity,
                    measure="lexical",
                )
            )
        return [candidate for candidate in found if _is_readable(candidate.memory)]

    def answer(self, outcome: Outcome) -> Saved:
        """What the recorded event says, and the memory after it."""
        recorded, *held = outcome.recorded
        event = recorded.event
        desk = outcome.desk
        made = event if isinstance(event, events.Saved) else None
        return Saved(
            id=recorded.stream,
            outcome="created"
            if made
            else "extended"
            if isinstance(event, events.Extended)
            else "reinforced",
            counted=getattr(event, "counted", True),
            memory=view(desk.memory(recorded.stream), desk.now, desk.rules.decay),
            position=recorded.position,
            similarity=event.similarity,
            measure=event.measure,
            resembles=made.resembles if made else (),
            conflicts_with=made.conflicts_with if made else (),
            warnings=self._noticed(held),
        )

    def _noticed(self, held: Sequence[Recorded]) -> tuple[str, ...]:
        noticed = list(self.warnings)
        if texts.hides_text(self.content):
            noticed.append(f"invisible_text: {MEANINGS['invisible_text']}")
        noticed += [
            notice(recorded.event)
            for recorded in held
            if isinstance(recorded.event, events.Quarantined)
        ]
        return tuple(noticed)


class _OneOfMany(SaveMemory):
    """A save of several under one key: the request that a retry must equal is all of them."""

    together: Annotated[str, Field(repr=False)]


class _Key(Input):
    idempotency_key: IdempotencyKey


def _is_readable(memory: State) -> bool:
    return memory.fault is None and memory.condition == "live"


def _arguments(item: object) -> dict[str, Any]:
    if isinstance(item, Mapping):
        named = cast("Mapping[object, Any]", item).items()
        arguments = {name: value for name, value in named if isinstance(name, str)}
        if len(arguments) == len(named):
            return arguments
    raise Invalid("an item is a mapping of save's arguments by name.", code="items_invalid")


def items(given: Sequence[object], key: str | None = None) -> list[SaveMemory]:
    """The commands of a bulk save, each checked before the first is decided.

    Args:
        given: The arguments of each.
        key: Makes a retry of all of them together safe; the items then have none of their own.

    Raises:
        Invalid: ``idempotency_key_invalid``, or the first item's error, its field prefixed by
            ``items.<number>``.
    """
    each = _items(given)
    if key is None:
        return each
    named, together = sha256(_Key.of(idempotency_key=key).idempotency_key.encode()), sha256()
    for number, command in enumerate(each):
        if command.idempotency_key is not None:
            raise Invalid(
                f"items.{number}: give one key to all of them, or one to each.",
                code="idempotency_key_invalid",
                field=f"items.{number}.idempotency_key",
            )
        together.update(sha256(command.request()).digest())
    return [
        _OneOfMany.of(
            **{
                **_read_once(command, item),
                "idempotency_key": f"batch:{named.hexdigest()}:{number}",
                "together": together.hexdigest(),
            }
        )
        for number, (command, item) in enumerate(zip(each, given, strict=True))
    ]


def _read_once(command: SaveMemory, item: object) -> dict[str, Any]:
    """What an item gave; of what can be gone through but once, what was made of it."""
    return {
        name: getattr(command, name) if isinstance(value, Iterator) else value
        for name, value in _arguments(item).items()
    }


def _items(given: Sequence[object]) -> list[SaveMemory]:
    commands: list[SaveMemory] = []
    for number, item in enumerate(given):
        try:
            commands.append(SaveMemory.of(**_arguments(item)))
        except Invalid as error:
            error.within(f"items.{number}")
            raise
    return commands
