"""Answers, whatever they are, for people and for programs."""

import sys
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from typing import TypeAlias, cast

from muniment.commands.merge import Merged
from muniment.commands.restore import Restored
from muniment.commands.save_memory import Saved
from muniment.domain.conversation.turns import Turn
from muniment.domain.memory.view import Memory
from muniment.domain.proposal.state import Proposal
from muniment.erasing import ErasureCertificate, ErasurePreview
from muniment.importing import ImportReport
from muniment.interfaces.documents import document
from muniment.log.verify import Verification
from muniment.proofs.proof import Proof
from muniment.purging import PurgeReport
from muniment.queries.diff import Difference
from muniment.queries.history import HistoryEntry
from muniment.queries.log import LogEntry
from muniment.queries.search import SearchResult
from muniment.queries.stats import Stats
from muniment.rebuild import Rebuilt
from muniment.settings import Setting

from . import (
    certificates,
    changes,
    conversing,
    copies,
    doctor,
    figures,
    memories,
    proposing,
    records,
)
from .console import Line, put

Answer: TypeAlias = (
    Saved
    | Memory
    | Restored
    | Merged
    | memories.Folded
    | PurgeReport
    | ErasureCertificate
    | ErasurePreview
    | certificates.Certificates
    | SearchResult
    | Difference
    | Stats
    | Verification
    | Proof
    | Rebuilt
    | ImportReport
    | copies.Copied
    | conversing.Told
    | doctor.Diagnosis
    | Proposal
    | list[HistoryEntry]
    | list[Turn]
    | tuple[Setting, ...]
    | Iterator[LogEntry]
)


def show(answer: Answer, *, as_json: bool, now: datetime | None = None) -> None:
    """Prints an answer: as JSON, the log an entry a line, or as lines for people.

    ``now`` is what ages are told by; None: the machine's time.
    """
    if not as_json:
        put(_lines(answer, now or datetime.now(UTC)))
    elif isinstance(answer, Iterator):
        for entry in answer:
            sys.stdout.write(document(entry, indent=None) + "\n")
    else:
        sys.stdout.write(document(answer) + "\n")


def _lines(answer: Answer, now: datetime) -> Iterable[Line]:  # noqa: PLR0912
    if isinstance(answer, copies.Copied):
        return copies.copied(answer)
    if isinstance(answer, conversing.Told):
        return conversing.told(answer, now)
    match answer:
        case Saved():
            return memories.saved(answer, now)
        case Memory():
            return memories.shown(answer, now)
        case Restored():
            return memories.restored(answer, now)
        case Merged():
            return memories.merged(answer)
        case memories.Folded():
            return memories.folded(answer)
        case PurgeReport():
            return memories.purged(answer)
        case ErasureCertificate():
            return certificates.certified(answer)
        case ErasurePreview():
            return certificates.previewed(answer)
        case certificates.Certificates():
            return certificates.listed(answer)
        case SearchResult():
            return memories.found(answer, now)
        case Difference():
            return changes.difference(answer)
        case Stats():
            return figures.stats(answer)
        case Verification():
            return records.verification(answer)
        case Proof():
            return records.proof(answer)
        case Rebuilt():
            return records.rebuilt(answer)
        case ImportReport():
            return figures.imported(answer)
        case Proposal():
            return proposing.told(answer)
        case doctor.Diagnosis():
            return doctor.report(answer)
        case tuple():
            return figures.settings(answer)
        case [Turn(), *_]:
            said = cast("list[Turn]", answer)  # pyright: ignore[reportUnnecessaryCast]  # mypy's
            return conversing.turns(said)
        case list():
            return records.history(cast("list[HistoryEntry]", answer))
        case _:
            return records.log(answer)
