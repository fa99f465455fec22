"""The evaluation of samples: what a judge is asked, what is carried over, and what comes of it."""

from collections.abc import Collection, Sequence
from datetime import datetime
from hashlib import sha256
from itertools import chain
from pathlib import Path
from typing import Final

from pydantic_core import to_json

from .audit.judging import Judge, Judged
from .audit.options import AuditOptions
from .audit.rubric import DIRECTIVE, QUESTIONS
from .audit.samples import Candidates, Neighbours, Sampler, candidates
from .auditing import Auditing
from .domain.coverage import Vocabulary
from .domain.errors import Invalid, Unavailable
from .domain.evaluation import Evaluated, Family, Judgement, answered, stream
from .domain.language_model import LanguageModel
from .domain.memory import events as e

DIRECTIVES: Final = "directives"
MAX_DIRECTIVE: Final = 64 * 1024
"""Bytes of a directive file that are still read."""

_MOVING: Final = (
    e.Saved.NAME,
    e.Imported.NAME,
    e.Merged.NAME,
    e.Extended.NAME,
    e.Revised.NAME,
    e.Recategorized.NAME,
    e.Archived.NAME,
    e.Superseded.NAME,
    e.Restored.NAME,
    e.Quarantined.NAME,
    e.Released.NAME,
    e.PurgeRequested.NAME,
)
"""The events after which something else may be judged, or held against what is."""


class Evaluating:
    """The evaluations of one store.

    Args:
        auditing: What is known of the log.
        model: The judge; None: none is configured.
        vocabulary: What the check of merges goes by.
        directory: Holds ``directives/``; None: a store in memory.
    """

    def __init__(
        self,
        auditing: Auditing,
        model: LanguageModel | None,
        vocabulary: Vocabulary,
        directory: Path | None,
    ) -> None:
        self._auditing = auditing
        self._model = model
        self._vocabulary = vocabulary
        self._directory = directory

    @property
    def options(self) -> AuditOptions:
        """How much is sampled, and who judges."""
        return self._auditing.options

    @property
    def has_judge(self) -> bool:
        """Whether a language model is configured."""
        return self._model is not None

    def evaluate(self, space: str, neighbours: Neighbours, now: datetime) -> Evaluated | None:
        """An evaluation as of now, which nobody has recorded yet; None where it would say nothing.

        That is so where everything that could be judged was, and has not changed since.

        Raises:
            Invalid: ``directive_invalid``.
            Unavailable: ``model_not_configured``; or why the judge could not be asked, where that
                leaves nothing to say.
        """
        judge = self._judge()
        reader = self._auditing.reader
        earlier = reader.evaluations(space)
        known = [one for one in earlier if one is not None]
        position, moved = reader.head().position, reader.newest(space, _MOVING)
        found = self._auditing.known(
            space, lambda fold, corpus: candidates(fold, corpus, reader, self.options, now)
        )
        settled = _settled(found, judge.directive, self.options, moved)
        if known and known[-1].is_legible and known[-1].settled == settled:
            return None
        before = answered(known)
        sampler = Sampler(reader, self.options, self._vocabulary, neighbours)
        samples = sampler.samples(found, _ids(before.get("near-duplicate", ())))
        came: dict[Family, Judged] = {
            family: judge.family(family, some, before.get(family, ()), now)
            for family, some in samples.items()
        }
        judgements = [each for one in came.values() for each in one.judgements]
        errors = [one.error for one in came.values() if one.error is not None]
        if errors and not judgements:
            raise errors[0]
        if not any(samples.values()):
            return None
        shown = (part.id for some in samples.values() for one in some for part in one.parts)
        return Evaluated(
            number=len(earlier) + 1,
            evaluated_at=now,
            position=position,
            model=judge.name,
            tier=judge.tier,
            directive_sha256=judge.directive_sha256,
            families=tuple(family for family, one in came.items() if one.error is None),
            failed=tuple(family for family, one in came.items() if one.error is not None),
            verdicts=tuple(one.verdict for one in judgements),
            derived_from=tuple(dict.fromkeys(shown)),
            settled=settled if all(one.is_complete for one in came.values()) else None,
            grounds=tuple(one.grounds for one in judgements),
            answers=tuple(answer for one in came.values() for answer in one.answers),
        )

    def _judge(self) -> Judge:
        if self._model is None:
            raise Unavailable(
                "No language model is configured: set model.endpoint and model.name"
                " (MUNIMENT_MODEL__ENDPOINT, MUNIMENT_MODEL__NAME).",
                code="model_not_configured",
            )
        return Judge(self._model, self.options.eval_model_tier, self.directive())

    def directive(self) -> str:
        """The directive as it stands now: the operator's file, or the one that is built in.

        Raises:
            Invalid: ``directive_invalid``: the file is not inside ``directives/``, is no UTF-8, is
                blank or too long, or cannot be read.
        """
        name = self.options.eval_directive_path
        if self._directory is None:
            return DIRECTIVE
        home = (self._directory / DIRECTIVES).resolve()
        path = (home / name).resolve()
        if not path.is_relative_to(home):
            raise _invalid(name, f"it lies outside {DIRECTIVES}/")
        try:
            said = path.read_bytes()
            text = said.decode()
        except FileNotFoundError:
            return DIRECTIVE
        except (OSError, ValueError) as error:
            raise _invalid(name, f"it cannot be read ({type(error).__name__})") from error
        if len(said) > MAX_DIRECTIVE or not text.strip():
            raise _invalid(name, f"it is blank, or over {MAX_DIRECTIVE:,} bytes")
        return text

    def evaluated_at(self, space: str) -> datetime | None:
        """When samples were evaluated last; None: never."""
        last = self._auditing.evaluated(space)
        return None if last is None else last.evaluated_at

    def streams(self, space: str, ids: Collection[str]) -> list[str]:
        """The streams of the evaluations that words of some memories went into."""
        return [
            stream(space, one.number)
            for one in self._auditing.reader.evaluations(space)
            if one is not None and not set(ids).isdisjoint(one.derived_from)
        ]


def _settled(found: Candidates, directive: str, options: AuditOptions, moved: int) -> str:
    """The name of all that could be judged, and by which rules; made of ids and positions alone."""
    said = [
        _hash(directive),
        list(QUESTIONS.values()),
        [options.eval_sample_size, options.eval_ephemeral_context_count],
        [found.merges, [sorted(one.ids) for one in found.clusters]],
        [sorted(found.reinforced), found.ephemeral],
        moved,
    ]
    return _hash(to_json(said).decode())


def _hash(text: str) -> str:
    return sha256(text.encode()).hexdigest()


def _ids(judgements: Sequence[Judgement]) -> frozenset[str]:
    return frozenset(chain.from_iterable(one.verdict.ids for one in judgements))


def _invalid(name: str, fault: str) -> Invalid:
    return Invalid(
        f"The directive {name!r} is not used, because {fault}: put it right, or take it away.",
        code="directive_invalid",
        field="settings.audit.eval_directive_path",
    )
