"""What comes in from callers: strict models, whose errors name the field that is at fault.

Commands and queries are such models, so a rule on input stands in one place for every surface.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields
from datetime import datetime
from typing import Annotated, Any, Self, cast

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    PrivateAttr,
    StringConstraints,
    ValidationError,
    ValidationInfo,
)

from . import category as categories
from . import moments, subject_time, texts
from .access import Operation
from .errors import Invalid
from .findings import invalid
from .identity import is_actor
from .memory.decisions import (
    MAX_METADATA_BYTES,
    MAX_METADATA_KEYS,
    MAX_TAGS,
    metadata_bytes,
)
from .memory.events import Source, SourceType
from .trust.secrets import Handling, redacted

MAX_TAG = 64
MAX_SESSION = 200


class Input(Operation, BaseModel):
    """A command or a query: made by ``of``, then never changed."""

    model_config = ConfigDict(strict=True, frozen=True, extra="forbid")

    _warnings: tuple[str, ...] = PrivateAttr(default=())
    _given: Mapping[str, Any] = PrivateAttr(default_factory=dict)

    @classmethod
    def of(cls, /, **given: Any) -> Self:
        """The model of what was given.

        Raises:
            Invalid: Naming the first field at fault.
        """
        notes: list[str] = []
        try:
            made = cls.model_validate(given, context=notes)
        except ValidationError as error:
            raise invalid(error) from error
        made._given = given  # noqa: SLF001 (it is being made)
        if notes:
            made._warnings = tuple(notes)  # noqa: SLF001
        return made

    def screened(self, handling: Handling) -> Self:
        """The input without the secrets in what was given, and a warning for each.

        What was given is looked through, not what was made of it: a category is spelt anew.

        Raises:
            Invalid: ``secret_found`` where they are to be rejected.
        """
        if handling == "allow":
            return self
        found: dict[str, tuple[str, ...]] = {}
        cleaned: dict[str, Any] = {}
        for name, given in self._given.items():
            if isinstance(given, _WORDLESS):
                cleaned[name] = given
                continue
            is_there_still = isinstance(given, _READABLE_AGAIN)
            cleaned[name], detectors = _cleaned(given if is_there_still else getattr(self, name))
            if detectors:
                found[name] = detectors
                if name == "category":  # whose segments have no brackets
                    cleaned[name] = re.sub(r"\[redacted:([\w-]+)\]", r"redacted-\1", cleaned[name])
        if not found:
            return self
        if handling == "reject":
            name, detectors = next(iter(found.items()))
            raise Invalid(
                f"{name}: it holds a secret ({', '.join(detectors)}): leave it out.",
                code="secret_found",
                field=name,
            )
        again = type(self).of(**cleaned)
        again._warnings += tuple(  # noqa: SLF001 (it is being made)
            f"secret_redacted: {', '.join(detectors)} in {name}"
            for name, detectors in found.items()
        )
        return again

    @property
    def warnings(self) -> tuple[str, ...]:
        """What was changed on the way in, a sentence each."""
        return self._warnings


_WORDLESS = (type(None), int, float)
"""What holds no text."""

_READABLE_AGAIN = (str, Mapping, list, tuple, Source)
"""What can be looked through twice; an iterator cannot."""


def _cleaned(value: Any) -> tuple[Any, tuple[str, ...]]:
    """A value without the secrets in its texts, and the detectors that found some."""
    if isinstance(value, str):
        return redacted(value)
    if isinstance(value, Source):
        parts, found = _cleaned({field.name: getattr(value, field.name) for field in fields(value)})
        return (Source(**parts) if found else value), found
    if isinstance(value, Mapping):
        keys, of_keys = _cleaned(tuple(cast("Mapping[object, object]", value)))
        parts, of_parts = _cleaned(tuple(cast("Mapping[object, object]", value).values()))
        return dict(zip(keys, parts, strict=True)), tuple(dict.fromkeys((*of_keys, *of_parts)))
    if isinstance(value, list | tuple):
        each = [_cleaned(part) for part in cast("Sequence[Any]", value)]
        return tuple(part for part, _ in each), tuple(
            dict.fromkeys(name for _, names in each for name in names)
        )
    return value, ()


def _content(value: object) -> object:
    return texts.content(value) if isinstance(value, str) else value


def _category(value: object, info: ValidationInfo) -> object:
    if not isinstance(value, str):
        return value
    texts.well_formed(value, "category")
    canonical = categories.canonical(value)
    if canonical != value:
        _note(info, f"category {value!r} was filed as {canonical or 'none'}")
    return canonical


def _note(info: ValidationInfo, sentence: str) -> None:
    """Adds to the warnings of the input that is being made."""
    notes: list[str] | None = info.context
    if notes is not None:
        notes.append(sentence)


def _tags(value: object) -> object:
    if not isinstance(value, Iterable) or isinstance(value, str | bytes | Mapping):
        return value  # pyright: ignore[reportUnknownVariableType] (it is refused just after)
    tags: dict[str, str] = {}
    for tag in cast("Iterable[object]", value):
        if not isinstance(tag, str):
            raise Invalid("tags: every tag is a text.", code="tags_invalid", field="tags")
        text = texts.well_formed(tag, "tags").strip()
        if texts.is_blank(text) or len(text) > MAX_TAG or len(text.splitlines()) > 1:
            raise Invalid(
                f"tags: {text[:80]!r} is no tag: use 1 to {MAX_TAG} characters on one line.",
                code="tags_invalid",
                field="tags",
            )
        tags.setdefault(text.casefold(), text)
        if len(tags) > MAX_TAGS:
            raise Invalid(
                f"tags: more than {MAX_TAGS}: keep the telling ones.",
                code="tags_invalid",
                field="tags",
            )
    return tuple(tags.values())


def _metadata(value: object) -> object:
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        return value
    checked: dict[str, str] = {}
    for key, text in cast("Mapping[object, object]", value).items():
        if not isinstance(key, str) or not isinstance(text, str):
            raise Invalid(
                f"metadata: {key!r} must be a text with a text behind it.",
                code="metadata_invalid",
                field="metadata",
            )
        checked[texts.well_formed(key, "metadata")] = texts.well_formed(text, f"metadata.{key}")
    if len(checked) > MAX_METADATA_KEYS or metadata_bytes(checked) > MAX_METADATA_BYTES:
        raise Invalid(
            f"metadata: over {MAX_METADATA_KEYS} keys or {MAX_METADATA_BYTES:,} bytes.",
            code="metadata_invalid",
            field="metadata",
        )
    subject_time.check(checked)
    return dict(sorted(checked.items()))


def _source(value: object) -> object:
    if isinstance(value, str):
        value = {"type": value}
    if isinstance(value, Source):
        # made without a check: its author may have written anything into it
        value = {field.name: getattr(value, field.name) for field in fields(value)}
    if not isinstance(value, Mapping):
        return value
    try:
        return _SourceInput.model_validate(dict(cast("Mapping[str, object]", value))).source
    except Invalid as error:
        raise Invalid(
            f"source.{error.message}", code=error.code, field=f"source.{error.field}"
        ) from error
    except ValidationError as error:
        found = invalid(error)
        raise Invalid(
            f"source.{found.message}", code="source_invalid", field=f"source.{found.field}"
        ) from error


def _moment(value: object, info: ValidationInfo) -> object:
    field = info.field_name or "moment"
    if isinstance(value, str):
        return moments.parse(value, field)
    return moments.in_utc(value, field) if isinstance(value, datetime) else value


def _when(value: object, info: ValidationInfo) -> datetime | int:
    return moments.in_past(value, info.field_name or "when")


def _line(value: object, info: ValidationInfo) -> object:
    return texts.well_formed(value, info.field_name or "text") if isinstance(value, str) else value


def _session(value: object, info: ValidationInfo) -> object:
    field = info.field_name or "session"
    if isinstance(value, str) and not (
        0 < len(value) <= MAX_SESSION and value.isprintable() and not texts.is_blank(value)
    ):
        raise Invalid(
            f"{field}: name it with 1 to {MAX_SESSION} printable characters.",
            code=f"{field}_invalid",
            field=field,
        )
    return value


def _actor(value: object, info: ValidationInfo) -> object:
    field = info.field_name or "actor"
    if isinstance(value, str) and not is_actor(value):
        raise Invalid(
            f"{field}: no actor can be called {value[:80]!r}: use manual, bot:…, subagent:…,"
            " reflection:…, skill:… or system:…",
            code=f"{field}_invalid",
            field=field,
        )
    return value


Content = Annotated[str, Field(description="The text, up to 64 KiB."), BeforeValidator(_content)]
"""A memory's text."""

