"""An evaluation as callers read it."""

from collections.abc import Sequence
from dataclasses import fields
from typing import Any, Final

from muniment.domain.evaluation import Evaluated, Judgement
from muniment.domain.moments import rfc3339

from .row import Row, camel, plain

_NOT_SHOWN: Final = frozenset(
    ["number", "families", "failed", "verdicts", "derived_from", "settled", "grounds", "answers"]
)


def as_document(evaluated: Evaluated, *, skipped: bool = False) -> Row:
    """An evaluation with every verdict: camelCase, times as RFC 3339 texts, nothing that is None.

    ``skipped``: nothing was asked, because nothing that could be judged has changed since this.
    """
    document: Row = {
        camel(field.name): plain(getattr(evaluated, field.name))
        for field in fields(evaluated)
        if field.name not in _NOT_SHOWN
    }
    judgements = evaluated.judgements
    document |= _counts(judgements)
    document["families"] = {
        family: _counts([one for one in judgements if one.verdict.family == family])
        for family in evaluated.families
    }
    document["failedFamilies"] = list(evaluated.failed)
    document["verdicts"] = [_verdict(one) for one in judgements]
    document["skipped"] = skipped
    return document


def _counts(judgements: Sequence[Judgement]) -> dict[str, int]:
    sound = sum(one.verdict.sound for one in judgements)
    return {
        "judged": len(judgements),
        "sound": sound,
        "unsound": len(judgements) - sound,
        "carried": sum(one.verdict.carried for one in judgements),
    }


def _verdict(judgement: Judgement) -> dict[str, Any]:
    verdict, grounds = judgement.verdict, judgement.grounds
    said: dict[str, Any] = {
        "family": verdict.family,
        "ids": list(verdict.ids),
        "sound": verdict.sound,
        "judgedAt": rfc3339(verdict.judged_at),
        "carried": verdict.carried,
    }
    if verdict.context_ids:
        said["contextIds"] = list(verdict.context_ids)
    words = {"key": grounds.key, "reason": grounds.reason, "evidence": grounds.evidence}
    return said | {name: word for name, word in words.items() if word}
