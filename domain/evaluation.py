"""Samples of what was done to memories, and what a judge says of them.

``sound`` always means that the right call was made. Each evaluation of a space is a stream of its
own, numbered from 1, so that its words have a key of their own and can go without the others'.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from hashlib import sha256
from typing import Annotated, ClassVar, Final, Literal, TypeAlias
from uuid import UUID, uuid5

from pydantic import BaseModel, Field, StrictBool, StrictInt, StrictStr

from .audit import EvalSummary
from .language_model import Tier
from .recorded import Words

Family: TypeAlias = Literal["merge", "near-duplicate", "reinforced", "ephemeral"]
Role: TypeAlias = Literal["merged", "source", "memory", "dropped", "live"]

FAMILIES: Final[tuple[Family, ...]] = ("merge", "near-duplicate", "reinforced", "ephemeral")

MAX_TEXT: Final = 8_000
"""Characters of a text that a judge is shown."""

_MAX_SAID: Final = 1_000
_NAMESPACE: Final = UUID("6d756e69-6d65-4e74-8065-76616c756100")


def stream(space: str, number: int) -> str:
    """The stream of an evaluation of a space; the first is number 1."""
    return str(uuid5(_NAMESPACE, f"{space}\0{number}"))


@dataclass(frozen=True, slots=True)
class Part:
    """A text that is judged, or shown beside one (``live``), of the memory ``id``."""

    role: Role
    id: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """Something that was done to memories, as a judge is shown it.

    ``coverage`` says of a merge what the check of its specifics found. ``figures`` are shown and
    not judged: they move by themselves.
    """

    family: Family
    parts: tuple[Part, ...]
    coverage: str | None = None
    figures: Mapping[str, float] = field(default_factory=dict[str, float])

    @property
    def ids(self) -> tuple[str, ...]:
        """The memories that it is about."""
        return tuple(part.id for part in self.parts if part.role != "live")

    @property
    def context_ids(self) -> tuple[str, ...]:
        """The live memories that it is held against."""
        return tuple(part.id for part in self.parts if part.role == "live")


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What was said of a sample, in ``ids``, first on ``judged_at``.

    ``carried``: it was said by an earlier evaluation, of the very same question.
    """

    family: Family
    ids: tuple[str, ...]
    context_ids: tuple[str, ...] = ()
    sound: bool
    judged_at: datetime
    carried: bool = False


@dataclass(frozen=True, slots=True)
class Grounds:
    """Why a verdict was given. ``key`` names the question with all that was judged.

    A key is a hash of somebody's words, so it is encrypted with them and goes with them.
    """

    key: str = ""
    reason: str = ""
    evidence: str = ""


@dataclass(frozen=True, slots=True)
class Answer:
    """What a judge was answered with: the reply to one call about a family."""

    family: Family
    reply: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Evaluated:
    """An evaluation of the log as it stood at ``position``.

    ``families`` are those that were evaluated, ``failed`` those that could not be: of these nothing
    is said. ``derived_from`` names every memory whose words went into the answers, so that these
    go when the words do. ``settled`` names all that could be judged, where all of it was; while
    that stays the same, nobody needs to be asked. ``grounds`` are those of ``verdicts``, in order.
    """

    NAME: ClassVar[str] = "audit.evaluated"
    SCHEMA: ClassVar[int] = 1

    number: int
    evaluated_at: datetime
    position: int
    model: str
    tier: Tier
    directive_sha256: str
    families: tuple[Family, ...] = ()
    failed: tuple[Family, ...] = ()
    verdicts: tuple[Verdict, ...] = ()
    derived_from: tuple[str, ...] = ()
    settled: str | None = None
    grounds: Words[tuple[Grounds, ...]] = ()
    answers: Words[tuple[Answer, ...]] = ()

    @property
    def is_legible(self) -> bool:
        """Whether its words are there."""
        return len(self.grounds) == len(self.verdicts)

    @property
    def judgements(self) -> list["Judgement"]:
        """Each verdict with its grounds, blank where the words are gone."""
        grounds = self.grounds if self.is_legible else [Grounds()] * len(self.verdicts)
        return [Judgement(*each) for each in zip(self.verdicts, grounds, strict=True)]

    @property
    def summary(self) -> EvalSummary:
        """How many were judged, and how."""
        sound = sum(verdict.sound for verdict in self.verdicts)
        return EvalSummary(
            evaluated_at=self.evaluated_at,
            judged=len(self.verdicts),
            sound=sound,
            unsound=len(self.verdicts) - sound,
            carried=sum(verdict.carried for verdict in self.verdicts),
        )