Category = Annotated[
    str | None,
    Field(description="A path such as work/deploys."),
    BeforeValidator(_category),
]
"""A category in its canonical spelling."""

Tags = Annotated[tuple[str, ...], Field(description="Tags, up to 32."), BeforeValidator(_tags)]
"""Any iterable of texts; unique without regard to case, the first spelling kept."""

Metadata = Annotated[
    Mapping[str, str],
    Field(description="Texts by name; subjectTime is when it is about."),
    BeforeValidator(_metadata),
]
"""Texts by name; subject times among them are checked."""

SessionName = Annotated[str, Field(description="The name of a session."), BeforeValidator(_session)]
"""Printable, 1 to 200 characters."""

ActorName = Annotated[
    str, Field(description="Such as manual or bot:main."), BeforeValidator(_actor)
]
"""A name that an actor can have."""

Importance = Annotated[
    float,
    Field(ge=0.0, le=1.0, allow_inf_nan=False, description="0 to 1; it fades with time."),
    AfterValidator(abs),  # -0.0 is 0, and reads so
]
"""0 to 1, never clamped."""

Trust = Annotated[
    int, Field(ge=0, le=3, description="0 (nobody vouches) to 3 (the owner says so).")
]
"""0 (nobody vouches) to 3 (the owner says so)."""

