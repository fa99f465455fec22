"""What was erased, or would be, for people."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Final

from muniment.domain.erasure.besides import NOTHING
from muniment.erasing import ErasureCertificate, ErasurePreview

from .console import Line, line
from .memories import stamp

_INDENT = "    "
_KINDS: Final = {
    "recalls": "sessions' recalls",
    "proposals": "proposals",
    "feedback": "feedback",
    "entries": "working entries",
    "turns": "turns",
    "reports": "tool reports",
}


@dataclass(frozen=True, slots=True)
class Certificates:
    """The erasures of a space."""

    erasures: tuple[ErasureCertificate, ...]


def listed(answer: Certificates) -> Iterator[Line]:
    """Every certificate, oldest first."""
    if not answer.erasures:
        yield line("Nothing was erased in this space.")
    for certificate in answer.erasures:
        yield from certified(certificate)


def certified(answer: ErasureCertificate) -> Iterator[Line]:
    """What was erased, by whom, why and when; where nothing was, only that: nothing is recorded."""
    if answer.id is None:
        said = f"{_nothing(answer)} nothing was erased, and no certificate was made."
        yield line((said, "yellow"))
        yield from _ids({"without words before": answer.already})
        yield from _mentioned(answer)
        return
    if answer.completed_at is None:
        yield line(("Erasure under way: ", "yellow"), _counted(answer.erased), ".")
    else:
        yield line(("Erased ", "green"), _counted(answer.erased), ": their words are gone.")
    yield from _ids({"": answer.erased, "without words before": answer.already})
    yield from _spared(answer)
    until = answer.key_backups_until
    facts = {
        "certificate": answer.id or "",
        "basis": " ".join(filter(None, [answer.basis, answer.basis_text])),
        "subject": answer.subject or "",
        "besides": _besides(answer),
        "asked for": f"{stamp(answer.requested_at)} by {answer.requested_by}",
        "done": "" if answer.completed_at is None else stamp(answer.completed_at),
        "reason": answer.reason,
        "backups": f"destroy key backups from before by {stamp(until)}" if until else "",
    }
    for name, fact in facts.items():
        if fact:
            yield line((f"{_INDENT}{name:<12}", "dim"), fact)
    for warning in answer.warnings:
        yield line((f"{_INDENT}note: {warning}", "yellow"))


def previewed(answer: ErasurePreview) -> Iterator[Line]:
    """What an erasure would do."""
    if answer.held:
        yield line(("A legal hold blocks it: ", "red"), _counted(answer.held), ".")
        yield from _ids({"": answer.held})
    if answer.erased or answer.besides != NOTHING:
        yield line(("To be erased: ", "yellow"), _counted(answer.erased), "; --yes does it.")
    else:
        yield line(f"{_nothing(answer)} nothing would be erased.")
    if besides := _besides(answer):
        yield line((f"{_INDENT}besides     ", "dim"), besides)
    yield from _ids({"": answer.erased, "without words already": answer.already})
    yield from _spared(answer)


def _besides(answer: ErasureCertificate | ErasurePreview) -> str:
    """What else is reached, by kind."""
    counts = asdict(answer.besides)
    return ", ".join(f"{_KINDS[kind]} {count:,}" for kind, count in counts.items() if count)


def _spared(answer: ErasureCertificate | ErasurePreview) -> Iterator[Line]:
    yield from _ids(
        {
            "kept, derived from it": answer.kept,
            "back in recall": answer.restored,
            "left archived": answer.left,
        }
    )
    yield from _mentioned(answer)


def _mentioned(answer: ErasureCertificate | ErasurePreview) -> Iterator[Line]:
    """Who only mentions the name, and what to do about those."""
    yield from _ids({"mentions the name, left": answer.mentions})
    if answer.mentions:
        told = "those that are to go too: the same with their ids after 'erase', once you read them"
        yield line((f"{_INDENT}note: {told}", "yellow"))


def _nothing(answer: ErasureCertificate | ErasurePreview) -> str:
    """Why there is nothing to erase."""
    if answer.subject is not None and not answer.named:
        return f"Nothing here is about {answer.subject!r}:"
    if answer.named:
        return "What was named was without words before:"
    return "No words are left here:"


def _ids(ids: Mapping[str, Sequence[str]]) -> Iterator[Line]:
    for said, several in ids.items():
        for id_ in several:
            yield line(_INDENT, (id_, "cyan"), f"  {said}" if said else "")


def _counted(ids: Sequence[str]) -> str:
    return f"{len(ids):,} {'memory' if len(ids) == 1 else 'memories'}"
