"""Putting samples before a judge, a family at a time, and only those not judged before."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from typing import Final

import structlog
from pydantic_core import to_json

from muniment.domain.errors import Unavailable
from muniment.domain.evaluation import (
    Answer,
    Family,
    Judgement,
    Reply,
    Sample,
    carried,
    judged,
    key,
    shown,
)
from muniment.domain.language_model import LanguageModel, Tier

from .rubric import QUESTIONS

_log = structlog.get_logger(__name__)

MAX_SHOWN: Final = 64_000
"""Characters of samples that a judge is asked about at a time; one sample may be longer."""


@dataclass(frozen=True, slots=True)
class Judged:
    """What came of the samples of a family.

    ``is_complete``: each of them has a verdict. ``error`` says why the judge could not be asked:
    then there is none.
    """

    judgements: Sequence[Judgement] = ()
    answers: Sequence[Answer] = ()
    is_complete: bool = False
    error: Unavailable | None = None


@dataclass(frozen=True, slots=True)
class Judge:
    """A language model under a directive."""

    model: LanguageModel
    tier: Tier
    directive: str

    @property
    def name(self) -> str:
        """The name of the model."""
        return self.model.name(self.tier)

    @property
    def directive_sha256(self) -> str:
        """The hash of the directive, in hex digits."""
        return sha256(self.directive.encode()).hexdigest()

    def family(
        self,
        family: Family,
        samples: Sequence[Sample],
        before: Sequence[Judgement],
        now: datetime,
    ) -> Judged:
        """Judges the samples of a family: what was judged ``before`` is said again.

        A call that fails leaves nothing of the family: half of it would pass for the whole.
        """
        keys = [key(sample, QUESTIONS[family], self.directive_sha256) for sample in samples]
        known = {one.grounds.key: carried(one) for one in before}
        answers: list[Answer] = []
        try:
            for batch in _batches(
                [each for each in zip(samples, keys, strict=True) if each[1] not in known]
            ):
                reply = self._asked(family, [sample for sample, _ in batch])
                answers.append(Answer(family, to_json(reply).decode()))
                said = judged(batch, reply, now)
                known |= {one.grounds.key: one for one in said}
        except Unavailable as error:
            _log.warning("family_not_judged", family=family, code=error.code, reason=error.message)
            return Judged(error=error)
        found = [known[each] for each in keys if each in known]
        return Judged(found, answers, len(found) == len(keys))

    def _asked(self, family: Family, samples: Sequence[Sample]) -> Reply:
        directive = f"{self.directive}\n\n# The question\n\n{QUESTIONS[family]}"
        return self.model.complete(directive, shown(samples), Reply, tier=self.tier)


def _batches(asked: Sequence[tuple[Sample, str]]) -> Iterator[list[tuple[Sample, str]]]:
    """The samples in as many calls as their length takes."""
    batch: list[tuple[Sample, str]] = []
    size = 0
    for one in asked:
        length = sum(len(part.text) for part in one[0].parts)
        if batch and size + length > MAX_SHOWN:
            yield batch
            batch, size = [], 0
        batch.append(one)
        size += length
    if batch:
        yield batch
