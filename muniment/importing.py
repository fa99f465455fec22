"""Imports: another system's store read item by item, and brought in through the import command."""

import hmac
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

from .adapters import markdown, mcp_memory, mem0, native, rockbot
from .adapters.foreign import Foreign, Item, Skipped
from .commands.import_memory import Brought, ImportMemory
from .domain.errors import Conflict, Invalid, MunimentError
from .domain.identity import Identity
from .domain.ports import Progress
from .engine import Engine

FORMATS: dict[str, Callable[[Path], Iterator[Foreign]]] = {
    "markdown": markdown.read,
    "mcp-memory": mcp_memory.read,
    "mem0": mem0.read,
    "native": native.read,
    "rockbot": rockbot.read,
}

_BATCH = 500
_CONFLICTS = {
    "idempotency_key_reused": "it was imported before and has changed since: left as it is",
    "version_conflict": "its id is taken in another space of this store: left out",
}


@dataclass(slots=True)
class ImportReport:
    """How many were brought in, how many were here already, and what was left out and why.

    ``held_back`` of those that were brought in are in quarantine. ``notes`` says what was read in a
    way of its own, such as times without a zone.
    """

    format: str
    imported: int = 0
    already_here: int = 0
    held_back: int = 0
    skipped: list[Skipped] = field(default_factory=list[Skipped])
    notes: list[str] = field(default_factory=list[str])


def import_all(
    engine: Engine,
    identity: Identity,
    format: str,
    path: Path,
    progress: Progress | None = None,
) -> ImportReport:
    """Brings in everything that can be read under ``path``.

    Raises:
        Invalid: ``format_unknown``, or ``path_invalid`` where nothing of the format can be there.
    """
    read = FORMATS.get(format)
    if read is None:
        raise Invalid(
            f"format: {format!r} is none of {', '.join(sorted(FORMATS))}.",
            code="format_unknown",
            field="format",
        )
    report = ImportReport(format)
    found = read(path)
    done = 0
    while some := list(islice(found, _BATCH)):
        _bring(engine, identity, report, some)
        done += len(some)
        if progress is not None:
            progress(done)
    return report


def _bring(engine: Engine, identity: Identity, report: ImportReport, some: list[Foreign]) -> None:
    commands: list[tuple[str, ImportMemory]] = []
    names_key = engine.store.keys.names_key()
    for one in some:
        if isinstance(one, Skipped):
            report.skipped.append(one)
            continue
        report.notes += one.notes
        try:
            commands.append((one.where, _command(report.format, one, names_key)))
        except Invalid as error:
            report.skipped.append(Skipped(one.where, error.message))
    try:
        for brought in engine.run_all([command for _, command in commands], identity):
            _count(report, brought)
    except (Invalid, Conflict):
        # one of them is refused: take them one by one, to say which
        for where, command in commands:
            try:
                _count(report, engine.run(command, identity))
            except Conflict as error:
                report.skipped.append(Skipped(where, _CONFLICTS.get(error.code, error.message)))
            except MunimentError as error:
                report.skipped.append(Skipped(where, error.message))


def _count(report: ImportReport, brought: Brought) -> None:
    if brought.is_new:
        report.imported += 1
        report.held_back += brought.is_held_back
    else:
        report.already_here += 1


def _command(format: str, item: Item, names_key: bytes) -> ImportMemory:
    # an id of another system may hold words, so no plain hash of it may be in the log
    foreign = item.external_id.encode(errors="surrogatepass")
    named = hmac.digest(names_key, foreign, "sha256").hex()
    return ImportMemory.of(
        format=format,
        external_id=item.external_id,
        # a memory that keeps its id is known again by that
        idempotency_key=None if "id" in item.fields else f"import:{format}:{named}",
        **item.fields,
    )
