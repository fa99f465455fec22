"""The log, and what was proven of it, for people."""

from collections.abc import Iterable, Iterator, Sequence

from muniment.log.verify import Verification
from muniment.proofs.glossary import GLOSSARY
from muniment.proofs.proof import Proof
from muniment.queries.history import HistoryEntry
from muniment.queries.log import LogEntry
from muniment.rebuild import Rebuilt

from .console import Line, line, tail
from .memories import stamp


def history(entries: Sequence[HistoryEntry]) -> Iterator[Line]:
    """What happened to a memory, oldest first."""
    for entry in entries:
        yield line(
            (stamp(entry.recorded_at), "dim"),
            (f"  {entry.version:>3}  ", "bold"),
            (f"{entry.actor:<16}  ", "magenta"),
            entry.summary,
        )


def log(entries: Iterable[LogEntry]) -> Iterator[Line]:
    """The log, an event a line."""
    for entry in entries:
        yield logged(entry)


def logged(entry: LogEntry) -> Line:
    """One event: position, time, actor, name, the tail of its stream, the space."""
    return line(
        (f"{entry.position:>6}  ", "bold"),
        (f"{stamp(entry.recorded_at)}  ", "dim"),
        (f"{entry.actor:<16}  ", "magenta"),
        f"{entry.name:<20}  ",
        (tail(entry.stream), "cyan"),
        (f"  {entry.space}", "dim"),
    )


def verification(answer: Verification) -> Iterator[Line]:
    """Whether the log is whole, and what names it."""
    if answer.intact:
        yield line(
            ("The log is intact: ", "green"),
            f"{answer.events:,} events, each leaf and the chain recomputed, up to position"
            f" {answer.head:,}.",
        )
        if answer.checkpoints:
            count = answer.checkpoints
            yield line(f"Compared with {count:,} checkpoint{'' if count == 1 else 's'}: it fits.")
    else:
        yield line(("The log is not intact.", "bold red"), f" {answer.events:,} events were read.")
        for finding in answer.findings:
            yield line(
                (f"  {finding.kind}", "red"),
                f" from position {finding.position:,} on ({finding.count:,}×): {finding.message}",
            )
        yield line("Restore the log from a backup that verifies, and keep this one as evidence.")
    if answer.not_ruled_out:
        yield line(("Not ruled out:", "yellow"))
        for sentence in answer.not_ruled_out:
            yield line(("  - ", "yellow"), sentence)
    yield line(("root   ", "dim"), answer.root)
    yield line(("chain  ", "dim"), answer.chain)


def proof(answer: Proof) -> Iterator[Line]:
    """Whether every invariant held, and where each that did not was broken first."""
    evaluated = f"{len(answer.invariants)} invariants, evaluated after every event of all spaces."
    if answer.holds:
        yield line((f"Held at all {answer.positions:,} positions: ", "green"), evaluated)
        return
    yield line(("Not all invariants held.", "bold red"), f" {evaluated}")
    for broken in answer.violations:
        yield line(
            (f"{broken.position:>6}  ", "bold"),
            (f"{broken.invariant}  ", "red"),
            f"{broken.name}  ",
            (tail(broken.stream), "cyan"),
            f"  ({broken.count:,}×)",
        )
        yield line(f"        {broken.message} {GLOSSARY[broken.invariant].advice}")


def rebuilt(answer: Rebuilt) -> Iterator[Line]:
    """Whether what is searched is what the log says."""
    if answer.agrees:
        yield line(
            ("The projections agree with the log", "green"),
            f": made anew up to position {answer.position:,}, they are the same.",
        )
    else:
        yield line(
            ("These projections differed from the log: ", "bold red"),
            f"{', '.join(answer.differing)}. Please report it.",
        )