MemoryId = Annotated[
    str,
    Field(min_length=1, max_length=64, description="An id, or at least 8 hex digits of its end."),
    BeforeValidator(_line),
]
"""An id, or an unambiguous tail of at least 8 of its hex digits, in any case."""

Version = Annotated[
    int, Field(ge=0, description="The version decided on; refused where the memory moved since.")
]
"""The version that a caller decided on."""

Moment = Annotated[
    datetime,
    Field(description="A time such as 2026-03-03T12:00:00Z."),
    BeforeValidator(_moment),
]
"""An aware datetime or an RFC 3339 text, in UTC from here on."""

When = Annotated[
    int | datetime,
    Field(description="A time such as 2026-03-03T12:00:00Z, or a position of the log."),
    BeforeValidator(_when),
]
"""A moment of the past: a time as for ``Moment``, or a position of the log."""

IdempotencyKey = Annotated[
    str,
    StringConstraints(pattern=r"^[A-Za-z0-9._:-]{1,128}$"),
    Field(description="Makes a retry safe: the same key and request happen once."),
]
"""Makes a retry safe: the same key and request happen once."""

Line = Annotated[str, BeforeValidator(_line)]
"""Text without control characters."""

SourceField = Annotated[
    Source,
    Field(
        description="Who says it: owner, user, tool, web, agent or model; ref, session and model of"
        " it may be told too."
    ),
    BeforeValidator(_source),
]
"""A source, its type alone, or a mapping of its fields."""


class _SourceInput(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid")

    type: SourceType
    ref: Annotated[Line, Field(max_length=2_048)] | None = None
    session: Annotated[Line, Field(max_length=256)] | None = None
    model: Annotated[Line, Field(max_length=256)] | None = None

    @property
    def source(self) -> Source:
        return Source(type=self.type, ref=self.ref, session=self.session, model=self.model)