@dataclass(frozen=True, slots=True)
class Judgement:
    """A verdict and why."""

    verdict: Verdict
    grounds: Grounds


class Item(BaseModel):
    """What a judge says of the sample of an index."""

    index: Annotated[StrictInt, Field(description="The index of the sample.")]
    sound: Annotated[StrictBool, Field(description="Whether the right call was made.")]
    reason: Annotated[StrictStr, Field(description="Why, in a sentence.")] = ""
    evidence: Annotated[
        StrictStr | None, Field(description="Words of the sample, verbatim, if it is unsound.")
    ] = None


class Reply(BaseModel):
    """What a judge says of several samples."""

    verdicts: list[Item]


def cut(text: str) -> str:
    """The text as far as a judge is shown it, marked where it is cut."""
    if len(text) <= MAX_TEXT:
        return text
    return f"{text[:MAX_TEXT]}\n[cut here: {MAX_TEXT:,} of {len(text):,} characters are shown]"


def key(sample: Sample, question: str, directive: str) -> str:
    """The name of a question with all that is judged: 256 bits of SHA-256.

    The order of the texts does not count, and neither do the figures.
    """
    parts = sorted((part.role, part.id, part.text) for part in sample.parts)
    said = [sample.family, question, directive, parts, sample.coverage]
    return sha256(json.dumps(said).encode()).hexdigest()


def shown(samples: Sequence[Sample]) -> str:
    """The samples as JSON, so that no text of theirs can pass for anything else."""
    return json.dumps(
        [
            {
                "index": index,
                "texts": [{"role": part.role, "text": part.text} for part in sample.parts],
                **({"coverage": sample.coverage} if sample.coverage is not None else {}),
                **sample.figures,
            }
            for index, sample in enumerate(samples)
        ],
        ensure_ascii=False,
    )


def judged(asked: Sequence[tuple[Sample, str]], reply: Reply, at: datetime) -> list[Judgement]:
    """What a reply about samples, each with its key, comes to.

    An index that was not offered is dropped, and so is one of which the reply says both. That a
    memory said often is unsound counts only with words that stand in it: asked without, one judge
    passed and failed the same text in turn.
    """
    said: dict[int, Item] = {}
    for item in reply.verdicts:
        said.setdefault(item.index, item)
    in_doubt = {item.index for item in reply.verdicts if item.sound != said[item.index].sound}
    found: list[Judgement] = []
    for index, (sample, its_key) in enumerate(asked):
        if index not in said or index in in_doubt:
            continue
        item = said[index]
        evidence = "" if item.sound else _quoted(item.evidence, sample)
        if sample.family == "reinforced" and not item.sound and not evidence:
            continue
        verdict = Verdict(
            family=sample.family,
            ids=sample.ids,
            context_ids=sample.context_ids,
            sound=item.sound,
            judged_at=at,
        )
        found.append(Judgement(verdict, Grounds(its_key, item.reason[:_MAX_SAID], evidence)))
    return found


def _quoted(evidence: str | None, sample: Sample) -> str:
    """The evidence, if it is words of one of the texts that were judged; otherwise nothing."""
    words = _run_together(evidence or "")
    is_there = words and any(
        words in _run_together(part.text) for part in sample.parts if part.role != "live"
    )
    return (evidence or "")[:_MAX_SAID] if is_there else ""


def _run_together(text: str) -> str:
    return "".join(text.casefold().split())


def carried(judgement: Judgement) -> Judgement:
    """A verdict of an earlier evaluation as it is said again."""
    return replace(judgement, verdict=replace(judgement.verdict, carried=True))


def answered(evaluations: Sequence[Evaluated]) -> dict[Family, list[Judgement]]:
    """What can be carried: of each family, the verdicts of the last evaluation that had it."""
    found: dict[Family, list[Judgement]] = {}
    for one in evaluations:
        for family in one.families:
            found[family] = [each for each in one.judgements if each.verdict.family == family]
    return found
